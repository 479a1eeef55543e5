//! A value: a number, or a number added to what was there at the entry of the function.

use crate::domain::Number;
use everypath_ir::{Location, Op, SpaceId, Width};

/// Something that was there when a function was entered.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Symbol {
    /// What a register held.
    Register(Location, Width),
    /// What memory held at a distance from the stack pointer.
    Cell {
        /// The space.
        space: SpaceId,
        /// The distance, with its sign.
        distance: i64,
        /// The width of what is there.
        width: Width,
    },
}

impl Symbol {
    /// The width of what was there.
    pub fn width(self) -> Width {
        match self {
            Symbol::Register(_, width) | Symbol::Cell { width, .. } => width,
        }
    }
}

/// What a place can hold: any of some numbers, or one of them added to what was somewhere at the entry.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Value {
    /// What the number is added to.
    pub base: Option<Symbol>,
    /// The number.
    pub number: Number,
}

impl Value {
    /// Anything.
    pub fn unknown(width: Width) -> Self {
        Self { base: None, number: Number::all(width) }
    }

    /// A number.
    pub fn plain(number: Number) -> Self {
        Self { base: None, number }
    }

    /// What was there at the entry.
    pub fn entry(symbol: Symbol) -> Self {
        let width = symbol.width();
        if width > Width::W64 {
            Self::unknown(width)
        } else {
            Self { base: Some(symbol), number: Number::one(width, 0) }
        }
    }

    /// The width.
    pub fn width(&self) -> Width {
        self.number.width()
    }

    /// Whether it can be anything.
    pub fn is_unknown(&self) -> bool {
        self.number.is_all()
    }

    /// Whether it is exactly what was somewhere at the entry.
    pub fn is_entry(&self) -> Option<Symbol> {
        self.base.filter(|_| self.number.single() == Some(0))
    }

    fn tidy(self) -> Self {
        // Anything added to something is anything.
        if self.number.is_all() { Self { base: None, ..self } } else { self }
    }

    /// Either of two.
    #[must_use]
    pub fn join(&self, other: &Self) -> Self {
        if self == other {
            return self.clone();
        }
        if self.base == other.base && self.width() == other.width() {
            Self { base: self.base, number: self.number.join(&other.number) }.tidy()
        } else {
            Self::unknown(self.width())
        }
    }

    /// Like a join, but a chain of them ends soon: bounds that move go to the next of some numbers.
    #[must_use]
    pub fn widen(&self, next: &Self, thresholds: &[u64]) -> Self {
        if self.base == next.base && self.width() == next.width() {
            Self { base: self.base, number: self.number.widen(&next.number, thresholds) }.tidy()
        } else {
            Self::unknown(self.width())
        }
    }

    /// What an operator makes of values.
    pub fn apply(op: Op, width: Width, arguments: &[&Value]) -> Self {
        let Some(first) = arguments.first() else { return Self::unknown(width) };
        let count = arguments.len();
        let argument = |index: usize| *arguments.get(index).unwrap_or(first);
        let each = [argument(0), argument(1), argument(2)];
        let numbers = each.map(|argument| &argument.number);
        let bases = each.map(|argument| argument.base);
        let apply = |base| Self { base, number: Number::apply(op, width, &numbers[..count]) };
        match (op, &bases[..count]) {
            (_, bases) if bases.iter().all(Option::is_none) => apply(None),
            (Op::Add, [Some(base), None] | [None, Some(base)]) => apply(Some(*base)).tidy(),
            (Op::Sub, [Some(base), None]) => apply(Some(*base)).tidy(),
            // Differences and comparisons for equality of what has the same base do not depend on it.
            (Op::Sub | Op::Eq | Op::Ne, [Some(a), Some(b)]) if a == b => apply(None),
            (Op::Select, [None, b, c]) => match (numbers[0].contains(1), numbers[0].contains(0)) {
                (true, false) => each[1].clone(),
                (false, true) => each[2].clone(),
                _ if b == c => each[1].join(each[2]),
                _ => Self::unknown(width),
            },
            (Op::Xor, [Some(_), Some(_)]) if each[0] == each[1] && numbers[0].single().is_some() => {
                Self::plain(Number::one(width, 0))
            }
            (Op::Select, _) => Self::unknown(width),
            // What is relative to something can be anything.
            _ => {
                let numbers = each.map(|argument| match argument.base {
                    None => argument.number.clone(),
                    Some(_) => Number::all(argument.width()),
                });
                Self::plain(Number::apply(op, width, &numbers[..count]))
            }
        }
    }
}
