//! What an `everypath.toml` beside an executable says.

use everypath_lift::MemoryRange;
use serde::Deserialize;
use std::collections::BTreeMap;

/// The configuration of a bare-metal run. Everything in it is optional.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Configuration {
    /// The architecture, where the file does not say it.
    pub architecture: Option<String>,
    /// Where execution starts, where neither the file nor the architecture says it.
    pub entry: Option<Place>,
    /// Where execution stops.
    pub stop: Vec<Place>,
    /// How many instructions are run at most.
    pub budget: Option<u64>,
    /// How many bytes of memory, in whole pages, a run touches at most in each space beyond what is loaded.
    pub memory_budget: Option<u64>,
    /// Memory in addition to the file's and the architecture's.
    pub memory: Vec<MemoryRange>,
    /// Cells whose value comes from outside, a new one at each read.
    #[serde(rename = "volatile")]
    pub volatiles: Vec<Cell>,
    /// Where the random values of volatile cells come from: the same seed gives the same values.
    pub seed: u64,
    /// Whether the state notes which bytes of memory were ever given a value.
    pub note_written: bool,
    /// Registers that are not zero at the start.
    pub registers: BTreeMap<String, u64>,
    /// Memory that is not what the file says at the start.
    pub initial: Vec<InitialBytes>,
    /// The function that is run, instead of the program from its start.
    pub call: Option<CallOf>,
    /// What holds input at the start.
    #[serde(rename = "input")]
    pub inputs: Vec<Input>,
    /// What pointers among the input may point to.
    #[serde(rename = "object")]
    pub objects: Vec<Object>,
    /// Where the stack is, for the oracle that watches it.
    pub stack: Option<Stack>,
    /// What memory holds that nothing has written.
    pub unwritten: Unwritten,
}

/// A function that is run for itself: execution starts there, and stops when it returns.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CallOf {
    /// The function.
    pub function: Place,
}

/// A register, an argument or a piece of memory that holds input at the start.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// What it is called; a symbol's name if nothing else says where it is.
    pub name: String,
    /// The register.
    pub register: Option<String>,
    /// The number of the function's argument, from zero.
    pub argument: Option<usize>,
    /// The space of the memory; without one, the space of code.
    pub space: Option<String>,
    /// Its first address.
    pub address: Option<u64>,
    /// How many bytes it has; without a number, as many as the symbol or the register. Where callers extend a value that is
    /// narrower than its register, the other bytes are its extension.
    pub size: Option<u64>,
    /// Whether a value that is narrower than its register is extended by its sign.
    #[serde(default)]
    pub signed: bool,
    /// The object that it points to, if it is a pointer.
    pub pointer: Option<String>,
    /// Whether the pointer may be null.
    #[serde(default = "yes")]
    pub null: bool,
}

/// What a pointer may point to: some pieces of memory of the same make, all of whose bytes are input.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Object {
    /// What it is called.
    pub name: String,
    /// How many bytes one has.
    pub size: u64,
    /// How many there are at most.
    #[serde(default = "four")]
    pub count: u64,
    /// The space they lie in; without one, the space of code.
    pub space: Option<String>,
    /// The address of the first one; without one, somewhere where nothing else is.
    pub address: Option<u64>,
    /// The pointers in it.
    #[serde(default)]
    pub pointers: Vec<Field>,
}

/// A pointer in an object.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Field {
    /// How far behind the object's first byte it is.
    pub offset: u64,
    /// How many bytes it has; without a number, as many as an address.
    pub size: Option<u64>,
    /// The object that it points to.
    pub to: String,
    /// Whether it may be null.
    #[serde(default = "yes")]
    pub null: bool,
}

/// Where the stack is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Stack {
    /// The lowest value of the stack pointer.
    pub start: u64,
    /// How many bytes it has.
    pub size: u64,
}

/// What memory holds that nothing has written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Unwritten {
    /// It is taken to be zero, and that is written down where something depends on it.
    #[default]
    Zero,
    /// It is input.
    Input,
}

fn yes() -> bool {
    true
}

fn four() -> u64 {
    4
}

/// An address, or the name of a symbol.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(untagged)]
pub enum Place {
    /// An address.
    Address(u64),
    /// A symbol.
    Symbol(String),
}

/// A cell, or a range of them, whose value comes from outside.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Cell {
    /// What it is called; a symbol's name if there is no address.
    pub name: String,
    /// The space it lies in; without one, the space of code.
    pub space: Option<String>,
    /// Its first address; without one, that of the symbol of its name.
    pub address: Option<u64>,
    /// How many bytes it has; without a number, as many as the symbol.
    pub size: Option<u64>,
    /// The values of the reads, one after the other; the last one stays.
    #[serde(default)]
    pub values: Vec<u64>,
    /// Whether random values follow instead of the last one.
    #[serde(default)]
    pub random: bool,
}

/// Bytes of memory at the start.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct InitialBytes {
    /// The space; without one, the space of code.
    pub space: Option<String>,
    /// The address of the first byte.
    pub address: u64,
    /// The bytes.
    pub bytes: Vec<u8>,
}

impl Configuration {
    /// Reads the text of an `everypath.toml`.
    ///
    /// # Errors
    /// What is wrong with it, with the line.
    pub fn parse(text: &str) -> Result<Self, String> {
        toml::from_str(text).map_err(|error| error.to_string())
    }
}
