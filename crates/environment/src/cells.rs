//! The volatile cells of a run: those that the configuration declares, or else the registers of peripherals.

use crate::configuration::{Configuration, VolatileCell};
use crate::guest::{Guest, GuestError};
use everypath_lift::{MemoryRange, PeripheralReads};

impl Guest {
    /// The volatile cells of a run, with the values given for them. A whole program whose configuration declares no input
    /// reads its peripherals as input, where the architecture says so: each such range is a cell.
    ///
    /// # Errors
    /// If values are given for a cell that does not exist.
    pub fn cells(&self, configuration: &Configuration) -> Result<Vec<VolatileCell>, GuestError> {
        let undeclared = self.peripheral_inputs(configuration).map(|range| VolatileCell {
            name: range.name.clone(),
            space: range.space.clone(),
            address: Some(range.start),
            size: Some(range.size),
            values: Vec::new(),
            random: false,
        });
        let mut cells: Vec<VolatileCell> =
            configuration.volatiles.iter().cloned().chain(undeclared).collect();
        for (name, values) in &configuration.given {
            let cell = cells.iter_mut().find(|cell| cell.name == *name).ok_or_else(|| {
                GuestError::new(format!("there is no volatile cell `{name}`; add it to the configuration"))
            })?;
            cell.values.clone_from(values);
        }
        Ok(cells)
    }

    /// The ranges of peripherals that are input because the configuration declares none.
    pub fn peripheral_inputs(&self, configuration: &Configuration) -> impl Iterator<Item = &MemoryRange> {
        let ranges = self.architecture().description().memory.iter();
        ranges.filter(|range| is_input(range, configuration))
    }
}

/// Whether a range of the architecture is input.
pub(crate) fn is_input(range: &MemoryRange, configuration: &Configuration) -> bool {
    let declares_input = !configuration.volatiles.is_empty()
        || !configuration.inputs.is_empty()
        || configuration.call.is_some();
    range.reads == PeripheralReads::Input && !declares_input
}
