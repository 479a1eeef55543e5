//! What oracles suspect: questions beside those of the path tree, each answered by a run from the start.

use everypath_environment::Origin;
use everypath_ir::{Location, Place, Width};
use everypath_machine::{Concolic, End, Event, State, Stepped};
use everypath_oracle::{Look, Seen, Statement, Way};
use everypath_record::Finding;
use everypath_solve::{Answer, Query};
use everypath_term::{Input, Model, Term};

use crate::explorer::Explorer;
use crate::given::Given;
use crate::ledger::Kind;
use crate::replay::Until;
use crate::task::Task;
use crate::trail::Trail;
use crate::watchers::{Wrong, left};

/// Something that would be wrong under a condition, in the block at hand.
pub(crate) struct Suspicion {
    /// The step before whose assumptions it is to be asked.
    pub(crate) step: usize,
    condition: Term,
    any_memory: bool,
    wrong: Wrong,
}

/// A suspicion with the path that leads to it.
pub(crate) struct Probe {
    pub(crate) prefix: Trail,
    known: Model,
    reads: Vec<u32>,
    pub(crate) condition: Term,
    any_memory: bool,
    wrong: Wrong,
}

/// What oracles state about a block.
#[derive(Default)]
pub(crate) struct Stated {
    /// What is wrong.
    pub(crate) wrongs: Vec<Wrong>,
    /// Whether control flow has gone astray by that.
    pub(crate) astray: bool,
    /// What would be, in the order of the steps.
    pub(crate) suspicions: Vec<Suspicion>,
    /// How the block was left, if it was.
    pub(crate) way: Option<Way>,
}

