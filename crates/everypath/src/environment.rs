//! The environment of an exploration, set in code instead of in an `everypath.toml`.

use crate::builder::ExplorationBuilder;
use everypath_environment::{
    AddressOrSymbol, Argument, ArgumentInput, CallOf, EnvironmentVariable, FileInput, InputDeclaration,
    Object, StackRegion, StreamSize, VariableInput, VolatileCell,
};
use everypath_lift::MemoryRange;

/// The environment of the program.
impl ExplorationBuilder {
    /// The entry address or symbol; overrides the file's.
    pub fn entry(self, entry: impl Into<AddressOrSymbol>) -> Self {
        self.configure(|configuration| configuration.entry = Some(entry.into()))
    }

    /// Tests one function: execution starts there and stops when it returns.
    pub fn call(self, function: impl Into<AddressOrSymbol>) -> Self {
        self.configure(|configuration| configuration.call = Some(CallOf { function: function.into() }))
    }

    /// Gives a Linux program a standard input of so many bytes, each of which is input.
    pub fn stdin(self, size: StreamSize) -> Self {
        self.configure(|configuration| configuration.linux.get_or_insert_default().stdin = Some(size))
    }

    /// Gives a Linux program an argument, behind its name.
    pub fn argument(self, text: &str) -> Self {
        self.configure(|configuration| {
            configuration.linux.get_or_insert_default().arguments.push(Argument::Text(text.to_owned()));
        })
    }

    /// Gives a Linux program an argument of at most so many bytes, each of which is input.
    pub fn argument_input(self, bytes: u32) -> Self {
        self.configure(|configuration| {
            let arguments = &mut configuration.linux.get_or_insert_default().arguments;
            arguments.push(Argument::Input(ArgumentInput { bytes }));
        })
    }

    /// Gives a Linux program an environment variable whose value has at most so many bytes, each of which is input.
    pub fn variable_input(self, name: &str, bytes: u32) -> Self {
        self.configure(|configuration| {
            let variable = VariableInput { name: name.to_owned(), bytes };
            let variables = &mut configuration.linux.get_or_insert_default().environment;
            variables.push(EnvironmentVariable::Input(variable));
        })
    }

    /// Gives a Linux program a file of so many bytes, each of which is input, in place of what is at its path.
    pub fn file_input(self, path: &str, bytes: StreamSize) -> Self {
        self.configure(|configuration| {
            let file = FileInput { path: path.to_owned(), bytes };
            configuration.linux.get_or_insert_default().files.push(file);
        })
    }

    /// Adds an address or symbol at which execution stops.
    pub fn stop_at(self, stop: impl Into<AddressOrSymbol>) -> Self {
        self.configure(|configuration| configuration.stop.push(stop.into()))
    }

    /// Adds a volatile cell in the code space: a memory-mapped input register (MMIO), with any value at each read.
    pub fn volatile(self, name: &str, address: u64, size: u64) -> Self {
        self.volatile_cell(VolatileCell {
            name: name.to_owned(),
            space: None,
            address: Some(address),
            size: Some(size),
            values: Vec::new(),
            random: false,
        })
    }

    /// Adds a volatile cell in a named address space.
    pub fn volatile_in(self, space: &str, name: &str, address: u64, size: u64) -> Self {
        self.volatile(name, address, size).configure(|configuration| {
            if let Some(cell) = configuration.volatiles.last_mut() {
                cell.space = Some(space.to_owned());
            }
        })
    }

    /// Adds a volatile cell, described in full.
    pub fn volatile_cell(self, cell: VolatileCell) -> Self {
        self.configure(|configuration| configuration.volatiles.push(cell))
    }

    /// Makes the initial value of a register input.
    pub fn input_register(self, register: &str) -> Self {
        self.input(InputDeclaration { register: Some(register.to_owned()), ..input(register) })
    }

    /// Makes an argument of the called function input; the first is 0.
    pub fn input_argument(self, name: &str, argument: usize) -> Self {
        self.input(InputDeclaration { argument: Some(argument), ..input(name) })
    }

    /// Makes the initial contents of memory in the code space input.
    pub fn input_memory(self, name: &str, address: u64, size: u64) -> Self {
        self.input(InputDeclaration { address: Some(address), size: Some(size), ..input(name) })
    }

    /// Adds an input, described in full.
    pub fn input(self, input: InputDeclaration) -> Self {
        self.configure(|configuration| configuration.inputs.push(input))
    }

    /// Adds an object that input pointers may point to.
    pub fn object(self, object: Object) -> Self {
        self.configure(|configuration| configuration.objects.push(object))
    }

    /// Sets the initial value of a register.
    pub fn register(self, name: &str, value: u64) -> Self {
        self.configure(|configuration| {
            configuration.registers.insert(name.to_owned(), value);
        })
    }

    /// The values that the stack pointer may have, for the stack oracle.
    pub fn stack(self, start: u64, size: u64) -> Self {
        self.configure(|configuration| configuration.stack = Some(StackRegion { start, size }))
    }

    /// Adds readable and writable memory in the code space.
    pub fn memory(self, name: &str, start: u64, size: u64) -> Self {
        self.memory_range(MemoryRange::data(name, start, size))
    }

    /// Adds memory, described in full.
    pub fn memory_range(self, range: MemoryRange) -> Self {
        self.configure(|configuration| configuration.memory.push(range))
    }
}

/// An input of this name; everything else is the default.
fn input(name: &str) -> InputDeclaration {
    InputDeclaration {
        name: name.to_owned(),
        register: None,
        argument: None,
        space: None,
        address: None,
        size: None,
        signed: false,
        pointer: None,
        null: true,
    }
}
