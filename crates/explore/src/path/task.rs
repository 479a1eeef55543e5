//! One execution path up to some point: its state, path condition and model, and the replay of a known prefix.

use everypath_environment::{InputTable, Progress, Sensor, World};
use std::rc::Rc;

use everypath_ir::Place;
use everypath_machine::{At, ConcolicDomain, Event, PathRanges, State};
use everypath_record::{Address, TakenInterrupt};
use everypath_term::{Model, Term, Terms};

use crate::path::ancestors::Ancestors;
use crate::path::oracles::Oracles;
use crate::path::path_condition::PathCondition;
use crate::path::path_hash::PathHash;
use crate::path::prefix::{Prefix, ReplayPlan, Used};
use crate::path::roots::{Roots, TermHolder};
use crate::reach::progress::TargetProgress;

/// A place where control flow joins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Join {
    /// The head of a loop.
    LoopHead,
    /// Behind a call.
    Return,
}

/// The initial patience of a path. Most paths end or show something new before.
const PATIENCE: usize = 256;

/// A path up to some point, from which it can continue.
pub(crate) struct Task {
    pub(crate) state: State,
    pub(crate) at: At,
    /// The reads of memory-mapped inputs (MMIO) so far.
    pub(crate) progress: Progress,
    /// The path condition.
    pub(crate) path_condition: PathCondition,
    /// A model of the path condition.
    pub(crate) model: Model,
    pub(crate) instructions: u64,
    /// The interrupts that it has taken.
    interrupts: Rc<Vec<TakenInterrupt>>,
    /// The interrupt that it takes where it is.
    next_interrupt: Option<u64>,
    /// The last executed instruction.
    pub(crate) last: u64,
    /// Hash of the blocks and exits so far.
    pub(crate) path: PathHash,
    /// The alternatives that the path has used up.
    pub(crate) used: Used,
    /// The oracles that watch the path.
    pub(crate) oracles: Oracles,
    /// Instruction count at which control flow went astray, such as by a corrupted return. Oracles' later reports are
    /// consequences and are dropped.
    derailed: Option<u64>,
    /// The join that the path has just come to.
    at_join: Option<Join>,
    /// Its earlier states at the heads of loops.
    pub(crate) ancestors: Ancestors,
    /// Value ranges of terms that the path condition implies.
    ranges: PathRanges,
    /// Number of decisions on input so far.
    decisions: usize,
    /// The prefix that the path replays.
    prefix: Prefix,
    /// Number of assumptions of the prefix that have joined the path condition.
    assumptions_done: usize,
    /// Number of decisions on input and interrupts in a row with nothing new, after which other paths come first; none if
    /// the path is not postponed any more.
    patience: Option<usize>,
    /// Instruction count at which a trial run last took an uncovered direction: until then the path is not ended, interrupted or
    /// postponed at the heads of loops.
    new_direction_at: u64,
    /// Number of interrupts that it had taken when it last showed something new.
    fruitful_interrupts: usize,
    /// Its progress towards the targets of a directed search.
    pub(crate) target_progress: TargetProgress,
    /// Where it was last at a point of a target: the number of instructions, the place, and the target that is next to be
    /// checked there.
    arrival: Option<(u64, Place, usize)>,
    /// Whether several paths were merged into this one: it cannot be replayed from the entry, and has no path hash.
    is_merged: bool,
}

/// A replay that left its prefix: the alternatives after it were not explored.
#[must_use]
pub(crate) struct PrefixLost;

impl Task {
    /// A path at the entry.
    pub(crate) fn at_entry(
        state: State,
        place: Place,
        progress: Progress,
        (path_condition, model): (PathCondition, Model),
        objects: usize,
        oracles: Oracles,
    ) -> Task {
        Task {
            state,
            at: At::new(place),
            progress,
            path_condition,
            model,
            instructions: 0,
            interrupts: Rc::default(),
            next_interrupt: None,
            last: place.address,
            path: PathHash::START,
            used: Used { objects: vec![0; objects], ..Used::default() },
            oracles,
            derailed: None,
            at_join: None,
            ancestors: Ancestors::default(),
            ranges: PathRanges::default(),
            decisions: 0,
            prefix: Prefix::default(),
            assumptions_done: 0,
            patience: Some(PATIENCE),
            new_direction_at: 0,
            fruitful_interrupts: 0,
            target_progress: TargetProgress::default(),
            arrival: None,
            is_merged: false,
        }
    }

