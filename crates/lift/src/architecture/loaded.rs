//! An architecture whose description and specification have been loaded and checked against each other.

use super::conformance::Conformance;
use super::description::{Description, Executable, FilePlace};
use super::error::ArchitectureError;
use super::user_operation::stands_for;
use crate::layout::SpaceMap;
use everypath_image::Image;
use everypath_ir::{AddressRange, AddressSet, Context, Layout, Location, Width};
use everypath_sleigh::{self as sleigh, Commit, Specification, Varnode};

/// An architecture: its description and its specification, which are consistent.
#[derive(Debug)]
pub struct Architecture {
    name: String,
    description: Description,
    specification: Specification,
    spaces: SpaceMap,
    context: Context,
    /// The context bits of modes of which the processor has one value only, and these values.
    only_modes: Vec<(u128, u128)>,
    system_registers: AddressSet,
    conformance: Conformance,
}

impl Architecture {
    /// Combines a description and a compiled specification, and checks that the specification has each name in the
    /// description.
    pub fn new(name: &str, description: Description, sla: &[u8]) -> Result<Self, ArchitectureError> {
        let wrong = |problem: String| ArchitectureError::Wrong { name: name.to_owned(), problem };
        let specification = Specification::from_sla(sla).map_err(|error| wrong(error.to_string()))?;
        let spaces = SpaceMap::new(&specification, &description.register_spaces).map_err(wrong)?;
        let mut context = specification.default_context();
        for (field, value) in &description.context {
            specification
                .set_context_field(&mut context, field, u128::from(*value))
                .map_err(|error| wrong(error.to_string()))?;
        }
        let only_modes = description.modes.iter().filter_map(|mode| {
            let field = specification.context_field(&mode.field)?;
            Some((field.mask, field.set(sleigh::DecodingContext(0), u128::from(mode.only?)).0))
        });
        let only_modes = only_modes.collect();
        let mut architecture = Self {
            name: name.to_owned(),
            context: Context(context.0),
            description,
            specification,
            spaces,
            only_modes,
            system_registers: AddressSet::default(),
            conformance: Conformance::default(),
        };
        architecture.check_names().map_err(wrong)?;
        architecture.system_registers = architecture.find_system_registers();
        if let Some((location, _)) = architecture.stack_pointer() {
            architecture.spaces.watch(location);
        }
        Ok(architecture)
    }

    /// Adds the evidence for the semantics of its instructions.
    #[must_use]
    pub fn with_conformance(self, conformance: Conformance) -> Self {
        Self { conformance, ..self }
    }

    /// The evidence for the semantics of its instructions; empty if none was recorded.
    pub fn conformance(&self) -> &Conformance {
        &self.conformance
    }

