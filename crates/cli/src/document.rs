//! The JSON documents: their fields are stable, and `version` goes up when one changes its meaning or is removed.

use crate::failure::Failure;
use serde::{Serialize, Serializer};
use std::fmt;
use std::io::Write;

/// The version of all documents.
const VERSION: u32 = 1;

#[derive(Serialize)]
struct Document<'c, C> {
    format: &'static str,
    version: u32,
    #[serde(flatten)]
    content: &'c C,
}

/// Writes a document, indented, with its format and version first.
pub(crate) fn write(
    out: &mut dyn Write,
    format: &'static str,
    content: &impl Serialize,
) -> Result<(), Failure> {
    serde_json::to_writer_pretty(&mut *out, &Document { format, version: VERSION, content })?;
    writeln!(out)?;
    Ok(())
}

/// An address or another number that people read in hexadecimal: a string, because JSON readers lose bits of large
/// numbers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Hexadecimal(pub(crate) u64);

impl Serialize for Hexadecimal {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl fmt::Display for Hexadecimal {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{:#x}", self.0)
    }
}

/// `everypath.run`.
#[derive(Serialize)]
pub(crate) struct Run {
    pub(crate) entry: Hexadecimal,
    /// `exited`, `faulted`, `unmodelled` or `exhausted`.
    pub(crate) end: &'static str,
    pub(crate) address: Hexadecimal,
    /// The end in words.
    pub(crate) reason: String,
    pub(crate) instructions: u64,
    pub(crate) readings: Vec<Reading>,
    /// The outputs of a Linux program, in order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) output: Vec<Written>,
    /// The exit status of a Linux program.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) status: Option<u64>,
    /// Empty unless asked for.
    pub(crate) trace: Vec<Hexadecimal>,
    /// Empty unless asked for.
    pub(crate) registers: Vec<RegisterValue>,
    /// Empty unless asked for.
    pub(crate) memory: Vec<MemoryLine>,
}

#[derive(Serialize)]
pub(crate) struct Written {
    pub(crate) descriptor: u32,
    pub(crate) text: String,
}

#[derive(Serialize)]
pub(crate) struct Reading {
    pub(crate) cell: String,
    pub(crate) offset: u64,
    /// Hexadecimal digits, a colon, and the number of bits.
    pub(crate) value: String,
}

#[derive(Serialize)]
pub(crate) struct RegisterValue {
    pub(crate) name: String,
    pub(crate) value: String,
}

#[derive(Serialize)]
pub(crate) struct MemoryLine {
    pub(crate) space: String,
    pub(crate) address: Hexadecimal,
    /// Two digits for each byte; `--` for one that never got a value or may not be written.
    pub(crate) bytes: String,
}

/// `everypath.test`, `everypath.reach`, `everypath.cover` and `everypath.merge`.
#[derive(Serialize)]
pub(crate) struct Summarised<'s> {
    /// The folder of the results.
    pub(crate) folder: String,
    /// The contents of `summary.json` in the folder.
    pub(crate) summary: &'s everypath_record::Summary,
}

/// `everypath.report`, `everypath.export` and `everypath.manual`.
#[derive(Serialize)]
pub(crate) struct WrittenFiles {
    /// The kind of report, or the tool that the scripts are for.
    pub(crate) kind: &'static str,
    pub(crate) folder: String,
    /// The files that were written, the main one of a report first.
    pub(crate) files: Vec<String>,
}

/// `everypath.init`.
#[derive(Serialize)]
pub(crate) struct Drafted<'d> {
    /// The file that was written.
    pub(crate) configuration: String,
    /// Number of peripheral registers that the program reads.
    pub(crate) registers: usize,
    /// Number of interrupts that it enables.
    pub(crate) interrupts: usize,
    /// The command that uses the configuration.
    pub(crate) next: &'d str,
}

/// `everypath.architectures`.
#[derive(Serialize)]
pub(crate) struct Architectures<'l> {
    pub(crate) architectures: Vec<Architecture<'l>>,
}

#[derive(Serialize)]
pub(crate) struct Architecture<'l> {
    pub(crate) name: &'l str,
    pub(crate) title: &'l str,
    pub(crate) aliases: &'l [String],
    /// `built in`, or the file that describes it.
    pub(crate) origin: &'l str,
}

/// `everypath.inspect.image`.
#[derive(Serialize)]
pub(crate) struct Image<'i> {
    pub(crate) file_format: &'i str,
    /// The name that the file gives itself.
    pub(crate) name: Option<&'i str>,
    pub(crate) machine: Option<Machine>,
    /// `null` if the file does not say, or says something unknown.
    pub(crate) architecture: Option<&'i str>,
    pub(crate) entries: Vec<Entry>,
    pub(crate) segments: Vec<Segment<'i>>,
    pub(crate) sections: Vec<Section<'i>>,
    /// Number of symbols in the file.
    pub(crate) symbol_count: usize,
    /// The first of them, or with `--all` all.
    pub(crate) symbols: Vec<Symbol<'i>>,
    pub(crate) warnings: Vec<String>,
}

