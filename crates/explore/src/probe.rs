//! Active property checking (Godefroid, Levin and Molnar, EMSOFT 2008): queries for input that violates an oracle's
//! property, each confirmed by a concrete run from the entry.

use std::collections::BTreeMap;
use std::rc::Rc;

use everypath_environment::InputOrigin;
use everypath_ir::Location;
use everypath_machine::{End, State};
use everypath_record::TakenInterrupt;
use everypath_solve::{Answer, Query};
use everypath_term::{Model, Term};
use rustc_hash::FxHashSet;

use crate::cancellation::Cancellation;
use crate::path::inputs::SymbolicInputs;
use crate::path::oracles::Violation;
use crate::path::path_condition::PathCondition;
use crate::path::roots::{Roots, TermHolder};
use crate::path::task::Task;
use crate::path::test_input::TestInput;
use crate::queries::Queries;
use crate::record::recorder::Recorder;
use crate::record::replay::{ReplayEnd, Replayed};
use crate::verdict::blockers::Blockers;
use crate::verdict::ledger::{AssumptionKind, Ledger};

/// The number of suspicions about one violation that are kept to be queried without the addresses of their paths.
const ELSEWHERE: usize = 8;

/// A violation that would occur in the current block under a condition on input.
pub(crate) struct Suspicion {
    /// The step before whose concretisation the condition is queried.
    pub(crate) step: usize,
    pub(crate) condition: Term,
    /// The value that depends on uninitialised memory, if that is what is suspected.
    pub(crate) unwritten: Option<Term>,
    pub(crate) violation: Violation,
}

/// A suspicion with the path that leads to it.
struct Probe {
    prefix: PathCondition,
    known: Model,
    reads: Vec<u32>,
    interrupts: Rc<Vec<TakenInterrupt>>,
    condition: Term,
    /// The value that depends on uninitialised memory, if that is what is suspected.
    unwritten: Option<Term>,
    /// Whether a finding of it is wanted.
    is_wanted: bool,
    /// Whether the path was merged by an abstraction.
    is_abstract: bool,
    violation: Violation,
}

/// The suspicions of oracles on the current path, to be queried when it ends.
pub(crate) struct Probes {
    /// The names of the oracles whose findings are wanted.
    wanted: Vec<String>,
    /// Maximum number of instructions of a confirming run.
    instructions: u64,
    /// Whether merged paths are abstract.
    is_abstract: bool,
    list: Vec<Probe>,
    /// Suspicions that no input of their path confirms, but perhaps one with which the path accesses other addresses: by
    /// oracle and address of the violation.
    elsewhere: BTreeMap<(&'static str, u64), Vec<Probe>>,
}

/// The parts that a confirmed or unanswered suspicion changes.
pub(crate) struct ProbeContext<'c, 'g> {
    pub(crate) inputs: &'c mut SymbolicInputs<'g>,
    pub(crate) queries: &'c mut Queries,
    pub(crate) recorder: &'c mut Recorder<'g>,
    pub(crate) ledger: &'c mut Ledger,
    pub(crate) blockers: &'c mut Blockers,
}

impl Probes {
    pub(crate) fn new(wanted: Vec<String>, instructions: u64) -> Probes {
        Probes { wanted, instructions, is_abstract: false, list: Vec::new(), elsewhere: BTreeMap::new() }
    }

    /// Changes the maximum number of instructions of a confirming run.
    pub(crate) fn bound_instructions(&mut self, bound: u64) {
        self.instructions = bound;
    }

    /// Begins the exploration of an abstraction: merged paths are abstract.
    pub(crate) fn begin_abstraction(&mut self) {
        self.is_abstract = true;
    }

    /// Ends the exploration of an abstraction, with the suspicions of its last path.
    pub(crate) fn end_abstraction(&mut self) {
        self.forget();
        self.is_abstract = false;
    }

    /// Drops the suspicions of a path that is not continued.
    pub(crate) fn forget(&mut self) {
        self.list.clear();
    }

