//! What of a block oracles look at, worked out once: most blocks have little of it.

use everypath_ir::{Location, Op, Width};
use everypath_machine::{ReadyBlock, Slot, Step};

/// The steps of a block that oracles look at.
#[derive(Clone, Debug, Default)]
pub struct BlockFacts {
    /// Divisions.
    pub(crate) divisions: Vec<Division>,
    /// Steps that access memory at a computed address.
    pub(crate) accesses: Vec<usize>,
    /// Steps that set the stack pointer.
    pub(crate) stack_moves: Vec<usize>,
}

/// A division.
#[derive(Clone, Debug)]
pub(crate) struct Division {
    pub(crate) step: usize,
    pub(crate) divisor: Slot,
    /// The condition under which the instruction is carried out, and whether it must hold or not, if there is one.
    pub(crate) guard: Option<(Slot, bool)>,
}

impl BlockFacts {
    /// Looks through a block. The stack pointer has this place and width, if there is one: where a
    /// program sets it byte by byte, what it is in between means nothing.
    pub fn of<V>(block: &ReadyBlock<V>, stack_pointer: Option<(Location, Width)>) -> BlockFacts {
        let mut facts = BlockFacts::default();
        for (number, step) in block.steps.iter().enumerate() {
            match step {
                Step::Compute(computation)
                    if matches!(computation.op, Op::Udiv | Op::Sdiv | Op::Urem | Op::Srem) =>
                {
                    let guard = guard(block, number, computation.result);
                    facts.divisions.push(Division { step: number, divisor: computation.arguments[1], guard });
                }
                Step::Put(place) if Some((place.location, place.width)) == stack_pointer => {
                    facts.stack_moves.push(number);
                }
                Step::Load(_) | Step::Store(_) => facts.accesses.push(number),
                _ => {}
            }
        }
        facts
    }
}

/// The condition of a predicated instruction: its result is selected by something that was known before it began. A
/// selection by what the instruction itself computes is its meaning, such as that of a quotient by zero.
fn guard<V>(block: &ReadyBlock<V>, step: usize, result: Slot) -> Option<(Slot, bool)> {
    let next = block.marks.partition_point(|(first, _)| *first as usize <= step);
    let first = next.checked_sub(1).map_or(0, |mark| block.marks[mark].0 as usize);
    let last = block.marks.get(next).map_or(block.steps.len(), |(first, _)| *first as usize);
    let inside = &block.steps[first..last];
    let computed_inside =
        |slot: Slot| inside.iter().any(|step| matches!(step, Step::Compute(other) if other.result == slot));
    inside.iter().find_map(|step| match step {
        Step::Compute(select) if select.op == Op::Select && !computed_inside(select.arguments[0]) => {
            let [condition, then, otherwise] = select.arguments;
            (then == result)
                .then_some((condition, true))
                .or((otherwise == result).then_some((condition, false)))
        }
        _ => None,
    })
}
