//! Instruction boundaries of a lifted block.

use everypath_ir::{Block, Statement};

/// The instruction boundaries of a block: addresses and lengths.
pub(super) fn instruction_starts(block: &Block) -> impl Iterator<Item = (u64, u8)> + '_ {
    block.statements.iter().filter_map(|statement| match statement {
        Statement::Instruction { address, length, .. } => Some((*address, *length)),
        _ => None,
    })
}
