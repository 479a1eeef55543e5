//! Objects of input pointers that may be variables of the program: where the function writes both, what it reads from the
//! other is an assumption.

use everypath_environment::{Configuration, Guest, GuestError, InitialInputs};
use everypath_ir::{Location, SpaceId};

/// A range of addresses: space, first and last.
pub(crate) type Range = (SpaceId, u64, u64);

/// Memory that may be the same under two addresses.
pub(crate) struct Aliases {
    pub(crate) variables: Vec<Range>,
    pub(crate) objects: Vec<Range>,
}

impl Aliases {
    /// The variables of the program and the objects that a configuration does not keep separate from them, if a function
    /// is given pointers to such objects.
    pub(crate) fn of(
        guest: &Guest,
        configuration: &Configuration,
        initial: &InitialInputs,
    ) -> Result<Option<Aliases>, GuestError> {
        let objects = initial.values.iter().filter_map(|value| {
            let (kind, _) = value.object.filter(|(kind, _)| !configuration.objects[*kind].separate)?;
            let is_pointed_to = initial.pointers.iter().any(|pointer| pointer.object == kind);
            let Location { space, offset } = value.location;
            is_pointed_to.then(|| (space, offset, offset.saturating_add(value.size.max(1) - 1)))
        });
        let aliases = Aliases { variables: guest.variables()?, objects: objects.collect() };
        Ok((!aliases.variables.is_empty() && !aliases.objects.is_empty()).then_some(aliases))
    }
}
