//! Running one block: the only interpreter there is, whatever a value is.

use crate::domain::Domain;
use crate::end::Fault;
use crate::step::{ReadyBlock, Step, Way, WayTarget};
use crate::watch::Watch;
use everypath_ir::Place;

/// Where a block led to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// To a known place, by this exit.
    Place(usize, Place),
    /// To an address that was computed, by this exit.
    Address(usize, u64),
}

/// A fault, and the step at which it happened: the steps before it have been done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Interrupted {
    /// The step.
    pub step: usize,
    /// What happened.
    pub fault: Fault,
}

/// Runs a block in a domain.
pub fn run_block<D: Domain, W: Watch>(
    domain: &mut D,
    code: &mut ReadyBlock<D::Value>,
    watch: &mut W,
) -> Result<Next, Interrupted> {
    let ReadyBlock { steps, marks, ways, values, .. } = code;
    if W::INSTRUCTIONS {
        // Between two marks there is one instruction; the last one goes on to the end.
        let mut from = 0;
        for (index, (start, address)) in marks.iter().enumerate() {
            let end = marks.get(index + 1).map_or(steps.len(), |(next, _)| *next as usize);
            debug_assert_eq!(from, *start as usize);
            watch.instruction(*address);
            run_steps(domain, &steps[from..end], values, from)?;
            from = end;
        }
        run_steps(domain, &steps[from..], values, from)?;
    } else {
        run_steps(domain, steps, values, 0)?;
    }
    Ok(leave(domain, ways, values))
}

#[inline]
fn run_steps<D: Domain>(
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

/// Takes the first way whose guard is one.
#[inline]
fn leave<D: Domain>(domain: &mut D, ways: &[Way], values: &[D::Value]) -> Next {
    for way in ways {
        let taken = way.guard.is_none_or(|guard| domain.decide(&values[guard as usize]));
        if taken {
            return match way.target {
                WayTarget::Place(place) => Next::Place(way.exit, place),
                WayTarget::Computed(slot, width) => {
                    Next::Address(way.exit, domain.address(&values[slot as usize], width))
                }
            };
        }
    }
    // The verifier asks that the last exit has no guard, so one of them is always taken.
    unreachable!("a block whose exits all have guards was not verified")
}
