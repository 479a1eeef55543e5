//! Branch directions whose verdicts differ between two runs.

use std::collections::BTreeMap;

use everypath_record::{CodeLocation, Direction, Judged, Verdict};
use serde::Serialize;

use super::matching::{Functions, Matcher, Matching, Position};

/// The change of a verdict, in the order in which changes are shown: regressions first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum VerdictChange {
    /// It was covered, and is infeasible, open or unsupported.
    NoLongerCovered,
    /// It was infeasible, and is open or unsupported.
    NoLongerInfeasible,
    /// It was unsupported, and is open.
    NewlyOpen,
    /// It was open, and is unsupported.
    NewlyUnsupported,
    /// The first run does not have it.
    New,
    /// The second run does not have it.
    Removed,
    /// It was not covered, and is.
    NewlyCovered,
    /// It was open or unsupported, and is infeasible.
    NewlyInfeasible,
}

/// A direction whose verdict changed, or that only one run has.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct DirectionChange {
    /// The change.
    pub change: VerdictChange,
    /// Whether a run calls infeasible what the other covers, although program and configuration are the same: one of them is
    /// wrong. Coverage by a trace contradicts nothing.
    pub is_contradiction: bool,
    /// The branch, in the second run if that has it.
    pub branch: CodeLocation,
    /// The target.
    pub target: CodeLocation,
    /// The direction and its verdict in the first run.
    pub before: Option<Judged>,
    /// The direction and its verdict in the second run.
    pub after: Option<Judged>,
}

/// The directions whose verdicts differ, except those of changed functions; and how they were matched.
pub(super) fn changes(matcher: &Matcher<'_>) -> (Vec<DirectionChange>, Matching) {
    let mut matching = Matching { same_program: matcher.same_program, ..Matching::default() };
    let mut pairs: Vec<(Option<&Judged>, Option<&Judged>)> = Vec::new();
    let own = |suite: &Functions<'_>, judged: &&Judged| !matcher.is_changed(suite, judged.direction.branch);
    let before = matcher.before.summary.directions.iter().filter(|judged| own(&matcher.before, judged));
    let after = matcher.after.summary.directions.iter().filter(|judged| own(&matcher.after, judged));
    let (mut by_function, mut by_address) = (BTreeMap::new(), BTreeMap::new());
    for judged in before {
        match places(matcher, &matcher.before, judged.direction) {
            Some(places) => by_function.insert(places, judged),
            None => by_address.insert(judged.direction, judged),
        };
    }
    // What has no function in one of the suites is matched by its address.
    let mut without_function = Vec::new();
    for judged in after {
        match places(matcher, &matcher.after, judged.direction) {
            Some(places) => match by_function.remove(&places) {
                Some(old) => {
                    matching.by_function += 1;
                    pairs.push((Some(old), Some(judged)));
                }
                None => match by_address.remove(&judged.direction) {
                    Some(old) => {
                        matching.by_address += 1;
                        pairs.push((Some(old), Some(judged)));
                    }
                    None => pairs.push((None, Some(judged))),
                },
            },
            None => without_function.push(judged),
        }
    }
    by_address.extend(by_function.into_values().map(|judged| (judged.direction, judged)));
    for judged in without_function {
        let old = by_address.remove(&judged.direction);
        matching.by_address += usize::from(old.is_some());
        pairs.push((old, Some(judged)));
    }
    pairs.extend(by_address.into_values().map(|judged| (Some(judged), None)));
    let mut changes: Vec<DirectionChange> =
        pairs.into_iter().filter_map(|(before, after)| change(matcher, before, after)).collect();
    changes.sort_by_key(|change| (change.change, change.branch.address, change.target.address));
    (changes, matching)
}

/// The positions of branch and target, if they are to be matched by them.
fn places(
    matcher: &Matcher<'_>,
    suite: &Functions<'_>,
    direction: Direction,
) -> Option<(Position, Position)> {
    if matcher.same_program {
        return None;
    }
    suite.place(direction.branch).zip(suite.place(direction.target))
}

fn change(matcher: &Matcher<'_>, before: Option<&Judged>, after: Option<&Judged>) -> Option<DirectionChange> {
    use Verdict::{Covered, Infeasible, Open, Unsupported};
    let verdicts = (before.map(|judged| &judged.verdict), after.map(|judged| &judged.verdict));
    let change = match verdicts {
        (None, None)
        | (Some(Covered { .. }), Some(Covered { .. }))
        | (Some(Infeasible { .. }), Some(Infeasible { .. }))
        | (Some(Open { .. }), Some(Open { .. }))
        | (Some(Unsupported { .. }), Some(Unsupported { .. })) => return None,
        (None, Some(_)) => VerdictChange::New,
        (Some(_), None) => VerdictChange::Removed,
        (Some(Covered { .. }), Some(_)) => VerdictChange::NoLongerCovered,
        (Some(_), Some(Covered { .. })) => VerdictChange::NewlyCovered,
        (Some(Infeasible { .. }), Some(_)) => VerdictChange::NoLongerInfeasible,
        (Some(_), Some(Infeasible { .. })) => VerdictChange::NewlyInfeasible,
        (Some(_), Some(Open { .. })) => VerdictChange::NewlyOpen,
        (Some(_), Some(Unsupported { .. })) => VerdictChange::NewlyUnsupported,
    };
    let (summary, judged) = match (before, after) {
        (_, Some(judged)) => (matcher.after.summary, judged),
        (Some(judged), None) => (matcher.before.summary, judged),
        (None, None) => return None,
    };
    let (old, new) = (&matcher.before.summary.configuration_hash, &matcher.after.summary.configuration_hash);
    // An older suite does not record the configuration.
    let same_setup = matcher.same_program && old == new && !old.is_empty();
    // A trace that takes an infeasible direction refutes the configuration, which need not describe where it was recorded.
    let is_by_trace =
        [before, after].into_iter().flatten().any(|judged| judged.verdict.is_covered_elsewhere());
    let is_opposite = matches!(
        verdicts,
        (Some(Covered { .. }), Some(Infeasible { .. })) | (Some(Infeasible { .. }), Some(Covered { .. }))
    );
    Some(DirectionChange {
        change,
        is_contradiction: same_setup && is_opposite && !is_by_trace,
        branch: summary.location(judged.direction.branch).into_owned(),
        target: summary.location(judged.direction.target).into_owned(),
        before: before.cloned(),
        after: after.cloned(),
    })
}
