//! From paths to a result: which tests are kept, and what is known of each branch direction.

use std::collections::BTreeSet;

use everypath_environment::Origin;
use everypath_machine::End;
use everypath_record::{Address, Cell, Direction, FORMAT, Finding, Judged, TestCase, Verdict};

use crate::explorer::Explorer;
use crate::flow::Finished;
use crate::ledger::Kind;
use crate::plan::Criterion;
use crate::replay::Replayed;

/// A path that became a test, with what a run from the start took.
pub(crate) struct Recorded {
    test: TestCase,
    directions: BTreeSet<Direction>,
    /// Where computed jumps led to; those that input computes are directions, too.
    jumps: BTreeSet<Direction>,
    /// Whether it is kept whatever it adds: it shows a fault.
    finding: bool,
}

impl Explorer<'_> {
    /// Makes a test of a path, runs it from the start, and keeps it if it adds something.
    pub(crate) fn record(&mut self, finished: Finished) {
        let Finished { task, end, adds, new_instructions, interrupted } = finished;
        let fault = self.fault(&end);
        let wanted = self.plan.keep_all
            || self.plan.criterion == Criterion::Path
            || !adds.is_empty()
            || new_instructions
            || fault.is_some();
        if !wanted || interrupted {
            return;
        }
        let cells = self.cells(&task);
        let broken_off = matches!(end, End::Exhausted { .. });
        let replayed = self.replayer.run(&cells, task.instructions, broken_off);
        let name = format!("{:04}", self.recorded.len() + 1);
        let expected = (Address(task.path.0), &end);
        let same = (replayed.path, &replayed.end) == expected;
        if !same {
            let text = format!(
                "test {name}: the exploration ended with {end:?} on path {}, the run from the start with {:?} on path {}",
                expected.0, replayed.end, replayed.path
            );
            self.ledger.note(Kind::Divergence, task.at.place.address, "a test does not replay", true);
            self.divergences.push(text);
            return;
        }
        if let Some((oracle, address, what)) = &fault {
            let finding = Finding {
                oracle: oracle.clone(),
                address: Address(*address),
                what: what.clone(),
                test: name.clone(),
                replayed: true,
            };
            self.findings.push(finding);
        }
        for direction in &adds {
            if let Some(known) = self.coverage.known(*direction) {
                known.test = Some(self.recorded.len());
            }
        }
        let test = TestCase {
            format: FORMAT,
            name,
            cells,
            memory: Vec::new(),
            registers: Vec::new(),
            end: self.guest.explain(&end),
            instructions: task.instructions,
            broken_off,
            path: Address(task.path.0),
            adds,
        };
        let Replayed { directions, jumps, .. } = replayed;
        self.recorded.push(Recorded { test, directions, jumps, finding: fault.is_some() });
    }

    /// What an end says about a fault of the guest, if it was not said before.
    fn fault(&self, end: &End) -> Option<(String, u64, String)> {
        let End::Faulted { address, reason } = end else { return None };
        let what = reason.to_string();
        let known = self.findings.iter().any(|finding| finding.address.0 == *address && finding.what == what);
        (!known).then(|| ("fault".to_owned(), *address, what))
    }

    /// The values that each cell gives on a path.
    fn cells(&self, task: &crate::task::Task) -> Vec<Cell> {
        let names = self.world.cells().enumerate();
        let cell = |(number, name): (usize, &str)| {
            let value = |ordinal: u32| {
                (0..8).rev().fold(0_u64, |value, byte| {
                    let origin = Origin::Reading { cell: number as u32, ordinal, byte };
                    let input = self.inputs.find(origin);
                    value << 8 | u64::from(input.map_or(0, |input| task.model.get(input)))
                })
            };
            let values = (0..task.progress.reads[number]).map(value).collect();
            Cell { name: name.to_owned(), values }
        };
        names.map(cell).filter(|cell| !cell.values.is_empty()).collect()
    }

    /// The tests that are kept, and the verdicts.
    pub(crate) fn judge(&mut self, complete: bool, stopped: &[String]) -> (Vec<TestCase>, Vec<Judged>) {
        let kept = self.minimised();
        let mut tests = Vec::new();
        let mut covered = std::collections::BTreeMap::new();
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
        let judged = self.coverage.directions().iter().map(|(direction, known)| {
            let verdict = match covered.get(direction) {
                Some(test) => Verdict::Covered { test: test.clone() },
                None if known.taken > 0 => {
                    Verdict::Open { reason: "a path takes it, but its test does not replay".to_owned() }
                }
                // A direction that nothing ever decided is no evidence of anything.
                None if complete && known.constant + known.none > 0 => Verdict::Infeasible {
                    evidence: format!(
                        "every path was explored: {} times the branch did not depend on input, {} times the solver found no input",
                        known.constant, known.none
                    ),
                },
                None => {
                    let own = known.unknown.iter().cloned();
                    let reason = own.chain(stopped.iter().cloned()).next();
                    Verdict::Open { reason: reason.unwrap_or_else(|| "it was not explored".to_owned()) }
                }
            };
            Judged { direction: *direction, verdict }
        });
        (tests, judged.collect())
    }

    /// The tests without those that add nothing to the others, unless all are asked for.
    fn minimised(&mut self) -> Vec<Recorded> {
        let mut recorded = std::mem::take(&mut self.recorded);
        for one in &mut recorded {
            let jumps = std::mem::take(&mut one.jumps).into_iter();
            one.directions.extend(jumps.filter(|jump| self.coverage.directions().contains_key(jump)));
        }
        if self.plan.keep_all || self.plan.criterion == Criterion::Path {
            return recorded;
        }
        let mut times = std::collections::BTreeMap::new();
        for one in &recorded {
            for direction in &one.directions {
                *times.entry(*direction).or_insert(0_u32) += 1;
            }
        }
        // From the first: later tests often take what the first ones took, and more. The very first stays if all else
        // goes: a program without branches has a test, too.
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
