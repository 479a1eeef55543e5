//! Undeclared peripheral registers: memory of the architecture whose contents are an assumption.

use crate::cells::is_input;
use crate::configuration::Configuration;
use crate::guest::{Guest, GuestError};
use crate::placement::gaps;
use everypath_ir::{Location, SpaceId};
use everypath_machine::State;
use std::collections::BTreeSet;

impl Guest {
    /// The ranges of undeclared peripheral registers: space, first and last address. Ranges that the file or the
    /// configuration defines, and the processor's own registers, are excluded.
    ///
    /// # Errors
    /// If the configuration names a space that does not exist.
    pub fn peripherals(&self, configuration: &Configuration) -> Result<Vec<(SpaceId, u64, u64)>, GuestError> {
        let mut declared: Vec<(SpaceId, u64, u64)> = Vec::new();
        for range in &configuration.memory {
            declared.push((self.space(range.space.as_deref())?, range.start, range.size));
        }
        for input in &configuration.inputs {
            if let Some(address) = input.address {
                declared.push((self.space(input.space.as_deref())?, address, input.size.unwrap_or(1)));
            }
        }
        for initial in &configuration.initial {
            let space = self.space(initial.space.as_deref())?;
            declared.push((space, initial.address, initial.bytes.len() as u64));
        }
        for segment in self.image().segments() {
            let placed = self.segment_place(segment)?;
            declared.extend(placed.map(|(space, address)| (space, address, segment.size())));
        }
        let mut found = Vec::new();
        // From the last range, because later ones replace those before.
        for range in self.architecture().description().memory.iter().rev() {
            let space = self.space(range.space.as_deref())?;
            if range.peripherals && !is_input(range, configuration) {
                let own = range.own.iter().map(|address| (*address, 1));
                let others = declared.iter().filter(|one| one.0 == space).map(|one| (one.1, one.2));
                let whole = inclusive((range.start, range.size));
                let free = whole.map(|whole| gaps(whole, own.chain(others).filter_map(inclusive)));
                found.extend(free.into_iter().flatten().map(|(first, last)| (space, first, last)));
            }
            declared.push((space, range.start, range.size));
        }
        Ok(found)
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
        let system = self.architecture().system_registers().iter().copied();
        for (space, first, last) in self.peripherals(configuration)?.into_iter().chain(system) {
            state.mark_changing(space, first, last);
        }
        Ok(())
    }
}

/// The first and last address of a range with this start and size, if it is not empty.
pub(crate) fn inclusive((start, size): (u64, u64)) -> Option<(u64, u64)> {
    Some((start, start.saturating_add(size.checked_sub(1)?)))
}
