//! One block of the fixpoint: the states in which it is left, each by one of its exits.

use super::interpret::Interpreter;
use super::program::Bounds;
use super::refine::refine;
use super::state::State;
use super::symbol::Value;
use crate::domain::Number;
use crate::graph::{BlockId, Graph};
use crate::program::Program;
use everypath_ir::{Bits, Op, Width, Word};
use everypath_lift::Session;
use everypath_machine::{Nobody, ReadyBlock, Step, WayTarget, run_block};
use std::sync::Arc;

/// How many numbers there are at which widening stops.
const THRESHOLDS: usize = 256;

/// A block that is left by one of its exits.
pub(super) struct Left {
    pub(super) exit: u8,
    pub(super) state: State,
    /// Where to, if that is computed.
    pub(super) target: Option<Value>,
}

/// What a run of a block says.
#[derive(Default)]
pub(super) struct Ran {
    pub(super) left: Vec<Left>,
    /// The exits that cannot be taken.
    pub(super) dead: Vec<u8>,
    /// Whether something may have been written where instructions lie.
    pub(super) code_written: bool,
}

/// Lifts a block of the graph and makes it ready to run; `None` if there is no code.
pub(super) fn lift(
    program: &Program<'_>,
    graph: &Graph,
    session: &mut Session<'_>,
    id: BlockId,
) -> Option<ReadyBlock<Value>> {
    let node = graph.block(id);
    let end = node.end;
    let lifted = session.block_until(program.image(), node.place, |next| next.address == end).ok()?;
    let constant = |bits: &Bits| Value::plain(Number::constant(bits));
    let layout = program.architecture().layout();
    Some(ReadyBlock::new(layout, Arc::new(lifted), constant, || Value::unknown(Width::W1)))
}

/// Adds the constants of a block, what it compares with, and what is next to them, to where widening stops: each may be a
/// bound of something.
pub(super) fn add_thresholds(ready: &ReadyBlock<Value>, thresholds: &mut Vec<u64>) {
    let mut add = |number: u64, width: Width| {
        for number in [number, number.wrapping_add(1), number.wrapping_sub(1)] {
            let number = number.truncate(width);
            if thresholds.len() < THRESHOLDS
                && let Err(place) = thresholds.binary_search(&number)
            {
                thresholds.insert(place, number);
            }
        }
    };
    for step in &ready.steps {
        let Step::Compute(computation) = step else { continue };
        if matches!(computation.op, Op::Eq | Op::Ne | Op::Ult | Op::Ule | Op::Slt | Op::Sle) {
            for slot in &computation.arguments[..2] {
                let value = &ready.values[*slot as usize];
                if let Some(number) = value.number.single().filter(|_| value.base.is_none()) {
                    add(number, value.width());
                }
            }
        }
    }
    for bits in &ready.block.constants {
        if let Some(number) = bits.to_u64().filter(|_| bits.width() <= Width::W64) {
            add(number, bits.width());
        }
    }
}

/// Runs a block from a state.
pub(super) fn run(
    program: &Program<'_>,
    bounds: &Bounds,
    ready: &mut ReadyBlock<Value>,
    state: State,
) -> Ran {
    let layout = program.architecture().layout();
    let mut interpreter = Interpreter::new(program, bounds, state);
    // No step of the abstract domain fails.
    let _ = run_block(&mut interpreter, ready, &mut Nobody);
    let Interpreter { state: after, held, code_written, .. } = interpreter;
    let mut ran = Ran { code_written, ..Ran::default() };
    let mut conditions: Vec<(u32, bool)> = Vec::new();
    let mut over = false;
    for way in &ready.ways {
        let exit = way.exit.min(255) as u8;
        let (mut on, mut off) = (!over, false);
        if let Some(slot) = way.guard.filter(|_| !over) {
            let guard = &ready.values[slot as usize];
            on = guard.base.is_some() || guard.number.contains(1);
            off = guard.base.is_some() || guard.number.contains(0);
            conditions.push((slot, true));
        }
        let state = match (on, conditions.is_empty()) {
            (false, _) => None,
            (true, true) => Some(after.clone()),
            (true, false) => refine(&after, layout, ready, &held, &conditions),
        };
        match state {
            Some(state) => {
                let target = match way.target {
                    WayTarget::Computed(slot, _) => Some(ready.values[slot as usize].clone()),
                    WayTarget::Place(_) => None,
                };
                ran.left.push(Left { exit, state, target });
            }
            None => ran.dead.push(exit),
        }
        if way.guard.is_some()
            && let Some((_, holds)) = conditions.last_mut()
        {
            *holds = false;
        }
        over |= !off;
    }
    ran
}
