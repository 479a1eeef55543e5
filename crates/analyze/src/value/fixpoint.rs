//! The fixpoint of a whole program: functions are run again until what they do to their callers does not change.
//!
//! Functions that call each other in a circle are run together, after all that they call and before all that call them. So what
//! a run keeps, to go on from when another function turns out to do more, is needed for one circle at a time.

use super::call::Summary;
use super::circles::circles;
use super::function::{Analysis, Local};
use super::order::called_by;
use super::program::Bounds;
use super::state::State;
use super::symbol::Value;
use super::twice::returning_twice;
use crate::graph::{BlockId, FunctionId, Graph};
use crate::program::Program;
use everypath_lift::Session;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, Ordering};

/// After so many changes what a function does is widened.
const WIDENED: u32 = 2;
/// After so many changes what still changes is forgotten.
const FORGOTTEN: u32 = 8;

/// What each function does, by its first block.
#[derive(Default)]
pub(super) struct Summaries {
    by_entry: FxHashMap<BlockId, Summary>,
    /// The functions that may return more than once for one call.
    twice: FxHashSet<BlockId>,
}

impl Summaries {
    pub(super) fn get(&self, entry: BlockId) -> Option<&Summary> {
        self.by_entry.get(&entry)
    }

    /// Whether a function may return more than once for one call, as `setjmp` does.
    pub(super) fn returns_twice(&self, entry: BlockId) -> bool {
        self.twice.contains(&entry)
    }
}

/// What was found of all functions.
#[derive(Default)]
pub(super) struct Found {
    pub(super) states: Vec<(BlockId, FunctionId, State)>,
    pub(super) targets: FxHashMap<(BlockId, u8), Vec<(FunctionId, Value)>>,
    pub(super) calls: Vec<(FunctionId, BlockId, BlockId, State)>,
    pub(super) dead: Vec<(BlockId, u8)>,
    pub(super) given_up: Vec<FunctionId>,
    pub(super) steps: u64,
}

pub(super) struct Fixpoint<'a> {
    program: &'a Program<'a>,
    graph: &'a Graph,
    bounds: &'a Bounds,
    stop: Option<&'a AtomicBool>,
    session: Session<'a>,
    summaries: Summaries,
    pub(super) found: Found,
}

/// A function of a circle while that is run.
struct Member {
    id: FunctionId,
    entry: BlockId,
    /// What was found, unless a bound was hit.
    local: Option<Local>,
    /// How many times it was run, and how many times that changed what it does.
    runs: u32,
    changes: u32,
}

impl<'a> Fixpoint<'a> {
    pub(super) fn new(
        program: &'a Program<'a>,
        graph: &'a Graph,
        bounds: &'a Bounds,
        stop: Option<&'a AtomicBool>,
    ) -> Self {
        let twice = returning_twice(program, graph);
        let (summaries, found) = (Summaries { twice, ..Summaries::default() }, Found::default());
        Self { program, graph, bounds, stop, session: program.lifter().session(), summaries, found }
    }

    /// Runs all functions. Says whether it was not stopped.
    pub(super) fn run(&mut self) -> bool {
        circles(self.graph).iter().all(|circle| self.circle(circle))
    }

    /// Runs functions that call each other, those that are called first, until they are stable.
    fn circle(&mut self, functions: &[FunctionId]) -> bool {
        let member = |id: &FunctionId| {
            let entry = self.graph.function(*id).entry;
            Member { id: *id, entry, local: Some(Local::new(self.graph, entry)), runs: 0, changes: 0 }
        };
        let mut members: Vec<Member> = functions.iter().map(member).collect();
        // Who calls each, and from which block.
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
        // From which blocks on each is to be run.
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
        // What went on from earlier states may have kept of them what does not hold any more.
        for member in members.iter_mut().filter(|member| member.runs > 1) {
            self.run_afresh(member);
        }
        self.take(members);
        true
    }

    fn analysis(&mut self) -> Analysis<'a, '_> {
        let Self { program, graph, bounds, ref summaries, ref mut session, .. } = *self;
        Analysis { program, graph, bounds, summaries, session }
    }

    /// Goes on with a function. Says whether what it does to its callers changed.
    fn run_member(&mut self, member: &mut Member, from: &BTreeSet<BlockId>) -> bool {
        let Some(local) = &mut member.local else { return false };
        member.runs += 1;
        let (steps, layout) = (self.bounds.steps, self.program.architecture().layout());
        let from: Vec<BlockId> = from.iter().copied().collect();
        let is_bound_hit = member.changes >= self.bounds.rounds;
        let mut analysis = self.analysis();
        let mut summary = match !is_bound_hit && analysis.run(local, &from, steps) {
            true => analysis.summary(local),
            false => {
                member.local = None;
                Summary::Unknown
            }
        };
        let before = self.summaries.by_entry.get(&member.entry);
        // Functions that call each other in a circle may go on changing: then what they do is widened.
        if member.changes >= WIDENED
            && let (Some(Summary::Returns(before)), Summary::Returns(now)) = (before, &mut summary)
        {
            let mut both = before.clone();
            both.join(now, layout, Some(&[]));
            if member.changes >= FORGOTTEN {
                both.forget_changed(before);
            }
            *now = both;
        }
        let changed = before != Some(&summary);
        if changed {
            member.changes += 1;
            self.summaries.by_entry.insert(member.entry, summary);
        }
        changed
    }

    /// Runs a function from its entry, when it is known of all that it calls what they do.
    fn run_afresh(&mut self, member: &mut Member) {
        if member.local.is_none() {
            return;
        }
        let mut local = Local::new(self.graph, member.entry);
        let steps = self.bounds.steps;
        let mut analysis = self.analysis();
        if analysis.run(&mut local, &[member.entry], steps) {
            let summary = analysis.summary(&local);
            self.summaries.by_entry.insert(member.entry, summary);
            member.local = Some(local);
        }
    }

    /// Keeps what is asked for later.
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
                let note = block.note;
                for (exit, target) in note.targets {
                    found.targets.entry((from, exit)).or_default().push((id, target));
                }
                found.calls.extend(note.calls.into_iter().map(|(to, state)| (id, from, to, state)));
                found.dead.extend(note.dead.into_iter().map(|exit| (from, exit)));
            }
        }
    }
}
