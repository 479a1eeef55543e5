//! Requests of the program headers of a loaded program to the kernel.

use super::interface::Linux;
use everypath_image::ProgramHeaders;
use everypath_machine::{Permissions, State};

/// The type of the header whose flags are the access to the stack.
const PT_GNU_STACK: u64 = 0x6474_e551;
/// The flag of executable memory.
const PF_X: u64 = 1;

/// The access to the stack that the headers of a loaded program ask for. Without a header for it, it is data.
pub(super) fn stack_permissions(
    state: &mut State,
    linux: &Linux,
    headers: Option<ProgramHeaders>,
) -> Permissions {
    let Some((memory, headers)) = state.memory(linux.space).zip(headers) else { return Permissions::DATA };
    // The flags stand behind the type, or, where addresses have four bytes, behind the sizes.
    let flags_at = if linux.word < 8 { 24 } else { 4 };
    let mut number = |address: u64| {
        let mut bytes = [0; 4];
        memory.read_bytes(address, &mut bytes).is_ok().then(|| linux.endian.number(&bytes))
    };
    let mut all =
        (0..headers.count).map(|index| headers.address.wrapping_add(index.wrapping_mul(headers.entry_size)));
    let stack = all.find(|header| number(*header) == Some(PT_GNU_STACK));
    let flags = stack.and_then(|header| number(header.wrapping_add(flags_at))).unwrap_or(0);
    Permissions { execute: flags & PF_X != 0, ..Permissions::DATA }
}