    /// Records a suspicion after a prefix of a path, to be queried when the path has ended.
    pub(crate) fn suspect(
        &mut self,
        task: &Task,
        prefix: &PathCondition,
        suspicion: &Suspicion,
        inputs: &SymbolicInputs<'_>,
        recorder: &Recorder<'_>,
    ) {
        let Suspicion { condition, unwritten, violation, .. } = suspicion;
        if task.derailed_for().is_some() || inputs.terms.as_u64(*condition) == Some(0) {
            return;
        }
        // An assumption is recorded whether or not the plan wants findings of this oracle.
        let is_assumed = unwritten.is_some() && !inputs.unwritten_is_input;
        let is_wanted =
            self.wanted.iter().any(|name| name == violation.oracle) && !recorder.is_found(violation);
        if !is_wanted && !is_assumed {
            return;
        }
        self.list.push(Probe {
            prefix: prefix.clone(),
            known: task.model.clone(),
            reads: task.progress.reads.clone(),
            interrupts: task.interrupts().clone(),
            condition: *condition,
            unwritten: *unwritten,
            is_wanted,
            is_abstract: self.is_abstract && task.is_merged(),
            violation: violation.clone(),
        });
    }

    /// Records that something may depend on uninitialised memory in a block. `prefix` is the path condition before the
    /// block: what the block itself decides may be what depends on it.
    pub(crate) fn suspect_unwritten(
        &mut self,
        task: &Task,
        prefix: &PathCondition,
        suspicion: &Suspicion,
        (inputs, ledger): (&SymbolicInputs<'_>, &mut Ledger),
        recorder: &Recorder<'_>,
    ) {
        if task.derailed_for().is_some() && !inputs.unwritten_is_input {
            note_unwritten(ledger, suspicion.violation.address);
        }
        self.suspect(task, prefix, suspicion, inputs, recorder);
    }

    /// Queries the solver about all recorded suspicions.
    pub(crate) fn ask(&mut self, context: &mut ProbeContext<'_, '_>, cancellation: &Cancellation) {
        for probe in std::mem::take(&mut self.list) {
            if cancellation.is_set() {
                // The search is not complete in any case.
                continue;
            }
            let is_wanted = probe.is_wanted && !context.recorder.is_found(&probe.violation);
            let is_assumed = probe.unwritten.is_some() && !context.inputs.unwritten_is_input;
            let is_noted = context.ledger.is_noted(AssumptionKind::Concretised, probe.violation.address);
            if !is_wanted && (!is_assumed || is_noted) {
                continue;
            }
            let answer = probe.ask(context, cancellation);
            if matches!(answer, Answer::Unsat(_)) {
                self.keep_elsewhere(probe, is_wanted);
                continue;
            }
            if is_assumed {
                note_unwritten(context.ledger, probe.violation.address);
            }
            if !is_wanted {
                continue;
            }
            match answer {
                Answer::Unsat(_) => {}
                Answer::Unknown(reason) => {
                    let what =
                        format!("undecided whether input can cause {}: {reason}", probe.violation.what);
                    // No other query covers a path that ends in this fault.
                    context.ledger.note(AssumptionKind::Unanswered, probe.violation.address, what, true);
                }
                Answer::Sat(model) => probe.confirm(context, &model, self.instructions),
            }
        }
    }

    /// Keeps a suspicion that the addresses of its path may exclude.
    fn keep_elsewhere(&mut self, probe: Probe, is_wanted: bool) {
        let site = (probe.violation.oracle, probe.violation.address);
        let is_full = self.elsewhere.get(&site).is_some_and(|kept| kept.len() >= ELSEWHERE);
        if is_wanted
            && !is_full
            && probe.unwritten.is_none()
            && !probe.is_abstract
            && probe.prefix.fixes_addresses()
        {
            self.elsewhere.entry(site).or_default().push(probe);
        }
    }

    /// Queries the solver about suspicions that the addresses of their paths excluded, without these: a search that has reached
    /// its criterion leaves other addresses pending. What a run does not show was due to an address, and is dropped.
    pub(crate) fn ask_elsewhere(&mut self, context: &mut ProbeContext<'_, '_>, cancellation: &Cancellation) {
        for probe in std::mem::take(&mut self.elsewhere).into_values().flatten() {
            if cancellation.is_set() || context.recorder.is_found(&probe.violation) {
                continue;
            }
            let mut conditions = probe.prefix.without_fixed_addresses();
            conditions.push(probe.condition);
            let query = Query { conditions: &conditions, known: Some(&probe.known) };
            let answer = context.queries.ask_cheaply(&mut context.inputs.terms, query, cancellation.flag());
            if let Answer::Sat(model) = answer
                && let Some(shown) = probe.run(context, &model, self.instructions)
            {
                shown.keep(context);
            }
        }
    }
}

/// A direction that depends on memory assumed to be zero must not be judged infeasible.
fn note_unwritten(ledger: &mut Ledger, address: u64) {
    let what = "uninitialised memory was read and assumed to be zero; set `unwritten = \"input\"` to explore other contents";
    ledger.note(AssumptionKind::Concretised, address, what, true);
}

impl Probe {
    /// Queries the solver for input that causes the violation.
    fn ask(&self, context: &mut ProbeContext<'_, '_>, cancellation: &Cancellation) -> Answer {
        let inputs = &mut *context.inputs;
        let mut conditions = self.prefix.conditions();
        match self.unwritten {
            None => conditions.push(self.condition),
            Some(value) => {
                // Whether other contents change the value, with the same input and after the same decisions. Often they do
                // not: what was decided before excludes the cases in which they count.
                conditions.retain(|condition| !inputs.unwritten_assumptions.contains(condition));
                conditions.push(value);
                let mut assumed = inputs.with_assumed_contents(&conditions, &self.known);
                let as_assumed = assumed.pop().unwrap_or(value);
                conditions.pop();
                // Conditions without such memory are stated already.
                let stated: FxHashSet<Term> = conditions.iter().copied().collect();
                conditions.extend(assumed.into_iter().filter(|condition| !stated.contains(condition)));
                conditions.push(inputs.terms.ne(value, as_assumed));
            }
        }
        let query = Query { conditions: &conditions, known: Some(&self.known) };
        context.queries.ask(&mut inputs.terms, query, cancellation.flag())
    }