    /// Notes that control flow goes astray here, unless it did before.
    pub(crate) fn derail(&mut self) {
        self.derailed.get_or_insert(self.instructions);
    }

    /// Number of instructions since control flow went astray, if it did.
    pub(crate) fn derailed_for(&self) -> Option<u64> {
        self.derailed.map(|since| self.instructions.saturating_sub(since))
    }

    /// Notes the join, if there is one, that the path has just come to.
    pub(crate) fn arrive(&mut self, join: Option<Join>) {
        self.at_join = join;
    }

    /// The join that the path has just come to; it is handed out once.
    pub(crate) fn take_join(&mut self) -> Option<Join> {
        self.at_join.take()
    }

    /// The replay of this path up to its current decision, where it assumes a condition.
    pub(crate) fn replay_plan(&self, condition: Term) -> ReplayPlan {
        self.replay_plan_to(self.decisions, condition)
    }

    /// The replay of this path up to the decision that it has just passed, where it assumes a condition.
    pub(crate) fn replay_plan_to_last_decision(&self, condition: Term) -> ReplayPlan {
        self.replay_plan_to(self.decisions - 1, condition)
    }

    fn replay_plan_to(&self, decision: usize, condition: Term) -> ReplayPlan {
        let mut assumptions = Vec::with_capacity(self.prefix.query_conditions.len() + 1);
        assumptions.extend_from_slice(&self.prefix.query_conditions);
        assumptions.push((decision, condition));
        let expected = Some(self.path_condition.clone());
        let interrupts = self.interrupts.clone();
        let prefix = Prefix { until: decision, query_conditions: assumptions, expected, interrupts };
        ReplayPlan { prefix, aliases: self.used.aliases, targets: self.used.targets }
    }

    /// The replay of the prefix that this path replays, from its beginning.
    pub(crate) fn restart(&self) -> ReplayPlan {
        ReplayPlan { prefix: self.prefix.clone(), aliases: self.used.aliases, targets: self.used.targets }
    }

    /// Makes this earlier point of a path follow a replay plan.
    pub(crate) fn follow(mut self, replay_plan: ReplayPlan) -> Task {
        self.prefix = replay_plan.prefix;
        self.used.aliases = replay_plan.aliases;
        self.used.targets = replay_plan.targets;
        self
    }

    /// Adds an assumption on the decision just passed, so that a replay from an earlier point states it again.
    pub(crate) fn assumed(&mut self, condition: Term) {
        self.prefix.query_conditions.push((self.decisions - 1, condition));
        self.assumptions_done = self.prefix.query_conditions.len();
    }

    /// Whether the path still replays its prefix, up to the assumption of its last decision: the alternatives of these
    /// decisions are in the frontier. Those of later ones must be enqueued.
    pub(crate) fn is_in_prefix(&self) -> bool {
        self.decisions < self.prefix.until || self.assumptions_done < self.prefix.query_conditions.len()
    }

    /// This path, taking an interrupt where it is.
    pub(crate) fn with_interrupt(mut self, number: u64) -> Task {
        self.next_interrupt = Some(number);
        self
    }

    /// This path, to be postponed for the next time after twice as many decisions and interrupts.
    pub(crate) fn with_more_patience(mut self) -> Task {
        self.patience = self.patience.map(|patience| 2 * patience);
        self
    }

    /// This path, which is not postponed any more.
    pub(crate) fn without_patience(mut self) -> Task {
        self.patience = None;
        self
    }

