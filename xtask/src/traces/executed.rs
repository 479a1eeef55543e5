//! Runs a program under QEMU's user emulation with the plugin, and reads its record.

use super::list::{Command as Line, Machine};
use object::{Object, ObjectSegment, SegmentFlags};
use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

/// The folders that command lines refer to.
#[derive(Clone, Copy)]
pub(super) struct Places<'p> {
    pub root: &'p Path,
    pub scratch: &'p Path,
}

impl Places<'_> {
    pub(super) fn fill(&self, text: &str) -> String {
        let (root, scratch) = (self.root.display().to_string(), self.scratch.display().to_string());
        text.replace("{root}", &root).replace("{scratch}", &scratch)
    }
}

/// The executed instructions and edges, with addresses of the file.
#[derive(Default)]
pub(super) struct Executed {
    /// Each instruction and its length.
    pub instructions: BTreeMap<u64, u8>,
    /// Control transfers other than to the next instruction, from one instruction to another; `None` is outside the
    /// file.
    pub edges: BTreeSet<(Option<u64>, Option<u64>)>,
    /// The total number of executed instructions.
    pub total: u64,
}

/// The emulator with a program and a command line; its standard output is discarded.
pub(super) fn command(
    machine: &Machine,
    options: &[String],
    file: &Path,
    line: &Line,
    places: Places<'_>,
) -> Command {
    // Without address-space randomisation, a program has the same addresses in every run.
    let mut command = Command::new("setarch");
    command.args(["-R", "timeout", "300", &machine.emulator]).args(options).arg(file);
    command.args(line.arguments.iter().map(|argument| places.fill(argument)));
    command.env_clear().env("PATH", "/usr/bin:/bin").env("HOME", places.scratch).env("LC_ALL", "C");
    command.current_dir(places.scratch).stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
    command
}

/// Runs a program with each command line and reads the record.
///
/// # Errors
/// If the emulator cannot be run, or nothing was recorded.
pub(super) fn record(
    machine: &Machine,
    plugin: &Path,
    file: &Path,
    lines: &[Line],
    places: Places<'_>,
) -> Result<Executed, String> {
    let record = places.scratch.join("record");
    let _ = std::fs::remove_file(&record);
    for line in lines {
        let option = format!("{},record={}", plugin.display(), record.display());
        let mut command = command(machine, &["-plugin".to_owned(), option], file, line, places);
        let wrong = |error| format!("{}: {error}; the Debian package qemu-user has it", machine.emulator);
        let mut child = command.spawn().map_err(wrong)?;
        if let Some(mut input) = child.stdin.take() {
            // A program that does not read its input closes it.
            let _ = input.write_all(places.fill(&line.input).as_bytes());
        }
        child.wait().map_err(wrong)?;
    }
    let bytes = std::fs::read(&record)
        .map_err(|error| format!("{}: the plugin recorded nothing: {error}", file.display()))?;
    read(&bytes, first_code(file)?)
}

/// The lowest address of an executable segment, the plugin's start of code.
pub(super) fn first_code(file: &Path) -> Result<u64, String> {
    let bytes = std::fs::read(file).map_err(|error| format!("{}: {error}", file.display()))?;
    let parsed = object::File::parse(&*bytes).map_err(|error| format!("{}: {error}", file.display()))?;
    let executable =
        |flags| matches!(flags, SegmentFlags::Elf { p_flags, .. } if p_flags.contains(object::elf::PF_X));
    let segments = parsed.segments().filter(|segment| executable(segment.flags()));
    segments.map(|segment| segment.address()).min().ok_or_else(|| "no segment of code".to_owned())
}

/// The load bias of a program, and the size of its code.
pub(super) fn loaded(scratch: &Path, first_code: u64) -> Result<(u64, u64), String> {
    let bytes = std::fs::read(scratch.join("record")).map_err(|error| error.to_string())?;
    Ok((word(&bytes, 0)?.wrapping_sub(first_code), word(&bytes, 8)?))
}

fn word(bytes: &[u8], at: usize) -> Result<u64, String> {
    let word = bytes.get(at..at + 8).ok_or("the record is cut off")?;
    Ok(u64::from_le_bytes(word.try_into().map_err(|_| "no word")?))
}

/// Reads the record of the plugin, whose source documents the format.
fn read(bytes: &[u8], first: u64) -> Result<Executed, String> {
    let header: Vec<u64> = (0..5).map(|index| word(bytes, index * 8)).collect::<Result<_, _>>()?;
    let [_, size, capacity, total, lost] = header[..] else { return Err("no header".to_owned()) };
    if lost > 0 {
        return Err(format!("{lost} edges found no room in the record"));
    }
    let lengths = bytes.get(40..40 + size as usize).ok_or("the record is cut off")?;
    let address = |offset: u64| first + offset;
    let instructions = lengths.iter().enumerate().filter(|(_, length)| **length > 0);
    let instructions = instructions.map(|(offset, length)| (address(offset as u64), *length)).collect();
    let table = 40 + (size as usize).next_multiple_of(8);
    let mut edges = BTreeSet::new();
    for index in 0..capacity as usize {
        let edge = word(bytes, table + index * 8)?;
        if edge != 0 {
            let end = |number: u64| number.checked_sub(1).map(address);
            edges.insert((end(edge >> 32), end(edge & 0xffff_ffff)));
        }
    }
    Ok(Executed { instructions, edges, total })
}
