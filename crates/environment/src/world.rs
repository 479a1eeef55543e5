//! The environment of a concrete run: values of volatile cells, and models of user operations.

use crate::controller::Controller;
use crate::interrupt_lines::Lines;
use crate::linux::Linux;
use crate::model::{Action, Call, Remembered};
use crate::random::Sequence;
use everypath_ir::{AddressRange, AddressSet, Bits, Location, SpaceId, Width};
use everypath_machine::{AccessFault, Denied, Fault, Outside, State};
use std::sync::Arc;

/// A volatile cell with its next values.
#[derive(Clone, Debug)]
pub(crate) struct Source {
    pub(crate) name: Arc<str>,
    pub(crate) space: SpaceId,
    pub(crate) start: u64,
    pub(crate) last: u64,
    /// The values of successive reads.
    pub(crate) values: Vec<u64>,
    /// The values from the configuration.
    pub(crate) configured: Vec<u64>,
    /// The random values after them.
    pub(crate) random: Option<Sequence>,
    pub(crate) next: u64,
}

impl Source {
    /// Scripts the first reads. Later reads give the configured values, if there are any.
    fn script(&mut self, values: &[u64]) {
        let rest = self.configured.get(values.len()..).unwrap_or_default();
        self.values = [values, rest].concat();
    }

    pub(crate) fn draw(&mut self, width: Width) -> Bits {
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
            // The last value repeats, as on a port that is no longer driven.
            (None, None) => self.values.last().copied().unwrap_or(0),
        };
        Bits::from_u64(value & narrow_mask(width), width)
    }
}

/// A value that was read from a volatile cell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CellRead {
    /// The cell.
    pub cell: Arc<str>,
    /// The offset in the cell.
    pub offset: u64,
    /// The value.
    pub value: Bits,
}

/// The environment of a concrete run.
#[derive(Clone)]
pub struct World {
    pub(crate) sources: Vec<Source>,
    /// By user operation number.
    pub(crate) models: Vec<Option<Action>>,
    /// The user operations whose result is an assumption, with where their results count as stored.
    pub(crate) assumed_results: Vec<Option<Location>>,
    pub(crate) remembered: Remembered,
    pub(crate) controller: Option<Arc<Controller>>,
    /// The system that the program calls, if it is a Linux program.
    pub(crate) linux: Option<Arc<Linux>>,
    /// The cells of the standard input and of its length, if they are input.
    pub(crate) input_cells: Option<(usize, Option<usize>)>,
    /// Where assumed answers count as stored.
    pub(crate) temporary_space: Option<SpaceId>,
    /// The outputs of a process: the descriptor, and the bytes.
    pub output: Vec<(u32, Vec<u8>)>,
    /// The values read, in order.
    pub readings: Vec<CellRead>,
}

impl World {
    fn source(&mut self, location: Location) -> Result<&mut Source, Fault> {
        let denied = Denied { address: location.offset, fault: AccessFault::Outside };
        let cell = self.cell_at(location).ok_or(Fault::Access { space: location.space, denied })?;
        Ok(&mut self.sources[cell])
    }
}

impl World {
    /// The interrupt controller, if interrupts are taken.
    pub fn controller(&self) -> Option<&Arc<Controller>> {
        self.controller.as_ref()
    }

    /// The interrupt lines of a concrete run.
    pub fn lines(&mut self) -> &mut Lines {
        &mut self.remembered.lines
    }

    /// The bits of a read that the program has determined by what it wrote to the interrupt controller, as a mask, and their
    /// values.
    pub(crate) fn controlled(&self, remembered: &Remembered, location: Location, width: Width) -> (u64, u64) {
        let read = |controller: &Arc<Controller>| controller.read(&remembered.lines, location, width);
        self.controller.as_ref().map_or((0, 0), read)
    }

    /// The index of the cell at a location.
    pub(crate) fn cell_at(&self, location: Location) -> Option<usize> {
        self.sources.iter().position(|source| {
            source.space == location.space && (source.start..=source.last).contains(&location.offset)
        })
    }

    /// Whether a read of a cell has a configured value, so that it matters which read it is.
    pub fn is_scripted(&self, cell: usize) -> bool {
        !self.sources[cell].values.is_empty()
    }

    /// The configured value of a read of a cell, by the indices of cell and read from zero; `None` if the read is
    /// symbolic input.
    pub fn scripted(&self, cell: usize, ordinal: usize) -> Option<u64> {
        let source = &self.sources[cell];
        let last = source.values.last().filter(|_| source.random.is_none());
        source.values.get(ordinal).or(last).copied()
    }

