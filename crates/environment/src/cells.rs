//! The volatile cells of a run: those that the configuration declares, or else the registers of peripherals.

use crate::configuration::{Configuration, VolatileCell};
use crate::guest::{Guest, GuestError};
use crate::linux::{STANDARD_INPUT, STANDARD_INPUT_LENGTH};
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
        let streams = self.stream_cells(configuration);
        let mut cells: Vec<VolatileCell> =
            configuration.volatiles.iter().cloned().chain(undeclared).chain(streams).collect();
        for (name, values) in &configuration.given {
            let cell = cells.iter_mut().find(|cell| cell.name == *name).ok_or_else(|| {
                GuestError::new(format!("there is no volatile cell `{name}`; add it to the configuration"))
            })?;
            cell.values.clone_from(values);
        }
        Ok(cells)
    }

    /// The cells of the standard input of a process: its bytes, and their number, unless that is fixed.
    pub(crate) fn stream_cells(&self, configuration: &Configuration) -> Vec<VolatileCell> {
        let settings = configuration.linux.as_ref().filter(|settings| settings.stdin_file.is_none());
        let Some(size) = settings.and_then(|settings| settings.stdin) else { return Vec::new() };
        if !self.is_linux_process(configuration) {
            return Vec::new();
        }
        let cell = |name: &str, size: u64| VolatileCell {
            name: name.to_owned(),
            space: None,
            address: None,
            size: Some(size),
            values: Vec::new(),
            random: false,
        };
        let mut cells = vec![cell(STANDARD_INPUT, 1)];
        cells.extend((size.least < size.most).then(|| cell(STANDARD_INPUT_LENGTH, 4)));
        cells
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
