//! Assumptions about the environment: undeclared peripheral registers, undefined registers at the entry, memory that interrupt handlers
//! write, and the layout of argument objects. A decision that depends on one may have lost paths.

use std::collections::{BTreeMap, BTreeSet};

use everypath_environment::{AssumedRegister, Configuration, Guest, GuestError, InitialInputs, InputOrigin};
use everypath_ir::{AddressRange, AddressSet, Location, SpaceId};
use everypath_machine::{Event, State};
use everypath_record::Undeclared;
use everypath_term::{Input, Term};
use rustc_hash::FxHashMap;

use crate::map::handlers::HandlerWrite;
use crate::path::inputs::SymbolicInputs;
use crate::verdict::alias_candidates::AliasCandidates;
use crate::verdict::float_modes::FloatModes;
use crate::verdict::latches::{Latches, RanBlock};
use crate::verdict::ledger::{AssumptionKind, Ledger};
use crate::verdict::vector_bases::VectorBases;

/// Assumptions about the environment of the program.
#[derive(Default)]
pub(crate) struct Premises {
    /// Why the setup is probably wrong.
    pub(crate) setup: Option<String>,
    /// Undeclared peripheral registers.
    peripherals: AddressSet,
    latches: Latches,
    /// The names of the ranges of peripherals that are input because nothing is declared.
    inputs: Vec<String>,
    /// Whether interrupts are taken where the program repeats itself.
    takes_interrupts: bool,
    /// Whether interrupts could happen; a function that is called by itself runs without.
    pub(crate) runs_handlers: bool,
    /// Whether the program is a process of an operating system, whose calls change memory.
    pub(crate) is_process: bool,
    /// The address of the register in memory that holds that of the vector table, and its value at the start.
    placed_vectors: Option<(u64, u64)>,
    /// The sources of the interrupt handlers.
    pub(crate) vector_bases: VectorBases,
    /// Registers whose contents the environment determines.
    system: AddressSet,
    /// Registers whose contents at the entry are assumed.
    assumed: Vec<AssumedRegister>,
    /// Global variables of a called function, whose contents are assumed.
    globals: AddressSet,
    /// Memory that may be the same under two addresses, if there are input pointers.
    aliases: Option<AliasCandidates>,
    /// Modes of floating-point arithmetic that the program sets.
    pub(crate) float_modes: FloatModes,
    /// Memory that interrupt handlers write.
    writes: Vec<HandlerWrite>,
    /// Undeclared peripheral registers on which something depended, by the first byte of the access.
    registers: BTreeSet<Location>,
    /// For each cell, whether a path has read it.
    read: Vec<bool>,
    /// Configured stops that no path has reached.
    unreached_stops: BTreeSet<u64>,
    /// Cache of [`Premises::describe`], by access, byte and whether it is about the entry: most decisions of a program that polls depend on the same.
    described: FxHashMap<(Location, Location, bool), (AssumptionKind, String)>,
}

impl Premises {
    /// The assumptions for a guest, its configuration, its inputs and assumed registers at the entry, and with
    /// `interrupts_repetition` if paths that repeat themselves are interrupted.
    pub(crate) fn new(
        guest: &Guest,
        configuration: &Configuration,
        initial: &InitialInputs,
        assumed: Vec<AssumedRegister>,
        interrupts_repetition: bool,
    ) -> Result<Premises, GuestError> {
        let runs_handlers = configuration.call.is_none();
        Ok(Premises {
            peripherals: guest.peripherals(configuration)?,
            latches: Latches(guest.latches()?),
            inputs: guest.peripheral_inputs(configuration).map(|range| range.name.clone()).collect(),
            placed_vectors: guest.placed_vectors(),
            vector_bases: VectorBases::of(guest),
            system: guest.architecture().system_registers().clone(),
            assumed,
            aliases: AliasCandidates::of(guest, configuration, initial)?,
            globals: guest.globals(configuration)?,
            float_modes: FloatModes::of(guest)?,
            is_process: guest.is_linux_process(configuration),
            unreached_stops: guest.configured_stops(configuration)?,
            runs_handlers,
            takes_interrupts: interrupts_repetition && guest.controller(configuration)?.is_some(),
            ..Premises::default()
        })
    }

