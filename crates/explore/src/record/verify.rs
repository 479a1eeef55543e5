//! Compares the replay of a test with everything that the test records.

use everypath_environment::{Configuration, Guest, GuestError, VolatileCell};
use everypath_machine::{Bound, End, FaultReason};
use everypath_record::{CellValues, TestCase};

use crate::plan::Plan;
use crate::record::replay::{Replayed, replay_watched};

/// Replays a recorded test from the entry, watched by all built-in oracles. Returns the run, and each difference from the record
/// in words.
///
/// # Errors
/// If the configuration or the test does not fit the guest.
pub fn verify(
    guest: &Guest,
    configuration: &Configuration,
    test: &TestCase,
) -> Result<(Replayed, Vec<String>), GuestError> {
    let run = replay_watched(guest, configuration, test, &Plan::default().oracles)?;
    let mut differences = Vec::new();
    if run.path != test.path_hash {
        differences.push(format!("it takes another path ({}; recorded: {})", run.path, test.path_hash));
    }
    if !ends_as_recorded(guest, test, &run) {
        differences.push(format!("it ends differently: {}; recorded: {}", guest.explain(&run.end), test.end));
    }
    if run.instructions != test.instructions {
        let (own, recorded) = (run.instructions, test.instructions);
        differences.push(format!("it has {own} instructions; recorded: {recorded}"));
    }
    if run.interrupts != test.interrupts {
        let (own, recorded) = (run.interrupts.len(), test.interrupts.len());
        differences.push(format!("it takes other interrupts ({own}; recorded: {recorded})"));
    }
    for direction in &test.new_directions {
        if !run.directions.contains(direction) {
            differences.push(format!("it does not take {direction}, which it is recorded to add"));
        }
    }
    differences.extend(cell_differences(&guest.cells(configuration)?, test, &run));
    Ok((run, differences))
}

/// Whether a run ended as recorded. Where the exploration cut the path off, the replay stops as well, and an oracle
/// must report the recorded violation.
fn ends_as_recorded(guest: &Guest, test: &TestCase, run: &Replayed) -> bool {
    if guest.explain(&run.end) == test.end {
        return test.cut_off == matches!(run.end, End::Exhausted { .. });
    }
    // The replay is cut off by the number of instructions, whatever cut the path off.
    let bounds = [Bound::Instructions, Bound::Memory, Bound::Decisions, Bound::Astray, Bound::Shown];
    if let End::Exhausted { place, .. } = run.end
        && bounds
            .map(|bound| End::Exhausted { place, bound })
            .iter()
            .chain([&End::Repeats { place }, &End::Postponed { place }])
            .any(|end| guest.explain(end) == test.end)
    {
        return test.cut_off;
    }
    let stated = run.violations.iter().map(|violation| End::Faulted {
        address: run.last,
        reason: FaultReason::Forbidden(violation.what.clone()),
    });
    test.cut_off
        && matches!(run.end, End::Exhausted { .. })
        && stated.into_iter().any(|end| guest.explain(&end) == test.end)
}

/// Cells that the run reads more or fewer times than recorded.
fn cell_differences(cells: &[VolatileCell], test: &TestCase, run: &Replayed) -> Vec<String> {
    let count = |cells: &[CellValues], name: &str| {
        cells.iter().filter(|cell| cell.name == name).map(|cell| cell.values.len()).sum::<usize>()
    };
    let mut differences = Vec::new();
    for cell in cells {
        let (recorded, read) = (count(&test.cells, &cell.name), count(&run.cells, &cell.name));
        // A test need not repeat the values that the configuration gives.
        let is_scripted = !cell.values.is_empty() && recorded == 0;
        if recorded != read && !is_scripted {
            differences.push(format!("it reads {} {read} times; values recorded: {recorded}", cell.name));
        }
    }
    for cell in &test.cells {
        if !cells.iter().any(|known| known.name == cell.name) {
            differences.push(format!("there is no volatile cell `{}`", cell.name));
        }
    }
    differences
}
