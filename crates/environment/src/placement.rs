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

/// The parts of a range that none of the others covers, each as space, first and last address.
pub fn without<'o>(
    (space, first, last): (SpaceId, u64, u64),
    others: impl IntoIterator<Item = &'o (SpaceId, u64, u64)>,
) -> impl Iterator<Item = (SpaceId, u64, u64)> {
    let taken = others.into_iter().filter(|range| range.0 == space).map(|range| (range.1, range.2));
    gaps((first, last), taken).into_iter().map(move |(first, last)| (space, first, last))
}

/// The parts of a range, by first and last address, that none of these ranges covers.
pub(crate) fn gaps(
    (first, last): (u64, u64),
    taken: impl IntoIterator<Item = (u64, u64)>,
) -> Vec<(u64, u64)> {
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
