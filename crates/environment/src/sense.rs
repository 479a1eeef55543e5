//! The outside world of a run on input: what volatile cells give is input, each read anew.

use everypath_ir::{Bits, Location, Width};
use everypath_machine::{AccessFault, Denied, Fault, Outside, Sensed, State};
use everypath_term::{Input, Model, Term, Terms};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::rc::Rc;

use crate::model::{Call, Remembered};
use crate::world::World;

/// What an input byte is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Origin {
    /// A byte of what a volatile cell gave.
    Reading {
        /// The number of the cell in the configuration.
        cell: u32,
        /// The how many-th read of the cell it was, from zero.
        ordinal: u32,
        /// The byte of the value, from the lowest.
        byte: u32,
    },
    /// A byte of what memory or a register held at the start.
    Initial {
        /// The number of the input in the configuration.
        input: u32,
        /// The byte, from the lowest address or the lowest of the register.
        byte: u32,
    },
    /// A byte of memory that the program read before anything had written it.
    Unwritten {
        /// Where.
        location: Location,
    },
    /// By which bits a byte of memory that something besides the program may write differs from what the program wrote.
    /// It is taken to be zero everywhere.
    Changed {
        /// Where.
        location: Location,
        /// Which read of it on its path: it may change between two.
        ordinal: u32,
    },
}

/// How many reads of a byte that something besides the program may write have an input of their own on a path. Further ones
/// take them in turns: a program compares reads that follow each other, and one that polls reads without end.
const CHANGES: u32 = 32;

/// The input bytes of all paths: the same byte of the same read has the same number everywhere.
#[derive(Clone, Debug, Default)]
pub struct Inputs {
    origins: Vec<Origin>,
    numbers: FxHashMap<Origin, Input>,
    /// Accesses to memory that something besides the program may write, with the most bytes that were read there.
    changing: BTreeMap<Location, u64>,
    /// The input bytes by which such memory may differ.
    changed: Vec<(Input, Location)>,
}

impl Inputs {
    /// The number of an input byte.
    pub fn number(&mut self, origin: Origin) -> Input {
        *self.numbers.entry(origin).or_insert_with(|| {
            self.origins.push(origin);
            let input = Input(self.origins.len() as u32 - 1);
            if let Origin::Changed { location, .. } = origin {
                self.changed.push((input, location));
            }
            input
        })
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.origins.is_empty()
    }

    /// The number of an input byte, if it was ever read.
    pub fn find(&self, origin: Origin) -> Option<Input> {
        self.numbers.get(&origin).copied()
    }

    /// Accesses to memory that something besides the program may write, each with its size in bytes.
    pub fn changing(&self) -> impl Iterator<Item = (Location, u64)> + '_ {
        self.changing.iter().map(|(location, size)| (*location, *size))
    }

    /// The input bytes by which memory may differ that something besides the program may write, and where that is.
    pub fn changed(&self) -> &[(Input, Location)] {
        &self.changed
    }

    /// What an input byte is.
    pub fn origin(&self, input: Input) -> Option<Origin> {
        self.origins.get(input.0 as usize).copied()
    }
}

/// What a path has seen of the outside so far. It belongs to the path as its state does.
#[derive(Clone, Debug)]
pub struct Progress {
    /// How often each cell was read.
    pub reads: Vec<u32>,
    remembered: Remembered,
    /// How often the path has read each byte of memory that something besides the program may write.
    changing: Rc<BTreeMap<Location, u32>>,
}

impl World {
    /// Nothing seen yet.
    pub fn progress(&self) -> Progress {
        Progress {
            reads: vec![0; self.sources.len()],
            remembered: self.remembered.clone(),
            changing: Rc::default(),
        }
    }
}

/// The outside world of a run on input.
pub struct Sensor<'e> {
    /// The cells and the models of user operations.
    pub world: &'e World,
    /// What the path has seen.
    pub progress: &'e mut Progress,
    /// The numbers of input bytes.
    pub inputs: &'e mut Inputs,
    /// The values of input bytes on this path.
    pub model: &'e Model,
}

impl Sensor<'_> {
    fn cell(&self, location: Location) -> Result<usize, Fault> {
        let denied = Denied { address: location.offset, fault: AccessFault::Outside };
        self.world.cell_at(location).ok_or(Fault::Access { space: location.space, denied })
    }
}

impl Outside for Sensor<'_> {
    fn user(&mut self, state: &mut State, operation: u32, arguments: &[Bits]) -> Result<Option<Bits>, Fault> {
        match self.world.models.get(operation as usize) {
            Some(Some(model)) => {
                model(&mut Call { state, remembered: &mut self.progress.remembered, arguments })
            }
            _ => Err(Fault::Unmodelled { operation }),
        }
    }

    fn device_at(&self, location: Location) -> Option<u32> {
        self.world.cell_at(location).map(|cell| cell as u32)
    }

    fn read(&mut self, location: Location, width: Width) -> Result<Bits, Fault> {
        // Only what has no terms asks here; the cell then gives what it gives under the model.
        self.sense(&mut Terms::new(), location, width).map(|(bits, _)| bits)
    }

    fn write(&mut self, location: Location, _: &Bits) -> Result<(), Fault> {
        self.cell(location).map(|_| ())
    }
}

impl Sensed for Sensor<'_> {
    fn sense(
        &mut self,
        terms: &mut Terms,
        location: Location,
        width: Width,
    ) -> Result<(Bits, Option<Term>), Fault> {
        let cell = self.cell(location)?;
        let ordinal = self.progress.reads[cell];
        self.progress.reads[cell] += 1;
        if let Some(value) = self.world.scripted(cell, ordinal as usize) {
            return Ok((Bits::from_u64(value, width), None));
        }
        let mut bytes = vec![0; width.bytes()];
        let mut joined: Option<Term> = None;
        for (byte, value) in bytes.iter_mut().enumerate() {
            let origin = Origin::Reading { cell: cell as u32, ordinal, byte: byte as u32 };
            let input = self.inputs.number(origin);
            *value = self.model.get(input);
            let term = terms.input(input);
            joined = Some(match joined {
                Some(low) => terms.concat(term, low),
                None => term,
            });
        }
        let whole =
            joined.map(|term| if terms.width(term) == width { term } else { terms.extract(term, 0, width) });
        Ok((Bits::from_bytes_le(&bytes, width), whole))
    }

    fn unwritten(&mut self, terms: &mut Terms, location: Location) -> (Term, u8) {
        let input = self.inputs.number(Origin::Unwritten { location });
        (terms.input(input), self.model.get(input))
    }

    fn changed(
        &mut self,
        terms: &mut Terms,
        byte: Location,
        (access, size): (Location, usize),
    ) -> (Term, bool) {
        let widest = self.inputs.changing.entry(access).or_default();
        *widest = (*widest).max(size as u64);
        let reads = Rc::make_mut(&mut self.progress.changing).entry(byte).or_default();
        let (ordinal, is_first) = (*reads % CHANGES, *reads < CHANGES);
        *reads += 1;
        (terms.input(self.inputs.number(Origin::Changed { location: byte, ordinal })), is_first)
    }
}