    /// The configured number of bytes of the standard input.
    pub(crate) fn given_input_length(&self) -> Option<u64> {
        let (bytes, length) = self.input_cells?;
        let given = self.sources[length?].configured.first().copied();
        let bytes = &self.sources[bytes].configured;
        given.or_else(|| (!bytes.is_empty()).then_some(bytes.len() as u64))
    }

    /// Whether the program is a process of Linux.
    pub fn is_process(&self) -> bool {
        self.remembered.process.is_some()
    }

    /// The paths of the files that a process has written: from the root on, or in the folder in which it runs.
    pub fn written_paths(&self) -> Vec<String> {
        let Some((process, linux)) = self.remembered.process.as_ref().zip(self.linux.as_ref()) else {
            return Vec::new();
        };
        let directory = format!("{}/", linux.files.directory().display());
        let relative = |path: &Arc<str>| path.strip_prefix(&*directory).unwrap_or(path).to_owned();
        process.overlay.paths().map(relative).collect()
    }

    /// Sets the values of successive reads from now on, by cell name.
    pub fn script<'v>(&mut self, values: impl Iterator<Item = (&'v str, &'v [u64])>) {
        for (name, values) in values {
            for source in self.sources.iter_mut().filter(|source| *source.name == *name) {
                source.script(values);
                source.next = 0;
            }
        }
    }

    /// Sets the values of all reads, including those already made: the next read continues after them.
    pub fn script_further<'v>(&mut self, values: impl Iterator<Item = (&'v str, &'v [u64])>) {
        for (name, values) in values {
            for source in self.sources.iter_mut().filter(|source| *source.name == *name) {
                source.script(values);
            }
        }
    }

    /// The values that each cell has given; cells that were not read are omitted.
    pub fn given(&self) -> Vec<(String, Vec<u64>)> {
        let of = |source: &Source| {
            let own = self.readings.iter().filter(|reading| reading.cell == source.name);
            let values = own.map(|reading| reading.value.to_u64().unwrap_or(0)).collect::<Vec<_>>();
            (source.name.to_string(), values)
        };
        self.sources.iter().map(of).filter(|(_, values)| !values.is_empty()).collect()
    }

    /// The location and size in bytes of a cell.
    pub fn location(&self, name: &str) -> Option<(Location, u64)> {
        let source = self.sources.iter().find(|source| *source.name == *name)?;
        let location = Location { space: source.space, offset: source.start };
        Some((location, source.last - source.start + 1))
    }

    /// Where the cells are.
    pub fn places(&self) -> AddressSet {
        let range =
            |source: &Source| AddressRange { space: source.space, first: source.start, last: source.last };
        self.sources.iter().map(range).collect()
    }

    /// The names of the cells, by index.
    pub fn cells(&self) -> impl Iterator<Item = &str> {
        self.sources.iter().map(|source| &*source.name)
    }
}

impl Outside for World {
    fn user(&mut self, state: &mut State, operation: u32, arguments: &[Bits]) -> Result<Option<Bits>, Fault> {
        let performed = match self.models.get(operation as usize) {
            Some(Some(model)) => {
                model(&mut Call { state: &mut *state, remembered: &mut self.remembered, arguments })
            }
            _ => Err(Fault::Unmodelled { operation }),
        };
        match (performed, self.linux.clone()) {
            (Err(Fault::SystemCall(_)), Some(linux)) => self.system_call(state, &linux),
            (performed, _) => performed,
        }
    }

    fn device_at(&self, location: Location) -> Option<u32> {
        self.cell_at(location).map(|cell| cell as u32)
    }

    fn kept_bits(&self, location: Location, size: u64) -> u64 {
        self.controller.as_ref().map_or(0, |controller| controller.kept_bits(location, size))
    }

    fn read(&mut self, location: Location, width: Width) -> Result<Bits, Fault> {
        let (known, bits) = self.controlled(&self.remembered, location, width);
        if known == narrow_mask(width) {
            return Ok(Bits::from_u64(bits, width));
        }
        let source = self.source(location)?;
        let mut value = source.draw(width);
        if known != 0 {
            value = Bits::from_u64(value.to_word::<u64>() & !known | bits, width);
        }
        let reading = CellRead {
            cell: source.name.clone(),
            offset: location.offset - source.start,
            value: value.clone(),
        };
        self.readings.push(reading);
        Ok(value)
    }

    fn write(&mut self, location: Location, value: &Bits) -> Result<(), Fault> {
        if let Some(controller) = &self.controller {
            controller.write(&mut self.remembered.lines, location, value);
        }
        // Other writes have no effect on later reads.
        self.source(location).map(|_| ())
    }
}

/// The bits of a 64-bit number that a value of this width has.
pub(crate) fn narrow_mask(width: Width) -> u64 {
    if width >= Width::W64 { u64::MAX } else { (1 << width.bits()) - 1 }
}
