//! Symbolic input at the start: registers, arguments, memory, objects behind symbolic pointers, and texts that a process is given.

use crate::configuration::{Configuration, InputDeclaration, Object};
use crate::guest::{Guest, GuestError};
use everypath_ir::{Endian, Location, SpaceId, Width};
use everypath_lift::NarrowArguments;
use everypath_machine::State;

/// The alignment of objects.
const ALIGNMENT: u64 = 16;
/// The bounds of the unmapped gap between two objects without a configured address.
const LEAST_GAP: u64 = 64;
const LARGEST_GAP: u64 = 4096;
/// Objects without an address are placed from here on, in steps of this size.
const FIRST_PLACE: u64 = 0x1_0000;
/// The same in a space that ends there.
const SMALL_STEP: u64 = 0x100;

/// A register, memory range or object that holds symbolic input at the start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InitialInput {
    /// Its name.
    pub name: String,
    /// The register, if it is one.
    pub register: Option<String>,
    /// The kind number and index of the object, if it is one.
    pub object: Option<(usize, usize)>,
    /// Its first byte.
    pub location: Location,
    /// Its size in bytes.
    pub size: u64,
    /// The byte order of its value.
    pub endian: Endian,
    /// The whole register, if the caller sign-extends the value to it.
    pub sign_extended: Option<(Location, Width)>,
}

impl InitialInput {
    /// Input in memory that is no object.
    pub(crate) fn in_memory(name: String, location: Location, size: u64, endian: Endian) -> InitialInput {
        InitialInput { name, register: None, object: None, location, size, endian, sign_extended: None }
    }
}

/// A symbolic pointer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PointerInput {
    /// Its location.
    pub location: Location,
    /// Its width.
    pub width: Width,
    /// Its byte order.
    pub endian: Endian,
    /// The kind number of the object that it points to.
    pub object: usize,
    /// The addresses that it may point to.
    pub targets: Vec<u64>,
    /// True if it may be null.
    pub null: bool,
    /// True if the configuration says that its objects are nothing else.
    pub is_separate: bool,
}

/// The symbolic input at the start.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct InitialInputs {
    /// The registers and memory ranges.
    pub values: Vec<InitialInput>,
    /// The pointers among them.
    pub pointers: Vec<PointerInput>,
}

/// The placement of the objects of one kind.
pub(crate) struct Laid {
    pub(crate) space: SpaceId,
    pub(crate) start: u64,
    /// The size of one object in bytes.
    pub(crate) size: u64,
    stride: u64,
    count: u64,
}

impl Laid {
    /// The last address of the last object.
    pub(crate) fn last(&self) -> u64 {
        self.start.saturating_add(self.stride.saturating_mul(self.count)).saturating_sub(1)
    }

    /// The start addresses.
    pub(crate) fn addresses(&self) -> Vec<u64> {
        (0..self.count).map(|number| self.start + number * self.stride).collect()
    }
}

impl Guest {
    /// Places the objects: as configured, or in unused memory.
    pub(crate) fn objects(
        &self,
        state: &mut State,
        configuration: &Configuration,
    ) -> Result<Vec<Laid>, GuestError> {
        let mut laid: Vec<Laid> = Vec::new();
        for object in &configuration.objects {
            if object.size == 0 || object.count == 0 || object.count > 64 || object.size > 1 << 20 {
                let name = &object.name;
                return Err(GuestError::new(format!(
                    "object `{name}`: it has 1 to 2^20 bytes, and there are 1 to 64 of it"
                )));
            }
            let space = self.space(object.space.as_deref())?;
            // An object without a configured address is followed by unmapped memory, so that an overflow faults.
            let gap = if object.address.is_some() { 0 } else { object.size.clamp(LEAST_GAP, LARGEST_GAP) };
            let stride = (object.size + gap).next_multiple_of(ALIGNMENT);
            let end = self.architecture().layout()[space].size();
            let step = if end > u128::from(FIRST_PLACE) { FIRST_PLACE } else { SMALL_STEP };
            let start = object.address.unwrap_or(step);
            let mut new = Laid { space, start, size: object.size, stride, count: object.count };
            // Placement must be deterministic, so memory mapped for objects does not count as used.
            while object.address.is_none() {
                if u128::from(new.last()) >= end {
                    let name = &object.name;
                    return Err(GuestError::new(format!(
                        "object `{name}`: no unused memory is large enough for it; give its `address`"
                    )));
                }
                let taken = laid.iter().filter(|other| other.space == space).find_map(|other| {
                    (other.start <= new.last() && new.start <= other.last()).then(|| other.last())
                });
                let regions = state.regions(space);
                let mapped = regions.and_then(|regions| {
                    regions.iter().find(|region| region.start <= new.last() && new.start <= region.last)
                });
                match taken.or(mapped.map(|region| region.last)) {
                    None => break,
                    Some(last) => match last.checked_add(1) {
                        Some(next) => new.start = next.next_multiple_of(step),
                        None => new.start = u64::MAX,
                    },
                }
            }
            laid.push(new);
        }
        Ok(laid)
    }

