//! Escapes of a control-flow graph: where control may go on to code that the graph does not have.
//!
//! Exclusions by a graph are proofs only if nothing escapes from it. Every such claim asks here, so that a new cause of an escape
//! counts for all of them.

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

/// Why control may leave the graph behind a block, unless it cannot. Returns are matched with calls elsewhere.
pub(crate) fn escape_of(graph: &Graph, guest: &Guest, block: BlockId) -> Option<Escape> {
    if graph.hole(block).is_some() {
        return Some(Escape::Hole);
    }
    if behind_trap(graph, guest, block) == Some(BehindTrap::Unlisted) {
        return Some(Escape::Trap);
    }
    let mut exits = graph.indirect_exits_of(block).iter();
    exits
        .any(|exit| exit.kind != ExitKind::Return && !exit.state.is_resolved())
        .then_some(Escape::UnresolvedExit)
}
