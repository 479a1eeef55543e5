//! The block interpreter, generic over the value domain.

use crate::domain::{Domain, MachineDomain};
use crate::end::Fault;
use crate::step::{ReadyBlock, ReadyExit, ReadyTarget, Step};
use crate::watch::Watch;
use everypath_ir::Place;

/// The successor of an executed block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// A direct successor, by this exit.
    Place(usize, Place),
    /// The target address of an indirect jump, by this exit.
    Address(usize, u64),
}

/// A fault and the step at which it occurred; the steps before it are complete.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Interrupted {
    /// The step.
    pub step: usize,
    /// The fault.
    pub fault: Fault,
}

/// Executes the steps of a block in a domain; its exits are left to the caller.
pub fn run_steps<D: Domain>(domain: &mut D, code: &mut ReadyBlock<D::Value>) -> Result<(), Interrupted> {
    execute(domain, &code.steps, &mut code.values, 0)
}

/// Executes a block, and takes one of its exits.
pub fn run_block<D: MachineDomain, W: Watch>(
    domain: &mut D,
    code: &mut ReadyBlock<D::Value>,
    watch: &mut W,
) -> Result<Next, Interrupted> {
    let ReadyBlock { steps, instruction_starts, exits, values, .. } = code;
    if W::INSTRUCTIONS {
        // Each instruction extends to the start of the next one; the last extends to the end of the block.
        let mut from = 0;
        for (index, (start, address)) in instruction_starts.iter().enumerate() {
            let end = instruction_starts.get(index + 1).map_or(steps.len(), |(next, _)| *next as usize);
            debug_assert_eq!(from, *start as usize);
            watch.instruction(*address);
            execute(domain, &steps[from..end], values, from)?;
            from = end;
        }
        execute(domain, &steps[from..], values, from)?;
    } else {
        execute(domain, steps, values, 0)?;
    }
    Ok(leave(domain, exits, values))
}

#[inline]
fn execute<D: Domain>(
    domain: &mut D,
    steps: &[Step],
    values: &mut [D::Value],
    offset: usize,
) -> Result<(), Interrupted> {
    for (index, step) in steps.iter().enumerate() {
        let done = match step {
            Step::Compute(computation) => {
                domain.compute(computation, values);
                Ok(())
            }
            Step::Get(fixed) => domain.get(fixed, values),
            Step::Put(fixed) => domain.put(fixed, values),
            Step::Load(access) => domain.load(access, values),
            Step::Store(access) => domain.store(access, values),
            Step::User(call) => domain.user(call, values),
        };
        if let Err(fault) = done {
            return Err(Interrupted { step: offset + index, fault });
        }
    }
    Ok(())
}

/// Takes the first exit whose guard is one.
#[inline]
fn leave<D: MachineDomain>(domain: &mut D, exits: &[ReadyExit], values: &[D::Value]) -> Next {
    for out in exits {
        let taken = out.guard.is_none_or(|guard| domain.decide(&values[guard as usize]));
        if taken {
            return match out.target {
                ReadyTarget::Place(place) => Next::Place(out.exit, place),
                ReadyTarget::Computed(slot, width) => {
                    Next::Address(out.exit, domain.address(&values[slot as usize], width))
                }
            };
        }
    }
    // The verifier requires that the last exit is unguarded, so one exit is always taken.
    unreachable!("a block whose exits all have guards was not verified")
}
