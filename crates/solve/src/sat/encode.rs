//! Tseitin encoding of gates into CNF, on demand: each gate once, in the cone of influence of the queried literals.

use super::ClauseSink;
use crate::circuit::{Circuit, Gate, Literal};

/// The gates of a circuit that are encoded in a solver, with their variables.
///
/// Both polarities are encoded (unlike Plaisted and Greenbaum), so that later queries can use a gate in either polarity
/// without new clauses.
#[derive(Debug, Default)]
pub struct Encoder {
    /// The variable of each gate; zero if it is not encoded.
    variables: Vec<i32>,
    /// The number of encoded gates.
    encoded: usize,
    pending: Vec<usize>,
}

impl Encoder {
    /// An encoder for a solver without clauses.
    #[must_use]
    pub fn new() -> Encoder {
        Encoder::default()
    }

    /// The number of encoded gates.
    #[must_use]
    pub fn encoded(&self) -> usize {
        self.encoded
    }

    /// The solver's literal for a literal of the circuit, if its gate is encoded.
    #[must_use]
    pub fn known(&self, literal: Literal) -> Option<i32> {
        let variable = self.variables.get(literal.gate()).copied().unwrap_or(0);
        (variable != 0).then_some(signed(variable, literal))
    }

    /// The solver's literal for a literal of the circuit; encodes the gates in its cone that are missing.
    pub fn literal(&mut self, circuit: &Circuit, sink: &mut impl ClauseSink, literal: Literal) -> i32 {
        if self.variables.len() < circuit.len() {
            self.variables.resize(circuit.len(), 0);
        }
        if self.variables[literal.gate()] == 0 {
            self.encode(circuit, sink, literal.gate());
        }
        signed(self.variables[literal.gate()], literal)
    }

    fn encode(&mut self, circuit: &Circuit, sink: &mut impl ClauseSink, root: usize) {
        debug_assert!(self.pending.is_empty(), "nothing is left from the last time");
        self.pending.push(root);
        while let Some(&gate) = self.pending.last() {
            if self.variables[gate] != 0 {
                self.pending.pop();
                continue;
            }
            let arguments = arguments(circuit, gate);
            let before = self.pending.len();
            let missing =
                arguments.iter().map(|argument| argument.gate()).filter(|&gate| self.variables[gate] == 0);
            self.pending.extend(missing);
            if self.pending.len() > before {
                continue;
            }
            self.pending.pop();
            let variable = sink.variable();
            self.variables[gate] = variable;
            self.encoded += 1;
            let arguments: Vec<i32> =
                arguments.iter().map(|&argument| signed(self.variables[argument.gate()], argument)).collect();
            define(sink, circuit.gate(gate), variable, &arguments);
        }
    }
}

fn signed(variable: i32, literal: Literal) -> i32 {
    if literal.is_complement() { -variable } else { variable }
}

/// The arguments of a gate; `and` gates with fan-out one are flattened into a wide `and`: the solver decides and learns
/// less about one wide gate than about a chain.
fn arguments(circuit: &Circuit, gate: usize) -> Vec<Literal> {
    let gate = circuit.gate(gate);
    let Gate::And(both) = gate else { return gate.arguments().to_vec() };
    let mut leaves = Vec::new();
    let mut open = both.to_vec();
    while let Some(literal) = open.pop() {
        match circuit.gate(literal.gate()) {
            Gate::And(below) if !literal.is_complement() && circuit.is_used_once(literal.gate()) => {
                open.extend(below);
            }
            _ => leaves.push(literal),
        }
    }
    leaves.sort_unstable();
    leaves.dedup();
    leaves
}

/// Adds the defining clauses of a gate.
fn define(sink: &mut impl ClauseSink, gate: Gate, out: i32, arguments: &[i32]) {
    match (gate, arguments) {
        (Gate::Input, _) => {}
        (Gate::False, _) => sink.clause(&[-out]),
        (Gate::And(_), conjuncts) => {
            for &conjunct in conjuncts {
                sink.clause(&[-out, conjunct]);
            }
            let mut all: Vec<i32> = conjuncts.iter().map(|conjunct| -conjunct).collect();
            all.push(out);
            sink.clause(&all);
        }
        (Gate::Xor(_), &[a, b]) => {
            for clause in [[-out, a, b], [-out, -a, -b], [out, -a, b], [out, a, -b]] {
                sink.clause(&clause);
            }
        }
        (Gate::Select(_), &[condition, then, otherwise]) => {
            sink.clause(&[-condition, -then, out]);
            sink.clause(&[-condition, then, -out]);
            sink.clause(&[condition, -otherwise, out]);
            sink.clause(&[condition, otherwise, -out]);
            // Redundant, but they let unit propagation derive the output where both sides agree.
            sink.clause(&[-then, -otherwise, out]);
            sink.clause(&[then, otherwise, -out]);
        }
        (Gate::Parity(_), &[a, b, c]) => {
            for signs in 0..8_u32 {
                let sign = |bit: u32, literal: i32| if signs >> bit & 1 == 1 { literal } else { -literal };
                // Excludes one assignment of the three together with the wrong value of `out`.
                let right = if signs.count_ones() % 2 == 0 { out } else { -out };
                sink.clause(&[sign(0, a), sign(1, b), sign(2, c), right]);
            }
        }
        (Gate::Majority(_), &[a, b, c]) => {
            for (x, y) in [(a, b), (a, c), (b, c)] {
                sink.clause(&[-x, -y, out]);
                sink.clause(&[x, y, -out]);
            }
        }
        _ => unreachable!("a gate has as many arguments as its kind says"),
    }
}