    /// The symbolic input at the start.
    ///
    /// # Errors
    /// If the configuration names a register, argument, object or symbol that does not exist.
    pub fn initial_inputs(&self, configuration: &Configuration) -> Result<InitialInputs, GuestError> {
        let bare = Configuration { objects: Vec::new(), call: None, ..configuration.clone() };
        let laid = self.objects(&mut self.state(&bare)?, configuration)?;
        let mut inputs = InitialInputs::default();
        // A pointer must be able to hold each address of its objects.
        let check = |pointer: &PointerInput| {
            let largest = u64::MAX >> (64 - pointer.width.bits().min(64));
            let object = &configuration.objects[pointer.object].name;
            match pointer.targets.iter().all(|target| *target <= largest) {
                true => Ok(()),
                false => Err(GuestError::new(format!(
                    "object `{object}`: its place does not fit in a pointer of {} bits; give its `address`",
                    pointer.width.bits()
                ))),
            }
        };
        let kind = |name: &str| {
            let found = configuration.objects.iter().position(|object| object.name == name);
            found.ok_or_else(|| GuestError::new(format!("there is no object `{name}`")))
        };
        for input in &configuration.inputs {
            let value = self.initial_input(input)?;
            if let Some(object) = &input.pointer {
                let (object, width) = (kind(object)?, width_of(value.size)?);
                let targets = laid[object].addresses();
                let (location, endian) = (value.location, value.endian);
                inputs.pointers.push(PointerInput {
                    location,
                    width,
                    endian,
                    object,
                    targets,
                    null: input.null,
                    is_separate: configuration.objects[object].separate,
                });
            }
            inputs.values.push(value);
        }
        for (number, (object, place)) in configuration.objects.iter().zip(&laid).enumerate() {
            for (which, address) in place.addresses().into_iter().enumerate() {
                let location = Location { space: place.space, offset: address };
                let endian = self.endian(place.space);
                inputs.values.push(InitialInput {
                    name: format!("{} {which}", object.name),
                    register: None,
                    object: Some((number, which)),
                    location,
                    size: object.size,
                    endian,
                    sign_extended: None,
                });
                for field in &object.pointers {
                    let to = kind(&field.to)?;
                    let size = field.size.unwrap_or(self.address_size(laid[to].space));
                    if field.offset.checked_add(size).is_none_or(|end| end > object.size) {
                        return Err(outside(object, field.offset));
                    }
                    inputs.pointers.push(PointerInput {
                        location: Location { space: place.space, offset: address + field.offset },
                        width: width_of(size)?,
                        endian,
                        object: to,
                        targets: laid[to].addresses(),
                        null: field.null,
                        is_separate: configuration.objects[to].separate,
                    });
                }
            }
        }
        inputs.values.extend(self.process_inputs(configuration)?);
        inputs.pointers.iter().try_for_each(check)?;
        Ok(inputs)
    }

    fn initial_input(&self, input: &InputDeclaration) -> Result<InitialInput, GuestError> {
        let convention = self.architecture().description().call.as_ref();
        let register = match (input.argument, &input.register) {
            (Some(number), _) => {
                let registers = convention.map_or(&[][..], |call| &call.arguments);
                let register = registers.get(number).ok_or_else(|| {
                    let count = registers.len();
                    GuestError::new(format!(
                        "input `{}`: argument {number} is in no register, only the first {count} are",
                        input.name
                    ))
                })?;
                Some(register.clone())
            }
            (None, register) => register.clone(),
        };
        if let Some(register) = register {
            return self.register_input(input, register);
        }
        let (location, size) = match input.address {
            Some(offset) => {
                (Location { space: self.space(input.space.as_deref())?, offset }, input.size.unwrap_or(1))
            }
            None => {
                let (own_space, offset, own) = self.symbol(&input.name)?;
                let space = match &input.space {
                    Some(space) => self.space(Some(space))?,
                    None => own_space,
                };
                (Location { space, offset }, input.size.unwrap_or(own.max(1)))
            }
        };
        let (name, endian) = (input.name.clone(), self.endian(location.space));
        Ok(InitialInput::in_memory(name, location, size, endian))
    }

    /// Input in a register: the whole register, or its low bytes if the calling convention extends narrow values.
    fn register_input(&self, input: &InputDeclaration, register: String) -> Result<InitialInput, GuestError> {
        let found = self.architecture().register(&register);
        let (mut location, width) =
            found.ok_or_else(|| GuestError::new(format!("there is no register `{register}`")))?;
        let (whole, all, name) = (location, width.bytes() as u64, input.name.clone());
        let endian = self.endian(location.space);
        let mut size = input.size.unwrap_or(all);
        if size == 0 || size > all {
            return Err(GuestError::new(format!(
                "input `{name}`: `{register}` holds 1 to {all} bytes, not {size}; a wider value takes several registers, \
                 each an input of its own"
            )));
        }
        let convention = self.architecture().description().call.as_ref();
        let narrow = convention.map_or(NarrowArguments::Unspecified, |call| call.narrow);
        let mut sign_extended = None;
        if narrow == NarrowArguments::Unspecified {
            // The convention leaves the other bits unspecified, so they are symbolic too.
            size = all;
        } else if size < all {
            if endian == Endian::Big {
                location.offset += all - size;
            }
            let always = convention.and_then(|call| call.sign_extended).is_some_and(|bits| 8 * size == bits);
            sign_extended = (input.signed || always).then_some((whole, width));
        }
        Ok(InitialInput {
            name,
            register: Some(register),
            object: None,
            location,
            size,
            endian,
            sign_extended,
        })
    }

    fn endian(&self, space: SpaceId) -> Endian {
        self.architecture().layout()[space].endian
    }

    /// The size of an address of a space in bytes.
    fn address_size(&self, space: SpaceId) -> u64 {
        let size = self.architecture().layout()[space].size();
        u64::from((size - 1).max(1).ilog2() + 1).div_ceil(8)
    }
}

fn width_of(size: u64) -> Result<Width, GuestError> {
    let bits = u32::try_from(size).ok().filter(|size| *size <= 8).and_then(|size| Width::new(8 * size));
    bits.ok_or_else(|| GuestError::new(format!("a pointer has 1 to 8 bytes, not {size}")))
}

fn outside(object: &Object, offset: u64) -> GuestError {
    GuestError::new(format!("object `{}`: the pointer at {offset} lies outside of it", object.name))
}
