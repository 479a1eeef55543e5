//! May-alias sets of memory: objects of input pointers may be variables of the program, or overlap each other. After a store to
//! one of them, a read of another is an assumption.

use everypath_environment::{Configuration, Guest, GuestError, InitialInputs};
use everypath_ir::{AddressRange, AddressSet, Location, SpaceId};
use everypath_machine::{AliasedMemory, Stack, State};

/// An object of the configuration.
struct Candidate {
    /// The name of its kind.
    name: String,
    range: AddressRange,
    /// Whether it may be something else: input pointers point to it, and the configuration does not keep it separate.
    may_alias: bool,
}

/// The objects of input pointers, and the memory in which variables may be.
pub(crate) struct AliasCandidates {
    objects: Vec<Candidate>,
    /// The writable memory of the file.
    variables: AddressSet,
    /// Memory in which no variable is: peripherals, registers, and tables of the linker.
    others: Vec<AddressRange>,
    stack: Option<Stack>,
}

/// Number of bytes above the stack pointer at the entry that belong to a function where a register has its return address: save
/// areas and arguments.
const INCOMING: u64 = 64;

/// Number of bytes beyond the stack pointer that functions may use: in the red zone of a convention, and by an instruction that
/// stores before it moves the pointer. Small processors push bytes only.
const RED_ZONE: u64 = 1024;
const SMALL_RED_ZONE: u64 = 16;

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
            let object = configuration.objects.get(kind)?;
            let is_pointed_to = initial.pointers.iter().any(|pointer| pointer.object == kind);
            Some(Candidate {
                name: object.name.clone(),
                range: AddressRange::of_bytes(value.location, value.size)?,
                may_alias: is_pointed_to && !object.separate,
            })
        });
        let architecture = guest.architecture();
        let registers =
            architecture.registers().map(|(_, location, width)| AddressRange::of_value(location, width));
        let mut others = guest.peripherals(configuration)?;
        others.extend(guest.linker_tables()?.iter().chain(registers));
        Ok(Some(AliasCandidates {
            objects: objects.collect(),
            variables: guest.variables()?,
            others: others.iter().collect(),
            stack: stack(guest)?,
        }))
    }

    /// The objects that may be something else.
    fn aliases(&self) -> impl Iterator<Item = &Candidate> {
        self.objects.iter().filter(|object| object.may_alias)
    }

    /// Whether an address is in none of the objects.
    pub(crate) fn is_outside_objects(&self, location: Location) -> bool {
        !self.objects.iter().any(|object| object.range.contains(location))
    }

    /// Whether any object may be something else.
    pub(crate) fn has_objects(&self) -> bool {
        self.aliases().next().is_some()
    }

    /// The name of the object at a location that may be something else.
    pub(crate) fn object_at(&self, location: Location) -> Option<&str> {
        self.aliases().find(|object| object.range.contains(location)).map(|object| object.name.as_str())
    }

    /// The objects that may be something else, and the writable memory of the file.
    pub(crate) fn ranges(&self) -> impl Iterator<Item = AddressRange> + '_ {
        self.aliases().map(|object| object.range).chain(self.variables.iter())
    }

    /// The memory that may be the same under two addresses: the objects, and what can be written in their spaces.
    pub(crate) fn memory(&self, entry: &State) -> AliasedMemory {
        let objects: Vec<AddressRange> = self.aliases().map(|object| object.range).collect();
        let mut variables = Vec::new();
        let mut spaces: Vec<SpaceId> = objects.iter().map(|object| object.space).collect();
        spaces.sort_unstable();
        spaces.dedup();
        for space in spaces {
            let regions = entry.regions(space).into_iter().flat_map(everypath_machine::Regions::iter);
            for region in regions.filter(|region| region.permissions.write && !region.outside) {
                let range = AddressRange { space, first: region.start, last: region.last };
                variables.extend(range.without(objects.iter().chain(&self.others)));
            }
        }
        let variables = variables.into_iter().collect();
        AliasedMemory { variables, named: self.variables.clone(), objects, stack: self.stack }
    }
}

/// The stack of the guest, if it has a stack pointer.
fn stack(guest: &Guest) -> Result<Option<Stack>, GuestError> {
    let architecture = guest.architecture();
    let description = architecture.description();
    let roles = &description.registers;
    let Some((location, width)) = architecture.stack_pointer() else { return Ok(None) };
    let pushed = guest.pushed_address();
    Ok(Some(Stack {
        space: guest.space(pushed.and_then(|pushed| pushed.space.as_deref()))?,
        pointer: (location, width.bytes()),
        grows_up: roles.stack_grows_up,
        incoming: pushed.map_or(INCOMING, |pushed| pushed.size + pushed.offset.max(0).unsigned_abs()),
        red_zone: if width.bytes() >= 4 { RED_ZONE } else { SMALL_RED_ZONE },
    }))
}
