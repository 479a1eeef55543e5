//! The initial state and environment of a bare-metal run.

use crate::address_or_symbol::AddressOrSymbol;
use crate::cells::is_input;
use crate::check::check_names;
use crate::configuration::{Configuration, VolatileCell};
use crate::function_call::PushedBytes;
use crate::guest::{Guest, GuestError};
use crate::linux::{STANDARD_INPUT, STANDARD_INPUT_LENGTH};
use crate::model::{self, Action, ModelSetup, Remembered};
use crate::random::Sequence;
use crate::world::{Source, World};
use everypath_ir::{AddressRange, Bits, Location, SpaceId, Width};
use everypath_lift::MemoryRange;
use everypath_machine::{PAGE_SIZE, Permissions, Region, RunLimits, State};
use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;

/// The default instruction limit.
const DEFAULT_BUDGET: u64 = 10_000_000;
/// Where streams count as stored: in the temporary space, beyond any temporary.
const STREAMS: u64 = 1 << 44;
const STREAM_SIZE: u64 = 16;
/// The default limit of touched memory in bytes: a program may map far more than the host has.
const DEFAULT_MEMORY_BUDGET: u64 = 1 << 30;

impl Guest {
    /// The space of a name; that of the code without one.
    ///
    /// # Errors
    /// If no space has this name.
    pub fn space(&self, name: Option<&str>) -> Result<SpaceId, GuestError> {
        let architecture = self.architecture();
        let layout = architecture.layout();
        match name {
            None => Ok(self.code_space()),
            Some(name) => layout.find_space(name).ok_or_else(|| {
                let names: Vec<&str> = layout.spaces.iter().map(|space| space.name.as_str()).collect();
                GuestError(format!("there is no space `{name}`; there are: {}", names.join(", ")))
            }),
        }
    }

    pub(crate) fn address(&self, place: &AddressOrSymbol) -> Result<u64, GuestError> {
        match place {
            AddressOrSymbol::Address(address) => Ok(*address),
            AddressOrSymbol::Symbol(name) => self.symbol(name).map(|(_, address, _)| address),
        }
    }

    /// Space, address and size of a symbol.
    pub(crate) fn symbol(&self, name: &str) -> Result<(SpaceId, u64, u64), GuestError> {
        let symbol = self.image().symbol_named(name);
        let symbol = symbol.ok_or_else(|| GuestError(format!("the program has no symbol `{name}`")))?;
        let placed = self.architecture().file_address(self.image(), symbol.address);
        let (space, address) = placed
            .map_err(|memory| GuestError(format!("no instruction reaches `{name}`: it lies in {memory}")))?;
        Ok((self.space(space)?, address, symbol.size))
    }

    /// The entry point of a run.
    ///
    /// # Errors
    /// If neither the configuration nor the file nor the architecture gives one.
    pub fn entry(&self, configuration: &Configuration) -> Result<everypath_ir::Place, GuestError> {
        if let Some(linker) = self.linux(configuration)?.and_then(|linux| linux.linker) {
            let entry = linker.entries().first();
            let entry =
                entry.ok_or_else(|| GuestError::new("the dynamic linker does not say where it starts"))?;
            return Ok(self.code_map().given(entry.address));
        }
        let mut map = self.code_map();
        let called = configuration.call.as_ref().map(|call| &call.function);
        if let Some(entry) = called.or(configuration.entry.as_ref()) {
            return Ok(map.given(self.address(entry)?));
        }
        let start = map.starts(self.image()).into_iter().next();
        start.map(|start| start.place).ok_or_else(|| {
            GuestError(format!(
                "nothing says where the program starts{}: add --entry ADDRESS, or `entry` in the configuration",
                self.misplaced_vectors().unwrap_or_default()
            ))
        })
    }

    /// The entry of the program itself, which a dynamic linker runs last.
    pub(crate) fn program_entry(&self) -> Result<u64, GuestError> {
        let start = self.code_map().starts(self.image()).into_iter().next();
        let start = start.ok_or_else(|| GuestError::new("the file does not say where the program starts"))?;
        Ok(start.place.address)
    }

    /// The stop addresses of the configuration.
    ///
    /// # Errors
    /// If a stop names a symbol that the program does not have.
    pub fn configured_stops(&self, configuration: &Configuration) -> Result<BTreeSet<u64>, GuestError> {
        configuration.stop.iter().map(|stop| self.address(stop)).collect()
    }

