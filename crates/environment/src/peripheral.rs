//! Undeclared peripheral registers: memory of the architecture whose contents are an assumption.

use crate::cells::is_input;
use crate::configuration::Configuration;
use crate::guest::{Guest, GuestError};
use everypath_ir::{AddressRange, AddressSet, Location};
use everypath_machine::State;
use std::collections::BTreeSet;

impl Guest {
    /// Undeclared peripheral registers. Memory that the file or the configuration defines, and the processor's own registers, are
    /// excluded.
    ///
    /// # Errors
    /// If the configuration names a space that does not exist.
    pub fn peripherals(&self, configuration: &Configuration) -> Result<AddressSet, GuestError> {
        let mut declared: Vec<AddressRange> = Vec::new();
        for range in &configuration.memory {
            declared.extend(self.range(range.space.as_deref(), range.start, range.size)?);
        }
        for input in &configuration.inputs {
            if let Some(address) = input.address {
                declared.extend(self.range(input.space.as_deref(), address, input.size.unwrap_or(1))?);
            }
        }
        for initial in &configuration.initial {
            let size = initial.bytes.len() as u64;
            declared.extend(self.range(initial.space.as_deref(), initial.address, size)?);
        }
        for segment in self.image().segments() {
            declared.extend(self.segment_range(segment)?);
        }
        let mut found = Vec::new();
        // From the last range, because later ones replace those before.
        for range in self.architecture().description().memory.iter().rev() {
            let Some(whole) = self.range(range.space.as_deref(), range.start, range.size)? else { continue };
            if range.peripherals && !is_input(range, configuration) {
                let own =
                    range.own.iter().map(|address| AddressRange { first: *address, last: *address, ..whole });
                let own: Vec<AddressRange> = own.collect();
                found.extend(whole.without(own.iter().chain(&declared)));
            }
            declared.push(whole);
        }
        Ok(found.into_iter().collect())
    }

    /// Registers of devices that hold what was written where an instruction takes part of an address from them.
    ///
    /// # Errors
    /// If the architecture names a space that does not exist.
    pub fn latches(&self) -> Result<BTreeSet<Location>, GuestError> {
        let mut found = BTreeSet::new();
        for range in &self.architecture().description().memory {
            let space = self.space(range.space.as_deref())?;
            found.extend(range.latches.iter().map(|offset| Location { space, offset: *offset }));
        }
        Ok(found)
    }

    /// Marks undeclared peripheral registers, and system registers of the processor, as changing in a state.
    pub(crate) fn mark_peripherals(
        &self,
        state: &mut State,
        configuration: &Configuration,
    ) -> Result<(), GuestError> {
        state.mark_changing(self.architecture().system_registers().iter());
        state.mark_changing(self.peripherals(configuration)?.iter());
        Ok(())
    }
}
