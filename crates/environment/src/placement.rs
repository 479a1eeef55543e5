//! Where the parts of a file are in the guest's spaces, and the parts of a range that others leave free.

use crate::guest::{Guest, GuestError};
use everypath_image::Segment;
use everypath_ir::SpaceId;

impl Guest {
    /// The space and the address of a segment; `None` if no instruction can address it.
    pub(crate) fn segment_place(&self, segment: &Segment) -> Result<Option<(SpaceId, u64)>, GuestError> {
        match segment.space() {
            Some(given) => Ok(Some((self.space(Some(given))?, segment.address()))),
            None => self.file_place(segment.address()),
        }
    }

    /// The space and the address of a file address; `None` if no instruction can address it.
    pub(crate) fn file_place(&self, address: u64) -> Result<Option<(SpaceId, u64)>, GuestError> {
        match self.architecture().file_address(self.image(), address) {
            Ok((space, address)) => Ok(Some((self.space(space)?, address))),
            Err(_) => Ok(None),
        }
    }
}

/// The parts of a range, by first and last address, that none of these ranges covers.
pub fn gaps((first, last): (u64, u64), taken: impl IntoIterator<Item = (u64, u64)>) -> Vec<(u64, u64)> {
    let mut taken: Vec<(u64, u64)> = taken.into_iter().collect();
    taken.sort_unstable();
    let (mut found, mut next) = (Vec::new(), Some(first));
    for (start, end) in taken {
        let Some(from) = next.filter(|from| *from <= last && start <= last) else { break };
        if start > from {
            found.push((from, start - 1));
        }
        if end >= from {
            next = end.checked_add(1);
        }
    }
    found.extend(next.filter(|from| *from <= last).map(|from| (from, last)));
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gaps_are_what_is_not_taken() {
        assert_eq!(gaps((2, 9), []), [(2, 9)]);
        assert_eq!(gaps((2, 9), [(4, 5), (0, 2), (9, 20)]), [(3, 3), (6, 8)]);
        assert_eq!(gaps((2, 9), [(3, 8), (4, 5)]), [(2, 2), (9, 9)]);
        assert_eq!(gaps((2, 9), [(0, 1), (10, 11)]), [(2, 9)]);
        assert_eq!(gaps((2, u64::MAX), [(2, u64::MAX)]), []);
    }
}
