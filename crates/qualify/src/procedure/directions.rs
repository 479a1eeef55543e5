//! Branch directions: their verdicts, against those of a person, against every input, and against their tests.

use super::ProgramCheck;
use crate::concrete_runs::{ConcreteRuns, open};
use crate::qualification::CheckResult;
use everypath::{Direction, Verdict};
use std::collections::{BTreeMap, BTreeSet};

/// The verdicts are those that a person derived from the listing.
pub(super) fn expected(check: &ProgramCheck<'_>, result: &mut CheckResult) -> Result<(), String> {
    let explored = check.explore(&[], "tests", result)?;
    let expected = check.program.expected.verdicts();
    let directions = &explored.suite.summary.directions;
    let found: BTreeMap<String, &str> =
        directions.iter().map(|judged| (judged.direction.to_string(), judged.verdict.name())).collect();
    result.observed = format!("{} directions", found.len());
    for direction in expected.keys().chain(found.keys()).collect::<BTreeSet<_>>() {
        let (wanted, is) = (expected.get(direction), found.get(direction));
        if wanted != is {
            let word = |verdict: Option<&&str>| verdict.map_or("not listed", |verdict| *verdict).to_owned();
            result.faults.push(format!("{direction} is {}, expected {}", word(is), word(wanted)));
        }
    }
    Ok(())
}

/// Every direction that some input takes is listed.
pub(super) fn listed(check: &ProgramCheck<'_>, result: &mut CheckResult) -> Result<(), String> {
    let explored = check.explore(&[], "tests", result)?;
    let binary = open(check.program)?;
    let (transitions, inputs) = ConcreteRuns::new(&binary)?.of_all_inputs(&check.program.inputs)?;
    let listed: BTreeSet<(u64, u64)> =
        explored.suite.summary.directions.iter().map(|judged| pair(judged.direction)).collect();
    let mut successors: BTreeMap<u64, BTreeSet<u64>> = BTreeMap::new();
    for (from, to) in &transitions {
        successors.entry(*from).or_default().insert(*to);
    }
    // An instruction with several successors is a branch, listed or not.
    let is_branch = |from: &u64| {
        successors.get(from).is_some_and(|to| to.len() > 1) || listed.iter().any(|(branch, _)| branch == from)
    };
    for (from, to) in transitions.iter().filter(|(from, _)| is_branch(from)) {
        if !listed.contains(&(*from, *to)) {
            result.faults.push(format!("an input takes {from:#x} -> {to:#x}, which is not listed"));
        }
    }
    result.observed = format!("{inputs} inputs run, {} directions listed", listed.len());
    Ok(())
}

/// The test of each covered direction takes it, on the concrete machine.
pub(super) fn taken(check: &ProgramCheck<'_>, result: &mut CheckResult) -> Result<(), String> {
    let explored = check.explore(&[], "tests", result)?;
    let binary = open(check.program)?;
    let mut runs = ConcreteRuns::new(&binary)?;
    let mut count = 0;
    for judged in &explored.suite.summary.directions {
        let Verdict::Covered { test: name, .. } = &judged.verdict else { continue };
        count += 1;
        match explored.suite.tests.iter().find(|test| test.name == *name) {
            None => result.faults.push(format!("{}: there is no test {name}", judged.direction)),
            Some(test) if !runs.of_test(test)?.contains(&pair(judged.direction)) => {
                result.faults.push(format!("test {name} does not take {}", judged.direction));
            }
            Some(_) => {}
        }
    }
    result.observed = format!("{count} covered directions, each taken by its test");
    if count == 0 {
        result.faults.push("no direction is covered, so that nothing was checked".to_owned());
    }
    Ok(())
}

/// No input takes an infeasible direction.
pub(super) fn infeasible(check: &ProgramCheck<'_>, result: &mut CheckResult) -> Result<(), String> {
    let explored = check.explore(&[], "tests", result)?;
    let binary = open(check.program)?;
    let (transitions, inputs) = ConcreteRuns::new(&binary)?.of_all_inputs(&check.program.inputs)?;
    let mut count = 0;
    for judged in &explored.suite.summary.directions {
        if matches!(judged.verdict, Verdict::Infeasible { .. }) {
            count += 1;
            if transitions.contains(&pair(judged.direction)) {
                result.faults.push(format!("{} is infeasible, and an input takes it", judged.direction));
            }
        }
    }
    result.observed = format!("{inputs} inputs run, {count} infeasible directions, none of them taken");
    if count == 0 {
        result.faults.push("no direction is infeasible, so that nothing was checked".to_owned());
    }
    Ok(())
}

/// The certificates of infeasible directions are accepted.
pub(super) fn certificates(check: &ProgramCheck<'_>, result: &mut CheckResult) -> Result<(), String> {
    let explored = check.explore(&["--certificates"], "tests", result)?;
    let files = check.certificates_in(&explored.folder)?;
    for file in &files {
        let run = check.check_certificate(file, result);
        if run.code != Some(0) {
            result.faults.push(format!("{file} is refused: {}", run.output.trim()));
        }
    }
    result.observed = format!("{} certificates accepted", files.len());
    Ok(())
}

fn pair(direction: Direction) -> (u64, u64) {
    (direction.branch.0, direction.target.0)
}
