//! Registers that are undefined at the entry, of a function under test or after a reset: what they hold is an assumption.

use crate::configuration::Configuration;
use crate::guest::{Guest, GuestError};
use crate::input::InitialInputs;
use everypath_ir::{AddressRange, Location};
use std::collections::BTreeMap;

/// A register, or a part of one, whose contents at the entry are assumed: zero or, when a function is called, its value after
/// a reset.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AssumedRegister {
    /// The register.
    pub name: String,
    /// The bytes.
    pub range: AddressRange,
    /// Whether the calling convention passes arguments in it.
    pub is_argument: bool,
    /// Whether the architecture gives it a value at a reset.
    pub is_reset: bool,
    /// Of each byte, the bits that every calling convention determines: modes of floating-point arithmetic.
    pub determined: Vec<u8>,
}

impl Guest {
    /// The registers that nothing defines at the entry, or the parts of them: neither the configuration, with these inputs, nor
    /// the call of a function, or the reset if the program starts with one. A process gets all from the operating system.
    ///
    /// # Errors
    /// If the configuration names something that does not exist.
    pub fn assumed_registers(
        &self,
        configuration: &Configuration,
        initial: &InitialInputs,
    ) -> Result<Vec<AssumedRegister>, GuestError> {
        if self.is_linux_process(configuration) {
            return Ok(Vec::new());
        }
        let description = self.architecture().description();
        let convention = description.call.as_ref();
        let arguments =
            convention.into_iter().flat_map(|call| call.arguments.iter().chain(&call.float_arguments));
        let arguments = arguments.filter_map(|name| Some((name.as_str(), self.register_range(name)?, true)));
        let registers = self.architecture().registers();
        let others =
            registers.map(|(name, location, width)| (name, AddressRange::of_value(location, width), false));
        let mut others: Vec<(&str, AddressRange, bool)> = others.collect();
        // A register comes before its parts, so that it gives them its name.
        others.sort_by_key(|(_, range, _)| (std::cmp::Reverse(range.last - range.first), *range));
        let unnamed = self.unnamed_registers()?;
        let unnamed = unnamed.iter().map(|(name, range)| (name.as_str(), *range, false));
        let mut defined = self.defined_at_entry(configuration, initial)?;
        let modes = self.float_mode_bits();
        let mut assumed = Vec::new();
        for (name, whole, is_argument) in arguments.chain(others).chain(unnamed) {
            for range in whole.without(&defined) {
                defined.push(range);
                let is_reset = description.reset.contains_key(name);
                let bits = |offset| modes.get(&Location { space: range.space, offset }).copied();
                let determined = (range.first..=range.last).map(|offset| bits(offset).unwrap_or(0)).collect();
                assumed.push(AssumedRegister {
                    name: name.to_owned(),
                    range,
                    is_argument,
                    is_reset,
                    determined,
                });
            }
        }
        Ok(assumed)
    }

    /// The processor's own registers among those of peripherals, of which some have no name.
    fn unnamed_registers(&self) -> Result<Vec<(String, AddressRange)>, GuestError> {
        let mut found = Vec::new();
        for range in &self.architecture().description().memory {
            let space = self.space(range.space.as_deref())?;
            found.extend(range.own.iter().map(|address| {
                let location = Location { space, offset: *address };
                (self.name_location(location), AddressRange { space, first: *address, last: *address })
            }));
        }
        Ok(found)
    }

    /// The registers and memory that the configuration declares or sets, or that the call of a function or the reset
    /// determines; and memory whose contents are an assumption of another kind.
    fn defined_at_entry(
        &self,
        configuration: &Configuration,
        initial: &InitialInputs,
    ) -> Result<Vec<AddressRange>, GuestError> {
        let description = self.architecture().description();
        let is_called = configuration.call.is_some();
        let convention = description.call.iter().filter(|_| is_called);
        let by_call = convention.flat_map(|call| call.return_address.iter().chain(&call.function_address));
        // Who names an entry, such as `main`, leaves out the code before it, which compiled code relies on; but not who names that of
        // the reset.
        let named = configuration.entry.as_ref().filter(|_| !is_called);
        let named = named.map(|entry| self.address(entry)).transpose()?;
        let reset_entry = description.entry.as_ref().and_then(|entry| entry.address);
        let is_compiled = is_called || named.is_some_and(|entry| reset_entry != Some(entry));
        let zero = description.call.iter().filter(|_| is_compiled).flat_map(|call| &call.zero);
        let by_reset = description.reset.keys().filter(|_| !is_called);
        let table = self.code_map().vector_table(self.image());
        let has_stack = table.is_some_and(|table| table.stack_pointer.is_some());
        let is_given = |name: &&String| has_stack || description.reset.contains_key(*name);
        let roles = std::iter::once(&description.registers.program_counter)
            .chain(description.registers.stack_pointer.iter().filter(is_given))
            .chain(description.modes.iter().filter_map(|mode| mode.source.register.as_ref()));
        let names = configuration.registers.keys().chain(by_call).chain(zero).chain(by_reset).chain(roles);
        let mut defined: Vec<AddressRange> = names.filter_map(|name| self.register_range(name)).collect();
        for input in &initial.values {
            let whole = input.register.as_deref().and_then(|name| self.register_range(name));
            // The call extends a narrow argument to the whole register.
            defined.extend(whole.or_else(|| AddressRange::of_bytes(input.location, input.size)));
        }
        for initial in &configuration.initial {
            let size = initial.bytes.len() as u64;
            defined.extend(self.range(initial.space.as_deref(), initial.address, size)?);
        }
        for memory in &configuration.memory {
            defined.extend(self.range(memory.space.as_deref(), memory.start, memory.size)?);
        }
        defined.extend(self.world(configuration)?.places().iter());
        defined.extend(self.peripherals(configuration)?.iter());
        defined.extend(self.architecture().system_registers().iter());
        Ok(defined)
    }

    /// The bits of registers that hold modes of floating-point arithmetic, by the byte. By every convention they are those of a
    /// program's start. The same register may hold flags, which are not.
    fn float_mode_bits(&self) -> BTreeMap<Location, u8> {
        let mut found = BTreeMap::new();
        for mode in &self.architecture().description().registers.float_modes {
            let Some((location, width)) = self.architecture().register(&mode.register) else { continue };
            let endian = self.architecture().layout()[location.space].endian;
            for (byte, bits) in mode.bits.to_le_bytes().into_iter().enumerate().take(width.bytes()) {
                let offset = location.offset.wrapping_add(endian.place(byte, width.bytes()) as u64);
                *found.entry(Location { offset, ..location }).or_default() |= bits;
            }
        }
        found
    }

    /// The bytes of a register.
    fn register_range(&self, name: &str) -> Option<AddressRange> {
        let (location, width) = self.architecture().register(name)?;
        Some(AddressRange::of_value(location, width))
    }
}
