//! What `tests/conform/<name>.toml` says of an architecture.

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
    pub(super) program: Program,
    /// Instructions of which the second does its work only behind the first.
    #[serde(default, rename = "pair")]
    pub(super) pairs: Vec<Pair>,
    /// Registers that the specification has and the processor does not: what it leaves there is not compared.
    #[serde(default)]
    pub(super) scratch: Vec<String>,
    /// The executor's registers, in its order.
    #[serde(rename = "register")]
    pub(super) registers: Vec<RegisterGroup>,
    /// Differences that are explained.
    #[serde(default)]
    pub(super) known: Vec<Known>,
}

/// What is compared with.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ExecutorChoice {
    /// An emulator that listens for a debugger with `-g PORT`; without one, the host's processor.
    pub(super) command: Option<String>,
    #[serde(default)]
    pub(super) arguments: Vec<String>,
    /// The flags in the header of the executable that it is given.
    #[serde(default)]
    pub(super) elf_flags: u32,
    /// A further segment in its header, which says more of the processor to be emulated.
    pub(super) note: Option<Note>,
    /// The instructions of that executable, in hexadecimal: a loop without end.
    #[serde(default)]
    pub(super) code: String,
}

/// A segment that is not loaded.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Note {
    /// The type in the program header.
    pub(super) kind: u32,
    /// What is in it, in hexadecimal.
    pub(super) bytes: String,
}

/// Where instructions come from.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Program {
    /// An ELF file, whose `.text` is taken, or an archive of them, all code of which is taken.
    pub(super) path: String,
    /// The Debian package that has it.
    pub(super) package: String,
    /// How far to go on from an address where there is no instruction.
    pub(super) step: usize,
}

/// Two instructions that are run as one where the program has them near each other, with the same last operand: a
/// reservation of memory, and the store that needs it.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Pair {
    /// Patterns of their forms.
    pub(super) first: String,
    pub(super) second: String,
}

/// Some registers of the executor that follow each other.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RegisterGroup {
    /// How many bytes each has.
    pub(super) size: usize,
    /// Our name for each; an empty one is not compared and stays as it is.
    #[serde(default)]
    pub(super) names: Vec<String>,
    /// What the bits of one register are to us, where they are several of our registers.
    #[serde(default)]
    pub(super) parts: Vec<Part>,
    /// Whether they hold floating-point numbers or vectors rather than numbers and addresses.
    #[serde(default)]
    pub(super) vector: bool,
    /// Whether they decide what other instructions do, as a rounding mode does: where an instruction has nothing to do
    /// with them itself, they are zero.
    #[serde(default)]
    pub(super) control: bool,
    /// Whether they hold addresses only.
    #[serde(default)]
    pub(super) addresses: bool,
    /// The number of the first, for registers that are not in the debugger's packet of all registers.
    pub(super) number: Option<u32>,
    /// Whether the debugger can read them and not set them, so that each case begins with what the one before left there.
    #[serde(default)]
    pub(super) kept: bool,
}

/// Some bits of a register.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Part {
    /// Our register; without one, the bits are those of a context field or have a fixed value.
    pub(super) register: Option<String>,
    /// The context field.
    pub(super) context: Option<String>,
    /// How many low bits of the register or field are left out.
    #[serde(default)]
    pub(super) shift: u32,
    /// The bits of a context field count only in contexts in which these fields have these values.
    #[serde(default)]
    pub(super) when: BTreeMap<String, u64>,
    #[serde(default)]
    pub(super) fixed: u64,
    /// The lowest bit.
    pub(super) bit: u32,
    /// How many bits.
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
    /// If it cannot be read, or says something that is not known.
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
