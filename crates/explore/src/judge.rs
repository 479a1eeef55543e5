//! Verdicts: which paths become tests, and how each branch direction ends.

use std::collections::BTreeMap;

use everypath_record::{Address, Finding, Judged, TestCase, Verdict};

use crate::certificate::Certified;
use crate::explorer::Explorer;
use crate::flow::Finished;
use crate::ledger::Kind;
use crate::oracles::Violation;
use crate::plan::Criterion;
use crate::recorder::{Suite, is_broken_off};
use crate::replay::ReplayEnd;

/// Maximum number of findings per path: after one fault, a program may fault at every instruction.
const FINDINGS: usize = 8;

/// The results that an exploration ends with.
pub(crate) struct Judgement {
    pub(crate) tests: Vec<TestCase>,
    pub(crate) findings: Vec<Finding>,
    pub(crate) directions: Vec<Judged>,
    pub(crate) certificates: Vec<Certified>,
}

impl Explorer<'_> {
    /// Turns a path that adds coverage or findings into a test, and records it if its replay takes the same path.
    pub(crate) fn record(&mut self, finished: Finished) {
        let Finished { task, end, wrongs, adds, new_instructions, interrupted } = finished;
        let mut new: Vec<Violation> = Vec::new();
        for wrong in wrongs {
            if !self.recorder.is_found(&wrong) && !new.iter().any(|other| other.is_same(&wrong)) {
                new.push(wrong);
            }
        }
        let wanted = self.plan.keep_all
            || self.plan.criterion == Criterion::Path
            || !adds.is_empty()
            || new_instructions
            || !new.is_empty();
        if !wanted || interrupted {
            return;
        }
        let given = self.given(&task.model, &task.progress.reads);
        let until = match is_broken_off(&end) {
            true => ReplayEnd::BrokenOff(task.instructions),
            false => ReplayEnd::Ends(task.instructions),
        };
        let Ok(replayed) = self.recorder.replayer.run(&given, until) else { return };
        let expected = Address(task.path.0);
        let shows = |wrong: &Violation| replayed.wrongs.iter().any(|other| other.is_same(wrong));
        let same = replayed.path == expected && replayed.end == end && new.iter().all(shows);
        if !same {
            self.ledger.note(Kind::Divergence, task.at.place.address, "a test does not replay", true);
            self.recorder.diverge((&end, expected, &new), &replayed);
            return;
        }
        if new.len() > FINDINGS {
            let what = "a path shows more faults than are reported; the first are the cause of the others";
            self.ledger.note(Kind::Bound, new[FINDINGS].address, what, false);
            new.truncate(FINDINGS);
        }
        self.recorder.keep(given, replayed, &end, new);
    }

    /// Returns the minimised tests, the verdicts, and their certificates.
    pub(crate) fn judge(&mut self, complete: bool, stopped: &[String]) -> Judgement {
        let all = self.plan.keep_all || self.plan.criterion == Criterion::Path;
        let Suite { tests, findings, covered } = self.recorder.take_suite(all);
        let excluded = match (&self.map, complete) {
            (Some(map), false) => map.excluded(self.guest, &self.query_limits()),
            _ => BTreeMap::new(),
        };
        // If only missing models lost paths, all undecided directions are unsupported.
        let unmodelled = self.ledger.only_unmodelled().filter(|_| self.frontier.is_empty());
        let judged = self.coverage.directions().iter().map(|(direction, known)| {
            let verdict = match covered.get(direction) {
                Some(test) => Verdict::Covered { test: test.clone() },
                None if known.taken > 0 => {
                    Verdict::Open { reason: "a path takes it, but its test does not replay".to_owned() }
                }
                None if complete && let Some((address, end)) = self.blocked_by(direction.branch.0) => {
                    Verdict::Open {
                        reason: format!(
                            "blocked: paths end at {address:#x} ({end}), and what lies behind was not run"
                        ),
                    }
                }
                None if complete && known.constant + known.none == 0 => Verdict::Infeasible {
                    evidence: "every path was explored, and none reaches the branch".to_owned(),
                },
                None if complete && known.constant + known.none > 0 => Verdict::Infeasible {
                    evidence: format!(
                        "every path was explored: {} times the branch did not depend on input, {} times the solver found no input",
                        known.constant, known.none
                    ),
                },
                None if excluded.contains_key(direction) => {
                    Verdict::Infeasible { evidence: excluded[direction].clone() }
                }
                None if known.unknown.is_empty() && unmodelled.is_some() => {
                    Verdict::Unsupported { reason: unmodelled.clone().unwrap_or_default() }
                }
                None => {
                    let own = known.unknown.iter().cloned();
                    let reason = own.chain(stopped.iter().cloned()).next();
                    Verdict::Open { reason: reason.unwrap_or_else(|| "it was not explored".to_owned()) }
                }
            };
            Judged { direction: *direction, verdict }
        });
        let mut judged: Vec<Judged> = judged.collect();
        let mut certificates = Vec::new();
        for Judged { direction, verdict } in &mut judged {
            if let Verdict::Infeasible { evidence } = verdict {
                evidence.push_str(&self.certify(*direction, &mut certificates));
            }
        }
        Judgement { tests, findings, directions: judged, certificates }
    }

    /// An instruction at which paths ended abnormally, and how, from which control flow may lead to a branch.
    pub(crate) fn blocked_by(&self, branch: u64) -> Option<(u64, &str)> {
        let leads = |address: u64| self.map.as_ref().is_none_or(|map| map.may_lead(address, branch));
        self.blockers.iter().find(|(address, _)| leads(*address))
    }
}
