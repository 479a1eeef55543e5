//! Value ranges implied by the path condition, by interval analysis of terms. A read through a narrow symbolic address
//! becomes an array read over all bytes that it can reach.

use crate::bit_slices::BitSlices;
use everypath_ir::{Op, Width};
use everypath_term::{Term, Terms, View};

/// The maximum size in bytes of the memory that one array read covers: its index has 16 bits.
const LARGEST: u64 = 1 << 16;
/// The maximum depth of subterms analysed.
const DEPTH: u32 = 12;

/// The bytes that a symbolic address can reach.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PathRange {
    /// The lowest address.
    pub start: u64,
    /// The size in bytes.
    pub size: usize,
    /// The distance of the address from the lowest one.
    pub index: Term,
    /// The width of that distance.
    pub index_width: Width,
}

/// The value ranges of terms implied by the path condition.
#[derive(Clone, Debug, Default)]
pub struct PathRanges {
    ranges: imbl::OrdMap<Term, (u64, u64)>,
    /// The terms with a range that consist of several others, by the one of their least significant bits.
    composites: imbl::OrdMap<Term, Term>,
}

impl PathRanges {
    /// The terms with a range.
    pub fn terms(&self) -> impl Iterator<Item = Term> + '_ {
        self.ranges.keys().copied()
    }

    /// Adds a branch condition, or its negation, to the path condition.
    pub fn assume(&mut self, terms: &Terms, condition: Term, holds: bool) {
        let View::Apply { op, arguments } = terms.view(condition) else { return };
        if op == Op::Not {
            return self.assume(terms, arguments[0], !holds);
        }
        if op == Op::And && holds || op == Op::Or && !holds {
            arguments.iter().for_each(|part| self.assume(terms, *part, holds));
            return;
        }
        let Some(&second) = arguments.get(1) else { return };
        let first = arguments[0];
        let width = terms.width(first);
        if width > Width::W64 {
            return;
        }
        let greatest = u64::MAX >> (64 - width.bits());
        let narrowed = match (op, holds, terms.as_u64(first), terms.as_u64(second)) {
            (Op::Eq, true, None, Some(value)) | (Op::Ne, false, None, Some(value)) => {
                Some((first, value, value))
            }
            (Op::Ult, true, None, Some(value)) if value > 0 => Some((first, 0, value - 1)),
            (Op::Ult, false, None, Some(value)) => Some((first, value, greatest)),
            (Op::Ult, true, Some(value), None) if value < greatest => Some((second, value + 1, greatest)),
            (Op::Ult, false, Some(value), None) => Some((second, 0, value)),
            (Op::Ule, true, None, Some(value)) => Some((first, 0, value)),
            (Op::Ule, false, None, Some(value)) if value < greatest => Some((first, value + 1, greatest)),
            (Op::Ule, true, Some(value), None) => Some((second, value, greatest)),
            (Op::Ule, false, Some(value), None) if value > 0 => Some((second, 0, value - 1)),
            _ => None,
        };
        if let Some((term, least, most)) = narrowed {
            let known = self.ranges.entry(term).or_insert((0, greatest));
            *known = (known.0.max(least), known.1.min(most));
            if let View::Apply { op: Op::Concat, .. } = terms.view(term)
                && let Some(lowest) = BitSlices::of(terms, term).and_then(|slices| slices.lowest())
            {
                self.composites.insert(lowest, term);
            }
        }
    }

    /// The range of a term that is another one with a range, extended by zeros and shifted.
    fn scaled(&self, terms: &Terms, term: Term) -> Option<(u64, u64)> {
        if self.composites.is_empty() {
            return None;
        }
        let slices = BitSlices::of(terms, term)?;
        let composite = *self.composites.get(&slices.lowest()?)?;
        let shift = slices.shift_of(&BitSlices::of(terms, composite)?)?;
        let (least, most) = *self.ranges.get(&composite)?;
        let shifted = |value: u64| value.checked_shl(shift).filter(|shifted| shifted >> shift == value);
        Some((shifted(least)?, shifted(most)?))
    }

    /// Adds that a term lies between two values.
    pub fn restrict(&mut self, term: Term, least: u64, greatest: u64) {
        let known = self.ranges.entry(term).or_insert((least, greatest));
        *known = (known.0.max(least), known.1.min(greatest));
    }

    /// The least and the greatest value of a term, as far as the path condition and the structure of the term tell.
    pub fn interval(&self, terms: &Terms, term: Term) -> Option<(u64, u64)> {
        self.range(terms, term, DEPTH)
    }

    /// The value of a term, if the path condition implies a single one.
    pub fn fixed(&self, terms: &Terms, term: Term) -> Option<u64> {
        let (least, greatest) = self.range(terms, term, DEPTH)?;
        (least == greatest).then_some(least)
    }

    /// The bytes that an access of this size can reach, if they are few enough.
    pub fn find(&self, terms: &mut Terms, address: Term, size: usize) -> Option<PathRange> {
        let (least, greatest) = self.range(terms, address, DEPTH)?;
        let reach = greatest.checked_sub(least)?.checked_add(size as u64)?;
        if reach > LARGEST {
            return None;
        }
        let width = terms.width(address);
        let index_width = if width < Width::W16 { width } else { Width::W16 };
        let start = terms.constant_u64(least, width);
        let distance = terms.apply(Op::Sub, width, &[address, start]);
        let index = terms.extract(distance, 0, index_width);
        Some(PathRange { start: least, size: reach as usize, index, index_width })
    }

    /// The range of a term on this path.
    fn range(&self, terms: &Terms, term: Term, depth: u32) -> Option<(u64, u64)> {
        let facts = terms.unsigned_range(term)?;
        let (mut least, mut greatest) = self.ranges.get(&term).copied().unwrap_or(facts);
        (least, greatest) = (least.max(facts.0), greatest.min(facts.1));
        if depth > 0
            && let Some((low, high)) = self.parts(terms, term, depth - 1)
        {
            (least, greatest) = (least.max(low), greatest.min(high));
        }
        (least <= greatest).then_some((least, greatest))
    }

    /// The range implied by the subterms.
    fn parts(&self, terms: &Terms, term: Term, depth: u32) -> Option<(u64, u64)> {
        let View::Apply { op, arguments } = terms.view(term) else { return None };
        let width = terms.width(term).bits();
        let greatest = u64::MAX >> (64 - width);
        let fits = |low: Option<u64>, high: Option<u64>| {
            Some((low?, high?)).filter(|(low, high)| low <= high && *high <= greatest)
        };
        let range = |place: usize| self.range(terms, arguments[place], depth);
        match op {
            Op::Zext => range(0),
            Op::Add => {
                let (first, second) = (range(0)?, range(1)?);
                // A negative offset wraps at both ends alike.
                let (low, high) =
                    (first.0.wrapping_add(second.0) & greatest, first.1.wrapping_add(second.1) & greatest);
                let spread = (first.1 - first.0).checked_add(second.1 - second.0)?;
                (low <= high && high - low == spread).then_some((low, high))
            }
            Op::Mul => {
                let (first, second) = (range(0)?, range(1)?);
                fits(first.0.checked_mul(second.0), first.1.checked_mul(second.1))
            }
            Op::Shl => {
                let (first, amount) = (range(0)?, terms.as_u64(arguments[1])?);
                let factor = 1_u64.checked_shl(u32::try_from(amount).ok()?)?;
                fits(first.0.checked_mul(factor), first.1.checked_mul(factor))
            }
            Op::Concat => {
                if let Some(scaled) = self.scaled(terms, term) {
                    return Some(scaled);
                }
                let (high, low) = (range(0)?, range(1)?);
                let shift = terms.width(arguments[1]).bits();
                Some((high.0 << shift | low.0, high.1 << shift | low.1))
            }
            Op::Or => {
                let (first, second) = (terms.known_bits(arguments[0]), terms.known_bits(arguments[1]));
                let apart = (first.0 | second.0) & greatest == greatest;
                let (first, second) = (range(0)?, range(1)?);
                if apart { fits(first.0.checked_add(second.0), first.1.checked_add(second.1)) } else { None }
            }
            Op::Select => match range(0)? {
                (1, 1) => range(1),
                (0, 0) => range(2),
                _ => {
                    let (then, otherwise) = (range(1)?, range(2)?);
                    Some((then.0.min(otherwise.0), then.1.max(otherwise.1)))
                }
            },
            Op::Not => range(0).map(|(low, high)| (greatest - high, greatest - low)),
            Op::Sext => {
                let (low, high) = range(0)?;
                let sign = 1 << (terms.width(arguments[0]).bits() - 1);
                let extended =
                    |value: u64| if value >= sign { value | (greatest & !(2 * sign - 1)) } else { value };
                (low == high).then(|| (extended(low), extended(low)))
            }
            _ => None,
        }
    }
}
