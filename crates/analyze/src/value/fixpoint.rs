//! Interprocedural fixpoint by function summaries (the functional approach, Sharir & Pnueli 1981).
//!
//! Processes the call graph's strongly connected components bottom-up and iterates each until its summaries are stable.
//! The intermediate states of an iteration are kept for one component at a time.

use super::call::CallEffects;
use super::call_graph::call_graph_sccs;
use super::function::{Analysis, Local};
use super::options::AnalysisOptions;
use super::state::AbstractState;
use super::summary::{Summaries, Summary};
use super::symbol::Value;
use super::twice::returning_twice;
use super::weak_topological_order::called_by;
use crate::graph::{BlockId, FunctionId, Graph};
use crate::program::Program;
use everypath_lift::LiftSession;
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, Ordering};

/// A summary is widened after this many changes.
const WIDENED: u32 = 2;
/// After this many changes, the values of a summary that still change are set to unknown.
const HAVOCKED: u32 = 8;

/// Results for all functions.
#[derive(Default)]
pub(super) struct FixpointResult {
    pub(super) states: Vec<(BlockId, FunctionId, AbstractState)>,
    pub(super) targets: FxHashMap<(BlockId, u8), Vec<(FunctionId, Value)>>,
    pub(super) calls: Vec<(FunctionId, BlockId, BlockId, AbstractState)>,
    pub(super) dead: Vec<(BlockId, u8)>,
    pub(super) given_up: Vec<FunctionId>,
    pub(super) steps: u64,
}

pub(super) struct Fixpoint<'a> {
    program: &'a Program<'a>,
    graph: &'a Graph,
    options: &'a AnalysisOptions,
    stop: Option<&'a AtomicBool>,
    session: LiftSession<'a>,
    summaries: Summaries,
    pub(super) found: FixpointResult,
}

/// A function of the component that is being iterated.
struct Member {
    id: FunctionId,
    entry: BlockId,
    /// Its analysis state; `None` once a bound was hit.
    local: Option<Local>,
    /// Number of runs, and number of runs that changed its summary.
    runs: u32,
    changes: u32,
}

impl<'a> Fixpoint<'a> {
    pub(super) fn new(
        program: &'a Program<'a>,
        graph: &'a Graph,
        options: &'a AnalysisOptions,
        stop: Option<&'a AtomicBool>,
    ) -> Self {
        let summaries = Summaries::new(returning_twice(program, graph));
        let found = FixpointResult::default();
        Self { program, graph, options, stop, session: program.lifter().session(), summaries, found }
    }

    /// Analyses all functions. Returns false if it was stopped.
    pub(super) fn run(&mut self) -> bool {
        call_graph_sccs(self.graph).iter().all(|component| self.iterate_component(component))
    }

    /// Iterates one component of the call graph, callees first, until its summaries are stable. Returns false if
    /// stopped.
    fn iterate_component(&mut self, functions: &[FunctionId]) -> bool {
        let member = |id: &FunctionId| {
            let entry = self.graph.function(*id).entry;
            Member { id: *id, entry, local: Some(Local::new(self.graph, entry)), runs: 0, changes: 0 }
        };
        let mut members: Vec<Member> = functions.iter().map(member).collect();
        // The callers of each member, with the calling block.
        let mut callers: FxHashMap<BlockId, Vec<(usize, BlockId)>> =
            members.iter().map(|member| (member.entry, Vec::new())).collect();
        for (position, local) in
            members.iter().enumerate().filter_map(|(at, member)| Some((at, member.local.as_ref()?)))
        {
            for from in local.blocks.iter().map(|block| block.id) {
                for entry in called_by(self.graph, from) {
                    if let Some(callers) = callers.get_mut(&entry) {
                        callers.push((position, from));
                    }
                }
            }
        }
        // Worklist: members to run again, with the blocks to restart from.
        let mut open: BTreeMap<usize, BTreeSet<BlockId>> =
            members.iter().enumerate().map(|(position, member)| (position, [member.entry].into())).collect();
        while let Some((position, from)) = open.pop_first() {
            if self.stop.is_some_and(|stop| stop.load(Ordering::Relaxed)) {
                self.take(members);
                return false;
            }
            let entry = members[position].entry;
            if self.run_member(&mut members[position], &from) {
                let callers = callers.get(&entry).into_iter().flatten();
                for (caller, from) in callers.filter(|(caller, _)| members[*caller].local.is_some()) {
                    open.entry(*caller).or_default().insert(*from);
                }
            }
        }
        // A resumed run may have kept imprecision from earlier states: run once more from the entry.
        for member in members.iter_mut().filter(|member| member.runs > 1) {
            self.run_afresh(member);
        }
        self.take(members);
        true
    }

    fn analysis(&mut self) -> Analysis<'a, '_> {
        let Self { program, graph, options, ref summaries, ref mut session, .. } = *self;
        Analysis { calls: CallEffects { program, graph, options }, summaries, session }
    }

    /// Resumes the analysis of a function. Returns true if its summary changed.
    fn run_member(&mut self, member: &mut Member, from: &BTreeSet<BlockId>) -> bool {
        let Some(local) = &mut member.local else { return false };
        member.runs += 1;
        let (steps, layout) = (self.options.steps, self.program.architecture().layout());
        let from: Vec<BlockId> = from.iter().copied().collect();
        let is_bound_hit = member.changes >= self.options.rounds;
        let mut analysis = self.analysis();
        let mut summary = match !is_bound_hit && analysis.run(local, &from, steps) {
            true => analysis.summary(local),
            false => {
                member.local = None;
                Summary::Unknown
            }
        };
        let before = self.summaries.get(member.entry);
        // Summaries of mutually recursive functions may keep changing: widen them.
        if member.changes >= WIDENED
            && let (Some(Summary::Returns(before)), Summary::Returns(now)) = (before, &mut summary)
        {
            let mut both = before.clone();
            both.join(now, layout, Some(&[]));
            if member.changes >= HAVOCKED {
                both.havoc_changed(before);
            }
            *now = both;
        }
        let changed = before != Some(&summary);
        if changed {
            member.changes += 1;
            self.summaries.insert(member.entry, summary);
        }
        changed
    }

    /// Analyses a function afresh from its entry, now that the summaries of all callees are stable.
    fn run_afresh(&mut self, member: &mut Member) {
        if member.local.is_none() {
            return;
        }
        let mut local = Local::new(self.graph, member.entry);
        let steps = self.options.steps;
        let mut analysis = self.analysis();
        if analysis.run(&mut local, &[member.entry], steps) {
            let summary = analysis.summary(&local);
            self.summaries.insert(member.entry, summary);
            member.local = Some(local);
        }
    }

    /// Moves the results of a finished component into `found`.
    fn take(&mut self, members: Vec<Member>) {
        let found = &mut self.found;
        for Member { id, local, .. } in members {
            let Some(local) = local else {
                found.given_up.push(id);
                continue;
            };
            found.steps += local.steps;
            for block in local.blocks {
                let from = block.id;
                found.states.extend(block.state.map(|state| (from, id, state)));
                let outcome = block.outcome;
                for (exit, target) in outcome.targets {
                    found.targets.entry((from, exit)).or_default().push((id, target));
                }
                found.calls.extend(outcome.calls.into_iter().map(|(to, state)| (id, from, to, state)));
                found.dead.extend(outcome.dead.into_iter().map(|exit| (from, exit)));
            }
        }
    }
}