    /// The stop addresses and instruction limit of a run.
    ///
    /// # Errors
    /// If a stop names a symbol that the program does not have.
    pub fn limits(&self, configuration: &Configuration) -> Result<RunLimits, GuestError> {
        let mut stops: HashSet<u64> = self.configured_stops(configuration)?.into_iter().collect();
        if configuration.call.is_some() {
            stops.insert(self.return_target(&self.state(configuration)?)?);
        }
        Ok(RunLimits { stops, instructions: configuration.budget.unwrap_or(DEFAULT_BUDGET) })
    }

    /// The initial state of a run.
    ///
    /// # Errors
    /// If the configuration names a space, register or symbol that does not exist.
    pub fn state(&self, configuration: &Configuration) -> Result<State, GuestError> {
        let architecture = self.architecture();
        let mut state = State::new(architecture.layout());
        if configuration.note_written {
            state.note_written();
        }
        // Later ranges replace earlier ones: the architecture's, the file's, the configuration's.
        for range in &architecture.description().memory {
            self.map(&mut state, range, is_input(range, configuration))?;
        }
        self.load(&mut state)?;
        let linux = self.linux(configuration)?;
        let stack = linux.as_ref().map(|linux| self.start_process(&mut state, linux)).transpose()?;
        self.put_interrupt_entry(&mut state, configuration)?;
        for range in &configuration.memory {
            self.map(&mut state, range, false)?;
        }
        for cell in &configuration.volatiles {
            let source = self.source(cell, configuration.seed)?;
            if let Some(memory) = state.memory(source.space) {
                memory.map(Region::outside(source.start, source.last));
            }
        }
        if let Some((register, table)) = self.placed_vectors() {
            let location = Location { space: self.code_space(), offset: register };
            let endian = architecture.layout()[location.space].endian;
            state.put_anyway(location, &Bits::from_u64(table, Width::W32), endian);
        }
        for initial in &configuration.initial {
            let space = self.space(initial.space.as_deref())?;
            let is_mapped = state.regions(space).is_none_or(|regions| regions.at(initial.address).is_some());
            if !is_mapped {
                return Err(GuestError(format!(
                    "`[[initial]]`: there is no memory at {:#x}; declare it with `[[memory]]`",
                    initial.address
                )));
            }
            self.set_memory(&mut state, initial.space.as_deref(), initial.address, &initial.bytes)?;
        }
        for object in self.objects(&mut state, configuration)? {
            if let Some(memory) = state.memory(object.space) {
                // The memory behind an object is unmapped, so that an overflow faults.
                for start in object.addresses() {
                    let last = start.saturating_add(object.size - 1);
                    memory.map(Region::memory(start, last, Permissions::DATA).with_contents());
                }
            }
        }
        self.mark_peripherals(&mut state, configuration)?;
        let pointer = self.architecture().description().registers.stack_pointer.as_ref();
        if let (Some(stack), Some(pointer)) = (stack, pointer) {
            self.set_register(&mut state, pointer, stack)?;
        }
        for (name, value) in linux.iter().flat_map(|linux| &linux.interface.registers) {
            self.set_register(&mut state, name, *value)?;
        }
        for (name, value) in self.start_registers(configuration, &state)? {
            self.set_register(&mut state, name, value)?;
        }
        if let Some(PushedBytes { space, address, bytes }) = self.pushed_return(configuration, &state)?
            && let Some(memory) = state.memory(space)
        {
            (address..).zip(bytes).for_each(|(address, byte)| memory.poke(address, byte));
        }
        self.prepare_return(&mut state, configuration)?;
        let pages = configuration.memory_budget.unwrap_or(DEFAULT_MEMORY_BUDGET).div_ceil(PAGE_SIZE as u64);
        state.limit_pages(usize::try_from(pages).unwrap_or(usize::MAX));
        Ok(state)
    }