    /// The clause of messages about interrupts that could happen and were not tried.
    pub(crate) fn interrupts(&self) -> &'static str {
        match self.takes_interrupts {
            true => "interrupts are taken only where the program repeats itself",
            false => "interrupts are not simulated",
        }
    }

    /// Whether interrupts are taken where the program repeats itself.
    pub(crate) fn takes_interrupts(&self) -> bool {
        self.takes_interrupts && self.runs_handlers
    }

    /// Memory that interrupt handlers write, if their interrupts are taken.
    pub(crate) fn shared_memory(&self) -> impl Iterator<Item = AddressRange> + '_ {
        let is_peripheral = |AddressRange { space, first, last }: AddressRange| {
            [first, last].into_iter().any(|offset| self.peripherals.contains(Location { space, offset }))
        };
        let writes = self.writes.iter().filter(|_| self.takes_interrupts());
        writes.map(|write| write.range).filter(move |range| !is_peripheral(*range))
    }

    /// Records in the ledger the shared memory that paths have read: they read what was written where an interrupt was
    /// taken, and interrupts are not taken everywhere.
    pub(crate) fn note_shared_reads(&self, inputs: &SymbolicInputs<'_>, ledger: &mut Ledger) {
        for (access, byte) in inputs.table.shared() {
            let (kind, what) = self.describe(access, byte, false, inputs);
            ledger.note(kind, self.writer_of(byte).unwrap_or(0), what, true);
        }
    }

    /// The interrupt handler that may write a byte.
    fn writer_of(&self, byte: Location) -> Option<u64> {
        self.writes.iter().find(|write| write.range.contains(byte)).map(|write| write.handler)
    }

    /// Adds the memory that interrupt handlers write.
    pub(crate) fn add_writes(&mut self, writes: Vec<HandlerWrite>) {
        self.writes.extend(writes);
    }

    /// Memory that peripherals or interrupt handlers may write.
    fn changing(&self) -> impl Iterator<Item = AddressRange> + '_ {
        let written = self.writes.iter().map(|write| write.range);
        self.peripherals.iter().chain(self.system.iter()).chain(written)
    }

    /// Marks, in the state at the entry, the memory that peripherals or interrupt handlers may write, or a store to another
    /// address.
    pub(crate) fn mark(&self, entry: &mut State) {
        entry.mark_changing(self.changing());
        if let Some(candidates) = &self.aliases {
            let memory = candidates.memory(entry);
            entry.mark_aliases(memory);
        }
    }

    /// The memory whose contents a static analysis cannot know: changing, global, or possibly the same under two addresses.
    pub(crate) fn volatile(&self) -> impl Iterator<Item = AddressRange> + '_ {
        let aliased = self.aliases.iter().flat_map(AliasCandidates::ranges);
        self.changing().chain(aliased).chain(self.globals.iter())
    }

    /// Whether objects of input pointers were assumed to be no variables of the program.
    pub(crate) fn has_aliases(&self) -> bool {
        self.aliases.as_ref().is_some_and(AliasCandidates::has_objects)
    }

    /// Records in the ledger the assumptions on which the events of a block depend.
    pub(crate) fn note_block(
        &mut self,
        ran: &RanBlock<'_>,
        inputs: &mut SymbolicInputs<'_>,
        ledger: &mut Ledger,
    ) {
        let first = ran.block.block.place.address;
        let last = ran.block.instruction_starts.last().map_or(first, |(_, address)| *address);
        for event in ran.events {
            let (term, address) = match *event {
                Event::Decided { condition, .. } => (condition, last),
                Event::Guarded { condition, .. } => (condition, first),
                Event::Jumped { target, .. } => (target, last),
                Event::Accessed { space, address, value, step, .. } => {
                    let latched = self.latches.read_for(step as usize, ran, &inputs.table);
                    self.note_changed(address, first, &latched, inputs, ledger);
                    let at = Location { space, offset: value };
                    note_layout(self.is_elsewhere(address, at, ran, inputs), first, ledger);
                    continue;
                }
                Event::Located { space, address, value } => {
                    let at = Location { space, offset: value };
                    note_layout(self.is_elsewhere(address, at, ran, inputs), first, ledger);
                    continue;
                }
                Event::Fixed { argument } | Event::Chosen { argument, .. } => (argument, first),
                Event::Executed { byte, .. } | Event::Reused { byte } => (byte, first),
                Event::Switched { byte, .. } => (byte, last),
                Event::Unwritten { .. } | Event::Answered { .. } => continue,
            };
            self.note_changed(term, address, &[], inputs, ledger);
            note_layout(inputs.depends_on_layout(term), address, ledger);
            if inputs.may_need_more_objects(term, ran.path) {
                let what =
                    "a comparison of input pointers may need more objects than the configuration declares";
                ledger.note(AssumptionKind::Bound, address, what, true);
            }
        }
    }

    /// Whether an address, which is `at` this location on the path, depends on the layout of objects: it is computed from a
    /// pointer otherwise than by a distance, or the distance leads out of the objects.
    fn is_elsewhere(
        &self,
        address: Term,
        at: Location,
        ran: &RanBlock<'_>,
        inputs: &mut SymbolicInputs<'_>,
    ) -> bool {
        let Some(candidates) = &self.aliases else { return false };
        // An access to unmapped memory, as by a null pointer, is a finding.
        let regions = ran.path.state.regions(at.space);
        let is_mapped = regions.is_some_and(|regions| regions.at(at.offset).is_some());
        inputs.depends_on_pointers(address)
            && (is_mapped && candidates.is_outside_objects(at)
                || inputs.is_elsewhere_in_other_layouts(address))
    }

    /// Records in the ledger the assumed memory and arguments on which a term depends, but for some inputs.
    fn note_changed(
        &mut self,
        term: Term,
        address: u64,
        but: &[Input],
        inputs: &SymbolicInputs<'_>,
        ledger: &mut Ledger,
    ) {
        let set = inputs.terms.inputs(term);
        if set.is_empty() {
            return;
        }
        let is_assumed = |input: &Input| !but.contains(input) && inputs.table.changed_at(*input).is_some();
        let mut others: Vec<Input> = set.iter().filter(is_assumed).collect();
        if others.is_empty() {
            return;
        }
        // The upper half of a register, say, may be in the term and not in the bits that count.
        let demanded = inputs.terms.demanded_inputs(term);
        others.retain(|input| demanded.contains(input));
        let doubt = |input: Input| {
            let location = inputs.table.changed_at(input)?;
            let is_initial = matches!(inputs.table.origin(input), Some(InputOrigin::Assumed { .. }));
            Some(((inputs.table.changing_around(location), is_initial), location))
        };
        // By access: a user thinks of a register or a variable, not of its bytes.
        let doubts: BTreeMap<(Location, bool), Location> = others.into_iter().filter_map(doubt).collect();
        for ((access, is_initial), location) in doubts {
            let (kind, what) = match self.described.get(&(access, location, is_initial)) {
                Some(known) => known.clone(),
                None => {
                    let described = self.describe(access, location, is_initial, inputs);
                    self.described.insert((access, location, is_initial), described.clone());
                    described
                }
            };
            if kind == AssumptionKind::Peripheral {
                self.registers.insert(access);
            }
            // Libraries choose code by the processor that does the same: that loses no path of the program's own code.
            let is_own = !self.is_process || inputs.guest.image().segment_at(address).is_some();
            ledger.note(kind, address, what, is_own || kind != AssumptionKind::Processor);
        }
    }

    /// The assumption about a byte that an access reads, at the entry or since: its kind, and the message for the ledger.
    fn describe(
        &self,
        access: Location,
        location: Location,
        is_initial: bool,
        inputs: &SymbolicInputs<'_>,
    ) -> (AssumptionKind, String) {
        let (image, code) = (inputs.guest.image(), inputs.guest.code_space());
        let symbol = |space: SpaceId, address: u64| {
            let symbol = image.symbol_at(address).filter(|_| space == code);
            symbol.map(|symbol| format!("`{}`", symbol.name))
        };
        let register = self.assumed.iter().find(|register| is_initial && register.range.contains(location));
        if let Some(AssumedRegister { name, is_argument, is_reset, .. }) = register {
            let remedy = format!(
                "declare it with `[[input]]` and `register = \"{name}\"`, or give its value in `registers`"
            );
            let what = match self.runs_handlers {
                true => format!(
                    "the register {name}, which a reset leaves undefined, was assumed to be zero at the start: {remedy}"
                ),
                false => format!(
                    "the {}register {name} was assumed to be {} when the function is called: {remedy}",
                    if *is_argument { "argument " } else { "" },
                    if *is_reset { "as after a reset" } else { "zero" },
                ),
            };
            return (AssumptionKind::Register, what);
        }
        let name = inputs.guest.name_location(access);
        if self.peripherals.contains(location) {
            let what = format!(
                "{name} is a peripheral register that the configuration does not declare; it was assumed to be zero, or \
                 what the program last wrote"
            );
            (AssumptionKind::Peripheral, what)
        } else if self.system.contains(location) {
            let architecture = inputs.guest.architecture();
            let name = architecture.register_around(location).map_or(name, |name| format!("`{name}`"));
            let what = format!(
                "the system register {name} was assumed to be zero, or what the program last wrote; the processor may \
                 have another value there"
            );
            (AssumptionKind::Processor, what)
        } else if let Some(name) = inputs.guest.assumed_answer_at(location) {
            let what = format!(
                "the answer of the system call `{name}` was assumed; the system may give another one"
            );
            (AssumptionKind::System, what)
        } else if let Some(name) = inputs.guest.assumed_result_at(location) {
            let what = format!("the result of `{name}` was assumed; the processor may give another one");
            (AssumptionKind::Processor, what)
        } else if is_initial && self.globals.contains(location) {
            let name = symbol(access.space, access.offset).unwrap_or_else(|| format!("at {name}"));
            let what = format!(
                "the global variable {name} was assumed to have its initial value when the function is called: declare it with `[[input]]`, \
                 or give its value in `[[initial]]`"
            );
            (AssumptionKind::Global, what)
        } else {
            let (symbolic, writer) = (symbol(access.space, access.offset), self.writer_of(location));
            let alias = self.describe_alias(location, symbolic.clone()).filter(|_| writer.is_none());
            if let Some(what) = alias {
                return (AssumptionKind::Layout, what);
            }
            let name = symbolic.unwrap_or(name);
            let handler = writer.unwrap_or(0);
            let handler = symbol(code, handler).unwrap_or_else(|| format!("at {handler:#x}"));
            let what = format!(
                "{name} may be written by the interrupt handler {handler}; {}, so it was assumed unchanged since the last \
                 write",
                self.interrupts()
            );
            (AssumptionKind::Interrupt, what)
        }
    }

    /// The assumption about a byte that a store to another address may have changed: the message for the ledger.
    fn describe_alias(&self, location: Location, symbol: Option<String>) -> Option<String> {
        let candidates = self.aliases.as_ref().filter(|candidates| candidates.has_objects())?;
        let advice = "if that always holds, set `separate = true` in its `[[object]]`";
        if let Some(object) = candidates.object_at(location) {
            return Some(format!(
                "the object `{object}` is read after a store to a variable or to another object; it was assumed to be neither, also in \
                 part: {advice}"
            ));
        }
        let name = symbol.unwrap_or_else(|| format!("at {:#x}", location.offset));
        Some(format!(
            "the variable {name} is read after a store to an object; it was assumed that the object is another variable: {advice}"
        ))
    }

    /// Undeclared peripheral registers on which something depended, as entries for the configuration. None are proposed where
    /// peripherals are input by themselves: the first entry would end that, and interrupts with it.
    pub(crate) fn undeclared(&self, inputs: &SymbolicInputs<'_>) -> Vec<Undeclared> {
        if !self.inputs.is_empty() {
            return Vec::new();
        }
        let sizes: Vec<(Location, u64)> = inputs.table.changing().collect();
        let entry = |location: &Location| {
            let size = sizes.iter().find(|(access, _)| access == location).map_or(1, |(_, size)| *size);
            let is_code = location.space == inputs.guest.code_space();
            let space = &inputs.guest.architecture().layout()[location.space].name;
            Undeclared::new((!is_code).then(|| space.clone()), location.offset, size)
        };
        self.registers.iter().map(entry).collect()
    }

    /// Whether something besides the program may change the memory that it waits for: what else runs while a function is tested by
    /// itself, or any peripheral.
    pub(crate) fn may_end_waits(&self) -> bool {
        !self.runs_handlers || !self.inputs.is_empty()
    }

    /// Records that a path waits, at this address, for memory to change: where any peripheral may exist, one may write it.
    /// Returns whether that is so.
    pub(crate) fn note_wait(&self, address: u64, ledger: &mut Ledger) -> bool {
        if !self.runs_handlers {
            let what = "the function waits here, or does the same forever; an interrupt or another thread may change that, and neither \
                        runs while a function is tested by itself";
            ledger.note(AssumptionKind::Interrupt, address, what, true);
            return true;
        }
        let may_change = self.may_end_waits();
        if may_change {
            let what = "the program waits here, or does the same forever; a peripheral that writes memory (DMA), or an interrupt that \
                        is not enabled here, may change that";
            ledger.note(AssumptionKind::Peripheral, address, what, true);
        }
        may_change
    }

    /// Records what was assumed of the processor after its reset, and of peripherals that are input.
    pub(crate) fn note_start(&self, inputs: &SymbolicInputs<'_>, ledger: &mut Ledger) {
        if let Some((register, table)) = self.placed_vectors.filter(|(_, table)| *table != 0) {
            let what = format!(
                "the register with the address of the vector table was assumed to be {table:#x} after the reset; on chips that show \
                 the table at 0, it is 0"
            );
            ledger.note(AssumptionKind::Processor, register, what, false);
        }
        if self.is_process {
            let what = "the process was assumed to be started by the path of its file, to be told by the kernel what the guide lists \
                        (auxiliary vector), to have its parts at fixed addresses, as without address space randomisation, and to be \
                        given fixed random bytes";
            ledger.note(AssumptionKind::System, 0, what, false);
        }
        for (name, address, is_read) in self.cells(inputs) {
            if is_read && self.is_undeclared(name) {
                let what = format!(
                    "the configuration declares no input: it is assumed that each read of the range `{name}` may give any value, and \
                     that no peripheral writes memory by itself; what a register cannot give, `[[volatile]]` can exclude"
                );
                ledger.note(AssumptionKind::Peripheral, address, what, false);
            }
        }
    }

    /// Records what the configuration declares and no path has used: cells, and stops.
    pub(crate) fn note_unused(&self, entry: u64, inputs: &SymbolicInputs<'_>, ledger: &mut Ledger) {
        if inputs.table.is_empty() {
            let what = match self.is_process {
                true => {
                    "no path has read any input, so every verdict is that of a single run; give the program a standard input with \
                     `--stdin`, or an argument that is input with `--arg-input`"
                }
                false => {
                    "no path has read any input, so every verdict is that of a single run; declare input with `[[volatile]]` or \
                     `[[input]]`"
                }
            };
            ledger.note(AssumptionKind::Unused, entry, what, false);
        }
        for (name, address, is_read) in self.cells(inputs) {
            if !is_read && !self.is_undeclared(name) {
                let what = format!("the configuration declares the cell `{name}`, which no path has read");
                ledger.note(AssumptionKind::Unused, address, what, false);
            }
        }
        for stop in &self.unreached_stops {
            let what = format!(
                "the configuration stops at {stop:#x}, where no path has come; a stop is the address at which an instruction begins"
            );
            ledger.note(AssumptionKind::Unused, *stop, what, false);
        }
    }

    /// Records where a path has exited.
    pub(crate) fn take_exit(&mut self, address: u64) {
        self.unreached_stops.remove(&address);
    }

    /// The cells: name, address, and whether a path has read it.
    fn cells<'i>(&self, inputs: &'i SymbolicInputs<'_>) -> impl Iterator<Item = (&'i str, u64, bool)> {
        inputs.world.cells().enumerate().map(|(number, name)| {
            let address = inputs.world.location(name).map_or(0, |(location, _)| location.offset);
            (name, address, self.read.get(number).is_some_and(|read| *read))
        })
    }

    /// Whether a cell is a range of peripherals that is input because nothing is declared.
    fn is_undeclared(&self, cell: &str) -> bool {
        self.inputs.iter().any(|name| name == cell)
    }

    /// Records which cells a path has read.
    pub(crate) fn take_reads(&mut self, reads: &[u32]) {
        self.read.resize(reads.len(), false);
        self.read.iter_mut().zip(reads).for_each(|(read, count)| *read |= *count > 0);
    }
}

/// Records in the ledger that something depends on the layout of objects.
fn note_layout(depends: bool, address: u64, ledger: &mut Ledger) {
    if depends {
        let what = "a decision or an address depends on the layout of objects (their order, distance or alignment, or whether one \
                    is a variable of the program), and only one layout was tried";
        ledger.note(AssumptionKind::Layout, address, what, true);
    }
}
