//! Shadow memory of a space: for each symbolic byte, its term and its position in the term.

use std::ops::ControlFlow;
use std::rc::Rc;

use everypath_ir::{Bits, Endian, Op, Width};
use everypath_term::{Evaluation, Term, Terms};

/// The size of a copy-on-write line. Small, because a fork that writes one byte copies the line.
const LINE: usize = 32;
/// The number of lines in the dense array from address zero: registers, and the memory of small processors.
const NEAR: usize = 256;

/// The term of a symbolic byte, and its position in the term; byte 0 is the least significant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TermByte {
    /// The term.
    pub term: Term,
    /// The byte.
    pub byte: u8,
}

impl TermByte {
    /// The value of the byte under a model.
    pub fn value(&self, terms: &Terms, evaluation: &mut Evaluation) -> u8 {
        match evaluation.word(terms, self.term) {
            Some(word) => (word >> (8 * u32::from(self.byte))) as u8,
            None => evaluation.value(terms, self.term).to_bytes_le()[usize::from(self.byte)],
        }
    }
}

#[derive(Clone)]
struct Line {
    origins: [Option<TermByte>; LINE],
    count: usize,
}

/// The shadow memory of one space. A clone shares all lines until either changes.
#[derive(Clone, Default)]
pub struct Shadow {
    near: Vec<Option<Rc<Line>>>,
    far: imbl::OrdMap<u64, Rc<Line>>,
    /// The number of symbolic bytes.
    count: usize,
}

impl Shadow {
    /// Returns true if no byte is symbolic.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// The number of symbolic bytes.
    pub fn len(&self) -> usize {
        self.count
    }

    #[inline]
    fn line(&self, number: u64) -> Option<&Rc<Line>> {
        match usize::try_from(number) {
            Ok(near) if near < NEAR => self.near.get(near)?.as_ref(),
            _ => self.far.get(&number),
        }
    }

    /// The origin of a byte; `None` if it is concrete.
    #[inline]
    pub fn get(&self, address: u64) -> Option<TermByte> {
        self.line(address / LINE as u64)?.origins[address as usize % LINE]
    }

    /// Sets the origin of a byte.
    pub fn set(&mut self, address: u64, origin: Option<TermByte>) {
        let old = self.get(address);
        if old == origin {
            return;
        }
        self.count = self.count + usize::from(origin.is_some()) - usize::from(old.is_some());
        let number = address / LINE as u64;
        let empty = || Rc::new(Line { origins: [None; LINE], count: 0 });
        let change = |line: &mut Rc<Line>| {
            let line = Rc::make_mut(line);
            line.origins[address as usize % LINE] = origin;
            line.count = line.count + usize::from(origin.is_some()) - usize::from(old.is_some());
            line.count == 0
        };
        match usize::try_from(number) {
            Ok(near) if near < NEAR => {
                if self.near.len() <= near {
                    self.near.resize(near + 1, None);
                }
                let place = &mut self.near[near];
                if change(place.get_or_insert_with(empty)) {
                    *place = None;
                }
            }
            _ => {
                let now_empty = match self.far.get_mut(&number) {
                    Some(line) => change(line),
                    None => {
                        let mut line = empty();
                        change(&mut line);
                        self.far.insert(number, line);
                        false
                    }
                };
                if now_empty {
                    self.far.remove(&number);
                }
            }
        }
    }

    /// Makes a range of bytes concrete.
    pub fn clear(&mut self, first: u64, last: u64) {
        if self.is_empty() {
            return;
        }
        let held: Vec<u64> = self
            .iter()
            .map(|(address, _)| address)
            .filter(|address| (first..=last).contains(address))
            .collect();
        held.into_iter().for_each(|address| self.set(address, None));
    }

    /// Makes the bytes of a term concrete: they keep the values that they have.
    pub fn make_concrete(&mut self, term: Term) {
        let bytes: Vec<u64> =
            self.iter().filter(|(_, origin)| origin.term == term).map(|(address, _)| address).collect();
        bytes.into_iter().for_each(|address| self.set(address, None));
    }

