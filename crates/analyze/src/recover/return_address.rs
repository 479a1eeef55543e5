//! Blocks that do not return to the return address at the top of the stack: thunks against speculation (retpolines) overwrite it by a
//! jump target, or discard it, in code that they call themselves.

use super::stack::StackPointer;
use crate::program::Program;
use everypath_ir::{Block, ExitKind, Operand, SpaceKind, Statement, Target};
use rustc_hash::FxHashMap;

/// Code that is called is beside the call if it is nearer than this.
pub(super) const THUNK_SIZE: u64 = 64;

/// The source of a return's target, as far as its block tells.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum ReturnTarget {
    /// The word at this offset from where a call at the start of the block would have pushed the return address.
    Stacked(i64),
    /// Something that the block has not loaded, put in place of the return address.
    Overwritten,
    /// The block does not tell.
    Unknown,
}

/// A value that a block has loaded.
#[derive(Clone, Copy)]
enum Loaded {
    /// The word at this offset, as it was at the start of the block.
    Word(i64),
    Unknown,
}

/// The source of the target of a block's return; `None` if it does not end in one, or if calls do not push return addresses.
pub(super) fn return_target(program: &Program<'_>, block: &Block) -> Option<ReturnTarget> {
    let architecture = program.architecture();
    let pushed = architecture.description().pushed_return.as_ref()?;
    let exit = block.exits.last().filter(|exit| exit.kind == ExitKind::Return)?;
    let Target::Computed { address: target, .. } = exit.target else { return None };
    let mut stack = StackPointer::new(program)?;
    // Temporaries that depend on memory.
    let mut loaded: FxHashMap<usize, Loaded> = FxHashMap::default();
    // What the block has written to words of the stack, by their offset; `None` if it has not loaded that.
    let mut written: FxHashMap<i64, Option<Loaded>> = FxHashMap::default();
    // Whether a store may have written any word.
    let mut is_blind = false;
    let source = |loaded: &FxHashMap<usize, Loaded>, operand: Operand| {
        operand.as_temp().and_then(|temp| loaded.get(&temp.index()).copied())
    };
    for statement in &block.statements {
        stack.step(block, statement);
        let word = |address: Operand| stack.offset(address).map(|offset| offset.wrapping_sub(pushed.offset));
        match statement {
            Statement::Load { result, address, .. } => {
                let held = match word(*address).filter(|_| !is_blind) {
                    None => Some(Loaded::Unknown),
                    Some(offset) => written.get(&offset).copied().unwrap_or(Some(Loaded::Word(offset))),
                };
                loaded.extend(held.map(|held| (result.index(), held)));
            }
            Statement::Store { address, value, guard: None, .. }
                if block.width(*value).bytes() as u64 == pushed.size =>
            {
                let held = source(&loaded, *value);
                written.extend(word(*address).map(|offset| (offset, held)));
                is_blind |= word(*address).is_none();
            }
            Statement::Store { .. } | Statement::User { result: None, .. } => is_blind = true,
            Statement::User { result: Some(result), .. } => {
                is_blind = true;
                loaded.insert(result.index(), Loaded::Unknown);
            }
            Statement::Get { result, location }
                if architecture.layout()[location.space].kind == SpaceKind::Memory =>
            {
                loaded.insert(result.index(), Loaded::Unknown);
            }
            Statement::Compute { result, op, arguments } => {
                let mut arguments = arguments.iter().take(op.arity());
                if arguments.any(|argument| source(&loaded, *argument).is_some()) {
                    loaded.insert(result.index(), Loaded::Unknown);
                }
            }
            _ => {}
        }
    }
    Some(match source(&loaded, target) {
        Some(Loaded::Word(offset)) => ReturnTarget::Stacked(offset),
        Some(Loaded::Unknown) => ReturnTarget::Unknown,
        None => ReturnTarget::Overwritten,
    })
}

/// Returns true if a block, called, does not return to its caller, but elsewhere: the call is a jump.
pub(super) fn never_returns_to_caller(program: &Program<'_>, block: &Block) -> bool {
    match return_target(program, block) {
        Some(ReturnTarget::Stacked(offset)) => offset != 0,
        Some(ReturnTarget::Overwritten) => true,
        Some(ReturnTarget::Unknown) | None => false,
    }
}
