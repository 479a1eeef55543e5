//! One execution path: its state, path condition and model, and the replay of a known prefix.

use everypath_environment::{InputTable, Progress, Sensor, World};
use everypath_ir::Place;
use everypath_machine::{At, ConcolicDomain, Event, PathRanges, State};
use everypath_term::{Model, Term, Terms};

use crate::oracles::Oracles;
use crate::path_condition::PathCondition;
use crate::roots::{Roots, TermHolder};

/// A path up to some point, from which it can continue.
pub(crate) struct Task {
    pub(crate) state: State,
    pub(crate) at: At,
    /// The reads of memory-mapped inputs (MMIO) so far.
    pub(crate) progress: Progress,
    /// The path condition.
    pub(crate) path_condition: PathCondition,
    /// Value ranges of terms that the path condition implies.
    pub(crate) ranges: PathRanges,
    /// A model of the path condition.
    pub(crate) model: Model,
    pub(crate) instructions: u64,
    /// The last executed instruction.
    pub(crate) last: u64,
    /// Hash of the blocks and exits so far.
    pub(crate) path: PathNumber,
    /// Number of alternative addresses taken at accesses whose address depends on input.
    pub(crate) aliases: u32,
    /// Number of alternative targets taken at indirect jumps.
    pub(crate) targets: u32,
    /// For each kind of object, a bit set of those that the path has used.
    pub(crate) objects: Vec<u64>,
    /// The oracles that watch the path.
    pub(crate) oracles: Oracles,
    /// Instruction count at which control flow went astray, such as by a corrupted return. Oracles' later reports are
    /// consequences and are dropped.
    pub(crate) derailed: Option<u64>,
    /// Number of decisions on input so far.
    pub(crate) decisions: usize,
    /// During the replay of a known prefix: the alternatives of decisions before this one are in the frontier and must
    /// not be enqueued again (the bound of generational search).
    pub(crate) replay_until: usize,
    /// Assumptions that join the path condition before a decision, in order. They come from solver queries, not from
    /// executed branches.
    pub(crate) assumptions: Vec<(usize, Term)>,
    /// Number of assumptions that have joined.
    pub(crate) assumptions_done: usize,
    /// The path condition that the replay of the prefix must reproduce.
    pub(crate) replayed: Option<PathCondition>,
}

impl Task {
    /// Turns an earlier point into a replay of the prefix up to the current decision, where it assumes a condition.
    pub(crate) fn lead(&self, mut earlier: Task, condition: Term) -> Task {
        earlier.assumptions.clone_from(&self.assumptions);
        earlier.assumptions.push((self.decisions, condition));
        earlier.replay_until = self.decisions;
        earlier.replayed = Some(self.path_condition.clone());
        earlier.aliases = self.aliases;
        earlier.objects.clone_from(&self.objects);
        earlier
    }

    /// Adds an assumption on the decision just passed, so that a replay from an earlier point states it again.
    pub(crate) fn assumed(&mut self, condition: Term) {
        self.assumptions.push((self.decisions - 1, condition));
        self.assumptions_done = self.assumptions.len();
    }

    /// Whether the current decision is behind the replayed prefix, so that its alternatives must be enqueued.
    pub(crate) fn is_new(&self) -> bool {
        self.decisions >= self.replay_until && self.assumptions_done == self.assumptions.len()
    }

    /// Turns the entry into a replay of the prefix that this task replays, with the same assumptions.
    pub(crate) fn restart(&self, mut start: Task) -> Task {
        start.assumptions.clone_from(&self.assumptions);
        start.replay_until = self.replay_until;
        start.replayed.clone_from(&self.replayed);
        start.aliases = self.aliases;
        start.objects.clone_from(&self.objects);
        start
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
            last: self.last,
            path: self.path,
            aliases: self.aliases,
            targets: self.targets,
            objects: self.objects.clone(),
            oracles: self.oracles.fork(),
            derailed: self.derailed,
            decisions: self.decisions,
            replay_until: self.replay_until,
            assumptions: self.assumptions.clone(),
            assumptions_done: self.assumptions_done,
            replayed: self.replayed.clone(),
        }
    }
}

/// A 64-bit hash of a sequence of basic blocks and the exits taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PathNumber(pub(crate) u64);

impl PathNumber {
    pub(crate) const START: PathNumber = PathNumber(0xcbf2_9ce4_8422_2325);

    /// The hash of the sequence extended by a block that is left by this exit.
    #[inline]
    pub(crate) fn then(self, place: Place, exit: usize) -> PathNumber {
        let mix = |number: u64, part: u64| (number.rotate_left(5) ^ part).wrapping_mul(0x517c_c1b7_2722_0a95);
        PathNumber(mix(mix(self.0, place.address), exit as u64 | u64::from(place.part) << 32))
    }
}

impl TermHolder for Task {
    fn roots(&self, roots: &mut Roots) {
        roots.extend(self.state.terms());
        roots.extend(self.ranges.terms());
        roots.path(&self.path_condition);
        roots.extend(self.oracles.terms());
        roots.extend(self.assumptions.iter().map(|(_, condition)| *condition));
        self.replayed.iter().for_each(|prefix| roots.path(prefix));
    }
}
