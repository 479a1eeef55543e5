//! The one-line text form of an instruction's p-code, in which two decoders are compared.
//!
//! Operations are separated by `;`, each one is `OUTPUT=OPCODE INPUT INPUT`, or `OPCODE INPUT` when it has no output. A
//! varnode is `space:offset:size`. All numbers are hexadecimal, without prefix. Opcodes have the names of Ghidra's
//! listings (`INT_ADD`, `CBRANCH`, `INT2FLOAT`).
//!
//! Two kinds of inputs are not varnodes and are written without a size: the space that `LOAD` and `STORE` access as its
//! name, because decoders number spaces differently, and the user operation of `CALLOTHER` as its index.

use std::fmt::Write;

/// A varnode: `space:offset:size`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PcodeVarnode<'a> {
    /// Name of the address space.
    pub space: &'a str,
    /// Offset in bytes; in the constant space, the value.
    pub offset: u64,
    /// Size in bytes.
    pub size: u32,
}

/// An input of an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PcodeInput<'a> {
    /// An ordinary operand.
    Varnode(PcodeVarnode<'a>),
    /// The space that `LOAD` or `STORE` accesses: their first input.
    Space(&'a str),
    /// The index of the user operation: first input of `CALLOTHER`.
    UserOperation(u64),
}

/// One p-code operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PcodeOperation<'a> {
    /// Its name in listings.
    pub opcode: &'a str,
    /// The output.
    pub output: Option<PcodeVarnode<'a>>,
    /// The inputs, in order.
    pub inputs: Vec<PcodeInput<'a>>,
}

/// Appends the text form of one instruction's operations to `line`.
pub fn write_operations<'a>(line: &mut String, operations: impl IntoIterator<Item = PcodeOperation<'a>>) {
    for (position, operation) in operations.into_iter().enumerate() {
        if position > 0 {
            line.push(';');
        }
        if let Some(output) = operation.output {
            write_varnode(line, output);
            line.push('=');
        }
        line.push_str(operation.opcode);
        for input in &operation.inputs {
            line.push(' ');
            match *input {
                PcodeInput::Varnode(varnode) => write_varnode(line, varnode),
                PcodeInput::Space(name) => line.push_str(name),
                PcodeInput::UserOperation(index) => write_number(line, index),
            }
        }
    }
}

/// The text form of one instruction's operations.
///
/// ```
/// use everypath_testkit::pcode_text::{PcodeInput, PcodeOperation, PcodeVarnode, pcode_text};
///
/// let stack = PcodeVarnode { space: "register", offset: 0x20, size: 8 };
/// let pushed = PcodeVarnode { space: "register", offset: 0x28, size: 8 };
/// let eight = PcodeVarnode { space: "const", offset: 8, size: 8 };
/// let push = [
///     PcodeOperation {
///         opcode: "INT_SUB",
///         output: Some(stack),
///         inputs: vec![PcodeInput::Varnode(stack), PcodeInput::Varnode(eight)],
///     },
///     PcodeOperation {
///         opcode: "STORE",
///         output: None,
///         inputs: vec![PcodeInput::Space("ram"), PcodeInput::Varnode(stack), PcodeInput::Varnode(pushed)],
///     },
/// ];
/// assert_eq!(
///     pcode_text(push),
///     "register:20:8=INT_SUB register:20:8 const:8:8;STORE ram register:20:8 register:28:8"
/// );
/// ```
pub fn pcode_text<'a>(operations: impl IntoIterator<Item = PcodeOperation<'a>>) -> String {
    let mut line = String::new();
    write_operations(&mut line, operations);
    line
}

fn write_varnode(line: &mut String, varnode: PcodeVarnode<'_>) {
    line.push_str(varnode.space);
    line.push(':');
    write_number(line, varnode.offset);
    line.push(':');
    write_number(line, u64::from(varnode.size));
}

fn write_number(line: &mut String, number: u64) {
    write!(line, "{number:x}").expect("writing to a string cannot fail");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_instruction_without_operations_is_empty() {
        assert_eq!(pcode_text([]), "");
    }

    #[test]
    fn user_operations_and_negative_constants() {
        let minus_one = PcodeVarnode { space: "const", offset: 0xffff_ffff, size: 4 };
        let operations = [
            PcodeOperation {
                opcode: "CALLOTHER",
                output: None,
                inputs: vec![PcodeInput::UserOperation(0x1a)],
            },
            PcodeOperation { opcode: "BRANCH", output: None, inputs: vec![PcodeInput::Varnode(minus_one)] },
        ];
        assert_eq!(pcode_text(operations), "CALLOTHER 1a;BRANCH const:ffffffff:4");
    }
}
