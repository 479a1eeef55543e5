//! A program on an executor without an operating system: it starts after a reset, with the flash contents that a
//! programmer writes.

use super::ours::BUDGET;
use super::theirs::{Run, Task};
use crate::conform::adapter::Adapter;
use crate::conform::executor::Request;
use crate::conform::layout::Layout;
use crate::conform::registers::{Registers, Role};
use everypath_ir::Location;
use object::read::elf::{FileHeader, ProgramHeader};
use object::{Endianness, elf};
use std::path::Path;

/// Runs a program in an executor that is compiled from its source into the folder of `path`.
///
/// # Errors
/// If the executor fails.
pub(super) fn run(
    source: &Path,
    libraries: &[String],
    path: &Path,
    file: &[u8],
    task: &Task<'_>,
    layout: &Layout,
) -> Result<Run, String> {
    let mut executor = Adapter::start(source, libraries, path, task.registers)?;
    let bytes = registers(file, task.registers)?;
    let reads: Vec<(u64, usize)> = layout.whole().collect();
    let request = Request {
        writes: &contents(file)?,
        registers: &bytes,
        extra: &[],
        steps: BUDGET as usize,
        reads: &reads,
    };
    let (trace, response) = executor.trace(&request, task.done)?;
    let mut memory = Vec::new();
    for ((flat, size), bytes) in reads.iter().zip(&response.memory) {
        let Some((area, _)) = layout.find(*flat, *size) else { continue };
        let location = |distance| Location { space: area.space, offset: area.start + distance };
        let is_compared = |(place, _): &(u64, (Location, u8))| !layout.is_hidden((*place, 1));
        let listed = (*flat..).zip((0..).map(location).zip(bytes.iter().copied()));
        memory.extend(listed.filter(is_compared).map(|(_, byte)| byte));
    }
    let before = task.registers.take_apart(&bytes);
    let after = task.registers.take_apart(&response.registers);
    Ok(Run { before, stack: None, trace, signal: response.signal, after, memory })
}

/// All registers after a reset, in the executor's order: zero, and the entry point of the program.
///
/// # Errors
/// If the file is no ELF file.
pub(super) fn registers(file: &[u8], registers: &Registers) -> Result<Vec<u8>, String> {
    let header = elf::FileHeader32::<Endianness>::parse(file).map_err(|error| error.to_string())?;
    let endian = header.endian().map_err(|error| error.to_string())?;
    let entry = u128::from(header.e_entry(endian));
    let value =
        |field: &crate::conform::registers::Field| if field.role == Role::Counter { entry } else { 0 };
    let values: Vec<u128> = registers.fields.iter().map(value).collect();
    let mut bytes = vec![0; registers.packet];
    registers.put_together(&mut bytes, &values, &[]);
    Ok(bytes)
}

/// The flash contents: the bytes of the file, each part at its load address.
///
/// # Errors
/// If the file is no ELF file.
pub(super) fn contents(file: &[u8]) -> Result<Vec<(u64, Vec<u8>)>, String> {
    let problem = |error: object::Error| error.to_string();
    let header = elf::FileHeader32::<Endianness>::parse(file).map_err(problem)?;
    let endian = header.endian().map_err(problem)?;
    let mut contents = Vec::new();
    for segment in header.program_headers(endian, file).map_err(problem)? {
        let bytes = segment.data(endian, file).map_err(|()| "a segment is not in the file".to_owned())?;
        if segment.p_type(endian) == elf::PT_LOAD && !bytes.is_empty() {
            contents.push((u64::from(segment.p_paddr(endian)), bytes.to_vec()));
        }
    }
    Ok(contents)
}