    /// Calls `visit` for each byte whose origin differs, until it breaks. Lines that both share are skipped.
    pub(crate) fn try_for_each_difference(
        &self,
        other: &Shadow,
        visit: &mut dyn FnMut(u64) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let near = 0..self.near.len().max(other.near.len()) as u64;
        let far = self.far.keys().chain(other.far.keys()).copied();
        for number in near.chain(far) {
            let (ours, theirs) = (self.line(number), other.line(number));
            let is_shared = match (ours, theirs) {
                (Some(ours), Some(theirs)) => Rc::ptr_eq(ours, theirs),
                (ours, theirs) => ours.is_none() && theirs.is_none(),
            };
            if is_shared {
                continue;
            }
            for place in 0..LINE {
                let origin = |line: Option<&Rc<Line>>| line.and_then(|line| line.origins[place]);
                if origin(ours) != origin(theirs) {
                    visit(number * LINE as u64 + place as u64)?;
                }
            }
        }
        ControlFlow::Continue(())
    }

    /// All symbolic bytes, by address.
    pub fn iter(&self) -> impl Iterator<Item = (u64, TermByte)> + '_ {
        let near =
            self.near.iter().enumerate().filter_map(|(number, line)| Some((number as u64, line.as_ref()?)));
        near.chain(self.far.iter().map(|(number, line)| (*number, line))).flat_map(|(number, line)| {
            let start = number * LINE as u64;
            let known =
                move |(place, origin): (usize, &Option<TermByte>)| Some((start + place as u64, (*origin)?));
            line.origins.iter().enumerate().filter_map(known)
        })
    }

    /// The term of a value read from memory, if one of its bytes is symbolic; `bits` is its concrete value.
    pub fn read(&self, terms: &mut Terms, address: u64, bits: &Bits, endian: Endian) -> Option<Term> {
        let width = bits.width();
        let size = width.bytes();
        let place = |byte: usize| address.wrapping_add(endian.place(byte, size) as u64);
        if self.is_empty() || (0..size).all(|byte| self.get(place(byte)).is_none()) {
            return None;
        }
        let whole = Width::new(8 * size as u32)?;
        let first = self.get(place(0));
        let in_a_row = |first: TermByte| {
            let follows = |byte: usize| Some(TermByte { byte: first.byte + byte as u8, ..first });
            (1..size).all(|byte| self.get(place(byte)) == follows(byte))
        };
        let term = match first.filter(|first| in_a_row(*first)) {
            Some(first) => terms.extract(first.term, 8 * u32::from(first.byte), whole),
            None => {
                let bytes = bits.to_bytes_le();
                let mut joined = None;
                for (byte, value) in bytes.iter().enumerate() {
                    let part = match self.get(place(byte)) {
                        Some(origin) => terms.byte(origin.term, u32::from(origin.byte)),
                        None => terms.constant_u64(u64::from(*value), Width::W8),
                    };
                    joined = Some(terms.concat_onto(part, joined));
                }
                joined?
            }
        };
        let term = if whole == width { term } else { terms.extract(term, 0, width) };
        (!terms.is_constant(term)).then_some(term)
    }

    /// Sets the origins of the bytes of a value to those of its term, or to none.
    pub fn write(
        &mut self,
        terms: &mut Terms,
        address: u64,
        width: Width,
        term: Option<Term>,
        endian: Endian,
    ) {
        if term.is_none() && self.is_empty() {
            return;
        }
        let size = width.bytes();
        let whole = Width::new(8 * size as u32).unwrap_or(width);
        let term = term.map(|term| if whole == width { term } else { terms.apply(Op::Zext, whole, &[term]) });
        for byte in 0..size {
            let origin = term.map(|term| TermByte { term, byte: byte as u8 });
            self.set(address.wrapping_add(endian.place(byte, size) as u64), origin);
        }
    }
}
