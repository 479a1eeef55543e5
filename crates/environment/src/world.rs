//! What a run meets outside: the values that volatile cells give, and what user operations do.

use crate::model::{Action, Call, Remembered};
use crate::random::Sequence;
use everypath_ir::{Bits, Location, SpaceId, Width};
use everypath_machine::{AccessFault, Denied, Fault, Outside, State};
use std::sync::Arc;

/// A volatile cell, with what it gives next.
#[derive(Clone, Debug)]
pub(crate) struct Source {
    pub(crate) name: Arc<str>,
    pub(crate) space: SpaceId,
    pub(crate) start: u64,
    pub(crate) last: u64,
    /// What its reads give, one after the other.
    pub(crate) values: Vec<u64>,
    /// The same as the configuration says it.
    pub(crate) configured: Vec<u64>,
    /// What follows the values.
    pub(crate) random: Option<Sequence>,
    pub(crate) next: u64,
}

impl Source {
    /// Makes the first reads give these values. Reads behind them give what the configuration fixes, if it does.
    fn script(&mut self, values: &[u64]) {
        let rest = self.configured.get(values.len()..).unwrap_or_default();
        self.values = [values, rest].concat();
    }

    fn draw(&mut self, width: Width) -> Bits {
        let position = self.next;
        self.next += 1;
        let scripted = usize::try_from(position).ok().and_then(|position| self.values.get(position));
        let value = match (scripted, self.random) {
            (Some(value), _) => *value,
            (None, Some(sequence)) => {
                let words = (0..width.bytes().div_ceil(8) as u64)
                    .map(|part| sequence.at(position.wrapping_add(part << 32)));
                let bytes: Vec<u8> = words.flat_map(u64::to_le_bytes).collect();
                return Bits::from_bytes_le(&bytes, width);
            }
            // The last value stays: a port that nobody drives any more.
            (None, None) => self.values.last().copied().unwrap_or(0),
        };
        Bits::from_u64(value & narrow_mask(width), width)
    }
}

/// A value that was read from a volatile cell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reading {
    /// The cell.
    pub cell: Arc<str>,
    /// How far behind the cell's first byte it was read.
    pub offset: u64,
    /// The value.
    pub value: Bits,
}

/// The outside world of a concrete run.
#[derive(Clone)]
pub struct World {
    pub(crate) sources: Vec<Source>,
    /// By number of the user operation.
    pub(crate) models: Vec<Option<Action>>,
    pub(crate) remembered: Remembered,
    /// What was read, in order.
    pub readings: Vec<Reading>,
}

impl World {
    fn source(&mut self, location: Location) -> Result<&mut Source, Fault> {
        let found = self.sources.iter_mut().find(|source| {
            source.space == location.space && (source.start..=source.last).contains(&location.offset)
        });
        let denied = Denied { address: location.offset, fault: AccessFault::Outside };
        found.ok_or(Fault::Access { space: location.space, denied })
    }
}

impl World {
    /// The number of the cell at a place.
    pub(crate) fn cell_at(&self, location: Location) -> Option<usize> {
        self.sources.iter().position(|source| {
            source.space == location.space && (source.start..=source.last).contains(&location.offset)
        })
    }

    /// The value that the configuration fixes for a read of a cell, by the cell's number and the number of the read from
    /// zero; `None` if the read is input.
    pub fn scripted(&self, cell: usize, ordinal: usize) -> Option<u64> {
        let source = &self.sources[cell];
        let last = source.values.last().filter(|_| source.random.is_none());
        source.values.get(ordinal).or(last).copied()
    }

    /// Says what cells give from now on, read after read, by their names.
    pub fn script<'v>(&mut self, values: impl Iterator<Item = (&'v str, &'v [u64])>) {
        for (name, values) in values {
            for source in self.sources.iter_mut().filter(|source| *source.name == *name) {
                source.script(values);
                source.next = 0;
            }
        }
    }

    /// Says what cells give at their reads, also at those that were made already: the next value is the one behind them.
    pub fn script_further<'v>(&mut self, values: impl Iterator<Item = (&'v str, &'v [u64])>) {
        for (name, values) in values {
            for source in self.sources.iter_mut().filter(|source| *source.name == *name) {
                source.script(values);
            }
        }
    }

    /// What each cell has given, read after read; cells that were not read are left out.
    pub fn given(&self) -> Vec<(String, Vec<u64>)> {
        let of = |source: &Source| {
            let own = self.readings.iter().filter(|reading| reading.cell == source.name);
            let values = own.map(|reading| reading.value.to_u64().unwrap_or(0)).collect::<Vec<_>>();
            (source.name.to_string(), values)
        };
        self.sources.iter().map(of).filter(|(_, values)| !values.is_empty()).collect()
    }

    /// Where a cell begins, and how many bytes it has.
    pub fn location(&self, name: &str) -> Option<(Location, u64)> {
        let source = self.sources.iter().find(|source| *source.name == *name)?;
        let location = Location { space: source.space, offset: source.start };
        Some((location, source.last - source.start + 1))
    }

    /// Where the cells are: space, first and last address.
    pub fn places(&self) -> Vec<(SpaceId, u64, u64)> {
        self.sources.iter().map(|source| (source.space, source.start, source.last)).collect()
    }

    /// The names of the cells, in the order of their numbers.
    pub fn cells(&self) -> impl Iterator<Item = &str> {
        self.sources.iter().map(|source| &*source.name)
    }
}

impl Outside for World {
    fn user(&mut self, state: &mut State, operation: u32, arguments: &[Bits]) -> Result<Option<Bits>, Fault> {
        match self.models.get(operation as usize) {
            Some(Some(model)) => model(&mut Call { state, remembered: &mut self.remembered, arguments }),
            _ => Err(Fault::Unmodelled { operation }),
        }
    }

    fn device_at(&self, location: Location) -> Option<u32> {
        self.cell_at(location).map(|cell| cell as u32)
    }

    fn read(&mut self, location: Location, width: Width) -> Result<Bits, Fault> {
        let source = self.source(location)?;
        let value = source.draw(width);
        let reading = Reading {
            cell: source.name.clone(),
            offset: location.offset - source.start,
            value: value.clone(),
        };
        self.readings.push(reading);
        Ok(value)
    }

    fn write(&mut self, location: Location, _: &Bits) -> Result<(), Fault> {
        // What is written goes outside and does not come back.
        self.source(location).map(|_| ())
    }
}

/// The bits of a 64-bit number that a value of this width has.
fn narrow_mask(width: Width) -> u64 {
    if width >= Width::W64 { u64::MAX } else { (1 << width.bits()) - 1 }
}
