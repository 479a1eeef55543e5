//! The contents of a replay harness: a program and its tests, each with its initial state, its inputs, its path and its
//! expected outputs, in the names of the tool that is to run them.

use crate::{Address, ExpectedOutputs, Rerun, Stored};

/// A program and its tests for a replay harness.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HarnessSuite {
    /// The program's file.
    pub program: String,
    /// The tool's first commands, or statements of its language.
    pub start: Vec<String>,
    /// The tool's name of the program counter, if not the usual one.
    pub program_counter: Option<String>,
    /// The loaded program.
    pub segments: Vec<Stored>,
    /// The functions and variables of the program, by address.
    pub symbols: Vec<ProgramSymbol>,
    /// The function under test, if it is not the whole program.
    pub call: Option<CalledFunction>,
    /// The tests.
    pub tests: Vec<HarnessTest>,
}

/// A test of a replay harness.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HarnessTest {
    /// Its initial state, its inputs and its path.
    pub rerun: Rerun,
    /// The entry address as an indirect jump has it: with the bits that select the processor's mode.
    pub entry: Address,
    /// Its expected outputs. Registers have the names of the tool.
    pub expected: ExpectedOutputs,
    /// The ranges of memory-mapped inputs and peripheral registers: first and last address.
    pub devices: Vec<(Address, Address)>,
    /// The memory that the run touches: first and last address.
    pub touched: Vec<(Address, Address)>,
    /// The stack of the run, which is dead when a function under test has returned: first and last address.
    pub stack: Option<(Address, Address)>,
}

/// A function or variable of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProgramSymbol {
    /// Its name.
    pub name: String,
    /// Its first address.
    pub address: Address,
    /// Its size in bytes.
    pub size: u64,
    /// Whether other files can refer to it by its name.
    pub is_global: bool,
    /// Whether it is a function.
    pub is_function: bool,
}

/// A function under test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CalledFunction {
    /// Its name, if it has one.
    pub name: Option<String>,
    /// Its address.
    pub address: Address,
    /// The registers of its arguments that the configuration gives, from the first one on.
    pub arguments: Vec<String>,
    /// The register of its result.
    pub result: Option<String>,
    /// Other registers that a test sets, which no caller in C can.
    pub others: Vec<String>,
}
