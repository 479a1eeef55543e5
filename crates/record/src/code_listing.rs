//! Code listings: the functions of a program with their basic blocks, disassembly and source text, for reports.

use crate::{Address, InstructionEvidence};

/// The code of a program, as a report shows it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CodeListing {
    /// The lowest address that the program's file loads, to which disassemblers relate offsets; if unknown, readers take the
    /// lowest listed one.
    pub base: Option<Address>,
    /// The functions in which there is a direction, a finding or an execution, in the order of their addresses.
    pub functions: Vec<ListedFunction>,
    /// Other functions, in which nothing was executed: those of the graph without a direction, and those that no entry reaches.
    /// Their branches have no verdicts.
    pub unvisited: Vec<ListedFunction>,
    /// The source files that instructions refer to.
    pub sources: Vec<SourceFile>,
    /// The evidence for the semantics of the mnemonics in it, by mnemonic; those without any are left out.
    pub evidence: Vec<InstructionEvidence>,
}

impl CodeListing {
    /// All functions, those in which nothing was executed last.
    pub fn all_functions(&self) -> impl Iterator<Item = &ListedFunction> {
        self.functions.iter().chain(&self.unvisited)
    }
}

/// A function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedFunction {
    /// Its name: that of its symbol, or one made from its address.
    pub name: String,
    /// The address of its entry.
    pub address: Address,
    /// Its basic blocks, in the order of their addresses. A block has at least one instruction.
    pub blocks: Vec<ListedBlock>,
}

impl ListedFunction {
    /// Its instructions, in the order of their addresses.
    pub fn instructions(&self) -> impl Iterator<Item = &ListedInstruction> {
        self.blocks.iter().flat_map(|block| &block.instructions)
    }
}

/// A basic block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedBlock {
    /// Its instructions.
    pub instructions: Vec<ListedInstruction>,
    /// The first addresses of the blocks of the same function that control reaches from it; behind a call, those at which
    /// it returns.
    pub successors: Vec<Address>,
}

impl ListedBlock {
    /// The address of the first instruction.
    #[must_use]
    pub fn start(&self) -> Address {
        self.instructions[0].address
    }

    /// The address of the last instruction.
    #[must_use]
    pub fn last(&self) -> Address {
        self.instructions[self.instructions.len() - 1].address
    }
}

/// An instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedInstruction {
    /// Its address.
    pub address: Address,
    /// Its length in bytes.
    pub length: u8,
    /// Its assembly text.
    pub text: String,
    /// Its source line.
    pub source: Option<ListedLine>,
}

/// A line of a source file of a listing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ListedLine {
    /// Index of the file in [`CodeListing::sources`].
    pub file: usize,
    /// The line, from 1.
    pub line: u32,
}

/// A source file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceFile {
    /// Its path, as debug information gives it.
    pub path: String,
    /// Its lines; empty if the file was not found.
    pub lines: Vec<String>,
    /// The hash (SHA-256) of the file, of its bytes and not of its lines; none if the file was not found.
    pub hash: Option<String>,
}