    /// This path, of which a trial run has taken an uncovered direction after so many instructions.
    pub(crate) fn with_new_direction_at(mut self, instructions: u64) -> Task {
        self.new_direction_at = instructions;
        self
    }

    /// Whether something new that a trial run has shown still lies ahead of the path.
    pub(crate) fn has_new_direction_ahead(&self) -> bool {
        self.instructions < self.new_direction_at
    }

    /// Gives the path the patience of a new one.
    pub(crate) fn renew_patience(&mut self) {
        self.patience = Some(PATIENCE);
    }

    /// Whether the path may be postponed.
    pub(crate) fn is_patient(&self) -> bool {
        self.patience.is_some()
    }

    /// Whether others are to come first after so many choices with nothing new.
    pub(crate) fn has_lost_patience(&self, choices: usize) -> bool {
        self.patience.is_some_and(|patience| choices >= patience) && !self.is_merged
    }

    /// Records that the path has shown something new.
    pub(crate) fn note_something_new(&mut self) {
        self.fruitful_interrupts = self.interrupts.len();
    }

    /// Number of interrupts that it has taken since it has shown something new.
    pub(crate) fn fruitless_interrupts(&self) -> usize {
        self.interrupts.len() - self.fruitful_interrupts
    }

    /// The interrupts that it has taken.
    pub(crate) fn interrupts(&self) -> &Rc<Vec<TakenInterrupt>> {
        &self.interrupts
    }

    /// The target from which on points of targets are to be checked where the path is.
    pub(crate) fn next_target(&self) -> usize {
        let here = |(instructions, place, _): &(u64, Place, usize)| {
            (*instructions, *place) == (self.instructions, self.at.place)
        };
        self.arrival.filter(here).map_or(0, |(_, _, next)| next)
    }

    /// Notes that the point of a target is checked where the path is.
    pub(crate) fn note_target(&mut self, target: usize) {
        self.arrival = Some((self.instructions, self.at.place, target + 1));
    }

    /// The interrupt that the path takes here: the one that it was forked with, or that of the prefix that it replays.
    pub(crate) fn due_interrupt(&mut self) -> Option<u64> {
        let replayed = self.prefix.interrupts.get(self.interrupts.len());
        let replayed = replayed.filter(|next| next.after == self.instructions && self.at.place.part == 0);
        self.next_interrupt.take().or(replayed.map(|next| next.number))
    }

    /// Records that the path takes an interrupt.
    pub(crate) fn begin_interrupt(&mut self, number: u64) {
        let interrupted = self.at.place;
        let taken = TakenInterrupt { after: self.instructions, at: Address(interrupted.address), number };
        Rc::make_mut(&mut self.interrupts).push(taken);
        self.path = self.path.then(interrupted, number as usize);
        self.at_join = None;
    }

    /// Number of decisions on input so far.
    pub(crate) fn decisions(&self) -> usize {
        self.decisions
    }

    /// Value ranges of terms that the path condition implies.
    pub(crate) fn ranges(&self) -> &PathRanges {
        &self.ranges
    }

    /// The state and value ranges of the path, which oracles observe, and the oracles themselves.
    pub(crate) fn observed(&mut self) -> (&mut State, &PathRanges, &mut Oracles) {
        (&mut self.state, &self.ranges, &mut self.oracles)
    }

    /// Adds a condition to the path condition, unless it is the last one there.
    pub(crate) fn assume(&mut self, terms: &Terms, condition: Term) {
        if self.path_condition.last() != Some(condition) {
            self.path_condition.push(condition);
            self.ranges.assume(terms, condition, true);
        }
    }

    /// Adds the constraint of a decision to the path condition.
    pub(crate) fn commit(&mut self, terms: &Terms, condition: Term) -> Result<(), PrefixLost> {
        let kept = self.add_due_assumptions(terms);
        self.assume(terms, condition);
        self.decisions += 1;
        kept
    }

    /// Passes a decision whose condition joins the path condition when its query is answered.
    pub(crate) fn pass_decision(&mut self) {
        self.decisions += 1;
    }

