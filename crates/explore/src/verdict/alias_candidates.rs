//! Memory that may alias: objects of input pointers may be variables of the program, or overlap each other. After a store to
//! one of them, a read of another is an assumption.

use everypath_environment::{Configuration, Guest, GuestError, InitialInputs};
use everypath_ir::{Location, SpaceId};
use everypath_machine::{AliasedMemory, State};

/// A range of addresses: space, first and last.
pub(crate) type Range = (SpaceId, u64, u64);

/// The objects of input pointers, and the memory in which variables may be.
pub(crate) struct AliasCandidates {
    /// The objects that the configuration does not keep separate, each with the name of its kind.
    objects: Vec<(String, Range)>,
    /// The writable memory of the file.
    variables: Vec<Range>,
    /// Memory in which no variable is: peripherals, registers, and tables of the linker.
    others: Vec<Range>,
    stack_pointer: Option<(Location, usize)>,
    stack_grows_up: bool,
}

impl AliasCandidates {
    /// The candidates, if there are input pointers.
    pub(crate) fn of(
        guest: &Guest,
        configuration: &Configuration,
        initial: &InitialInputs,
    ) -> Result<Option<AliasCandidates>, GuestError> {
        if initial.pointers.is_empty() {
            return Ok(None);
        }
        let objects = initial.values.iter().filter_map(|value| {
            let (kind, _) = value.object?;
            let object = configuration.objects.get(kind).filter(|object| !object.separate)?;
            let is_pointed_to = initial.pointers.iter().any(|pointer| pointer.object == kind);
            let Location { space, offset } = value.location;
            let range = (space, offset, offset.saturating_add(value.size.max(1) - 1));
            is_pointed_to.then(|| (object.name.clone(), range))
        });
        let architecture = guest.architecture();
        let registers = architecture.registers().map(|(_, location, width)| {
            let last = location.offset.saturating_add(width.bytes() as u64 - 1);
            (location.space, location.offset, last)
        });
        let others = guest.peripherals(configuration)?.into_iter().chain(guest.linker_tables()?);
        let roles = &architecture.description().registers;
        let pointer = roles.stack_pointer.as_deref().and_then(|name| architecture.register(name));
        Ok(Some(AliasCandidates {
            objects: objects.collect(),
            variables: guest.variables()?,
            others: others.chain(registers).collect(),
            stack_pointer: pointer.map(|(location, width)| (location, width.bytes())),
            stack_grows_up: roles.stack_grows_up,
        }))
    }

    /// Whether any object may be something else.
    pub(crate) fn has_objects(&self) -> bool {
        !self.objects.is_empty()
    }

    /// The name of the object at a location.
    pub(crate) fn object_at(&self, location: Location) -> Option<&str> {
        let holds = |(_, (space, first, last)): &&(String, Range)| {
            *space == location.space && (*first..=*last).contains(&location.offset)
        };
        self.objects.iter().find(holds).map(|(name, _)| name.as_str())
    }

    /// The objects and the writable memory of the file.
    pub(crate) fn ranges(&self) -> impl Iterator<Item = Range> + '_ {
        self.objects.iter().map(|(_, range)| *range).chain(self.variables.iter().copied())
    }

    /// The memory that may be the same under two addresses: the objects, and what can be written in their spaces.
    pub(crate) fn memory(&self, entry: &State) -> AliasedMemory {
        let objects: Vec<Range> = self.objects.iter().map(|(_, range)| *range).collect();
        let mut variables = Vec::new();
        let mut spaces: Vec<SpaceId> = objects.iter().map(|(space, ..)| *space).collect();
        spaces.sort_unstable();
        spaces.dedup();
        for space in spaces {
            let taken = || objects.iter().chain(&self.others).filter(|range| range.0 == space);
            let regions = entry.regions(space).into_iter().flat_map(everypath_machine::Regions::iter);
            for region in regions.filter(|region| region.permissions.write && !region.outside) {
                let taken = taken().map(|(_, first, last)| (*first, *last));
                let free = everypath_environment::gaps((region.start, region.last), taken);
                variables.extend(free.into_iter().map(|(first, last)| (space, first, last)));
            }
        }
        let AliasCandidates { stack_pointer, stack_grows_up, .. } = *self;
        AliasedMemory { variables, objects, stack_pointer, stack_grows_up }
    }
}
