//! Global variables of a function under test: their contents when it is called are an assumption.

use crate::configuration::Configuration;
use crate::guest::{Guest, GuestError};
use crate::placement::without;
use everypath_image::Section;
use everypath_ir::SpaceId;

impl Guest {
    /// The writable memory that the file initialises, if a function is called instead of the whole program: space, first
    /// and last address. The rest of the program may have changed it before the call. Ranges whose contents the
    /// configuration gives are excluded.
    ///
    /// # Errors
    /// If the configuration names a space that does not exist.
    pub fn globals(&self, configuration: &Configuration) -> Result<Vec<(SpaceId, u64, u64)>, GuestError> {
        let mut found = Vec::new();
        if configuration.call.is_none() {
            return Ok(found);
        }
        let mut given: Vec<(SpaceId, u64, u64)> = Vec::new();
        for initial in configuration.initial.iter().filter(|initial| !initial.bytes.is_empty()) {
            let space = self.space(initial.space.as_deref())?;
            let last = initial.address.saturating_add(initial.bytes.len() as u64 - 1);
            given.push((space, initial.address, last));
        }
        for range in self.variables()? {
            found.extend(without(range, &given));
        }
        Ok(found)
    }

    /// The writable memory of the file, without tables that only the linker writes: space, first and last address.
    ///
    /// # Errors
    /// If the architecture names a space that does not exist.
    pub fn variables(&self) -> Result<Vec<(SpaceId, u64, u64)>, GuestError> {
        let tables = self.linker_tables()?;
        let mut found = Vec::new();
        for segment in self.image().segments().iter().filter(|segment| segment.permissions().write) {
            let Some((space, first)) = self.segment_place(segment)? else { continue };
            let last = first.saturating_add(segment.size().max(1) - 1);
            found.extend(without((space, first, last), &tables));
        }
        Ok(found)
    }

    /// The tables that only the linker writes: space, first and last address.
    ///
    /// # Errors
    /// If the architecture names a space that does not exist.
    pub fn linker_tables(&self) -> Result<Vec<(SpaceId, u64, u64)>, GuestError> {
        let mut tables = Vec::new();
        let is_table = |section: &&Section| section.is_relocated() && section.size() > 0;
        for section in self.image().sections().iter().filter(is_table) {
            let placed = self.file_place(section.address())?;
            tables.extend(
                placed.map(|(space, first)| (space, first, first.saturating_add(section.size() - 1))),
            );
        }
        Ok(tables)
    }
}
