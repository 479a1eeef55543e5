//! Transfer function of one basic block: runs it on an abstract state and returns one state per feasible exit.

use super::interpret::Interpreter;
use super::options::AnalysisOptions;
use super::refine::refine;
use super::state::AbstractState;
use super::symbol::Value;
use crate::domain::Number;
use crate::graph::{BlockId, Graph};
use crate::program::Program;
use everypath_ir::{Bits, Op, Width, Word};
use everypath_lift::LiftSession;
use everypath_machine::{ReadyBlock, ReadyTarget, Step, run_steps};
use std::sync::Arc;

/// Maximum number of widening thresholds.
const THRESHOLDS: usize = 256;

/// The result of one feasible exit of a block.
pub(super) struct ExitState {
    pub(super) exit: u8,
    pub(super) state: AbstractState,
    /// The target's value set, if the exit is indirect.
    pub(super) target: Option<Value>,
}

/// The result of the transfer function of a block.
#[derive(Default)]
pub(super) struct BlockTransfer {
    pub(super) left: Vec<ExitState>,
    /// Infeasible exits.
    pub(super) dead: Vec<u8>,
    /// True if the block may have written to code.
    pub(super) code_written: bool,
}

/// Lifts a block of the graph and prepares it for the interpreter. Returns `None` if there is no code.
pub(super) fn lift(
    program: &Program<'_>,
    graph: &Graph,
    session: &mut LiftSession<'_>,
    id: BlockId,
) -> Option<ReadyBlock<Value>> {
    let lifted = graph.lift(id, program, session).ok()?;
    let constant = |bits: &Bits| Value::plain(Number::constant(bits));
    let layout = program.architecture().layout();
    Some(ReadyBlock::new(layout, Arc::new(lifted), constant, || Value::unknown(Width::W1)))
}

/// Adds the constants and comparison operands of a block, and their neighbours, to the widening thresholds: each may be
/// a loop bound.
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

/// Applies the transfer function of a block to a state. Exit guards are evaluated in order: each exit's state is
/// refined by its own guard and by the negation of all guards before it.
pub(super) fn run(
    program: &Program<'_>,
    options: &AnalysisOptions,
    ready: &mut ReadyBlock<Value>,
    state: AbstractState,
) -> BlockTransfer {
    let layout = program.architecture().layout();
    let mut interpreter = Interpreter::new(program, options, state);
    // No step of the abstract domain fails.
    let _ = run_steps(&mut interpreter, ready);
    let Interpreter { state: after, held, code_written, .. } = interpreter;
    let mut ran = BlockTransfer { code_written, ..BlockTransfer::default() };
    let mut conditions: Vec<(u32, bool)> = Vec::new();
    let mut over = false;
    for out in &ready.exits {
        let exit = out.exit.min(255) as u8;
        let (mut on, mut off) = (!over, false);
        if let Some(slot) = out.guard.filter(|_| !over) {
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
                let target = match out.target {
                    ReadyTarget::Computed(slot, _) => Some(ready.values[slot as usize].clone()),
                    ReadyTarget::Place(_) => None,
                };
                ran.left.push(ExitState { exit, state, target });
            }
            None => ran.dead.push(exit),
        }
        if out.guard.is_some()
            && let Some((_, holds)) = conditions.last_mut()
        {
            *holds = false;
        }
        over |= !off;
    }
    ran
}
