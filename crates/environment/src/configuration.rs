//! The configuration file `everypath.toml`.

use crate::address_or_symbol::AddressOrSymbol;
use crate::justification::JustificationEntry;
use crate::linux::LinuxSettings;
use crate::reach_target::TargetText;
use everypath_lift::MemoryRange;
use serde::Deserialize;
use std::collections::BTreeMap;

/// The configuration of a bare-metal run. Everything in it is optional.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Configuration {
    /// The architecture; needed if the file does not name it.
    pub architecture: Option<String>,
    /// Entry point; needed if neither the file nor the architecture gives one.
    pub entry: Option<AddressOrSymbol>,
    /// Stop addresses.
    pub stop: Vec<AddressOrSymbol>,
    /// The maximum number of instructions per run.
    pub budget: Option<u64>,
    /// The maximum number of bytes, in whole pages, that a run touches in each space beyond the loaded program.
    pub memory_budget: Option<u64>,
    /// Memory in addition to that of the file and the architecture.
    pub memory: Vec<MemoryRange>,
    /// Memory-mapped input registers (MMIO), with a new value at each read.
    #[serde(rename = "volatile")]
    pub volatiles: Vec<VolatileCell>,
    /// Values of volatile cells by name, in place of those above.
    #[serde(skip)]
    pub given: Vec<(String, Vec<u64>)>,
    /// The seed of the random values of volatile cells.
    pub seed: u64,
    /// If true, the state tracks which bytes of memory are initialised.
    pub note_written: bool,
    /// Initial values of registers; all others are zero.
    pub registers: BTreeMap<String, u64>,
    /// Initial bytes of memory that override the file's.
    pub initial: Vec<InitialBytes>,
    /// The function to run instead of the whole program.
    pub call: Option<CallOf>,
    /// The registers and memory that hold symbolic input at the start.
    #[serde(rename = "input")]
    pub inputs: Vec<InputDeclaration>,
    /// The objects that symbolic pointers may point to.
    #[serde(rename = "object")]
    pub objects: Vec<Object>,
    /// The stack, for the stack oracle.
    pub stack: Option<StackRegion>,
    /// The contents of uninitialised memory.
    pub unwritten: Unwritten,
    /// The targets of `everypath reach`, if none is given otherwise. They have no effect on other commands.
    pub targets: Vec<TargetText>,
    /// The process that a Linux program becomes.
    pub linux: Option<LinuxSettings>,
    /// Why directions that stay open are acceptable. They have no effect on a run.
    #[serde(rename = "justification")]
    pub justifications: Vec<JustificationEntry>,
}

/// A function under test: execution starts there and stops when it returns.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CallOf {
    /// The function.
    pub function: AddressOrSymbol,
}

/// A register, an argument or a memory range that holds symbolic input at the start.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct InputDeclaration {
    /// Its name; a symbol's name if neither a register nor an address is given.
    pub name: String,
    /// The register.
    pub register: Option<String>,
    /// The index of the function's argument, from zero.
    pub argument: Option<usize>,
    /// The space of the memory; by default, the code space.
    pub space: Option<String>,
    /// The start address.
    pub address: Option<u64>,
    /// Its size in bytes; by default, that of the symbol or register. If the calling convention extends values narrower
    /// than the register, the other bytes are the extension.
    pub size: Option<u64>,
    /// True if a value narrower than its register is sign-extended.
    #[serde(default)]
    pub signed: bool,
    /// The object that it points to, if it is a pointer.
    pub pointer: Option<String>,
    /// True if the pointer may be null.
    #[serde(default = "yes")]
    pub null: bool,
}

/// A pointer target: some memory objects of equal layout, all of whose bytes are symbolic.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Object {
    /// Its name.
    pub name: String,
    /// The size of one object in bytes.
    pub size: u64,
    /// The maximum number of objects.
    #[serde(default = "four")]
    pub count: u64,
    /// The space of the objects; by default, the code space.
    pub space: Option<String>,
    /// The address of the first one; by default, in unused memory.
    pub address: Option<u64>,
    /// True if none of these objects is a variable of the program, and none overlaps another one: a read of one after a store to
    /// another is then no assumption.
    #[serde(default)]
    pub separate: bool,
    /// Its pointer fields.
    #[serde(default)]
    pub pointers: Vec<Field>,
}

/// A pointer field of an object.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Field {
    /// The offset in the object.
    pub offset: u64,
    /// Its size in bytes; by default, that of an address.
    pub size: Option<u64>,
    /// The object that it points to.
    pub to: String,
    /// True if it may be null.
    #[serde(default = "yes")]
    pub null: bool,
}

/// The location of the stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StackRegion {
    /// The lowest value of the stack pointer.
    pub start: u64,
    /// Its size in bytes.
    pub size: u64,
}

/// The contents of uninitialised memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Unwritten {
    /// Zero; reads on which the run depends are reported.
    #[default]
    Zero,
    /// Symbolic input.
    Input,
}

fn yes() -> bool {
    true
}

fn four() -> u64 {
    4
}

/// A volatile cell: a memory-mapped input register (MMIO), or a range of them.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct VolatileCell {
    /// Its name; a symbol's name if there is no address.
    pub name: String,
    /// Its space; by default, the code space.
    pub space: Option<String>,
    /// Its start address; by default, that of the symbol of its name.
    pub address: Option<u64>,
    /// Its size in bytes; by default, that of the symbol.
    pub size: Option<u64>,
    /// The values of successive reads; the last one repeats.
    #[serde(default)]
    pub values: Vec<u64>,
    /// If true, random values follow instead of the last one.
    #[serde(default)]
    pub random: bool,
}

/// Initial bytes of memory.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct InitialBytes {
    /// The space; by default, the code space.
    pub space: Option<String>,
    /// The address of the first byte.
    pub address: u64,
    /// The bytes.
    pub bytes: Vec<u8>,
}

impl Configuration {
    /// This configuration, in which the state tracks which bytes of memory are initialised.
    #[must_use]
    pub fn noting_writes(&self) -> Configuration {
        Configuration { note_written: true, ..self.clone() }
    }

    /// Parses an `everypath.toml`.
    ///
    /// # Errors
    /// The error, with its line.
    pub fn parse(text: &str) -> Result<Self, String> {
        toml::from_str(text).map_err(|error| error.to_string())
    }
}
