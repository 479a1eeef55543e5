//! Registers of a called function whose contents nothing gives: they hold zero, which is an assumption.

use crate::configuration::{Configuration, InputDeclaration};
use crate::guest::{Guest, GuestError};
use crate::placement::without;
use everypath_ir::{Location, SpaceId, Width};

/// A register, or a part of one, that is assumed to hold zero when a function is called.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AssumedRegister {
    /// The register.
    pub name: String,
    /// Its first byte.
    pub location: Location,
    /// The number of bytes.
    pub size: u64,
    /// Whether the calling convention passes arguments in it.
    pub is_argument: bool,
}

impl AssumedRegister {
    /// Whether a byte is part of it.
    pub fn contains(&self, byte: Location) -> bool {
        let distance = byte.offset.checked_sub(self.location.offset);
        self.location.space == byte.space && distance.is_some_and(|distance| distance < self.size)
    }
}

impl Guest {
    /// The registers of a called function that neither the configuration nor the call itself gives, or the parts of them.
    ///
    /// # Errors
    /// If the configuration names a space that does not exist.
    pub fn assumed_registers(
        &self,
        configuration: &Configuration,
    ) -> Result<Vec<AssumedRegister>, GuestError> {
        if configuration.call.is_none() {
            return Ok(Vec::new());
        }
        let architecture = self.architecture();
        let mut known: Vec<(SpaceId, u64, u64)> =
            self.given_registers(configuration).filter_map(|name| self.register_range(name)).collect();
        // What these hold is an assumption by itself.
        known.extend(self.peripherals(configuration)?);
        known.extend(architecture.system_registers());
        let convention = architecture.description().call.as_ref();
        let arguments = convention.map(|call| call.arguments.iter().chain(&call.float_arguments));
        let arguments = arguments.into_iter().flatten().map(|name| (name.as_str(), true));
        // A register comes before its parts, so that it gives them its name.
        let mut others: Vec<(&str, Location, Width)> = architecture.registers().collect();
        others.sort_by_key(|(_, location, width)| (std::cmp::Reverse(*width), *location));
        let mut assumed = Vec::new();
        for (name, is_argument) in arguments.chain(others.iter().map(|(name, ..)| (*name, false))) {
            let Some(range) = self.register_range(name) else { continue };
            let free: Vec<(SpaceId, u64, u64)> = without(range, &known).collect();
            for (space, first, last) in free {
                known.push((space, first, last));
                assumed.push(AssumedRegister {
                    name: name.to_owned(),
                    location: Location { space, offset: first },
                    size: last - first + 1,
                    is_argument,
                });
            }
        }
        Ok(assumed)
    }

    /// The registers that the configuration declares or sets, and those that the call of a function determines.
    fn given_registers<'c>(&'c self, configuration: &'c Configuration) -> impl Iterator<Item = &'c str> {
        let description = self.architecture().description();
        let convention = description.call.as_ref();
        let numbered =
            move |input: &InputDeclaration| convention.and_then(|call| call.arguments.get(input.argument?));
        let inputs =
            configuration.inputs.iter().filter_map(move |input| input.register.as_ref().or(numbered(input)));
        let by_convention = convention
            .into_iter()
            .flat_map(|call| call.return_address.iter().chain(&call.function_address).chain(&call.zero));
        let roles = std::iter::once(&description.registers.program_counter)
            .chain(&description.registers.stack_pointer)
            .chain(description.modes.iter().filter_map(|mode| mode.source.register.as_ref()));
        let names = inputs.chain(configuration.registers.keys()).chain(by_convention).chain(roles);
        names.chain(description.reset.keys()).map(String::as_str)
    }

    /// The bytes of a register: space, first and last.
    fn register_range(&self, name: &str) -> Option<(SpaceId, u64, u64)> {
        let (Location { space, offset }, width) = self.architecture().register(name)?;
        Some((space, offset, offset + width.bytes() as u64 - 1))
    }
}
