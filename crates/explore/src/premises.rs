//! Assumptions about the environment: undeclared peripheral registers and arguments, memory that interrupt handlers
//! write, and the layout of argument objects. A decision that depends on one may have lost paths.

use std::collections::{BTreeMap, BTreeSet};

use everypath_environment::{Configuration, Guest, GuestError, InputOrigin};
use everypath_ir::{Location, Place, SpaceId, Width};
use everypath_machine::{Event, State};
use everypath_record::{Address, Undeclared};
use everypath_term::{Term, View};

use crate::explorer::Explorer;
use crate::handlers::HandlerWrite;
use crate::ledger::Kind;

/// Assumptions about the environment of the program.
#[derive(Default)]
pub(crate) struct Premises {
    /// Why the setup is probably wrong.
    pub(crate) setup: Option<String>,
    /// The address ranges of undeclared peripheral registers.
    peripherals: Vec<(SpaceId, u64, u64)>,
    /// Whether interrupts could happen; a function that is called by itself runs without.
    pub(crate) runs_handlers: bool,
    /// The location and size of the vector-base register.
    vector_base: Option<(Location, usize)>,
    /// Argument registers that the configuration does not declare, by name.
    arguments: Vec<(String, Location, Width)>,
    /// Memory that interrupt handlers write.
    writes: Vec<HandlerWrite>,
    /// Undeclared peripheral registers on which something depended, by the first byte of the access.
    registers: BTreeSet<Location>,
    /// For each cell, whether a path has read it.
    read: Vec<bool>,
}

impl Premises {
    /// The assumptions for a guest and its configuration.
    pub(crate) fn new(guest: &Guest, configuration: &Configuration) -> Result<Premises, GuestError> {
        let runs_handlers = configuration.call.is_none();
        Ok(Premises {
            peripherals: guest.peripherals(configuration)?,
            vector_base: guest.vector_base(),
            arguments: guest.undeclared_arguments(configuration),
            runs_handlers,
            ..Premises::default()
        })
    }

    /// Adds the memory that interrupt handlers write.
    pub(crate) fn add_writes(&mut self, writes: Vec<HandlerWrite>) {
        self.writes.extend(writes);
    }

    /// Memory that peripherals or interrupt handlers may write.
    pub(crate) fn changing(&self) -> impl Iterator<Item = (SpaceId, u64, u64)> + '_ {
        let written = self.writes.iter().map(|write| (write.space, write.first, write.last));
        self.peripherals.iter().copied().chain(written)
    }

    /// The undeclared argument that a byte belongs to.
    fn argument_at(&self, byte: Location) -> Option<&str> {
        let holds = |(_, location, width): &&(String, Location, Width)| {
            let distance = byte.offset.checked_sub(location.offset);
            location.space == byte.space && distance.is_some_and(|distance| distance < width.bytes() as u64)
        };
        self.arguments.iter().find(holds).map(|(name, ..)| name.as_str())
    }

    /// Records which cells a path has read.
    pub(crate) fn take_reads(&mut self, reads: &[u32]) {
        self.read.resize(reads.len(), false);
        self.read.iter_mut().zip(reads).for_each(|(read, count)| *read |= *count > 0);
    }
}

fn has(ranges: &[(SpaceId, u64, u64)], location: Location) -> bool {
    let inside = |(space, first, last): &(SpaceId, u64, u64)| {
        *space == location.space && (*first..=*last).contains(&location.offset)
    };
    ranges.iter().any(inside)
}

