//! Active property checking (Godefroid, Levin and Molnar, EMSOFT 2008): queries for input that violates an oracle's
//! property, each confirmed by a concrete run from the entry.

use everypath_environment::InputOrigin;
use everypath_ir::{Location, Place, Width};
use everypath_machine::{Concolic, End, Event, State, Stepped};
use everypath_oracle::{BlockObservation, ObservedValue, OracleReport, TakenExit};
use everypath_solve::{Answer, Query};
use everypath_term::{Input, Model, Term};

use crate::explorer::Explorer;
use crate::ledger::Kind;
use crate::oracles::{Violation, left};
use crate::path_condition::PathCondition;
use crate::replay::ReplayEnd;
use crate::roots::{Roots, TermHolder};
use crate::task::Task;
use crate::test_input::TestInput;

/// A violation that would occur in the current block under a condition on input.
pub(crate) struct Suspicion {
    /// The step before whose concretisation the condition is queried.
    pub(crate) step: usize,
    condition: Term,
    any_memory: bool,
    wrong: Violation,
}

/// A suspicion with the path that leads to it.
pub(crate) struct Probe {
    pub(crate) prefix: PathCondition,
    known: Model,
    reads: Vec<u32>,
    pub(crate) condition: Term,
    any_memory: bool,
    wrong: Violation,
}

/// The oracles' statements about an executed block.
#[derive(Default)]
pub(crate) struct OracleReports {
    /// Violations on this path.
    pub(crate) wrongs: Vec<Violation>,
    /// Whether a violation made control flow go astray.
    pub(crate) astray: bool,
    /// Violations that other input may cause, in the order of the steps.
    pub(crate) suspicions: Vec<Suspicion>,
    /// The exit by which the block was left, if it was.
    pub(crate) exit: Option<TakenExit>,
}

impl TermHolder for Probe {
    fn roots(&self, roots: &mut Roots) {
        roots.extend([self.condition]);
        roots.path(&self.prefix);
    }
}

