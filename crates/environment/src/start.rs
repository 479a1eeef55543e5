//! The state that a bare-metal run starts from, and the world it meets.

use crate::configuration::{Cell, Configuration, Place};
use crate::guest::{Guest, GuestError};
use crate::model::{self, Action, Remembered, Setup};
use crate::random::Sequence;
use crate::world::{Source, World};
use everypath_ir::{Bits, Endian, SpaceId};
use everypath_lift::MemoryRange;
use everypath_machine::{Limits, PAGE_SIZE, Permissions, Region, State};
use std::collections::HashSet;

/// Where instructions run until something else ends the run, if nothing is said.
const DEFAULT_BUDGET: u64 = 10_000_000;
/// How many bytes of memory a run touches at most, if nothing is said: a program may map far more than there is.
const DEFAULT_MEMORY_BUDGET: u64 = 1 << 30;

impl Guest {
    pub(crate) fn space(&self, name: Option<&str>) -> Result<SpaceId, GuestError> {
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

    pub(crate) fn address(&self, place: &Place) -> Result<u64, GuestError> {
        match place {
            Place::Address(address) => Ok(*address),
            Place::Symbol(name) => self.symbol(name).map(|(_, address, _)| address),
        }
    }

    /// The space, the address and the size of a symbol.
    pub(crate) fn symbol(&self, name: &str) -> Result<(SpaceId, u64, u64), GuestError> {
        let symbol = self.image().symbol_named(name);
        let symbol = symbol.ok_or_else(|| GuestError(format!("the program has no symbol `{name}`")))?;
        let placed = self.architecture().file_address(self.image(), symbol.address);
        let (space, address) = placed
            .map_err(|memory| GuestError(format!("no instruction reaches `{name}`: it lies in {memory}")))?;
        Ok((self.space(space)?, address, symbol.size))
    }

    /// Where a run starts.
    ///
    /// # Errors
    /// If neither the configuration nor the file nor the architecture says it.
    pub fn entry(&self, configuration: &Configuration) -> Result<everypath_ir::Place, GuestError> {
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

    /// When a run ends at the latest.
    ///
    /// # Errors
    /// If a stop names a symbol that the program lacks.
    pub fn limits(&self, configuration: &Configuration) -> Result<Limits, GuestError> {
        let mut stops: HashSet<u64> =
            configuration.stop.iter().map(|stop| self.address(stop)).collect::<Result<_, _>>()?;
        if configuration.call.is_some() {
            stops.insert(self.way_back(&self.state(configuration)?));
        }
        Ok(Limits { stops, instructions: configuration.budget.unwrap_or(DEFAULT_BUDGET) })
    }

    /// The state in which a run starts.
    ///
    /// # Errors
    /// If the configuration names a space, a register or a symbol that is not there.
    pub fn state(&self, configuration: &Configuration) -> Result<State, GuestError> {
        let architecture = self.architecture();
        let mut state = State::new(architecture.layout());
        if configuration.note_written {
            state.note_written();
        }
        // Later ranges take the place of earlier ones: the architecture's, the file's, the configuration's.
        for range in &architecture.description().memory {
            self.map(&mut state, range)?;
        }
        self.load(&mut state)?;
        for range in &configuration.memory {
            self.map(&mut state, range)?;
        }
        for cell in &configuration.volatiles {
            let source = self.source(cell, configuration.seed)?;
            if let Some(memory) = state.memory(source.space) {
                memory.map(Region::outside(source.start, source.last));
            }
        }
        for initial in &configuration.initial {
            self.set_memory(&mut state, initial.space.as_deref(), initial.address, &initial.bytes)?;
        }
        for object in self.objects(&mut state, configuration)? {
            if let Some(memory) = state.memory(object.space) {
                // What lies behind an object is not there: an access beyond it is a fault.
                for start in object.addresses() {
                    let last = start.saturating_add(object.size - 1);
                    memory.map(Region::memory(start, last, Permissions::DATA).with_contents());
                }
            }
        }
        self.mark_peripherals(&mut state, configuration)?;
        for (name, value) in self.start_registers(configuration, &state)? {
            self.set_register(&mut state, name, value)?;
        }
        let pages = configuration.memory_budget.unwrap_or(DEFAULT_MEMORY_BUDGET).div_ceil(PAGE_SIZE as u64);
        state.limit_pages(usize::try_from(pages).unwrap_or(usize::MAX));
        Ok(state)
    }

    /// The registers that something sets before a run starts, in order: the architecture, the configuration, and a call
    /// from outside, which returns to where nothing is in this state.
    ///
    /// # Errors
    /// If the configuration names a function to call and the architecture says nothing of return addresses.
    pub fn start_registers<'c>(
        &'c self,
        configuration: &'c Configuration,
        state: &State,
    ) -> Result<Vec<(&'c str, u64)>, GuestError> {
        let description = self.architecture().description();
        let mut registers: Vec<(&str, u64)> =
            description.reset.iter().map(|(name, value)| (name.as_str(), *value)).collect();
        let table = self.code_map().vector_table(self.image());
        if let (Some(name), Some(top)) =
            (&description.registers.stack_pointer, table.and_then(|table| table.stack_pointer))
        {
            registers.push((name, top));
        }
        registers.extend(configuration.registers.iter().map(|(name, value)| (name.as_str(), *value)));
        if configuration.call.is_some() {
            let convention = &description.call;
            let register = convention.as_ref().and_then(|call| call.return_address.as_ref()).ok_or_else(|| {
                let name = self.architecture().name();
                GuestError(format!(
                    "`call` needs a register with the return address, which `{name}` has not: give `entry`, `initial` and `stop`"
                ))
            })?;
            registers.push((register, self.way_back(state)));
        }
        Ok(registers)
    }

    /// Sets a register.
    ///
    /// # Errors
    /// If there is none of this name.
    pub fn set_register(&self, state: &mut State, name: &str, value: u64) -> Result<(), GuestError> {
        let architecture = self.architecture();
        let (location, width) = architecture
            .register(name)
            .ok_or_else(|| GuestError(format!("there is no register `{name}`")))?;
        let endian = architecture.layout().spaces[usize::from(location.space.0)].endian;
        put_anyway(state, location, &Bits::from_u64(value, width), endian);
        Ok(())
    }

    /// Sets bytes of memory, whatever may be done with it. Without a space it is that of code.
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

    /// Where a function that is run for itself returns to: an address at which nothing is.
    fn way_back(&self, state: &State) -> u64 {
        let space = self.code_space();
        let last = self.architecture().layout().spaces[usize::from(space.0)].size() - 1;
        let mut address = u64::try_from(last).unwrap_or(u64::MAX) & !0xfff;
        while let Some(region) = state.regions(space).and_then(|regions| regions.at(address)) {
            address = region.start.saturating_sub(1) & !0xfff;
        }
        address
    }

    fn map(&self, state: &mut State, range: &MemoryRange) -> Result<(), GuestError> {
        let space = self.space(range.space.as_deref())?;
        let allows = |letter| range.access.contains(letter);
        let permissions = Permissions { read: allows('r'), write: allows('w'), execute: allows('x') };
        if let (Some(memory), Some(size)) = (state.memory(space), range.size.checked_sub(1)) {
            let region = Region::memory(range.start, range.start.saturating_add(size), permissions);
            memory.map(if range.contents { region.with_contents() } else { region });
        }
        Ok(())
    }

    /// Loads the program.
    fn load(&self, state: &mut State) -> Result<(), GuestError> {
        for segment in self.image().segments() {
            let placed = match segment.space() {
                Some(given) => Ok((Some(given), segment.address())),
                None => self.architecture().file_address(self.image(), segment.address()),
            };
            // What no instruction reaches is not loaded.
            let Ok((space, address)) = placed else { continue };
            let last = address.saturating_add(segment.size() - 1);
            let space = self.space(space)?;
            let Some(memory) = state.memory(space) else { continue };
            let allowed = segment.permissions();
            // A file that says nothing of permissions, such as a HEX file, leaves those of the memory map.
            let covered = memory.regions().at(address).is_some_and(|region| region.last >= last);
            if !covered || self.image().machine().is_some() {
                let permissions =
                    Permissions { read: allowed.read, write: allowed.write, execute: allowed.execute };
                let region = Region::memory(address, last, permissions);
                // What a file says is there and has no bytes for is zero.
                memory.map(region.with_contents());
            }
            for (distance, byte) in segment.data().iter().enumerate() {
                memory.poke(address.wrapping_add(distance as u64), *byte);
            }
        }
        Ok(())
    }

    fn source(&self, cell: &Cell, seed: u64) -> Result<Source, GuestError> {
        let said = cell.space.as_deref();
        let (space, start, size) = match (cell.address, cell.size) {
            (Some(start), size) => (self.space(said)?, start, size.unwrap_or(1)),
            (None, size) => {
                let (space, start, own) = self.symbol(&cell.name)?;
                let space = if said.is_some() { self.space(said)? } else { space };
                (space, start, size.unwrap_or(own.max(1)))
            }
        };
        let last = start.saturating_add(size.max(1) - 1);
        self.check_cell(cell, space, start, size.max(1))?;
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

    /// The world that a run meets.
    ///
    /// # Errors
    /// If a volatile cell cannot be found, or the architecture names a model that does not exist.
    pub fn world(&self, configuration: &Configuration) -> Result<World, GuestError> {
        let sources = configuration
            .volatiles
            .iter()
            .map(|cell| self.source(cell, configuration.seed))
            .collect::<Result<_, _>>()?;
        let operations = &self.architecture().layout().user_operations;
        let models = operations.iter().map(|operation| self.model(operation)).collect::<Result<_, _>>()?;
        Ok(World { sources, models, remembered: Remembered::default(), readings: Vec::new() })
    }

    /// The user operations that end a run with a trap, by their numbers in the layout.
    pub fn traps(&self) -> Vec<u32> {
        let architecture = self.architecture();
        let is_trap = |operation: &String| {
            let said = architecture.description().user_operation(operation);
            said.is_some_and(|said| said.model == model::TRAP)
        };
        let operations = architecture.layout().user_operations.iter().enumerate();
        operations.filter(|(_, name)| is_trap(name)).map(|(number, _)| number as u32).collect()
    }

    /// What a user operation does, if the architecture says it.
    fn model(&self, operation: &str) -> Result<Option<Action>, GuestError> {
        let architecture = self.architecture();
        let Some(said) = architecture.description().user_operation(operation) else { return Ok(None) };
        let Some(model) = model::ALL.iter().find(|model| model.name == said.model) else {
            let names: Vec<&str> = model::ALL.iter().map(|model| model.name).collect();
            let (name, known) = (&said.model, names.join(", "));
            return Err(GuestError(format!(
                "`{operation}` has the model `{name}`, but there are only: {known}"
            )));
        };
        let action = (model.make)(&Setup { architecture, operation: said });
        action
            .map(Some)
            .map_err(|wrong| GuestError(format!("`{operation}`, model `{}`: {wrong}", model.name)))
    }
}

/// Puts a value where a register lies, which may be memory that the program may not write.
fn put_anyway(state: &mut State, location: everypath_ir::Location, value: &Bits, endian: Endian) {
    let mut bytes = value.to_bytes_le();
    if endian == Endian::Big {
        bytes.reverse();
    }
    match state.memory(location.space) {
        Some(memory) => {
            for (distance, byte) in bytes.iter().enumerate() {
                memory.poke(location.offset.wrapping_add(distance as u64), *byte);
            }
        }
        None => {
            // Registers are never denied.
            let _ = state.put(location, value, endian);
        }
    }
}
