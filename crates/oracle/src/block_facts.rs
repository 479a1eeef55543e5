//! The steps of a basic block that oracles inspect, computed once; most blocks have few.

use everypath_ir::{Location, Op, Width};
use everypath_machine::{ReadyBlock, Slot, Step};

/// The steps of a block that oracles inspect.
#[derive(Clone, Debug, Default)]
pub struct BlockFacts {
    /// Divisions.
    pub(crate) divisions: Vec<Division>,
    /// Steps that access memory at a computed address.
    pub(crate) accesses: Vec<usize>,
    /// Whether one of those raises an exception on misalignment.
    pub(crate) checks_alignment: bool,
    /// Steps that set the stack pointer.
    pub(crate) stack_moves: Vec<usize>,
    /// Steps with a guarded user operation.
    pub(crate) guarded_operations: Vec<usize>,
}

/// A division.
#[derive(Clone, Debug)]
pub(crate) struct Division {
    pub(crate) step: usize,
    /// The divisor's slot; its value is one where the instruction's predicate does not hold.
    pub(crate) divisor: Slot,
}

impl BlockFacts {
    /// Collects the facts of a block. Only writes of the whole stack pointer count: where a program sets it byte by
    /// byte, the values in between mean nothing.
    pub fn of<V>(block: &ReadyBlock<V>, stack_pointer: Option<(Location, Width)>) -> BlockFacts {
        let mut facts = BlockFacts::default();
        for (number, step) in block.steps.iter().enumerate() {
            match step {
                Step::Compute(computation)
                    if matches!(computation.op, Op::Udiv | Op::Sdiv | Op::Urem | Op::Srem) =>
                {
                    facts.divisions.push(Division { step: number, divisor: computation.arguments[1] });
                }
                Step::Put(place) if Some((place.location, place.width)) == stack_pointer => {
                    facts.stack_moves.push(number);
                }
                Step::User(call) if call.guard.is_some() => facts.guarded_operations.push(number),
                Step::Load(access) | Step::Store(access) => {
                    facts.accesses.push(number);
                    facts.checks_alignment |= access.misaligned != 0;
                }
                _ => {}
            }
        }
        facts
    }
}