    /// Runs a model concretely; only a violation that the run shows is a finding.
    fn confirm(&self, context: &mut ProbeContext<'_, '_>, model: &Model, instructions: u64) {
        if let Some(shown) = self.run(context, model, instructions) {
            return shown.keep(context);
        }
        if self.is_abstract {
            // It may happen, or be due to the abstraction: the code after it is not judged.
            context.blockers.note_suspected(self.violation.address, &self.violation.what);
            return;
        }
        let what = format!("a run did not confirm a suspected violation: {}", self.violation.what);
        context.ledger.note(AssumptionKind::Divergence, self.violation.address, what, true);
    }

    /// The run of a model, if it shows the violation.
    fn run(&self, context: &mut ProbeContext<'_, '_>, model: &Model, instructions: u64) -> Option<Shown> {
        let ProbeContext { inputs, recorder, .. } = context;
        let input = inputs.test_input(model, &self.reads, &self.interrupts);
        let until = ReplayEnd::Ends(instructions);
        let suspected = Some(&self.violation).filter(|_| self.unwritten.is_none());
        let (run, state) = recorder.replayer.run_to(&input, until, suspected).ok()?;
        let shown = if self.unwritten.is_some() {
            let plain = inputs.test_input_with_zeroed_memory(model, &self.reads, &self.interrupts);
            let differs = recorder.replayer.run_to(&plain, until, None).is_ok_and(|(plain, plain_state)| {
                plain.path != run.path || left_different(inputs, &state, &plain_state)
            });
            differs.then(|| self.violation.clone())
        } else {
            run.violations.iter().find(|violation| violation.is_same(&self.violation)).cloned()
        };
        let input = TestInput { cells: run.cells.clone(), ..input };
        shown.map(|violation| Shown { input, run, violation })
    }
}

/// A run that shows a violation.
struct Shown {
    input: TestInput,
    run: Replayed,
    violation: Violation,
}

impl Shown {
    /// Keeps it as a finding.
    fn keep(self, context: &mut ProbeContext<'_, '_>) {
        let ProbeContext { inputs, recorder, blockers, .. } = context;
        let Shown { input, run, violation } = self;
        let end = run.end.clone();
        if !matches!(end, End::Exhausted { .. }) {
            blockers.note_confirmed(&end, run.last, || inputs.guest.explain(&end));
        }
        recorder.keep(input, run, &end, vec![violation]);
    }
}

/// Whether two runs leave different memory, beyond bytes that differed from the start.
fn left_different(inputs: &SymbolicInputs<'_>, first: &State, second: &State) -> bool {
    let started_alike = |(location, _): &(Location, u8)| {
        inputs.table.find(InputOrigin::Unwritten { location: *location }).is_none()
    };
    first.contents().filter(started_alike).ne(second.contents().filter(started_alike))
}

impl TermHolder for Probes {
    fn roots(&self, roots: &mut Roots) {
        for probe in self.list.iter().chain(self.elsewhere.values().flatten()) {
            roots.extend([probe.condition]);
            roots.extend(probe.unwritten);
            roots.path(&probe.prefix);
        }
    }
}
