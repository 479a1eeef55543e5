//! Verdicts: how each branch direction ends, from the knowledge of an exploration that has ended.

use std::collections::BTreeMap;

use everypath_record::{Direction, Judged, Verdict};
use everypath_solve::QueryLimits;
use everypath_term::Terms;

use crate::verdict::blockers::BlockedCode;
use crate::verdict::certificate::{Certified, certify_direction};
use crate::verdict::coverage::DirectionRecord;
use crate::verdict::evidence::evidence;
use crate::verdict::knowledge::Knowledge;

/// How an exploration ended, as far as verdicts depend on it.
pub(crate) struct Ended<'e> {
    /// Whether every feasible path was explored.
    pub(crate) complete: bool,
    /// Why it is incomplete.
    pub(crate) stopped: &'e [String],
    /// Whether a test does not replay.
    pub(crate) has_divergences: bool,
    /// Whether no branch is pending.
    pub(crate) nothing_pending: bool,
    /// For each covered direction, the name of the first test that takes it.
    pub(crate) covered: &'e BTreeMap<Direction, String>,
    /// Whether only the tests of targets are kept.
    pub(crate) keeps_targets_only: bool,
}

/// Returns the verdict on each direction, and the certificates of those that are infeasible.
pub(crate) fn judge(
    knowledge: &Knowledge<'_>,
    ended: &Ended<'_>,
    terms: &Terms,
    limits: &QueryLimits,
) -> (Vec<Judged>, Vec<Certified>) {
    // Value sets are not needed to exclude directions if every path was explored.
    let excluded = if ended.complete { BTreeMap::new() } else { knowledge.excluded(limits) };
    // If only missing models lost paths, all undecided directions are unsupported.
    let unmodelled = knowledge.ledger.only_unmodelled().filter(|_| ended.nothing_pending);
    let blocked = knowledge.blocked_code();
    let mut certificates = Vec::new();
    let mut judged = Vec::new();
    for (direction, known) in knowledge.coverage.directions() {
        let covered = ended.covered.get(direction).cloned();
        let mut verdict = match covered {
            Some(test) => Verdict::covered_by_test(&test),
            None if known.taken > 0 && ended.keeps_targets_only && !ended.has_divergences => {
                let reason = "a path takes it, and only the tests of targets were kept".to_owned();
                Verdict::Open { reason }
            }
            None if known.taken > 0 => {
                let reason = match ended.stopped.first().filter(|_| !ended.has_divergences) {
                    Some(stopped) => format!(
                        "a path had taken it when the exploration ended, before it was a test: {stopped}"
                    ),
                    None => "a path takes it, but its test does not replay".to_owned(),
                };
                Verdict::Open { reason }
            }
            None if ended.complete => explored(&blocked, *direction, known),
            None => match excluded.get(direction) {
                Some(evidence) => Verdict::infeasible(evidence.clone()),
                None => undecided(&blocked, *direction, known, unmodelled.as_ref(), ended),
            },
        };
        if let Verdict::Infeasible { evidence, certificates: names } = &mut verdict {
            let text = certify_direction(*direction, &known.cores, terms, limits, names, &mut certificates);
            evidence.push_str(&text);
        }
        judged.push(Judged { direction: *direction, verdict });
    }
    (judged, certificates)
}

/// The verdict on a direction that no path takes, although every path was explored: it is infeasible, unless a path
/// that ended abnormally may have led to it.
fn explored(blocked: &BlockedCode<'_>, direction: Direction, known: &DirectionRecord) -> Verdict {
    match blocked.reason(direction.branch.0) {
        Some(reason) => Verdict::Open { reason },
        None => Verdict::infeasible(evidence("every path", known)),
    }
}

/// The verdict on a direction that no path takes and nothing excludes, if not every path was explored.
fn undecided(
    blocked: &BlockedCode<'_>,
    direction: Direction,
    known: &DirectionRecord,
    unmodelled: Option<&String>,
    ended: &Ended<'_>,
) -> Verdict {
    if let Some(reason) = unmodelled.filter(|_| known.unknown.is_empty()) {
        return Verdict::Unsupported { reason: reason.clone() };
    }
    let reason = known.unknown.first().cloned();
    // While branches are pending, other paths may lead there.
    let reason = reason.or_else(|| blocked.reason(direction.branch.0).filter(|_| ended.nothing_pending));
    let reason = reason.or_else(|| ended.stopped.first().cloned());
    Verdict::Open { reason: reason.unwrap_or_else(|| "it was not explored".to_owned()) }
}