impl Explorer<'_> {
    /// Whether a byte is the symbolic difference between what the program wrote to memory and what a peripheral or an
    /// interrupt handler may have written there.
    pub(crate) fn is_changed(&self, byte: Term) -> bool {
        let View::Input(input) = self.terms.view(byte) else { return false };
        self.inputs.changed().iter().any(|(changed, _)| *changed == input)
    }

    /// Whether a condition depends only on such differences, which a path assumes to be zero.
    pub(crate) fn is_premised(&self, condition: Term) -> bool {
        let changed = self.inputs.changed();
        let is_changed = |input| matches!(self.inputs.origin(input), Some(InputOrigin::Changed { .. }));
        !changed.is_empty() && self.terms.inputs(condition).iter().all(is_changed)
    }

    /// Records in the ledger the assumptions on which the events of the current block depend.
    pub(crate) fn note_premises(&mut self, place: Place) {
        if self.inputs.changed().is_empty() && self.pointers.is_empty() {
            return;
        }
        let events = std::mem::take(&mut self.events);
        let block = self.machine.known(place);
        let last = block
            .and_then(|block| block.instruction_starts.last())
            .map_or(place.address, |(_, address)| *address);
        for event in &events {
            let (term, address) = match *event {
                Event::Decided { condition, .. } => (condition, last),
                Event::Guarded { condition, .. } => (condition, place.address),
                Event::Jumped { target, .. } => (target, last),
                Event::Accessed { address, .. } => (address, place.address),
                Event::Fixed { argument, .. } => (argument, place.address),
                Event::Executed { byte, .. } => (byte, place.address),
                Event::Unwritten { .. } => continue,
            };
            self.note_changed(term, address);
            if !matches!(event, Event::Accessed { .. }) && self.depends_on_layout(term) {
                let what = "a decision depends on where objects lie (their order, distance or alignment, or whether one is \
                            a variable of the program), and only our own layout of them was tried";
                self.ledger.note(Kind::Layout, address, what, true);
            }
        }
        self.events = events;
    }

    /// Records in the ledger the assumed memory and arguments on which a term depends.
    fn note_changed(&mut self, term: Term, address: u64) {
        let set = self.terms.inputs(term);
        if set.is_empty() {
            return;
        }
        let depends = self.inputs.changed().iter().filter(|(input, _)| set.contains(*input));
        // By access: a user thinks of a register or a variable, not of its bytes.
        let access = |location: Location| {
            let has = |(access, size): &(Location, u64)| {
                let distance = location.offset.checked_sub(access.offset);
                access.space == location.space && distance.is_some_and(|distance| distance < *size)
            };
            self.inputs.changing().find(has).map_or(location, |(access, _)| access)
        };
        let places: BTreeMap<Location, Location> =
            depends.map(|(_, location)| (access(*location), *location)).collect();
        for (access, location) in places {
            if let Some(name) = self.premises.argument_at(location) {
                let what = format!(
                    "the register {name} of an argument was taken to be zero: declare it with `[[input]]` and `register = \
                     \"{name}\"`, or give its value in `registers`"
                );
                self.ledger.note(Kind::Argument, address, what, true);
                continue;
            }
            let name = self.guest.name_location(access);
            let (kind, what) = if has(&self.premises.peripherals, location) {
                self.premises.registers.insert(access);
                let what = format!(
                    "{name} is a peripheral register that the configuration does not declare; it was taken to be zero \
                     or what the program last wrote"
                );
                (Kind::Peripheral, what)
            } else {
                let writes = |write: &&HandlerWrite| {
                    write.space == location.space && (write.first..=write.last).contains(&location.offset)
                };
                let handler = self.premises.writes.iter().find(writes).map_or(0, |write| write.handler);
                let what = format!(
                    "{name} is written by the interrupt handler at {handler:#x}; interrupts are not run, so it was \
                     taken to be what the rest of the program wrote"
                );
                (Kind::Interrupt, what)
            };
            self.ledger.note(kind, address, what, true);
        }
    }

    /// Undeclared peripheral registers on which something depended, as entries for the configuration.
    pub(crate) fn undeclared(&self) -> Vec<Undeclared> {
        let sizes: Vec<(Location, u64)> = self.inputs.changing().collect();
        let entry = |location: &Location| {
            let size = sizes.iter().find(|(access, _)| access == location).map_or(1, |(_, size)| *size);
            let is_code = location.space == self.guest.code_space();
            let space = &self.guest.architecture().layout().spaces[usize::from(location.space.0)].name;
            let name = format!("register_{:x}", location.offset);
            let space = (!is_code).then(|| space.clone());
            Undeclared { name, space, address: Address(location.offset), size }
        };
        self.premises.registers.iter().map(entry).collect()
    }

    /// Records that the interrupt handlers are unknown, if a path has changed the vector-base register.
    pub(crate) fn note_moved_vectors(&mut self, end: &mut State) {
        let Some((location, size)) = self.premises.vector_base else { return };
        let held = |state: &mut State| state.read(location.space, location.offset, size).ok();
        if held(end) == held(&mut self.root.state) {
            return;
        }
        let what = "interrupts are not run, and the program installs handlers that are not known: it writes the register \
                    that says where they are";
        self.ledger.note(Kind::Interrupt, self.root.at.place.address, what, true);
        if let Some(map) = &mut self.map {
            map.distrust();
        }
    }

    /// Records the declared cells that no path has read.
    pub(crate) fn note_unread_cells(&mut self) {
        if self.inputs.is_empty() {
            let what = "no path has read any input, so that every verdict is that of a single run: declare input with \
                        `[[volatile]]` or `[[input]]`";
            self.ledger.note(Kind::Unused, self.root.at.place.address, what, false);
        }
        let cells = self.world.cells().map(str::to_owned).collect::<Vec<_>>();
        for (number, name) in cells.iter().enumerate() {
            if self.premises.read.get(number).is_none_or(|read| !read) {
                let address = self.world.location(name).map_or(0, |(location, _)| location.offset);
                let what = format!("the configuration declares the cell `{name}`, which no path has read");
                self.ledger.note(Kind::Unused, address, what, false);
            }
        }
    }
}