impl Explorer<'_> {
    /// Lets the oracles observe an executed block.
    pub(crate) fn observe(
        &mut self,
        task: &mut Task,
        place: Place,
        stepped: &Result<Stepped, End>,
    ) -> OracleReports {
        let mut stated = OracleReports::default();
        let Some(block) = self.machine.known(place).filter(|_| !task.oracles.is_empty()) else {
            return stated;
        };
        let jumped = self.events.iter().find_map(|event| match event {
            Event::Jumped { target, .. } => Some(*target),
            _ => None,
        });
        let (run, exit) = left(block, stepped.as_ref(), jumped);
        stated.exit = exit;
        let facts = self.facts.of(place, block);
        let value = |slot: u32| {
            let Concolic { bits, term } = &block.values[slot as usize];
            ObservedValue { bits: bits.clone(), term: *term }
        };
        let terms = &mut self.terms;
        let decided = |event: &Event| match *event {
            Event::Decided { condition, taken } | Event::Guarded { condition, taken, .. } => {
                Some(if taken { condition } else { terms.not(condition) })
            }
            Event::Executed { byte, value } => {
                let value = terms.constant_u64(u64::from(value), Width::W8);
                Some(terms.eq(byte, value))
            }
            _ => None,
        };
        let decisions: Vec<Term> = self.events.iter().filter_map(decided).collect();
        let inputs = &self.inputs;
        let is_unwritten = |input: Input| matches!(inputs.origin(input), Some(InputOrigin::Unwritten { .. }));
        let mut observation = BlockObservation {
            steps: &block.steps,
            instruction_starts: &block.instruction_starts,
            facts: &facts,
            run,
            value: &value,
            exit,
            state: &mut task.state,
            terms: Some(&mut self.terms),
            ranges: Some(&task.ranges),
            decisions: &decisions,
            is_unwritten: &is_unwritten,
            code_space: self.guest.code_space(),
        };
        task.oracles.observe(&mut observation, |oracle, statement| match statement {
            // An oracle may be mistaken: it reports, and the machine continues.
            OracleReport::Wrong { address, what, astray } => {
                stated.astray |= astray;
                stated.wrongs.push(Violation { oracle, address, what });
            }
            OracleReport::Suspect { step, address, condition, any_memory, what } => {
                let wrong = Violation { oracle, address, what };
                stated.suspicions.push(Suspicion { step, condition, any_memory, wrong });
            }
        });
        stated.suspicions.sort_by_key(|suspicion| suspicion.step);
        stated
    }

    /// Records a suspicion, to be queried when the path has ended.
    pub(crate) fn suspect(&mut self, task: &Task, suspicion: &Suspicion) {
        let Suspicion { condition, any_memory, wrong, .. } = suspicion;
        if *any_memory && !self.unwritten_is_input {
            // A direction that depends on memory assumed to be zero must not be judged infeasible.
            let what = "memory that nothing has written was taken to be zero";
            self.ledger.note(Kind::Concretised, wrong.address, what, true);
        }
        // The assumption is recorded whether or not the plan wants findings of this oracle.
        if !self.plan.oracles.iter().any(|name| name == wrong.oracle) {
            return;
        }
        if task.derailed.is_some()
            || !task.is_new()
            || self.recorder.is_found(wrong)
            || self.terms.as_u64(*condition) == Some(0)
        {
            return;
        }
        self.probes.push(Probe {
            prefix: task.path_condition.clone(),
            known: task.model.clone(),
            reads: task.progress.reads.clone(),
            condition: *condition,
            any_memory: *any_memory,
            wrong: wrong.clone(),
        });
    }

    /// Queries the solver about all recorded suspicions.
    pub(crate) fn ask_suspicions(&mut self) {
        for probe in std::mem::take(&mut self.probes) {
            if self.recorder.is_found(&probe.wrong) || self.cancellation.is_set() {
                continue;
            }
            let mut conditions = probe.prefix.conditions();
            if probe.any_memory {
                conditions.retain(|condition| !self.unwritten_assumptions.contains(condition));
            }
            conditions.push(probe.condition);
            let known = (!probe.any_memory).then_some(&probe.known);
            let query = Query { conditions: &conditions, known };
            self.counts.asked += 1;
            let limits = self.query_limits();
            match self.solver.check(&mut self.terms, query, &limits) {
                Answer::Unsat(_) => self.counts.none += 1,
                Answer::Unknown(reason) => {
                    self.counts.unknown += 1;
                    let what = format!("whether there is {}: {reason}", probe.wrong.what);
                    // No other query covers a path that ends in this fault.
                    self.ledger.note(Kind::Unanswered, probe.wrong.address, what, true);
                }
                Answer::Sat(model) => {
                    self.counts.models += 1;
                    self.confirm(&probe, &model);
                }
            }
        }
    }

    /// Runs a model concretely; only a violation that the run shows is a finding.
    fn confirm(&mut self, probe: &Probe, model: &Model) {
        let given = self.given(model, &probe.reads);
        let until = ReplayEnd::Ends(self.plan.path_instructions);
        let suspected = Some(&probe.wrong).filter(|_| !probe.any_memory);
        let Ok((run, state)) = self.recorder.replayer.run_to(&given, until, suspected) else { return };
        let wrong = if probe.any_memory {
            let plain = TestInput { memory: self.plain_memory(model, &probe.reads), ..given.clone() };
            let differs =
                self.recorder.replayer.run_to(&plain, until, None).is_ok_and(|(plain, plain_state)| {
                    plain.path != run.path || self.left_different(&state, &plain_state)
                });
            differs.then(|| probe.wrong.clone())
        } else {
            run.wrongs.iter().find(|wrong| wrong.is_same(&probe.wrong)).cloned()
        };
        let Some(wrong) = wrong else {
            let what = format!("a run did not show what was suspected: {}", probe.wrong.what);
            self.ledger.note(Kind::Divergence, probe.wrong.address, what, true);
            return;
        };
        let (end, given) = (run.end.clone(), TestInput { cells: run.cells.clone(), ..given });
        if !matches!(end, End::Exhausted { .. }) {
            self.blockers.note(&end, run.last, || self.guest.explain(&end));
        }
        self.recorder.keep(given, run, &end, vec![wrong]);
    }

    /// Whether two runs leave different memory, beyond bytes that differed from the start.
    fn left_different(&self, first: &State, second: &State) -> bool {
        let started_alike = |(location, _): &(Location, u8)| {
            self.inputs.find(InputOrigin::Unwritten { location: *location }).is_none()
        };
        first.contents().filter(started_alike).ne(second.contents().filter(started_alike))
    }

    /// The initial memory of a test in which all uninitialised memory is zero.
    fn plain_memory(&self, model: &Model, reads: &[u32]) -> Vec<everypath_record::MemoryBytes> {
        let mut plain = Model::new();
        for (input, value) in model.iter() {
            if !matches!(self.inputs.origin(input), Some(InputOrigin::Unwritten { .. })) {
                plain.set(input, value);
            }
        }
        self.given(&plain, reads).memory
    }
}
