//! Blocks that do not return to the return address at the top of the stack: thunks against speculation (retpolines) overwrite it by a
//! jump target, or discard it, in code that they call themselves.

use super::stack::StackPointer;
use crate::program::Program;
use everypath_ir::{Block, ExitKind, Operand, SpaceKind, Statement, Target};
use rustc_hash::FxHashMap;

/// Maximum distance of such code from the call.
pub(super) const NEAR: u64 = 64;

/// The source of a return's target, as far as its block tells.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum ReturnTarget {
    /// The word at this offset from where a call at the start of the block would have pushed the return address.
    Stacked(i64),
    /// Something that the block computes from no memory: a return address that it has overwritten.
    Overwritten,
    /// The block does not tell.
    Unknown,
}

/// The source of the target of a block's return; `None` if it does not end in one, or if calls do not push return addresses.
pub(super) fn return_target(program: &Program<'_>, block: &Block) -> Option<ReturnTarget> {
    let architecture = program.architecture();
    let pushed = architecture.description().pushed_return.as_ref()?;
    let exit = block.exits.last().filter(|exit| exit.kind == ExitKind::Return)?;
    let Target::Computed { address: target, .. } = exit.target else { return None };
    let mut stack = StackPointer::new(program)?;
    // Temporaries that depend on memory; those that are a word of the stack, with its offset.
    let mut loaded: FxHashMap<usize, Option<i64>> = FxHashMap::default();
    // The words of the stack that the block has written before, by their offset, with what they hold.
    let mut written: FxHashMap<i64, Option<Option<i64>>> = FxHashMap::default();
    let source = |loaded: &FxHashMap<usize, Option<i64>>, operand: Operand| {
        operand.as_temp().and_then(|temp| loaded.get(&temp.index()).copied())
    };
    for statement in &block.statements {
        stack.step(block, statement);
        match statement {
            Statement::Load { result, address, .. } => {
                let offset = stack.offset(*address).map(|offset| offset.wrapping_sub(pushed.offset));
                let held = offset.and_then(|offset| written.get(&offset).copied());
                loaded.extend(held.unwrap_or(Some(offset)).map(|held| (result.index(), held)));
            }
            Statement::Store { address, value, guard, .. } => {
                let offset = stack.offset(*address).map(|offset| offset.wrapping_sub(pushed.offset));
                let held = if guard.is_some() { Some(None) } else { source(&loaded, *value) };
                written.extend(offset.map(|offset| (offset, held)));
            }
            Statement::Get { result, location }
                if architecture.layout()[location.space].kind == SpaceKind::Memory =>
            {
                loaded.insert(result.index(), None);
            }
            Statement::Compute { result, op, arguments } => {
                let mut arguments = arguments.iter().take(op.arity());
                if arguments.any(|argument| source(&loaded, *argument).is_some()) {
                    loaded.insert(result.index(), None);
                }
            }
            Statement::User { result: Some(result), .. } => {
                loaded.insert(result.index(), None);
            }
            _ => {}
        }
    }
    Some(match source(&loaded, target) {
        Some(Some(offset)) => ReturnTarget::Stacked(offset),
        Some(None) => ReturnTarget::Unknown,
        None => ReturnTarget::Overwritten,
    })
}

/// Returns true if a block that is called does not return to its caller, but elsewhere: the call is a jump.
pub(super) fn discards_return_address(program: &Program<'_>, block: &Block) -> bool {
    match return_target(program, block) {
        Some(ReturnTarget::Stacked(offset)) => offset != 0,
        Some(ReturnTarget::Overwritten) => true,
        Some(ReturnTarget::Unknown) | None => false,
    }
}
