//! Structural hashing of gates, as in and-inverter graphs (Kuehlmann et al. 2002): equal gates are one gate, and
//! constant and trivial gates are folded.

use rustc_hash::FxHashMap;

use super::{Gate, Literal};

/// An acyclic combinational circuit in topological order: arguments precede the gates that use them.
///
/// ```
/// use everypath_solve::circuit::{Circuit, Literal};
/// let mut circuit = Circuit::new();
/// let (a, b) = (circuit.input(), circuit.input());
/// assert_eq!(circuit.and(a, !a), Literal::FALSE);
/// assert_eq!(circuit.and(a, b), circuit.and(b, a));
/// assert_eq!(circuit.xor(!a, b), !circuit.xor(a, b));
/// ```
#[derive(Debug)]
pub struct Circuit {
    gates: Vec<Gate>,
    /// The fan-out of each gate, saturating.
    uses: Vec<u8>,
    numbers: FxHashMap<Gate, Literal>,
    pub(super) divisions: super::divide::Divisions,
}

impl Default for Circuit {
    fn default() -> Circuit {
        Circuit {
            gates: vec![Gate::False],
            uses: vec![0],
            numbers: FxHashMap::default(),
            divisions: FxHashMap::default(),
        }
    }
}

impl Circuit {
    /// A circuit without inputs.
    #[must_use]
    pub fn new() -> Circuit {
        Circuit::default()
    }

    /// The number of gates, inputs and the constant included.
    #[must_use]
    pub fn len(&self) -> usize {
        self.gates.len()
    }