    fn check_names(&self) -> Result<(), String> {
        let Description {
            registers, reset, call, modes, memory, register_spaces, executables, entry, ..
        } = &self.description;
        let call_registers = call.iter().flat_map(|call| {
            let global = call.global_pointer.iter().map(|global| &global.register);
            let roles = call.return_address.iter().chain(&call.function_address).chain(global);
            let arguments = call.arguments.iter().chain(&call.float_arguments);
            arguments.chain(&call.result).chain(&call.preserved).chain(&call.zero).chain(roles)
        });
        let mode_registers = modes.iter().filter_map(|mode| mode.source.register.as_ref());
        let float_modes = registers.float_modes.iter().map(|mode| &mode.register);
        let roles = std::iter::once(&registers.program_counter).chain(&registers.stack_pointer);
        let roles = roles.chain(float_modes);
        for register in roles.chain(call_registers).chain(mode_registers).chain(reset.keys()) {
            if self.specification.register(register).is_none() {
                return Err(format!("the specification has no register `{register}`"));
            }
        }
        for entry in &registers.system {
            let is_known =
                |name: &str| self.specification.registers().iter().any(|one| stands_for(name, &one.name));
            let names =
                entry.split_once("..").map_or(vec![entry.as_str()], |(first, last)| vec![first, last]);
            if let Some(unknown) = names.into_iter().find(|name| !is_known(name)) {
                return Err(format!("the specification has no register `{unknown}`"));
            }
        }
        for mode in modes {
            if self.specification.context_field(&mode.field).is_none() {
                return Err(format!("the specification has no context field `{}`", mode.field));
            }
        }
        for entry in self.description.user_operations.keys() {
            if !self.specification.user_operations().iter().any(|operation| stands_for(entry, operation)) {
                return Err(format!("the specification has no user operation `{entry}`"));
            }
        }
        let memory_spaces = memory.iter().filter_map(|range| range.space.as_ref());
        let places = executables.iter().flat_map(|executable| &executable.places);
        let file_spaces = places.filter_map(|place| place.space.as_ref());
        for space in memory_spaces.chain(file_spaces).chain(register_spaces) {
            if self.specification.space_named(space).is_none() {
                return Err(format!("the specification has no space `{space}`"));
            }
        }
        for range in memory {
            if range.access.chars().any(|letter| !"rwx".contains(letter)) {
                return Err(format!(
                    "memory `{}`: access `{}` is not made of r, w, x",
                    range.name, range.access
                ));
            }
        }
        for executable in executables {
            if executable.endian.as_ref().is_some_and(|endian| endian != "little" && endian != "big") {
                return Err("`endian` is `little` or `big`".to_owned());
            }
        }
        if entry.as_ref().is_some_and(|entry| entry.address.is_some() == entry.vector.is_some()) {
            return Err("`entry` has either an `address` or a `vector`".to_owned());
        }
        Ok(())
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its description, from the TOML file.
    pub fn description(&self) -> &Description {
        &self.description
    }

    /// The required alignment of the memory accesses of an instruction with this mnemonic: see
    /// [`Statement::Instruction`](everypath_ir::Statement::Instruction).
    pub(crate) fn alignment_of(&self, mnemonic: impl FnOnce() -> String) -> u8 {
        let Some(alignment) = &self.description.alignment else { return 1 };
        let mnemonic = mnemonic();
        let is_named = |entry: &String| stands_for(entry, &mnemonic);
        if alignment.instructions.iter().any(is_named) { alignment.largest.max(1) } else { 1 }
    }

    /// Its SLEIGH specification.
    pub fn specification(&self) -> &Specification {
        &self.specification
    }

    /// The mapping between the spaces of the specification and those of the IR.
    pub fn spaces(&self) -> &SpaceMap {
        &self.spaces
    }

    /// The spaces and user operations of its IR blocks.
    pub fn layout(&self) -> &Layout {
        self.spaces.layout()
    }

    /// The decoding context at the start of code.
    pub fn default_context(&self) -> Context {
        self.context
    }

    /// The context at `address` after an instruction in `context` that made `commits`.
    pub fn successor_context(&self, context: Context, commits: &[Commit], address: u64) -> Context {
        let (context, default) =
            (sleigh::DecodingContext(context.0), sleigh::DecodingContext(self.context.0));
        Context(self.specification.successor_context(context, default, commits, address).0)
    }

    /// Splits a code address of a file into the address of the instruction and the context that its mode bits select.
    pub fn code_address(&self, address: u64) -> (u64, Context) {
        let mut place = address;
        let mut context = sleigh::DecodingContext(self.context.0);
        for mode in &self.description.modes {
            if let (Some(bit), Some(field)) =
                (mode.source.address_bit, self.specification.context_field(&mode.field))
            {
                context = field.set(context, u128::from(address >> bit & 1));
                place &= !(1 << bit);
            }
        }
        (place, Context(context.0))
    }

    /// Whether the processor has instructions in a context: not in a mode that it lacks.
    pub fn has_instructions(&self, context: Context) -> bool {
        self.only_modes.iter().all(|(mask, bits)| context.0 & mask == *bits)
    }

    /// The alignment of instructions in a context.
    pub fn instruction_alignment(&self, context: Context) -> u64 {
        let context = sleigh::DecodingContext(context.0);
        let is_clear = |name: &str| {
            let field = self.specification.context_field(name);
            field.is_some_and(|field| field.get(context) == 0)
        };
        let modes = self.description.modes.iter().filter(|mode| is_clear(&mode.field));
        modes.map(|mode| mode.alignment.max(1)).max().unwrap_or(1)
    }

    /// Translates a file address to an address in a space; the space is `None` for code.
    ///
    /// # Errors
    /// The name of the memory, if no instruction can access it.
    pub fn file_address(&self, image: &Image, address: u64) -> Result<(Option<&str>, u64), &str> {
        let fitting = |executable: &&Executable| image.machine().is_some_and(|file| executable.fits(file));
        let executable = self.description.executables.iter().find(fitting);
        let place = executable.and_then(|found| found.places.iter().find(|place| place.has(address)));
        match place {
            None => Ok((None, address)),
            Some(FilePlace { space: None, name, .. }) => Err(name),
            Some(place) => Ok((place.space.as_deref(), address - place.start + place.address)),
        }
    }

    /// The context of the target of an indirect jump: the context that flows there, and the modes, whose registers
    /// `read` reads.
    pub fn computed_context(
        &self,
        flowing: Context,
        mut read: impl FnMut(Location, Width) -> u64,
    ) -> Context {
        let mut context = sleigh::DecodingContext(flowing.0);
        for mode in &self.description.modes {
            let register = mode.source.register.as_ref().and_then(|name| self.register(name));
            if let (Some((location, width)), Some(field)) =
                (register, self.specification.context_field(&mode.field))
            {
                context = field.set(context, u128::from(read(location, width)));
            }
        }
        Context(context.0)
    }

    /// Whether a user operation, by its number in the layout, has no effect that a program on one processor sees, besides its
    /// result.
    pub fn is_harmless(&self, operation: u32) -> bool {
        let name = self.layout().user_operations.get(operation as usize);
        let entry = name.and_then(|name| self.description.user_operation(name));
        entry.is_some_and(|entry| entry.model == "nothing")
    }

    /// The registers whose contents the environment determines.
    pub fn system_registers(&self) -> &AddressSet {
        &self.system_registers
    }

    /// Finds the registers whose contents the environment determines.
    fn find_system_registers(&self) -> AddressSet {
        let mut found = Vec::new();
        let range = |varnode: Varnode| {
            let (start, width) = self.place_of(varnode)?;
            Some(AddressRange::of_value(start, width))
        };
        for entry in &self.description.registers.system {
            if let Some((first, last)) = entry.split_once("..") {
                let ends = self.specification.register(first).zip(self.specification.register(last));
                let ends = ends.and_then(|(first, last)| range(first).zip(range(last)));
                found.extend(ends.map(|(first, last)| AddressRange { last: last.last, ..first }));
                continue;
            }
            let named =
                self.specification.registers().iter().filter(|register| stands_for(entry, &register.name));
            found.extend(named.filter_map(|register| range(register.varnode)));
        }
        found.into_iter().collect()
    }

    /// The location and the width of a register.
    pub fn register(&self, name: &str) -> Option<(Location, Width)> {
        self.place_of(self.specification.register(name)?)
    }

    /// The location and the width of the stack pointer.
    pub fn stack_pointer(&self) -> Option<(Location, Width)> {
        self.register(self.description.registers.stack_pointer.as_deref()?)
    }

    /// The name, location and width of each register.
    pub fn registers(&self) -> impl Iterator<Item = (&str, Location, Width)> {
        self.specification.registers().iter().filter_map(|register| {
            let (location, width) = self.place_of(register.varnode)?;
            Some((register.name.as_str(), location, width))
        })
    }

    fn place_of(&self, varnode: Varnode) -> Option<(Location, Width)> {
        let space = self.spaces.get(varnode.space)?;
        Some((Location { space, offset: varnode.offset }, Width::new(8 * varnode.size)?))
    }

    /// The name of the narrowest register that contains a byte.
    pub fn register_around(&self, byte: Location) -> Option<&str> {
        let space = self.spaces.back(byte.space)?;
        let has = |register: &&sleigh::Register| {
            let distance = byte.offset.checked_sub(register.varnode.offset);
            register.varnode.space == space
                && distance.is_some_and(|distance| distance < u64::from(register.varnode.size))
        };
        let registers = self.specification.registers().iter().filter(has);
        registers.min_by_key(|register| register.varnode.size).map(|register| register.name.as_str())
    }

    /// The name of the register at a location, for listings.
    pub fn register_name(&self, location: Location, width: Width) -> Option<&str> {
        let space = self.spaces.back(location.space)?;
        let varnode = Varnode { space, offset: location.offset, size: width.bytes() as u32 };
        self.specification.register_name(varnode)
    }
}
