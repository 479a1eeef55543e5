//! Global variables of a function under test: their contents when it is called are an assumption.

use crate::configuration::Configuration;
use crate::guest::{Guest, GuestError};
use everypath_ir::{AddressRange, AddressSet};

impl Guest {
    /// The writable memory that the file initialises, if a function is called instead of the whole program. The rest of the
    /// program may have changed it before the call. Memory whose contents the configuration gives is excluded.
    ///
    /// # Errors
    /// If the configuration names a space that does not exist.
    pub fn globals(&self, configuration: &Configuration) -> Result<AddressSet, GuestError> {
        if configuration.call.is_none() {
            return Ok(AddressSet::default());
        }
        let mut given = Vec::new();
        for initial in &configuration.initial {
            let size = initial.bytes.len() as u64;
            given.extend(self.range(initial.space.as_deref(), initial.address, size)?);
        }
        Ok(self.variables()?.iter().flat_map(|range| range.without(&given)).collect())
    }

    /// The writable memory of the file, without tables that only the linker writes.
    ///
    /// # Errors
    /// If the architecture names a space that does not exist.
    pub fn variables(&self) -> Result<AddressSet, GuestError> {
        let tables: Vec<AddressRange> = self.linker_tables()?.iter().collect();
        let mut found = Vec::new();
        for segment in self.image().segments().iter().filter(|segment| segment.permissions().write) {
            found.extend(self.segment_range(segment)?.into_iter().flat_map(|range| range.without(&tables)));
        }
        Ok(found.into_iter().collect())
    }

    /// The tables that only the linker writes.
    ///
    /// # Errors
    /// If the architecture names a space that does not exist.
    pub fn linker_tables(&self) -> Result<AddressSet, GuestError> {
        let mut tables = Vec::new();
        for section in self.image().sections().iter().filter(|section| section.is_relocated()) {
            let start = self.file_location(section.address())?;
            tables.extend(start.and_then(|start| AddressRange::of_bytes(start, section.size())));
        }
        Ok(tables.into_iter().collect())
    }
}