    /// Adds the assumptions that precede the current decision, and checks the path condition of a replayed prefix.
    pub(crate) fn add_due_assumptions(&mut self, terms: &Terms) -> Result<(), PrefixLost> {
        let mut kept = Ok(());
        while let Some((decision, condition)) =
            self.prefix.query_conditions.get(self.assumptions_done).copied()
            && decision == self.decisions
        {
            self.assumptions_done += 1;
            if self.assumptions_done == self.prefix.query_conditions.len()
                && let Some(expected) = self.prefix.expected.take()
                && !expected.is_same(&self.path_condition)
            {
                kept = Err(PrefixLost);
            }
            self.assume(terms, condition);
        }
        kept
    }

    /// Whether several paths were merged into this one.
    pub(crate) fn is_merged(&self) -> bool {
        self.is_merged
    }

    /// Whether the path may be merged with another at the same place.
    pub(crate) fn can_join(&self, other: &Task) -> bool {
        self.at.place == other.at.place
            && self.progress.differs_only_in_reads(&other.progress)
            && self.used.objects == other.used.objects
            && self.interrupts == other.interrupts
            && self.derailed.is_none()
            && other.derailed.is_none()
    }

    /// Makes this path stand for several: with these assumptions and conditions, numbers of instructions and of decisions, and used
    /// alternatives.
    pub(crate) fn become_merged(
        &mut self,
        terms: &Terms,
        (assumptions, conditions): (Vec<Term>, Vec<Term>),
        (instructions, decisions): (u64, usize),
        (aliases, targets): (u32, u32),
    ) {
        self.ranges = PathRanges::default();
        // Assumptions give no value range: an address that depends on one must not count as fixed.
        conditions.iter().for_each(|condition| self.ranges.assume(terms, *condition, true));
        self.path_condition = PathCondition::of(assumptions.into_iter().chain(conditions));
        (self.instructions, self.decisions) = (instructions, decisions);
        (self.used.aliases, self.used.targets) = (aliases, targets);
        (self.prefix, self.assumptions_done) = (Prefix::default(), 0);
        self.is_merged = true;
    }

    /// The concolic domain in which the machine runs the path.
    pub(crate) fn domain<'t>(
        &'t mut self,
        world: &'t World,
        inputs: &'t mut InputTable,
        terms: &'t mut Terms,
        events: &'t mut Vec<Event>,
    ) -> ConcolicDomain<'t, Sensor<'t>> {
        let outside = Sensor { world, progress: &mut self.progress, inputs, model: &self.model };
        ConcolicDomain { state: &mut self.state, outside, terms, events, ranges: &self.ranges }
    }

    /// Forks the path; the state is copied on write.
    pub(crate) fn fork(&mut self) -> Task {
        Task {
            state: self.state.fork(),
            at: self.at,
            progress: self.progress.clone(),
            path_condition: self.path_condition.clone(),
            ranges: self.ranges.clone(),
            model: self.model.clone(),
            instructions: self.instructions,
            interrupts: self.interrupts.clone(),
            next_interrupt: self.next_interrupt,
            last: self.last,
            path: self.path,
            used: self.used.clone(),
            oracles: self.oracles.fork(),
            derailed: self.derailed,
            at_join: self.at_join,
            ancestors: self.ancestors.clone(),
            decisions: self.decisions,
            prefix: self.prefix.clone(),
            assumptions_done: self.assumptions_done,
            patience: self.patience,
            // A fork may leave the path that the trial run has shown.
            new_direction_at: 0,
            fruitful_interrupts: self.fruitful_interrupts,
            target_progress: self.target_progress,
            arrival: self.arrival,
            is_merged: self.is_merged,
        }
    }
}

impl TermHolder for Task {
    fn roots(&self, roots: &mut Roots) {
        roots.extend(self.state.terms());
        roots.extend(self.ranges.terms());
        roots.path(&self.path_condition);
        roots.extend(self.oracles.terms());
        self.prefix.roots(roots);
        self.ancestors.roots(roots);
    }
}