    /// The initial register values in order: the architecture's reset values, the configuration's, and, of a called function,
    /// its own address, the registers that hold zero, and the return address or the stack pointer below which it is pushed.
    ///
    /// # Errors
    /// If the configuration calls a function, and the architecture does not say where the return address is or nothing says
    /// where the stack is.
    pub fn start_registers<'c>(
        &'c self,
        configuration: &'c Configuration,
        state: &State,
    ) -> Result<Vec<(&'c str, u64)>, GuestError> {
        let description = self.architecture().description();
        // A state starts with zeros.
        let reset = description.reset.iter().filter(|(_, value)| **value != 0);
        let mut registers: Vec<(&str, u64)> = reset.map(|(name, value)| (name.as_str(), *value)).collect();
        let table = self.code_map().vector_table(self.image());
        let found = description.vectors.as_ref().and_then(|vectors| vectors.found.as_deref());
        // A function under test runs by itself.
        let has_table = table.is_some() && configuration.call.is_none();
        registers.extend(found.filter(|_| has_table).map(|name| (name, 1)));
        if let (Some(name), Some(top)) =
            (&description.registers.stack_pointer, table.and_then(|table| table.stack_pointer))
        {
            registers.push((name, top));
        }
        registers.extend(configuration.registers.iter().map(|(name, value)| (name.as_str(), *value)));
        if let Some(call) = &configuration.call {
            let own = description.call.as_ref().and_then(|convention| convention.function_address.as_ref());
            let given = |name: &String| configuration.registers.contains_key(name);
            if let Some(name) = own.filter(|name| !given(name)) {
                registers.push((name, self.address(&call.function)?));
            }
            let zero = description.call.iter().flat_map(|convention| &convention.zero);
            registers.extend(zero.filter(|name| !given(name)).map(|name| (name.as_str(), 0)));
            registers.push(self.call_register(&registers, state)?);
        }
        Ok(registers)
    }

    /// Sets a register.
    ///
    /// # Errors
    /// If there is no register of this name.
    pub fn set_register(&self, state: &mut State, name: &str, value: u64) -> Result<(), GuestError> {
        let architecture = self.architecture();
        let (location, width) = architecture
            .register(name)
            .ok_or_else(|| GuestError(format!("there is no register `{name}`")))?;
        let endian = architecture.layout()[location.space].endian;
        state.put_anyway(location, &Bits::from_u64(value, width), endian);
        Ok(())
    }

    /// Sets bytes of memory without a permission check. The default space is the code space.
    ///
    /// # Errors
    /// If there is no space of this name.
    pub fn set_memory(
        &self,
        state: &mut State,
        space: Option<&str>,
        address: u64,
        bytes: &[u8],
    ) -> Result<(), GuestError> {
        let space = self.space(space)?;
        if let Some(memory) = state.memory(space) {
            for (distance, byte) in bytes.iter().enumerate() {
                memory.poke(address.wrapping_add(distance as u64), *byte);
            }
        }
        Ok(())
    }

    /// Maps a range: memory, or input, whose values the environment gives.
    fn map(&self, state: &mut State, range: &MemoryRange, is_input: bool) -> Result<(), GuestError> {
        let space = self.space(range.space.as_deref())?;
        if let Some(other) = range.access.chars().find(|letter| !"rwx".contains(*letter)) {
            let what =
                format!("the access `{}` of memory has `{other}`: it is made of r, w and x", range.access);
            return Err(GuestError::new(what));
        }
        let allows = |letter| range.access.contains(letter);
        let permissions = Permissions { read: allows('r'), write: allows('w'), execute: allows('x') };
        if let (Some(memory), Some(size)) = (state.memory(space), range.size.checked_sub(1)) {
            let last = range.start.saturating_add(size);
            if is_input {
                memory.map(Region::outside(range.start, last));
                return Ok(());
            }
            let region = Region::memory(range.start, last, permissions);
            let has_contents = range.contents || !range.bytes.is_empty();
            memory.map(if has_contents { region.with_contents() } else { region });
            // Without bytes to repeat, there is nothing to store.
            let bytes = (range.start..=last).zip(range.bytes.iter().cycle());
            bytes.for_each(|(address, byte)| memory.poke(address, *byte));
        }
        Ok(())
    }

    /// Loads the program.
    fn load(&self, state: &mut State) -> Result<(), GuestError> {
        for segment in self.image().segments() {
            // Segments that no instruction can address are not loaded.
            let Some(AddressRange { space, first: address, last }) = self.segment_range(segment)? else {
                continue;
            };
            let Some(memory) = state.memory(space) else { continue };
            let allowed = segment.permissions();
            // A file without permissions, such as a HEX file, keeps those of the memory map.
            let covered = memory.regions().at(address).is_some_and(|region| region.last >= last);
            if !covered || self.image().machine().is_some() {
                let permissions =
                    Permissions { read: allowed.read, write: allowed.write, execute: allowed.execute };
                let region = Region::memory(address, last, permissions);
                // Bytes of a segment that the file does not contain are zero.
                memory.map(region.with_contents());
            }
            for (distance, byte) in segment.data().iter().enumerate() {
                memory.poke(address.wrapping_add(distance as u64), *byte);
            }
        }
        Ok(())
    }

    /// The bytes of a declared cell.
    ///
    /// # Errors
    /// If there is no such space or symbol, or the cell has no byte, lies outside of its space or cannot hold its values.
    pub(crate) fn cell_range(&self, cell: &VolatileCell) -> Result<AddressRange, GuestError> {
        let named_space = cell.space.as_deref();
        let (space, first, size) = match (cell.address, cell.size) {
            (Some(first), size) => (self.space(named_space)?, first, size.unwrap_or(1)),
            (None, size) => {
                let (space, first, own) = self.symbol(&cell.name)?;
                let space = if named_space.is_some() { self.space(named_space)? } else { space };
                (space, first, size.unwrap_or(own.max(1)))
            }
        };
        self.check_cell(cell, space, first, size)?;
        Ok(AddressRange { space, first, last: first + (size - 1) })
    }

    fn source(&self, cell: &VolatileCell, seed: u64) -> Result<Source, GuestError> {
        let AddressRange { space, first: start, last } = self.cell_range(cell)?;
        let random = cell.random.then(|| Sequence::new(seed, &cell.name));
        Ok(Source {
            name: cell.name.as_str().into(),
            space,
            start,
            last,
            values: cell.values.clone(),
            configured: cell.values.clone(),
            random,
            next: 0,
        })
    }

    /// The source of a stream, which is no memory.
    fn stream_source(&self, cell: &VolatileCell, number: u64) -> Source {
        let space = self.temporary_space().unwrap_or(self.code_space());
        let start = STREAMS + number * STREAM_SIZE;
        Source {
            name: cell.name.as_str().into(),
            space,
            start,
            last: start,
            values: cell.values.clone(),
            configured: cell.values.clone(),
            random: None,
            next: 0,
        }
    }

    /// The environment of a run.
    ///
    /// # Errors
    /// If a volatile cell does not exist, or the architecture names an unknown model.
    pub fn world(&self, configuration: &Configuration) -> Result<World, GuestError> {
        let cells = self.cells(configuration)?;
        check_names(&cells)?;
        let streams: Vec<String> =
            self.stream_cells(configuration).into_iter().map(|cell| cell.name).collect();
        let source = |(number, cell): (usize, &VolatileCell)| match streams.contains(&cell.name) {
            true => Ok(self.stream_source(cell, number as u64)),
            false => self.source(cell, configuration.seed),
        };
        let sources: Vec<Source> = cells.iter().enumerate().map(source).collect::<Result<_, _>>()?;
        let cell = |name: &str| {
            let own = |source: &Source| streams.contains(&cell_name(source)) && *source.name == *name;
            sources.iter().position(own)
        };
        let input_cells = cell(STANDARD_INPUT).map(|bytes| (bytes, cell(STANDARD_INPUT_LENGTH)));
        let linux = self.linux(configuration)?;
        let process = linux.as_ref().map(|linux| Arc::new(self.process(linux)));
        let operations = &self.architecture().layout().user_operations;
        let models = operations.iter().map(|operation| self.model(operation)).collect::<Result<_, _>>()?;
        let assumed_results = self.assumed_results();
        Ok(World {
            sources,
            models,
            assumed_results,
            remembered: Remembered { process, ..Remembered::default() },
            linux: linux.map(Arc::new),
            input_cells,
            temporary_space: self.temporary_space(),
            output: Vec::new(),
            controller: self.controller(configuration)?.map(Arc::new),
            readings: Vec::new(),
        })
    }

    /// The numbers in the layout of the user operations that trap.
    pub fn traps(&self) -> Vec<u32> {
        let architecture = self.architecture();
        let is_trap = |operation: &String| {
            let declared = architecture.description().user_operation(operation);
            declared.is_some_and(|declared| declared.model == model::TRAP)
        };
        let operations = architecture.layout().user_operations.iter().enumerate();
        operations.filter(|(_, name)| is_trap(name)).map(|(number, _)| number as u32).collect()
    }

    /// The model of a user operation, if the architecture defines one.
    fn model(&self, operation: &str) -> Result<Option<Action>, GuestError> {
        let architecture = self.architecture();
        let Some(declared) = architecture.description().user_operation(operation) else { return Ok(None) };
        let Some(model) = model::ALL.iter().find(|model| model.name == declared.model) else {
            let names: Vec<&str> = model::ALL.iter().map(|model| model.name).collect();
            let (name, known) = (&declared.model, names.join(", "));
            return Err(GuestError(format!(
                "`{operation}` has the model `{name}`, but there are only: {known}"
            )));
        };
        let action = (model.make)(&ModelSetup { architecture, operation: declared });
        action
            .map(Some)
            .map_err(|wrong| GuestError(format!("`{operation}`, model `{}`: {wrong}", model.name)))
    }
}

fn cell_name(source: &Source) -> String {
    source.name.to_string()
}
