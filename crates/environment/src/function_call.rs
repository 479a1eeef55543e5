//! The call of a function under test: its return address, in a register or on the stack, where its run stops.

use crate::configuration::Configuration;
use crate::guest::{Guest, GuestError};
use everypath_ir::{AddressRange, Bits, Location, SpaceId};
use everypath_lift::PushedAddress;
use everypath_machine::State;

/// The alignment of return addresses of functions under test.
const PAGE: u64 = 0x1000;
/// Number of bytes of the memory that a function returns to: no instruction is longer.
const RETURN_SIZE: u64 = 16;

/// Bytes of memory that a call writes.
pub struct PushedBytes {
    /// The memory.
    pub space: SpaceId,
    /// The lowest address.
    pub address: u64,
    /// The bytes.
    pub bytes: Vec<u8>,
}

impl Guest {
    /// The register that the call of a function under test sets, and its value: the one that holds the return address, or the
    /// stack pointer, below which it is pushed. `registers` are those that are set before.
    pub(crate) fn call_register<'c>(
        &'c self,
        registers: &[(&str, u64)],
        state: &State,
    ) -> Result<(&'c str, u64), GuestError> {
        let description = self.architecture().description();
        let convention = description.call.as_ref();
        if let Some(register) = convention.and_then(|call| call.return_address.as_ref()) {
            return Ok((register, self.return_target(state)?));
        }
        let pointer = description.registers.stack_pointer.as_deref();
        let (Some(pointer), Some(pushed)) = (pointer, self.pushed_address()) else {
            let name = self.architecture().name();
            return Err(GuestError::new(format!(
                "`call` is not supported for `{name}`: its description does not say where the return address is; give `entry`, \
                 `initial` and `stop`"
            )));
        };
        let register = |name: &str| self.architecture().register(name);
        let set = registers.iter().rev().find(|(name, _)| register(name) == register(pointer));
        let (Some((_, top)), Some((_, width))) = (set, register(pointer)) else {
            return Err(GuestError::new(format!(
                "`call` pushes the return address, and nothing says where the stack is: give `{pointer}` in `registers`, and its \
                 memory in `[[memory]]`"
            )));
        };
        let moved = match description.registers.stack_grows_up {
            true => top.wrapping_add(pushed.size),
            false => top.wrapping_sub(pushed.size),
        };
        Ok((pointer, Bits::from_u64(moved, width).to_u64().unwrap_or(moved)))
    }

    /// The return address that the call of a function under test pushes, if it does.
    ///
    /// # Errors
    /// As of [`Guest::start_registers`].
    pub fn pushed_return(
        &self,
        configuration: &Configuration,
        state: &State,
    ) -> Result<Option<PushedBytes>, GuestError> {
        let Some(PushedAddress { size, space, offset, big_endian, unit }) =
            self.pushed_address().filter(|_| configuration.call.is_some())
        else {
            return Ok(None);
        };
        let registers = self.start_registers(configuration, state)?;
        let (_, pointer) = *registers.last().ok_or_else(|| GuestError::new("no register is set"))?;
        let target = self.return_target(state)? / unit.max(&1);
        let mut bytes: Vec<u8> = target.to_le_bytes().into_iter().take(*size as usize).collect();
        if *big_endian {
            bytes.reverse();
        }
        let (space, address) = (self.space(space.as_deref())?, pointer.wrapping_add_signed(*offset));
        let is_writable = |address: u64| {
            let region = state.regions(space).and_then(|regions| regions.at(address));
            region.is_some_and(|region| region.permissions.write)
        };
        let last = address.checked_add(bytes.len() as u64 - 1);
        if last.is_none_or(|last| !(address..=last).all(is_writable)) {
            return Err(GuestError::new(format!(
                "`call` pushes the return address at {address:#x}, where there is no memory to write to: give the stack pointer in \
                 `registers`, and its memory in `[[memory]]`"
            )));
        }
        Ok(Some(PushedBytes { space, address, bytes }))
    }

    /// How a call pushes the return address, unless a register holds it.
    pub fn pushed_address(&self) -> Option<&PushedAddress> {
        let description = self.architecture().description();
        let by_register = description.call.as_ref().is_some_and(|call| call.return_address.is_some());
        description.pushed_return.as_ref().filter(|_| !by_register)
    }

    /// Where a function under test returns to: a page at which no memory is mapped or, if there is none, at which the program
    /// has no code. The run stops there.
    pub(crate) fn return_target(&self, state: &State) -> Result<u64, GuestError> {
        let space = self.code_space();
        let last = self.architecture().layout()[space].size() - 1;
        let last = u64::try_from(last).unwrap_or(u64::MAX).min(self.last_pushed());
        let top = last & !(PAGE - 1);
        let mut address = top;
        while let Some(region) = state.regions(space).and_then(|regions| regions.at(address)) {
            let Some(below) = region.start.checked_sub(1) else { return self.page_without_code(top) };
            address = below & !(PAGE - 1);
        }
        Ok(address)
    }

    /// Makes the memory that a function under test returns to initialised, if there is any: the return is no fault.
    pub(crate) fn prepare_return(
        &self,
        state: &mut State,
        configuration: &Configuration,
    ) -> Result<(), GuestError> {
        if configuration.call.is_none() {
            return Ok(());
        }
        let (space, target) = (self.code_space(), self.return_target(state)?);
        let is_mapped = state.regions(space).is_some_and(|regions| regions.at(target).is_some());
        if let Some(memory) = state.memory(space).filter(|_| is_mapped) {
            (target..target + RETURN_SIZE).for_each(|address| memory.poke(address, 0));
        }
        Ok(())
    }

    /// The highest address that a pushed return address can be.
    fn last_pushed(&self) -> u64 {
        let Some(PushedAddress { size, unit, .. }) = self.pushed_address() else { return u64::MAX };
        let count = 1_u64.checked_shl(8 * *size as u32);
        count.and_then(|count| count.checked_mul((*unit).max(1))).map_or(u64::MAX, |end| end - 1)
    }

    /// The highest page without code of the program and without the instruction that takes interrupts.
    fn page_without_code(&self, top: u64) -> Result<u64, GuestError> {
        let space = self.code_space();
        let mut used: Vec<AddressRange> = Vec::new();
        for segment in self.image().segments() {
            used.extend(self.segment_range(segment)?);
        }
        let interrupts = self.architecture().description().interrupts.as_ref();
        let entry = interrupts.map(|interrupts| Location { space, offset: interrupts.entry });
        used.extend(entry.and_then(|entry| AddressRange::of_bytes(entry, 1)));
        let mut page = top;
        let in_page = |page: u64| AddressRange { space, first: page, last: page + (PAGE - 1) };
        while let Some(range) = used.iter().find(|range| range.overlaps(&in_page(page))) {
            page = (range.first & !(PAGE - 1)).checked_sub(PAGE).ok_or_else(|| {
                GuestError::new(
                    "`call` needs a page of the code's memory without code, to return to: there is none",
                )
            })?;
        }
        Ok(page)
    }
}
