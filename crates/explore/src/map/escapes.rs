//! Escapes of a control-flow graph: where control may go on to code that the graph does not have.
//!
//! Exclusions by a graph are proofs only if nothing escapes from it: a new cause of an escape belongs here, so that it counts for all of
//! them.

use everypath_analyze::{BlockId, Graph};
use everypath_environment::Guest;
use everypath_ir::{ExitKind, Place};

/// Why control may leave the graph behind a block.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Escape {
    /// The block could not be decoded.
    Hole,
    /// It ends in a trap, and what handles the trap may return to code that the graph does not have.
    Trap,
    /// It ends in an indirect jump or call that may have other targets.
    UnresolvedExit,
}

/// The code behind a trap, where execution continues if what handles the trap returns, as a debugger does from a breakpoint.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum BehindTrap {
    /// A block of the graph.
    Listed(BlockId),
    /// Code that the graph does not have.
    Unlisted,
    /// No code.
    Nothing,
}

/// The code at the place behind a trap.
pub(crate) fn code_at(graph: &Graph, guest: &Guest, next: Place) -> BehindTrap {
    match graph.containing_anyhow(next) {
        Some(block) => BehindTrap::Listed(block),
        None if guest.instruction(next).is_some() => BehindTrap::Unlisted,
        None => BehindTrap::Nothing,
    }
}

/// The code behind the trap in which a block ends; `None` if it ends in none.
pub(crate) fn behind_trap(graph: &Graph, guest: &Guest, block: BlockId) -> Option<BehindTrap> {
    let node = graph.block(block);
    let next = Place::new(node.end, node.place.context);
    graph.ends_execution(block).then(|| code_at(graph, guest, next))
}

/// Why control may leave the graph behind a block; nothing if it cannot. Returns are matched with calls elsewhere.
pub(crate) fn escapes_of(graph: &Graph, guest: &Guest, block: BlockId) -> impl Iterator<Item = Escape> {
    let hole = graph.hole(block).is_some().then_some(Escape::Hole);
    let mut exits = graph.indirect_exits_of(block).iter();
    let is_unresolved = exits.any(|exit| exit.kind != ExitKind::Return && !exit.state.is_resolved());
    let exit = is_unresolved.then_some(Escape::UnresolvedExit);
    let is_unlisted = behind_trap(graph, guest, block) == Some(BehindTrap::Unlisted);
    let trap = is_unlisted.then_some(Escape::Trap);
    [hole, exit, trap].into_iter().flatten()
}