#[derive(Serialize)]
pub(crate) struct Machine {
    pub(crate) number: u16,
    pub(crate) bits: u32,
    pub(crate) endian: &'static str,
    pub(crate) flags: Hexadecimal,
    pub(crate) interface: u8,
    pub(crate) kind: String,
}

#[derive(Serialize)]
pub(crate) struct Entry {
    pub(crate) address: Hexadecimal,
    pub(crate) reason: String,
    pub(crate) name: Option<String>,
}

#[derive(Serialize)]
pub(crate) struct Segment<'i> {
    pub(crate) address: Hexadecimal,
    pub(crate) size: Hexadecimal,
    /// Number of its bytes in the file; the others are zero.
    pub(crate) file_size: Hexadecimal,
    pub(crate) permissions: String,
    pub(crate) name: &'i str,
    /// The run address (VMA) of these bytes, if `address` is only their load address (LMA).
    pub(crate) copy_of: Option<Hexadecimal>,
}

#[derive(Serialize)]
pub(crate) struct Section<'i> {
    pub(crate) name: &'i str,
    pub(crate) address: Hexadecimal,
    pub(crate) size: Hexadecimal,
    pub(crate) flags: Hexadecimal,
}

#[derive(Serialize)]
pub(crate) struct Symbol<'i> {
    pub(crate) address: Hexadecimal,
    pub(crate) size: Hexadecimal,
    pub(crate) kind: String,
    pub(crate) binding: String,
    pub(crate) alternate: bool,
    pub(crate) dynamic: bool,
    pub(crate) name: &'i str,
}

/// `everypath.inspect.instructions`.
#[derive(Serialize)]
pub(crate) struct Instructions<'i> {
    pub(crate) architecture: &'i str,
    pub(crate) parts: Vec<Part<'i>>,
}

/// A section or segment, or as much of it as was asked for.
#[derive(Serialize)]
pub(crate) struct Part<'i> {
    pub(crate) name: &'i str,
    pub(crate) address: Hexadecimal,
    pub(crate) size: Hexadecimal,
    pub(crate) items: Vec<Item<'i>>,
}

/// An instruction, data, or bytes that are no instruction.
#[derive(Serialize)]
pub(crate) struct Item<'i> {
    pub(crate) address: Hexadecimal,
    /// Two digits for each.
    pub(crate) bytes: String,
    /// `instruction`, `data` or `bad`.
    pub(crate) kind: &'static str,
    /// The disassembly of an instruction.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) text: Option<String>,
    /// Why the bytes are no instruction, or why it has no p-code.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) problem: Option<String>,
    /// The symbols at this address.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) labels: Vec<&'i str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) source: Option<Source<'i>>,
    /// With `--p-code`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) p_code: Option<Vec<String>>,
}

#[derive(Serialize)]
pub(crate) struct Source<'i> {
    pub(crate) file: &'i str,
    pub(crate) line: u32,
    pub(crate) column: Option<u32>,
}

/// `everypath.inspect.ir`.
#[derive(Serialize)]
pub(crate) struct Region<'i> {
    pub(crate) architecture: &'i str,
    /// The spaces and user operations; before the texts of the blocks, a listing that reads back.
    pub(crate) layout: String,
    pub(crate) blocks: Vec<Block>,
    /// Jump targets without a block.
    pub(crate) holes: Vec<Hole>,
    /// Whether there are more blocks than `--limit` let through.
    pub(crate) limit_reached: bool,
}

#[derive(Serialize)]
pub(crate) struct Block {
    pub(crate) address: Hexadecimal,
    /// Not zero for the further parts of an instruction with a loop inside.
    pub(crate) part: u16,
    /// The decoding context.
    pub(crate) context: String,
    /// The address after the last instruction.
    pub(crate) end: Hexadecimal,
    pub(crate) labels: Vec<String>,
    pub(crate) instructions: Vec<BlockInstruction>,
    pub(crate) exits: Vec<Exit>,
    /// The text form.
    pub(crate) text: String,
}

#[derive(Serialize)]
pub(crate) struct BlockInstruction {
    pub(crate) address: Hexadecimal,
    pub(crate) length: u8,
    pub(crate) text: String,
}

#[derive(Serialize)]
pub(crate) struct Exit {
    /// `fall`, `jump`, `call` or `return`.
    pub(crate) kind: &'static str,
    /// Whether it is taken only under a condition.
    pub(crate) guarded: bool,
    /// `null` for an indirect exit.
    pub(crate) target: Option<Hexadecimal>,
}

#[derive(Serialize)]
pub(crate) struct Hole {
    pub(crate) address: Hexadecimal,
    pub(crate) reason: String,
}

/// `everypath.check-certificate`, of one that is accepted.
#[derive(Serialize)]
pub(crate) struct Certificate {
    pub(crate) conditions: usize,
    /// The unsat core: conditions that are unsatisfiable together, counted from zero.
    pub(crate) core: Vec<usize>,
    pub(crate) clauses: usize,
    pub(crate) steps: usize,
    /// Answers of other solvers that the certificate records.
    pub(crate) opinions: Vec<String>,
}
