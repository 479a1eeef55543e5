//! Construction of terms: hash-consing with constant folding and rewriting.

use everypath_ir::{Bits, Op, Width};

use crate::input_set::InputSet;
use crate::node::{Kind, Node};
use crate::{Facts, Term, Terms, simplify};

/// The number of rewriting steps per term. Nearly all terms need fewer than ten; the bound keeps the cost constant
/// where rules would descend into a deep term.
const FUEL: u32 = 128;

/// The arguments in the form of a node.
#[inline]
fn key(arguments: &[Term]) -> [u32; 3] {
    match *arguments {
        [a] => [a.slot(), 0, 0],
        [a, b] => [a.slot(), b.slot(), 0],
        [a, b, c] => [a.slot(), b.slot(), c.slot()],
        _ => panic!("an operator has one to three arguments"),
    }
}

impl Terms {
    /// The term of an operator application, simplified.
    ///
    /// # Panics
    /// If there are none or more than three arguments. With debug assertions, also if [`Op::check`] rejects the widths;
    /// without them, the term is then meaningless.
    pub fn apply(&mut self, op: Op, width: Width, arguments: &[Term]) -> Term {
        self.fuel = FUEL;
        self.compute(op, width, arguments)
    }

    /// The same within the rewriting of another term, on its remaining fuel.
    pub(crate) fn compute(&mut self, op: Op, width: Width, arguments: &[Term]) -> Term {
        self.check(op, width, arguments);
        let mut key = key(arguments);
        // Canonical argument order of commutative operators, with constants last, where the rules expect them.
        if op.is_commutative() {
            let rank = |term: Term| (self.is_constant(term), term);
            if rank(arguments[0]) > rank(arguments[1]) {
                key.swap(0, 1);
            }
        }
        if let Some(folded) = self.fold(op, width, arguments) {
            return folded;
        }
        let known = self.find(Kind::Apply(op), width, key);
        if let Some(slot) = known
            && self.nodes[slot as usize].simplest
        {
            return Term::new(slot);
        }
        let tried = self.fuel > 0;
        if tried {
            self.fuel -= 1;
            let first = Term::new(key[0]);
            let other = |slot: u32| if slot == 0 { first } else { Term::new(slot) };
            let simpler = simplify::simplified(self, op, width, [first, other(key[1]), other(key[2])]);
            if let Some(simpler) = simpler {
                debug_assert_eq!(self.width(simpler), width, "a rule for {op} keeps the width");
                return simpler;
            }
        }
        let facts = match known {
            Some(slot) => self.facts_of(&self.nodes[slot as usize]),
            None => self.facts_of_application(op, width, key),
        };
        if width <= Width::W64
            && let Some(value) = facts.only()
        {
            return self.constant_u64(value, width);
        }
        match known {
            Some(slot) => {
                self.nodes[slot as usize].simplest = tried;
                Term::new(slot)
            }
            None => self.insert_application(op, width, key, facts, tried),
        }
    }

    /// The term of an operator application without folding or rewriting: for parsers, and for tests.
    ///
    /// # Panics
    /// As [`Terms::apply`].
    pub fn apply_plain(&mut self, op: Op, width: Width, arguments: &[Term]) -> Term {
        self.check(op, width, arguments);
        let key = key(arguments);
        match self.find(Kind::Apply(op), width, key) {
            Some(slot) => Term::new(slot),
            None => {
                let facts = self.facts_of_application(op, width, key);
                self.insert_application(op, width, key, facts, false)
            }
        }
    }

    fn check(&self, op: Op, width: Width, arguments: &[Term]) {
        if cfg!(debug_assertions) {
            let mut widths = [Width::W1; 3];
            for (place, &argument) in widths.iter_mut().zip(arguments) {
                *place = self.width(argument);
            }
            let allowed = op.check(width, &widths[..arguments.len().min(3)]);
            assert!(allowed.is_ok(), "{}", allowed.expect_err("just checked"));
        }
    }

