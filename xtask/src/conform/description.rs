//! The schema of `tests/conform/<name>.toml`, the description of an architecture for the comparison.

use super::known::Known;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::Path;

/// How an architecture is compared.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Description {
    /// The architecture, by its name or an alias.
    pub(super) architecture: String,
    /// Context fields that differ from the architecture's own.
    #[serde(default)]
    pub(super) context: BTreeMap<String, u64>,
    pub(super) executor: ExecutorChoice,
    /// The source of instructions; without a program, all values of the first two bytes.
    pub(super) program: Option<Program>,
    /// Memory that both sides have; without any, one segment that contains everything.
    #[serde(default, rename = "area")]
    pub(super) areas: Vec<AreaChoice>,
    /// Frequent values of small registers.
    #[serde(default)]
    pub(super) numbers: Vec<u64>,
    /// Parity bits of registers, which no program can set otherwise.
    #[serde(default)]
    pub(super) parity: Vec<Parity>,
    /// Pairs of instructions of which the second works only after the first.
    #[serde(default, rename = "pair")]
    pub(super) pairs: Vec<Pair>,
    /// Registers that the specification has and the processor does not: they are not compared.
    #[serde(default)]
    pub(super) scratch: Vec<String>,
    /// The executor's registers, in its order.
    #[serde(rename = "register")]
    pub(super) registers: Vec<RegisterGroup>,
    /// Known differences, with explanations.
    #[serde(default)]
    pub(super) known: Vec<Known>,
}

/// The executor.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ExecutorChoice {
    /// An emulator that listens for a debugger with `-g PORT`; without one, the host's processor.
    pub(super) command: Option<String>,
    /// Whether the command is a simulator of the uCsim family instead.
    #[serde(default)]
    pub(super) console: bool,
    #[serde(default)]
    pub(super) arguments: Vec<String>,
    /// In place of a command, a program in the folder of the description, to be compiled and communicated with.
    pub(super) source: Option<String>,
    /// Its libraries.
    #[serde(default)]
    pub(super) libraries: Vec<String>,
    /// The required Debian packages.
    #[serde(default)]
    pub(super) packages: Vec<String>,
    /// The flags in the header of its executable.
    #[serde(default)]
    pub(super) elf_flags: u32,
    /// An additional segment in its header, which describes the emulated processor.
    pub(super) note: Option<Note>,
    /// Instructions, as patterns of their text, whose accesses must not cross lines of 64 bytes: a system may slow a
    /// program down whose atomic accesses do.
    #[serde(default)]
    pub(super) inside_lines: Vec<String>,
    /// The instructions of that executable, in hexadecimal: an endless loop.
    #[serde(default)]
    pub(super) code: String,
}

/// A segment that is not loaded.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Note {
    /// The type in the program header.
    pub(super) kind: u32,
    /// Its contents, in hexadecimal.
    pub(super) bytes: String,
}

/// The source of instructions.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Program {
    /// An ELF file, of which `.text` is used, or an archive of them, of which all code is used.
    pub(super) path: String,
    /// Further programs of the same package: what they have in common with it is one form.
    #[serde(default)]
    pub(super) further: Vec<String>,
    /// The Debian package that has them.
    pub(super) package: String,
    /// The distance to the next attempt after an address without an instruction.
    pub(super) step: usize,
    /// Instructions that it has none of, each as the digits of its bytes.
    #[serde(default)]
    pub(super) more: Vec<String>,
}

/// Memory with random contents.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct AreaChoice {
    pub(super) space: String,
    /// The executor's name for it, if it has names.
    #[serde(default)]
    pub(super) memory: String,
    /// The first address.
    pub(super) start: u64,
    pub(super) size: u64,
    /// Its start in the executor's flat numbering of all memory.
    pub(super) flat: u64,
    /// Its initial contents for each case.
    #[serde(default)]
    pub(super) contents: Contents,
    /// Addresses that are not compared: their contents are compared elsewhere, or do not exist.
    #[serde(default)]
    pub(super) hidden: Vec<u64>,
    /// Whether all of it is compared in every fourth case.
    #[serde(default)]
    pub(super) whole: bool,
}

/// Initial contents of memory for each case.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Contents {
    #[default]
    Random,
    /// All bytes of a page of 256 are equal, which is faster to write for some executors.
    Pages,
    /// Zero, where other values would start peripherals.
    Zero,
}

/// Two instructions that are run as one if the program has them near each other with the same last operand: a
/// load-linked and its store-conditional.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Pair {
    /// Patterns of their forms.
    pub(super) first: String,
    pub(super) second: String,
}

/// Consecutive registers of the executor.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RegisterGroup {
    /// The size of each in bytes.
    pub(super) size: usize,
    /// Our name for each; one with an empty name is not compared and keeps its value.
    #[serde(default)]
    pub(super) names: Vec<String>,
    /// In place of names: bytes of memory that count as registers, each named by its space and address.
    pub(super) bytes: Option<BytesChoice>,
    /// The fields of one register, if it consists of several of our registers.
    #[serde(default)]
    pub(super) parts: Vec<Part>,
    /// Whether they hold floating-point numbers or vectors rather than numbers and addresses.
    #[serde(default)]
    pub(super) vector: bool,
    /// Whether they control other instructions, as a rounding mode does: they are zero for instructions that do not use
    /// them.
    #[serde(default)]
    pub(super) control: bool,
    /// Their constant value, where other values would start peripherals.
    pub(super) value: Option<u64>,
    /// Whether they hold addresses only.
    #[serde(default)]
    pub(super) addresses: bool,
    /// The debugger's number of the first, for registers that are not in its packet of all registers.
    pub(super) number: Option<u32>,
    /// Whether the debugger can read but not set them, so that each case begins with the values that the previous one
    /// left.
    #[serde(default)]
    pub(super) kept: bool,
}

/// Bytes of memory that count as registers.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct BytesChoice {
    pub(super) space: String,
    pub(super) start: u64,
    pub(super) count: u64,
}

/// A parity bit of a register.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Parity {
    pub(super) register: String,
    pub(super) bit: u32,
    pub(super) of: String,
}

/// Some bits of a register.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Part {
    /// Our register; without one, the bits belong to a context field or are constant.
    pub(super) register: Option<String>,
    /// The context field.
    pub(super) context: Option<String>,
    /// The number of low bits of the register or field that are omitted.
    #[serde(default)]
    pub(super) shift: u32,
    /// The bits of a context field apply only in contexts in which these fields have these values.
    #[serde(default)]
    pub(super) when: BTreeMap<String, u64>,
    #[serde(default)]
    pub(super) fixed: u64,
    /// The lowest bit.
    pub(super) bit: u32,
    /// The number of bits.
    #[serde(default = "one")]
    pub(super) bits: u32,
}

fn one() -> u32 {
    1
}

impl Description {
    /// Reads a file.
    ///
    /// # Errors
    /// If it cannot be read, or has an unknown key.
    pub(super) fn read(file: &Path) -> Result<Self, String> {
        let text = std::fs::read_to_string(file).map_err(|error| format!("{}: {error}", file.display()))?;
        let description: Self =
            toml::from_str(&text).map_err(|error| format!("{}: {error}", file.display()))?;
        match description.known.iter().find(|known| known.reason.trim().is_empty()) {
            Some(known) => Err(format!("{}: {:?} has no reason", file.display(), known.forms)),
            None => Ok(description),
        }
    }
}
