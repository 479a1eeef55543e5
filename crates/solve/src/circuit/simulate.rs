//! Bit-parallel simulation of a circuit on 64 input assignments at a time.

use super::{Circuit, Gate, Literal};

/// The values of all gates under 64 assignments of the inputs; bit `i` of a word belongs to assignment `i`.
#[derive(Debug)]
pub struct Simulation(Vec<u64>);

impl Simulation {
    /// Simulates all gates; an input that is not given is zero.
    #[must_use]
    pub fn new(circuit: &Circuit, inputs: impl IntoIterator<Item = (Literal, u64)>) -> Simulation {
        let mut simulation = Simulation(vec![0; circuit.len()]);
        for (input, value) in inputs {
            simulation.0[input.gate()] = value ^ mask(input);
        }
        for number in 0..circuit.len() {
            let gate = circuit.gate(number);
            let value = match gate {
                Gate::False | Gate::Input => continue,
                Gate::And([a, b]) => simulation.value(a) & simulation.value(b),
                Gate::Xor([a, b]) => simulation.value(a) ^ simulation.value(b),
                Gate::Select([condition, then, otherwise]) => {
                    let condition = simulation.value(condition);
                    condition & simulation.value(then) | !condition & simulation.value(otherwise)
                }
                Gate::Parity([a, b, c]) => simulation.value(a) ^ simulation.value(b) ^ simulation.value(c),
                Gate::Majority([a, b, c]) => {
                    let (a, b, c) = (simulation.value(a), simulation.value(b), simulation.value(c));
                    a & b | a & c | b & c
                }
            };
            simulation.0[number] = value;
        }
        simulation
    }

    /// The value of a literal under each assignment.
    #[must_use]
    pub fn value(&self, literal: Literal) -> u64 {
        self.0[literal.gate()] ^ mask(literal)
    }
}

fn mask(literal: Literal) -> u64 {
    if literal.is_complement() { u64::MAX } else { 0 }
}