impl Explorer<'_> {
    /// Lets the oracles look at a block that was run.
    pub(crate) fn look(&mut self, task: &mut Task, place: Place, stepped: &Result<Stepped, End>) -> Stated {
        let mut stated = Stated::default();
        let Some(block) = self.machine.known(place).filter(|_| !task.watchers.is_empty()) else {
            return stated;
        };
        let jumped = self.events.iter().find_map(|event| match event {
            Event::Jumped { target, .. } => Some(*target),
            _ => None,
        });
        let (run, way) = left(block, stepped.as_ref(), jumped);
        stated.way = way;
        let facts = self.facts.of(place, block);
        let value = |slot: u32| {
            let Concolic { bits, term } = &block.values[slot as usize];
            Seen { bits: bits.clone(), term: *term }
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
        let is_unwritten = |input: Input| matches!(inputs.origin(input), Some(Origin::Unwritten { .. }));
        let mut look = Look {
            steps: &block.steps,
            marks: &block.marks,
            facts: &facts,
            run,
            value: &value,
            way,
            state: &mut task.state,
            terms: Some(&mut self.terms),
            windows: Some(&task.windows),
            decisions: &decisions,
            is_unwritten: &is_unwritten,
            code_space: self.guest.code_space(),
        };
        task.watchers.look(&mut look, |oracle, statement| match statement {
            // An oracle may be mistaken: it reports, and the machine goes on.
            Statement::Wrong { address, what, astray } => {
                stated.astray |= astray;
                stated.wrongs.push(Wrong { oracle, address, what });
            }
            Statement::Suspect { step, address, condition, any_memory, what } => {
                let wrong = Wrong { oracle, address, what };
                stated.suspicions.push(Suspicion { step, condition, any_memory, wrong });
            }
        });
        stated.suspicions.sort_by_key(|suspicion| suspicion.step);
        stated
    }

    /// Whether something wrong was found before.
    pub(crate) fn is_found(&self, wrong: &Wrong) -> bool {
        let same = |finding: &Finding| finding.oracle == wrong.oracle && finding.address.0 == wrong.address;
        self.findings.iter().any(same)
    }

    /// Takes note of a suspicion; it is asked about when the path has come to its end.
    pub(crate) fn suspect(&mut self, task: &Task, suspicion: &Suspicion) {
        let Suspicion { condition, any_memory, wrong, .. } = suspicion;
        if *any_memory && !self.unwritten_is_input {
            // Nothing closes a direction that depends on what was taken to be zero.
            let what = "memory that nothing has written was taken to be zero";
            self.ledger.note(Kind::Concretised, wrong.address, what, true);
        }
        // What is wrong with an assumption is recorded whether or not the plan wants findings of it.
        if !self.plan.oracles.iter().any(|name| name == wrong.oracle) {
            return;
        }
        if task.derailed.is_some()
            || !task.is_new()
            || self.is_found(wrong)
            || self.terms.as_u64(*condition) == Some(0)
        {
            return;
        }
        self.probes.push(Probe {
            prefix: task.trail.clone(),
            known: task.model.clone(),
            reads: task.progress.reads.clone(),
            condition: *condition,
            any_memory: *any_memory,
            wrong: wrong.clone(),
        });
    }

    /// Asks about everything that is suspected.
    pub(crate) fn ask_suspicions(&mut self) {
        for probe in std::mem::take(&mut self.probes) {
            if self.is_found(&probe.wrong) || self.is_stopped() {
                continue;
            }
            let mut conditions = probe.prefix.conditions();
            if probe.any_memory {
                conditions.retain(|condition| !self.pins.contains(condition));
            }
            conditions.push(probe.condition);
            let known = (!probe.any_memory).then_some(&probe.known);
            let query = Query { conditions: &conditions, known };
            self.counts.asked += 1;
            let limits = self.query_limits();
            match self.solver.check(&mut self.terms, query, &limits) {
                Answer::None(_) => self.counts.none += 1,
                Answer::Unknown(reason) => {
                    self.counts.unknown += 1;
                    let what = format!("whether there is {}: {reason}", probe.wrong.what);
                    // A path that only ends in this fault is in no other query.
                    self.ledger.note(Kind::Unanswered, probe.wrong.address, what, true);
                }
                Answer::Model(model) => {
                    self.counts.models += 1;
                    self.confirm(&probe, &model);
                }
            }
        }
    }

    /// Runs what is suspected to show a fault; only what does is a finding.
    fn confirm(&mut self, probe: &Probe, model: &Model) {
        let given = self.given(model, &probe.reads);
        let until = Until::Ends(self.plan.path_instructions);
        let suspected = Some(&probe.wrong).filter(|_| !probe.any_memory);
        let Ok((run, state)) = self.replayer.run_to(&given, until, suspected) else { return };
        let wrong = if probe.any_memory {
            let plain = Given { memory: self.plain_memory(model, &probe.reads), ..given.clone() };
            let differs = self.replayer.run_to(&plain, until, None).is_ok_and(|(plain, plain_state)| {
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
        let (end, given) = (run.end.clone(), Given { cells: run.cells.clone(), ..given });
        if !matches!(end, End::Exhausted { .. }) {
            self.blockers.note(&end, run.last, || self.guest.explain(&end));
        }
        self.keep(given, run, &end, Vec::new(), vec![wrong]);
    }

    /// Whether two runs left memory different, beyond what differed from the start.
    fn left_different(&self, first: &State, second: &State) -> bool {
        let started_alike = |(location, _): &(Location, u8)| {
            self.inputs.find(Origin::Unwritten { location: *location }).is_none()
        };
        first.contents().filter(started_alike).ne(second.contents().filter(started_alike))
    }

    /// What memory holds on a run where all that nothing has written is zero.
    fn plain_memory(&self, model: &Model, reads: &[u32]) -> Vec<everypath_record::Bytes> {
        let mut plain = Model::new();
        for (input, value) in model.iter() {
            if !matches!(self.inputs.origin(input), Some(Origin::Unwritten { .. })) {
                plain.set(input, value);
            }
        }
        self.given(&plain, reads).memory
    }
}