    fn fold(&mut self, op: Op, width: Width, arguments: &[Term]) -> Option<Term> {
        if !arguments.iter().all(|&argument| self.is_constant(argument)) {
            return None;
        }
        let words = [0, 1, 2].map(|index| match arguments.get(index) {
            Some(&argument) => self.as_u64(argument),
            None => Some(0),
        });
        if let [Some(a), Some(b), Some(c)] = words
            && width <= Width::W64
        {
            let value = op.apply_word::<u64>(width, self.width(arguments[0]), a, b, c);
            return Some(self.constant_u64(value, width));
        }
        let values: Option<Vec<Bits>> =
            arguments.iter().map(|&argument| self.as_constant(argument)).collect();
        Some(self.constant(&op.apply(width, &values?)))
    }

    fn insert_application(
        &mut self,
        op: Op,
        width: Width,
        arguments: [u32; 3],
        facts: Facts,
        simplest: bool,
    ) -> Term {
        let mut inputs = InputSet::EMPTY;
        for &slot in &arguments[..op.arity()] {
            inputs = self.sets.union(inputs, self.nodes[slot as usize].inputs);
        }
        let facts = self.facts.insert(facts, width);
        Term::new(self.insert(Node { kind: Kind::Apply(op), width, simplest, arguments, facts, inputs }))
    }

    /// The complement of all bits; of one bit, the negation.
    pub fn not(&mut self, x: Term) -> Term {
        self.apply(Op::Not, self.width(x), &[x])
    }

    /// Bitwise and; of single bits, the conjunction.
    pub fn and(&mut self, x: Term, y: Term) -> Term {
        self.apply(Op::And, self.width(x), &[x, y])
    }

    /// Bitwise or; of single bits, the disjunction.
    pub fn or(&mut self, x: Term, y: Term) -> Term {
        self.apply(Op::Or, self.width(x), &[x, y])
    }

    /// The equality of two terms of one width, as one bit.
    pub fn eq(&mut self, x: Term, y: Term) -> Term {
        self.apply(Op::Eq, Width::W1, &[x, y])
    }

    /// The disequality of two terms of one width, as one bit.
    pub fn ne(&mut self, x: Term, y: Term) -> Term {
        self.apply(Op::Ne, Width::W1, &[x, y])
    }

    /// `then` if the condition, of one bit, is one; else `otherwise`.
    pub fn select(&mut self, condition: Term, then: Term, otherwise: Term) -> Term {
        self.apply(Op::Select, self.width(then), &[condition, then, otherwise])
    }

    /// The `width` bits from `low` upwards.
    ///
    /// # Panics
    /// If the term does not have these bits.
    pub fn extract(&mut self, term: Term, low: u32, width: Width) -> Term {
        let low = u16::try_from(low).expect("a term has at most 512 bits");
        self.apply(Op::Extract(low), width, &[term])
    }

    /// The concatenation, with the first term as the high part.
    ///
    /// # Panics
    /// If the result has more than 512 bits.
    pub fn concat(&mut self, high: Term, low: Term) -> Term {
        let width = Width::new(self.width(high).bits() + self.width(low).bits());
        self.apply(Op::Concat, width.expect("at most 512 bits together"), &[high, low])
    }

    /// The concatenation with what is already below, as values of several bytes are put together from the least significant on.
    ///
    /// # Panics
    /// If the result has more than 512 bits.
    pub fn concat_onto(&mut self, high: Term, below: Option<Term>) -> Term {
        match below {
            Some(low) => self.concat(high, low),
            None => high,
        }
    }

    /// One byte of a term of whole bytes, counted from the least significant.
    ///
    /// # Panics
    /// If the term does not have this byte.
    pub fn byte(&mut self, term: Term, number: u32) -> Term {
        self.extract(term, number * 8, Width::W8)
    }
}
