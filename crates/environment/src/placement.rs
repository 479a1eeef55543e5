//! Where the parts of a file are in the guest's spaces.

use crate::guest::{Guest, GuestError};
use everypath_image::Segment;
use everypath_ir::{AddressRange, Location};

impl Guest {
    /// A range of a space, which is that of the code if no name is given; `None` if it is empty.
    pub(crate) fn range(
        &self,
        space: Option<&str>,
        start: u64,
        size: u64,
    ) -> Result<Option<AddressRange>, GuestError> {
        Ok(AddressRange::of_bytes(Location { space: self.space(space)?, offset: start }, size))
    }

    /// Where a segment is; `None` if it is empty, or no instruction can address it.
    pub(crate) fn segment_range(&self, segment: &Segment) -> Result<Option<AddressRange>, GuestError> {
        let start = match segment.space() {
            Some(given) => Some(Location { space: self.space(Some(given))?, offset: segment.address() }),
            None => self.file_location(segment.address())?,
        };
        Ok(start.and_then(|start| AddressRange::of_bytes(start, segment.size())))
    }

    /// Where a file address is; `None` if no instruction can address it.
    pub(crate) fn file_location(&self, address: u64) -> Result<Option<Location>, GuestError> {
        match self.architecture().file_address(self.image(), address) {
            Ok((space, offset)) => Ok(Some(Location { space: self.space(space)?, offset })),
            Err(_) => Ok(None),
        }
    }
}
