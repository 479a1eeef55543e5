//! Symbolic values: a set of numbers, optionally relative to a value at the function entry.

use crate::domain::Number;
use everypath_ir::{Location, Op, SpaceId, Width};

/// An entry value of a function.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum EntrySymbol {
    /// The value of a register at the entry.
    Register(Location, Width),
    /// The value of memory at an offset from the stack pointer at the entry.
    Cell {
        /// The space.
        space: SpaceId,
        /// The signed offset.
        distance: i64,
        /// The width of the cell.
        width: Width,
    },
}

impl EntrySymbol {
    /// The width of the symbol.
    pub fn width(self) -> Width {
        match self {
            EntrySymbol::Register(_, width) | EntrySymbol::Cell { width, .. } => width,
        }
    }
}

/// A value set: numbers, or numbers added to an entry value.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Value {
    /// The entry value that the number is added to.
    pub base: Option<EntrySymbol>,
    /// The set of numbers.
    pub number: Number,
}

impl Value {
    /// Top: any value.
    pub fn unknown(width: Width) -> Self {
        Self { base: None, number: Number::all(width) }
    }

    /// A set of numbers without a base.
    pub fn plain(number: Number) -> Self {
        Self { base: None, number }
    }

    /// An unchanged entry value.
    pub fn entry(symbol: EntrySymbol) -> Self {
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

    /// Returns true if it is top.
    pub fn is_unknown(&self) -> bool {
        self.number.is_all()
    }

    /// The symbol, if it is exactly an entry value.
    pub fn is_entry(&self) -> Option<EntrySymbol> {
        self.base.filter(|_| self.number.single() == Some(0))
    }

    fn tidy(self) -> Self {
        // Top plus a base is top.
        if self.number.is_all() { Self { base: None, ..self } } else { self }
    }

    /// The join of two values.
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

    /// Widening: bounds that grow move to the next threshold.
    #[must_use]
    pub fn widen(&self, next: &Self, thresholds: &[u64]) -> Self {
        if self.base == next.base && self.width() == next.width() {
            Self { base: self.base, number: self.number.widen(&next.number, thresholds) }.tidy()
        } else {
            Self::unknown(self.width())
        }
    }

    /// The transfer function of an operator.
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
            // Differences and equality of two values with the same base do not depend on it.
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
            // A value with a base can be any number.
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
