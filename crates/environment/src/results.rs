//! Results of user operations that are assumptions: each counts as stored at a location of its own, so that decisions that
//! depend on it are known.

use crate::guest::Guest;
use crate::model;
use crate::world::World;
use everypath_ir::{Location, SpaceId, SpaceKind};

/// Where the results count as stored: in the temporary space, beyond any temporary.
const RESULTS: u64 = 1 << 40;
/// The bytes for each operation: more than any result has.
const RESULT_SIZE: u64 = 1 << 10;

/// Where the answers of the system count as stored, behind the results.
const ANSWERS: u64 = 1 << 42;

/// Where the answer of a system call counts as stored, which is an assumption.
pub(crate) fn answer_location(world: &World, call: u64) -> Option<Location> {
    let space = world.temporary_space?;
    Some(Location { space, offset: ANSWERS + (call & 0xffff) * RESULT_SIZE })
}

impl Guest {
    /// The name of the system call whose assumed answer counts as stored at a location.
    pub fn assumed_answer_at(&self, location: Location) -> Option<&str> {
        self.temporary_space().filter(|space| *space == location.space)?;
        let number = location.offset.checked_sub(ANSWERS)? / RESULT_SIZE;
        let calls = &self.architecture().description().linux.as_ref()?.calls;
        calls.iter().find(|(_, own)| **own == number).map(|(name, _)| name.as_str())
    }

    /// By user operation, where its result counts as stored if it is an assumption.
    pub(crate) fn assumed_results(&self) -> Vec<Option<Location>> {
        let Some(space) = self.temporary_space() else { return Vec::new() };
        let description = self.architecture().description();
        let operations = self.architecture().layout().user_operations.iter().enumerate();
        let is_assumed = |name: &str| {
            let declared = description.user_operation(name)?;
            model::ALL.iter().find(|model| model.name == declared.model).filter(|model| model.assumes)
        };
        let location = |number: usize| Location { space, offset: RESULTS + number as u64 * RESULT_SIZE };
        operations.map(|(number, name)| is_assumed(name).map(|_| location(number))).collect()
    }

    /// The user operation whose result counts as stored at a location.
    pub fn assumed_result_at(&self, location: Location) -> Option<&str> {
        self.temporary_space().filter(|space| *space == location.space)?;
        let number = location.offset.checked_sub(RESULTS)? / RESULT_SIZE;
        let operations = &self.architecture().layout().user_operations;
        operations.get(usize::try_from(number).ok()?).map(String::as_str)
    }

    pub(crate) fn temporary_space(&self) -> Option<SpaceId> {
        let spaces = &self.architecture().layout().spaces;
        let number = spaces.iter().position(|space| space.kind == SpaceKind::Temporary)?;
        u8::try_from(number).ok().map(SpaceId)
    }
}
