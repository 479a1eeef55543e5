//! Records tests and findings; greedy test-suite minimisation (cf. Harrold, Gupta and Soffa 1993).
//!
//! A test is kept only after its replay from the entry, on the concrete machine, took the path it was generated from.

use std::collections::{BTreeMap, BTreeSet};

use everypath_environment::{CellRead, Guest, GuestError};
use everypath_ir::Place;
use everypath_machine::{End, State};
use everypath_record::{Address, CoveragePoint, Direction, FORMAT, Finding, TestCase};

use crate::path::oracles::Violation;
use crate::path::path_hash::PathHash;
use crate::path::test_input::TestInput;
use crate::record::replay::{ReplayEnd, Replayed, Replayer};
use crate::record::snapshot::{Iterated, Snapshot};
use crate::record::trial::{ReadSite, Settled, Trial};

/// Whether the exploration cut a run off, so that it could continue.
pub(crate) fn is_broken_off(end: &End) -> bool {
    matches!(end, End::Exhausted { .. } | End::Repeats { .. } | End::Postponed { .. })
}

/// Whether a replay has ended like the path. It is cut off by the number of instructions, whatever cut the path off.
fn is_same_end(replayed: &End, end: &End) -> bool {
    match (replayed, end) {
        (
            End::Exhausted { place: ours, .. },
            End::Exhausted { place: theirs, .. }
            | End::Repeats { place: theirs }
            | End::Postponed { place: theirs },
        ) => ours == theirs,
        _ => replayed == end,
    }
}

/// Whether a replay shows a violation.
fn shows(replayed: &Replayed, violation: &Violation) -> bool {
    replayed.violations.iter().any(|other| other.is_same(violation))
}

/// Maximum number of findings per path: after one fault, a program may fault at every instruction.
pub(crate) const FINDINGS: usize = 8;

/// A path of the exploration, as its replay must reproduce it.
pub(crate) struct ExpectedPath {
    pub(crate) number: PathHash,
    pub(crate) instructions: u64,
    pub(crate) end: End,
    pub(crate) violations: Vec<Violation>,
}

/// The result of recording a path as a test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Recording {
    /// It is a test.
    Kept,
    /// It is a test; its violations from this instruction on are left out.
    Shortened(u64),
    /// Its replay differs.
    Diverged,
}

/// A recorded test, with the directions that its replay from the entry takes.
pub(crate) struct Recorded {
    pub(crate) test: TestCase,
    pub(crate) directions: BTreeSet<Direction>,
    /// Whether the test shows a fault, and is kept whatever it adds.
    finding: bool,
    /// The target that it reaches, if it was made for that.
    target: Option<usize>,
}

/// The tests and findings of an exploration, and the concrete machine that replays them.
pub(crate) struct Recorder<'g> {
    guest: &'g Guest,
    pub(crate) replayer: Replayer<'g>,
    tests: Vec<Recorded>,
    findings: Vec<Finding>,
    divergences: Vec<String>,
    /// The directions that the tests take.
    covered: BTreeSet<Direction>,
    coverage_curve: Vec<CoveragePoint>,
}

/// The minimised suite.
pub(crate) struct Suite {
    pub(crate) tests: Vec<TestCase>,
    pub(crate) findings: Vec<Finding>,
    /// For each covered direction, the name of the first test that takes it.
    pub(crate) covered: BTreeMap<Direction, String>,
    pub(crate) coverage_curve: Vec<CoveragePoint>,
    /// For each confirmed target, the name of its test.
    pub(crate) targets: BTreeMap<usize, String>,
}