    /// Returns true if there is no gate but the constant.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.gates.len() == 1
    }

    /// The gate with this number.
    ///
    /// # Panics
    /// If there is no such gate.
    #[inline]
    #[must_use]
    pub fn gate(&self, number: usize) -> Gate {
        self.gates[number]
    }

    /// Returns true if the fan-out of this gate is one.
    #[inline]
    pub(crate) fn is_used_once(&self, number: usize) -> bool {
        self.uses[number] == 1
    }

    /// A new input.
    pub fn input(&mut self) -> Literal {
        self.push(Gate::Input)
    }

    /// New inputs.
    pub fn inputs(&mut self, count: usize) -> Vec<Literal> {
        (0..count).map(|_| self.input()).collect()
    }

    fn push(&mut self, gate: Gate) -> Literal {
        let literal = Literal::of_gate(self.gates.len());
        self.gates.push(gate);
        self.uses.push(0);
        literal
    }

    fn find_or_push(&mut self, gate: Gate) -> Literal {
        if let Some(&literal) = self.numbers.get(&gate) {
            return literal;
        }
        for argument in gate.arguments() {
            let uses = &mut self.uses[argument.gate()];
            *uses = uses.saturating_add(1);
        }
        let literal = self.push(gate);
        self.numbers.insert(gate, literal);
        literal
    }

    /// The arguments of the `and` gate that drives this literal.
    fn conjuncts(&self, literal: Literal) -> Option<[Literal; 2]> {
        match self.gates[literal.gate()] {
            Gate::And(arguments) => Some(arguments),
            _ => None,
        }
    }

    /// The conjunction.
    pub fn and(&mut self, a: Literal, b: Literal) -> Literal {
        let (a, b) = if a <= b { (a, b) } else { (b, a) };
        if a == Literal::FALSE || a == !b {
            return Literal::FALSE;
        }
        if a == Literal::TRUE || a == b {
            return b;
        }
        for (one, other) in [(a, b), (b, a)] {
            let Some(conjuncts) = self.conjuncts(other) else { continue };
            match (other.is_complement(), conjuncts.contains(&one), conjuncts.contains(&!one)) {
                // one and (one and x)
                (false, true, _) => return other,
                // one and (not one and x)
                (false, _, true) => return Literal::FALSE,
                // one and not (one and x)
                (true, true, _) => {
                    let rest = if conjuncts[0] == one { conjuncts[1] } else { conjuncts[0] };
                    return self.and(one, !rest);
                }
                // one and not (not one and x)
                (true, _, true) => return one,
                (_, false, false) => {}
            }
        }
        self.find_or_push(Gate::And([a, b]))
    }

    /// The disjunction.
    pub fn or(&mut self, a: Literal, b: Literal) -> Literal {
        !self.and(!a, !b)
    }

    /// The exclusive or.
    pub fn xor(&mut self, a: Literal, b: Literal) -> Literal {
        let complement = a.is_complement() != b.is_complement();
        let (a, b) = (a.positive().min(b.positive()), a.positive().max(b.positive()));
        let literal = if a == b {
            Literal::FALSE
        } else if a == Literal::FALSE {
            b
        } else {
            self.find_or_push(Gate::Xor([a, b]))
        };
        literal ^ complement
    }

    /// The multiplexer: `then` if the condition is one, otherwise `otherwise`.
    pub fn select(&mut self, condition: Literal, then: Literal, otherwise: Literal) -> Literal {
        if condition.is_complement() {
            return self.select(!condition, otherwise, then);
        }
        if condition == Literal::FALSE || then == otherwise {
            return otherwise;
        }
        if then == !otherwise {
            return !self.xor(condition, then);
        }
        if then == Literal::TRUE || then == condition {
            return self.or(condition, otherwise);
        }
        if then == Literal::FALSE || then == !condition {
            return self.and(!condition, otherwise);
        }
        if otherwise == Literal::FALSE || otherwise == condition {
            return self.and(condition, then);
        }
        if otherwise == Literal::TRUE || otherwise == !condition {
            return self.or(!condition, then);
        }
        // A nested select on the same condition is already decided.
        if let Gate::Select([same, below, _]) = self.gates[then.gate()]
            && same == condition
        {
            return self.select(condition, below ^ then.is_complement(), otherwise);
        }
        if let Gate::Select([same, _, below]) = self.gates[otherwise.gate()]
            && same == condition
        {
            return self.select(condition, then, below ^ otherwise.is_complement());
        }
        let complement = then.is_complement();
        self.find_or_push(Gate::Select([condition, then.positive(), otherwise ^ complement])) ^ complement
    }

    /// The parity of three bits: one if an odd number of them is one.
    pub fn parity(&mut self, a: Literal, b: Literal, c: Literal) -> Literal {
        let complement = a.is_complement() ^ b.is_complement() ^ c.is_complement();
        let mut arguments = [a.positive(), b.positive(), c.positive()];
        arguments.sort_unstable();
        let [a, b, c] = arguments;
        let literal = if a == Literal::FALSE {
            self.xor(b, c)
        } else if a == b {
            c
        } else if b == c {
            a
        } else {
            self.find_or_push(Gate::Parity(arguments))
        };
        literal ^ complement
    }

    /// The majority of three bits: one if at least two of them are one.
    pub fn majority(&mut self, a: Literal, b: Literal, c: Literal) -> Literal {
        let mut arguments = [a, b, c];
        arguments.sort_unstable();
        let [a, b, c] = arguments;
        if a == Literal::FALSE {
            return self.and(b, c);
        }
        if a == Literal::TRUE {
            return self.or(b, c);
        }
        if a == b || b == !c {
            return a;
        }
        if b == c {
            return b;
        }
        if a == !b {
            return c;
        }
        // Majority is self-dual. Normalising the first argument to positive makes the carries of a difference the same
        // gates as the borrows of a comparison.
        let complement = a.is_complement();
        self.find_or_push(Gate::Majority(arguments.map(|argument| argument ^ complement))) ^ complement
    }

    /// A full adder: the sum bit and the carry.
    pub fn full_adder(&mut self, a: Literal, b: Literal, c: Literal) -> (Literal, Literal) {
        (self.parity(a, b, c), self.majority(a, b, c))
    }
}
