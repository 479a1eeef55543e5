//! Global variables of a function under test: their contents when it is called are an assumption.

use crate::configuration::Configuration;
use crate::guest::{Guest, GuestError};
use everypath_ir::SpaceId;

impl Guest {
    /// The writable memory that the file initialises, if a function is called instead of the whole program: space, first
    /// and last address. The rest of the program may have changed it before the call. Ranges whose contents the
    /// configuration gives, and tables that only the linker writes, are excluded.
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
        for section in
            self.image().sections().iter().filter(|section| section.is_relocated() && section.size() > 0)
        {
            let (space, address) = match self.architecture().file_address(self.image(), section.address()) {
                Ok((space, address)) => (self.space(space)?, address),
                Err(_) => continue,
            };
            given.push((space, address, address.saturating_add(section.size() - 1)));
        }
        given.sort_unstable();
        for segment in self.image().segments().iter().filter(|segment| segment.permissions().write) {
            let placed = match segment.space() {
                Some(given) => Ok((Some(given), segment.address())),
                None => self.architecture().file_address(self.image(), segment.address()),
            };
            let Ok((space, mut next)) = placed else { continue };
            let space = self.space(space)?;
            let last = next.saturating_add(segment.size().max(1) - 1);
            for (_, first, until) in given.iter().filter(|range| range.0 == space) {
                if *first > next && *first <= last {
                    found.push((space, next, first - 1));
                }
                if *until >= next && *first <= last {
                    next = until.saturating_add(1);
                }
            }
            if next <= last {
                found.push((space, next, last));
            }
        }
        Ok(found)
    }
}
