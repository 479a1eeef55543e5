//! The shadow of a space: for each byte, which byte of which term it is; nothing where nothing depends on input.

use std::rc::Rc;

use everypath_ir::{Bits, Endian, Op, Width};
use everypath_term::{Evaluation, Term, Terms};

/// How many bytes share a line. Small, because a fork that writes one of them copies them all.
const LINE: usize = 32;
/// How many lines from address zero on are found without a search: registers, and the memory of small processors.
const NEAR: usize = 256;

/// Which byte of which term a byte of the state is; byte 0 is the lowest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Origin {
    /// The term.
    pub term: Term,
    /// The byte.
    pub byte: u8,
}

impl Origin {
    /// What the byte is under a model.
    pub fn value(&self, terms: &Terms, evaluation: &mut Evaluation) -> u8 {
        match evaluation.word(terms, self.term) {
            Some(word) => (word >> (8 * u32::from(self.byte))) as u8,
            None => evaluation.value(terms, self.term).to_bytes_le()[usize::from(self.byte)],
        }
    }
}

#[derive(Clone)]
struct Line {
    origins: [Option<Origin>; LINE],
    count: usize,
}

/// The shadow of one space. A clone shares all lines until one of both changes.
#[derive(Clone, Default)]
pub struct Shadow {
    near: Vec<Option<Rc<Line>>>,
    far: imbl::OrdMap<u64, Rc<Line>>,
    /// How many bytes have a term.
    count: usize,
}

impl Shadow {
    /// Whether no byte has a term.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// How many bytes have a term.
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

    /// What a byte is.
    #[inline]
    pub fn get(&self, address: u64) -> Option<Origin> {
        self.line(address / LINE as u64)?.origins[address as usize % LINE]
    }

    /// Says what a byte is from now on.
    pub fn set(&mut self, address: u64, origin: Option<Origin>) {
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

    /// Every byte that has a term, in the order of addresses.
    pub fn iter(&self) -> impl Iterator<Item = (u64, Origin)> + '_ {
        let near =
            self.near.iter().enumerate().filter_map(|(number, line)| Some((number as u64, line.as_ref()?)));
        near.chain(self.far.iter().map(|(number, line)| (*number, line))).flat_map(|(number, line)| {
            let start = number * LINE as u64;
            let known =
                move |(place, origin): (usize, &Option<Origin>)| Some((start + place as u64, (*origin)?));
            line.origins.iter().enumerate().filter_map(known)
        })
    }

    /// The term of a value that was read, if one of its bytes has one. `bits` is what it is now.
    pub fn read(&self, terms: &mut Terms, address: u64, bits: &Bits, endian: Endian) -> Option<Term> {
        let width = bits.width();
        let size = width.bytes();
        let place = |byte: usize| address.wrapping_add(endian.place(byte, size) as u64);
        if self.is_empty() || (0..size).all(|byte| self.get(place(byte)).is_none()) {
            return None;
        }
        let whole = Width::new(8 * size as u32)?;
        let first = self.get(place(0));
        let in_a_row = |first: Origin| {
            let follows = |byte: usize| Some(Origin { byte: first.byte + byte as u8, ..first });
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
                    joined = Some(match joined {
                        Some(low) => terms.concat(part, low),
                        None => part,
                    });
                }
                joined?
            }
        };
        let term = if whole == width { term } else { terms.extract(term, 0, width) };
        (!terms.is_constant(term)).then_some(term)
    }

    /// Says that the bytes from an address on are those of a term, or of no term.
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
            let origin = term.map(|term| Origin { term, byte: byte as u8 });
            self.set(address.wrapping_add(endian.place(byte, size) as u64), origin);
        }
    }
}
