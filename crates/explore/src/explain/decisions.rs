//! Dynamic data dependences of a test's branches on its inputs: a concolic replay of the test, in which the condition of each
//! branch is a term over the inputs. Data that is loaded from a concretised address does not depend on what computed the address.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use everypath_environment::{Configuration, Guest, GuestError, InputOrigin};
use everypath_machine::Event;
use everypath_record::{DecidingInput, Direction, InputDecision, TestCase};
use everypath_term::Input;

use crate::entry::Entry;
use crate::extensions::Extensions;
use crate::path::inputs::SymbolicInputs;
use crate::path::test_input::TestInput;
use crate::plan::Bounds;
use crate::run::runner::PathRunner;
use crate::verdict::coverage::Coverage;

/// For each direction that no earlier test takes, the inputs on which its condition depends.
pub(crate) fn input_decisions(
    guest: &Guest,
    configuration: &Configuration,
    test: &TestCase,
) -> Result<Vec<InputDecision>, GuestError> {
    let mut wanted: BTreeSet<Direction> = test.new_directions.iter().copied().collect();
    let Entry { mut inputs, root: mut task, limits, .. } =
        Entry::prepare(guest, configuration, &[], &Extensions::default(), &HashSet::new())?;
    let input = TestInput::of(test);
    let model = inputs.model_of(&input);
    inputs.take_model(&mut task, model);
    let mut runner = PathRunner::new(guest, limits, &Bounds::default(), false, &HashSet::new());
    let mut coverage = Coverage::default();
    let mut decisions = Vec::new();
    while task.instructions < test.instructions && !wanted.is_empty() {
        if let Some(due) = input.due(task.interrupts().len(), task.instructions) {
            if runner.interrupt(&mut task, &mut inputs, due.number).is_err() {
                break;
            }
            continue;
        }
        let (after, mut adds) = (task.instructions, Vec::new());
        let ended = runner.replay_block(&mut task, &mut inputs, &mut coverage, &mut adds).is_err();
        adds.retain(|direction| wanted.remove(direction));
        if !adds.is_empty() {
            let by = deciding(&inputs, runner.events());
            decisions.extend(adds.into_iter().map(|direction| InputDecision {
                direction,
                after,
                inputs: by.clone(),
            }));
        }
        if ended {
            break;
        }
    }
    Ok(decisions)
}

/// The inputs on which the decisions of a block depend.
fn deciding(inputs: &SymbolicInputs<'_>, events: &[Event]) -> Vec<DecidingInput> {
    let terms = events.iter().filter_map(|event| match event {
        Event::Decided { condition, .. } => Some(*condition),
        Event::Jumped { target, .. } => Some(*target),
        _ => None,
    });
    let bytes: BTreeSet<Input> = terms.flat_map(|term| inputs.terms.inputs(term).iter()).collect();
    let mut named: BTreeMap<String, BTreeSet<u32>> = BTreeMap::new();
    for origin in bytes.into_iter().filter_map(|byte| inputs.table.origin(byte)) {
        let (name, read) = match origin {
            InputOrigin::Reading { cell, ordinal, .. } => {
                (inputs.world.cells().nth(cell as usize).map(str::to_owned), Some(ordinal + 1))
            }
            InputOrigin::Initial { input, .. } => {
                (inputs.initial.values.get(input as usize).map(|input| input.name.clone()), None)
            }
            InputOrigin::Unwritten { location } => {
                (Some(format!("uninitialised memory at {}", inputs.guest.name_location(location))), None)
            }
            InputOrigin::Assumed { location } | InputOrigin::Changed { location, .. } => {
                let access = inputs.table.changing_around(location);
                (Some(format!("the assumed value of {}", inputs.guest.name_location(access))), None)
            }
            // A replay merges no paths.
            InputOrigin::Abstracted { .. } => continue,
        };
        named.entry(name.unwrap_or_default()).or_default().extend(read);
    }
    let input =
        |(input, reads): (String, BTreeSet<u32>)| DecidingInput { input, reads: reads.into_iter().collect() };
    named.into_iter().map(input).collect()
}
