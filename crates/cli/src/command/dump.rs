//! The contents of a state: registers, and memory that may be written.

use crate::document::{Hexadecimal, MemoryLine, RegisterValue};
use everypath_ir::SpaceId;
use everypath_lift::Architecture;
use everypath_machine::{Memory, PAGE_SIZE, State};

/// The registers that are not zero, each by the first name of its location.
pub(super) fn registers(architecture: &Architecture, state: &mut State) -> Vec<RegisterValue> {
    let mut values = Vec::new();
    for (name, location, width) in architecture.registers() {
        if architecture.register_name(location, width) != Some(name) {
            continue;
        }
        let endian = architecture.layout()[location.space].endian;
        match state.get(location, width, endian) {
            Ok(value) if !value.is_zero() => {
                values.push(RegisterValue { name: name.to_owned(), value: value.to_string() });
            }
            _ => {}
        }
    }
    values
}

/// Bytes on a line of memory.
const LINE: u64 = 16;

/// The memory that may be written and was, or had a value from the start, in lines.
pub(super) fn memory(architecture: &Architecture, state: &mut State) -> Vec<MemoryLine> {
    let mut lines = Vec::new();
    for (number, space) in architecture.layout().spaces.iter().enumerate() {
        // Temporaries are no part of the program's memory.
        if space.kind != everypath_ir::SpaceKind::Memory {
            continue;
        }
        let Some(memory) = state.memory(SpaceId(number as u8)) else { continue };
        for page in memory.touched_pages() {
            for start in (0..PAGE_SIZE as u64 / LINE).map(|line| page + line * LINE) {
                if let Some(bytes) = line(memory, start) {
                    lines.push(MemoryLine { space: space.name.clone(), address: Hexadecimal(start), bytes });
                }
            }
        }
    }
    lines
}

/// A line, if there is something in it. A byte without a value is `--`.
fn line(memory: &mut Memory, start: u64) -> Option<String> {
    let bytes: Vec<Option<u8>> = (0..LINE)
        .map(|distance| {
            let address = start + distance;
            let region = memory.regions().at(address)?;
            let counts = region.permissions.write && !region.outside && memory.is_written(address);
            counts.then(|| memory.peek(address))
        })
        .collect();
    let word = |byte: &Option<u8>| byte.map_or_else(|| "--".to_owned(), |byte| format!("{byte:02x}"));
    bytes.iter().any(Option::is_some).then(|| bytes.iter().map(word).collect::<Vec<_>>().join(" "))
}