impl<'g> Recorder<'g> {
    pub(crate) fn new(guest: &'g Guest, replayer: Replayer<'g>) -> Recorder<'g> {
        Recorder {
            guest,
            replayer,
            tests: Vec::new(),
            findings: Vec::new(),
            divergences: Vec::new(),
            covered: BTreeSet::new(),
            coverage_curve: Vec::new(),
        }
    }

    pub(crate) fn tests(&self) -> &[Recorded] {
        &self.tests
    }

    /// Runs an input without recording anything, and tells whether it takes directions that no test takes, other than these.
    pub(crate) fn try_input(
        &mut self,
        input: &TestInput,
        bound: u64,
        given_up: &BTreeSet<Direction>,
    ) -> Result<Trial, GuestError> {
        self.replayer.try_input(input, bound, Settled { covered: &self.covered, given_up })
    }

    /// The reads of memory-mapped inputs in a run of an input, each with its site.
    pub(crate) fn reads_of(
        &mut self,
        input: &TestInput,
        bound: u64,
    ) -> Result<Vec<(ReadSite, CellRead)>, GuestError> {
        self.replayer.reads_of(input, bound)
    }

    /// A run of an input each time that it comes to the head of a loop, at most `most` times, within a bound on instructions.
    pub(crate) fn snapshots(
        &mut self,
        input: &TestInput,
        head: Place,
        limits: (usize, u64),
    ) -> Result<Vec<Snapshot>, GuestError> {
        self.replayer.snapshots(input, head, limits)
    }

    /// One iteration of a loop from a snapshot, with these values of each input, within a bound on instructions since the entry.
    pub(crate) fn iterate(
        &mut self,
        from: &mut Snapshot,
        values: &BTreeMap<String, Vec<u64>>,
        bound: u64,
        given_up: &BTreeSet<Direction>,
    ) -> Iterated {
        self.replayer.iterate(from, values, bound, Settled { covered: &self.covered, given_up })
    }

    pub(crate) fn findings(&self) -> &[Finding] {
        &self.findings
    }

    /// Adds a point to the coverage curve if coverage has grown since the last one.
    pub(crate) fn mark_progress(&mut self, paths: u64, executed: u64) {
        let covered = self.covered.len() as u64;
        if self.coverage_curve.last().map_or(0, |point| point.covered) < covered {
            self.coverage_curve.push(CoveragePoint { paths, executed, covered });
        }
    }

    /// Whether a violation was found before.
    pub(crate) fn is_found(&self, violation: &Violation) -> bool {
        let same =
            |finding: &Finding| finding.oracle == violation.oracle && finding.address.0 == violation.address;
        self.findings.iter().any(same)
    }

    /// Those of these violations that were not found before, each once.
    pub(crate) fn new_violations(&self, violations: Vec<Violation>) -> Vec<Violation> {
        let mut new: Vec<Violation> = Vec::new();
        for violation in violations {
            if !self.is_found(&violation) && !new.iter().any(|other| other.is_same(&violation)) {
                new.push(violation);
            }
        }
        new
    }

    /// Drops the checkpoints of earlier replays, which only save time.
    pub(crate) fn forget_checkpoints(&mut self) {
        self.replayer.forget_checkpoints();
    }

    /// Replays a path from the entry, and records it as a test if the replay shows what the exploration saw.
    pub(crate) fn record(
        &mut self,
        input: TestInput,
        expected: ExpectedPath,
    ) -> Result<Recording, GuestError> {
        let ExpectedPath { number, instructions, end, violations } = expected;
        let until = match is_broken_off(&end) {
            true => ReplayEnd::BrokenOff(instructions),
            false => ReplayEnd::Ends(instructions),
        };
        let replayed = self.replayer.run(&input, until)?;
        let number = Address(number.0);
        let is_shown = violations.iter().all(|violation| shows(&replayed, violation));
        if replayed.path != number || !is_same_end(&replayed.end, &end) || !is_shown {
            self.diverge((&end, number, &violations), &replayed);
            return Ok(Recording::Diverged);
        }
        Ok(self.keep_first(input, replayed, &end, violations))
    }

    /// Replays a path from the entry, and records it as a test of a program that never ends if the replay comes to this state, for
    /// which that was shown.
    pub(crate) fn record_endless(
        &mut self,
        input: TestInput,
        expected: ExpectedPath,
        start: &State,
    ) -> Result<Recording, GuestError> {
        let ExpectedPath { number, instructions, end, violations } = expected;
        let (replayed, state) = self.replayer.run_to(&input, ReplayEnd::BrokenOff(instructions), None)?;
        let number = Address(number.0);
        let is_there = state.has_same_bytes(start);
        if replayed.path != number || !is_same_end(&replayed.end, &end) || !is_there {
            self.diverge((&end, number, &violations), &replayed);
            return Ok(Recording::Diverged);
        }
        self.keep(input, replayed, &end, violations);
        Ok(Recording::Kept)
    }

    /// Runs an input to the end of the program, and records it as a test if it takes these directions and shows these
    /// violations.
    pub(crate) fn record_reached(
        &mut self,
        input: TestInput,
        adds: &[Direction],
        violations: Vec<Violation>,
        bound: u64,
    ) -> Result<Recording, GuestError> {
        let replayed = self.replayer.run(&input, ReplayEnd::Ends(bound))?;
        let missed = adds.iter().find(|direction| !replayed.directions.contains(direction));
        let missed = missed.map(|direction| format!("it does not take {direction}"));
        let unseen = violations.iter().find(|violation| !shows(&replayed, violation));
        if let Some(what) =
            missed.or_else(|| unseen.map(|violation| format!("it does not show \"{}\"", violation.what)))
        {
            let name = self.next_name();
            self.divergences.push(format!("test {name} does not replay: {what}, which the exploration did"));
            return Ok(Recording::Diverged);
        }
        // The program may read more inputs after the point that the exploration had come to.
        let (input, end) = (TestInput { cells: replayed.cells.clone(), ..input }, replayed.end.clone());
        Ok(self.keep_first(input, replayed, &end, violations))
    }

    /// Runs an input of an abstract path to the end of the program, and records it as a test if it takes one of these
    /// directions or shows one of these violations. Returns the directions that it does not take, and the number of executed
    /// instructions.
    pub(crate) fn try_to_reach(
        &mut self,
        input: TestInput,
        adds: &[Direction],
        mut violations: Vec<Violation>,
        bound: u64,
    ) -> (Vec<Direction>, u64) {
        let Ok(replayed) = self.replayer.run(&input, ReplayEnd::Ends(bound)) else {
            return (adds.to_vec(), 0);
        };
        let executed = replayed.instructions;
        violations.retain(|violation| shows(&replayed, violation));
        let is_missed = |direction: &&Direction| !replayed.directions.contains(direction);
        let missed: Vec<Direction> = adds.iter().filter(is_missed).copied().collect();
        if missed.len() < adds.len() || !violations.is_empty() {
            let (input, end) = (TestInput { cells: replayed.cells.clone(), ..input }, replayed.end.clone());
            self.keep_first(input, replayed, &end, violations);
        }
        (missed, executed)
    }

    /// Records a replay as a test with the first of its violations.
    fn keep_first(
        &mut self,
        input: TestInput,
        run: Replayed,
        end: &End,
        mut violations: Vec<Violation>,
    ) -> Recording {
        let next = violations.get(FINDINGS).map(|violation| violation.address);
        violations.truncate(FINDINGS);
        self.keep(input, run, end, violations);
        next.map_or(Recording::Kept, Recording::Shortened)
    }

    /// Records a replay that ended like this as a test, and the violations that it showed as findings.
    pub(crate) fn keep(&mut self, input: TestInput, run: Replayed, end: &End, violations: Vec<Violation>) {
        let name = self.next_name();
        let adds: Vec<Direction> = run.directions.difference(&self.covered).copied().collect();
        self.covered.extend(&adds);
        let finding = !violations.is_empty();
        for Violation { oracle, address, what } in violations {
            self.findings.push(Finding {
                oracle: oracle.to_owned(),
                address: Address(address),
                message: what,
                test: name.clone(),
            });
        }
        let test = TestCase {
            format: FORMAT,
            name,
            cells: input.cells,
            memory: input.memory,
            registers: input.registers,
            interrupts: run.interrupts,
            end: self.guest.explain(end),
            instructions: run.instructions,
            cut_off: is_broken_off(end),
            path_hash: run.path,
            new_directions: adds,
        };
        self.tests.push(Recorded { test, directions: run.directions, finding, target: None });
    }

    /// Records the test that reaches a target.
    pub(crate) fn keep_target(&mut self, target: usize, test: TestCase, directions: BTreeSet<Direction>) {
        self.covered.extend(&directions);
        self.tests.push(Recorded { test, directions, finding: false, target: Some(target) });
    }

    /// Records how a replay differs from the path that it should take.
    fn diverge(&mut self, (end, number, violations): (&End, Address, &[Violation]), run: &Replayed) {
        let found = |violations: &[Violation]| match violations {
            [] => "no fault".to_owned(),
            some => some.iter().map(|violation| violation.what.clone()).collect::<Vec<_>>().join(", "),
        };
        self.divergences.push(format!(
            "test {} does not replay: the exploration took path {number}, ended with \"{}\" and found {}; the run from the start took path {}, ended with \"{}\" and found {}",
            self.next_name(),
            self.guest.explain(end),
            found(violations),
            run.path,
            self.guest.explain(&run.end),
            found(&run.violations),
        ));
    }

    fn next_name(&self) -> String {
        format!("{:04}", self.tests.len() + 1)
    }

    /// Takes the tests out, without those that add nothing unless all are asked for, and renumbers them.
    pub(crate) fn take_suite(&mut self, all: bool) -> Suite {
        let mut kept = std::mem::take(&mut self.tests);
        if !all {
            minimise(&mut kept);
        }
        let mut suite = Suite {
            tests: Vec::new(),
            findings: std::mem::take(&mut self.findings),
            covered: BTreeMap::new(),
            coverage_curve: std::mem::take(&mut self.coverage_curve),
            targets: BTreeMap::new(),
        };
        for (number, recorded) in kept.into_iter().enumerate() {
            let name = format!("{:04}", number + 1);
            let Recorded { mut test, directions, target, .. } = recorded;
            suite.targets.extend(target.map(|target| (target, name.clone())));
            for finding in suite.findings.iter_mut().filter(|finding| finding.test == test.name) {
                finding.test.clone_from(&name);
            }
            test.new_directions =
                directions.into_iter().filter(|one| !suite.covered.contains_key(one)).collect();
            suite.covered.extend(test.new_directions.iter().map(|direction| (*direction, name.clone())));
            test.name = name;
            suite.tests.push(test);
        }
        suite
    }

    /// Whether the replay of a path differed from it.
    pub(crate) fn has_divergences(&self) -> bool {
        !self.divergences.is_empty()
    }

    /// Drops the tests that were not made for a target, and puts the others in the order of the targets.
    pub(crate) fn retain_targets(&mut self) {
        self.tests.retain(|recorded| recorded.target.is_some());
        self.tests.sort_by_key(|recorded| recorded.target);
    }

    /// Takes out the descriptions of tests whose replay differs from the path that they were generated from.
    pub(crate) fn take_divergences(&mut self) -> Vec<String> {
        std::mem::take(&mut self.divergences)
    }
}

/// Drops tests whose every direction another test takes.
fn minimise(recorded: &mut Vec<Recorded>) {
    let mut times = BTreeMap::new();
    for one in recorded.iter() {
        for direction in &one.directions {
            *times.entry(*direction).or_insert(0_u32) += 1;
        }
    }
    // From the first: later tests often take the directions of the first ones, and more. One test remains in any
    // case: a program without branches has a test, too.
    let mut left = recorded.len();
    recorded.retain(|one| {
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
}
