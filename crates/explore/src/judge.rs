//! Tests and verdicts of an exploration; greedy test-suite minimisation (cf. Harrold, Gupta and Soffa 1993).

use std::collections::{BTreeMap, BTreeSet};

use everypath_machine::End;
use everypath_record::{Address, Direction, FORMAT, Finding, Judged, TestCase, Verdict};

use crate::certificate::Certified;
use crate::explorer::Explorer;
use crate::flow::Finished;
use crate::ledger::Kind;
use crate::oracles::Violation;
use crate::plan::Criterion;
use crate::replay::{ReplayEnd, Replayed};
use crate::test_input::TestInput;

/// Maximum number of findings per path: after one fault, a program may fault at every instruction.
const FINDINGS: usize = 8;

/// Whether a bound cut a run off, so that it could continue.
fn is_broken_off(end: &End) -> bool {
    matches!(end, End::Exhausted { .. })
}

/// A recorded test, with the directions that its replay from the entry takes.
pub(crate) struct Recorded {
    pub(crate) test: TestCase,
    pub(crate) directions: BTreeSet<Direction>,
    /// Whether the test shows a fault, and is kept whatever it adds.
    pub(crate) finding: bool,
}

impl Explorer<'_> {
    /// Turns a path that adds coverage or findings into a test, and records it if its replay takes the same path.
    pub(crate) fn record(&mut self, finished: Finished) {
        let Finished { task, end, wrongs, adds, new_instructions, interrupted } = finished;
        let mut new: Vec<Violation> = Vec::new();
        for wrong in wrongs {
            if !self.is_found(&wrong) && !new.iter().any(|other| other.is_same(&wrong)) {
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
        let Ok(replayed) = self.replayer.run(&given, until) else { return };
        let expected = Address(task.path.0);
        let shows = |wrong: &Violation| replayed.wrongs.iter().any(|other| other.is_same(wrong));
        let same = replayed.path == expected && replayed.end == end && new.iter().all(shows);
        if !same {
            let text = self.explain_divergence((&end, expected, &new), &replayed);
            self.ledger.note(Kind::Divergence, task.at.place.address, "a test does not replay", true);
            self.divergences.push(text);
            return;
        }
        if new.len() > FINDINGS {
            let what = "a path shows more faults than are reported; the first are the cause of the others";
            self.ledger.note(Kind::Bound, new[FINDINGS].address, what, false);
            new.truncate(FINDINGS);
        }
        for direction in &adds {
            if let Some(known) = self.coverage.known(*direction) {
                known.test = Some(self.recorded.len());
            }
        }
        self.keep(given, replayed, &end, adds, new);
    }

    /// Records a replay that ended like this as a test, and the violations that it showed as findings.
    pub(crate) fn keep(
        &mut self,
        given: TestInput,
        run: Replayed,
        end: &End,
        adds: Vec<Direction>,
        wrongs: Vec<Violation>,
    ) {
        let name = self.next_name();
        let finding = !wrongs.is_empty();
        for Violation { oracle, address, what } in wrongs {
            self.findings.push(Finding {
                oracle: oracle.to_owned(),
                address: Address(address),
                what,
                test: name.clone(),
                replayed: true,
            });
        }
        let test = TestCase {
            format: FORMAT,
            name,
            cells: given.cells,
            memory: given.memory,
            registers: given.registers,
            end: self.guest.explain(end),
            instructions: run.instructions,
            broken_off: is_broken_off(end),
            path: run.path,
            adds,
        };
        self.recorded.push(Recorded { test, directions: run.directions, finding });
    }

    /// Describes how a replay differs from the path that it should take.
    fn explain_divergence(&self, path: (&End, Address, &[Violation]), run: &Replayed) -> String {
        let (end, number, wrongs) = path;
        let found = |wrongs: &[Violation]| match wrongs {
            [] => "no fault".to_owned(),
            wrongs => wrongs.iter().map(|wrong| wrong.what.clone()).collect::<Vec<_>>().join(", "),
        };
        format!(
            "test {} does not replay: the exploration took path {number}, ended with \"{}\" and found {}; the run from the start took path {}, ended with \"{}\" and found {}",
            self.next_name(),
            self.guest.explain(end),
            found(wrongs),
            run.path,
            self.guest.explain(&run.end),
            found(&run.wrongs),
        )
    }

    fn next_name(&self) -> String {
        format!("{:04}", self.recorded.len() + 1)
    }

    /// Returns the minimised tests, the verdicts, and their certificates.
    pub(crate) fn judge(
        &mut self,
        complete: bool,
        stopped: &[String],
    ) -> (Vec<TestCase>, Vec<Judged>, Vec<Certified>) {
        let kept = self.minimised();
        let mut tests = Vec::new();
        let mut covered = BTreeMap::new();
        for (number, recorded) in kept.iter().enumerate() {
            let name = format!("{:04}", number + 1);
            let mut test = recorded.test.clone();
            for finding in &mut self.findings {
                if finding.test == test.name {
                    finding.test.clone_from(&name);
                }
            }
            test.adds =
                recorded.directions.iter().filter(|one| !covered.contains_key(*one)).copied().collect();
            for direction in &test.adds {
                covered.insert(*direction, name.clone());
            }
            test.name = name;
            tests.push(test);
        }
        let excluded = match (&self.map, complete) {
            (Some(map), false) => map.excluded(self.guest, &self.query_limits()),
            _ => BTreeMap::new(),
        };
        // If only missing models lost paths, all undecided directions are unsupported.
        let unmodelled = self.ledger.only_unmodelled().filter(|_| self.frontier_is_empty());
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
        (tests, judged, certificates)
    }

    /// An instruction at which paths ended abnormally, and how, from which control flow may lead to a branch.
    pub(crate) fn blocked_by(&self, branch: u64) -> Option<(u64, &str)> {
        let leads = |address: u64| self.map.as_ref().is_none_or(|map| map.may_lead(address, branch));
        self.blockers.iter().find(|(address, _)| leads(*address))
    }

    /// Greedy test-suite minimisation: drops each test whose directions the remaining tests take, unless all are
    /// wanted.
    fn minimised(&mut self) -> Vec<Recorded> {
        let mut recorded = std::mem::take(&mut self.recorded);
        if self.plan.keep_all || self.plan.criterion == Criterion::Path {
            return recorded;
        }
        let mut times = BTreeMap::new();
        for one in &recorded {
            for direction in &one.directions {
                *times.entry(*direction).or_insert(0_u32) += 1;
            }
        }
        // From the first: later tests often take the directions of the first ones, and more. One test remains in any
        // case: a program without branches has a test, too.
        let mut number = 0;
        let mut left = recorded.len();
        recorded.retain(|one| {
            number += 1;
            let adds = one.directions.iter().any(|direction| times[direction] == 1);
            if adds || one.finding || left == 1 {
                return true;
            }
            for direction in &one.directions {
                if let Some(times) = times.get_mut(direction) {
                    *times -= 1;
                }
            }
            left -= 1;
            false
        });
        recorded
    }
}
