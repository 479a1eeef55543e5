//! A path that is being run, or can be.

use everypath_environment::{Inputs, Progress, Sensor, World};
use everypath_ir::Place;
use everypath_machine::{At, ConcolicDomain, Event, State, Windows};
use everypath_term::{Model, Term, Terms};

use crate::trail::Trail;
use crate::watchers::Watchers;

/// A path up to some point.
pub(crate) struct Task {
    pub(crate) state: State,
    pub(crate) at: At,
    /// What was seen of the outside.
    pub(crate) progress: Progress,
    /// What must hold of the input to come here.
    pub(crate) trail: Trail,
    /// What the trail says of the range of terms.
    pub(crate) windows: Windows,
    /// An input that comes here.
    pub(crate) model: Model,
    pub(crate) instructions: u64,
    /// The last instruction that was run.
    pub(crate) last: u64,
    /// A number for the sequence of blocks so far.
    pub(crate) path: PathNumber,
    /// How many times another address than the first was taken.
    pub(crate) aliases: u32,
    /// How many times another target of a jump than the first was taken.
    pub(crate) targets: u32,
    /// For each kind of object, which of them the path has used: a bit for each.
    pub(crate) objects: Vec<u64>,
    /// The oracles.
    pub(crate) watchers: Watchers,
    /// After how many instructions control flow left what the program was written to do, if it did: a return
    /// went astray.
    /// What oracles suspect from there on follows from that.
    pub(crate) derailed: Option<u64>,
    /// How many decisions on input the path has made.
    pub(crate) decisions: usize,
    /// While the path replays a known prefix: the alternatives of decisions before this one are in the frontier and must
    /// not be enqueued again.
    pub(crate) replay_until: usize,
    /// Assumptions that join the path condition before a decision, in order. They come from solver queries, not from what
    /// the run decides.
    pub(crate) assumptions: Vec<(usize, Term)>,
    /// How many of them have joined.
    pub(crate) assumptions_done: usize,
    /// The path condition of the prefix that is replayed, held against what the replay states.
    pub(crate) replayed: Option<Trail>,
}

impl Task {
    /// Makes an earlier point of the path replay what leads to the decision at hand, where a condition then holds.
    pub(crate) fn lead(&self, mut earlier: Task, condition: Term) -> Task {
        earlier.assumptions.clone_from(&self.assumptions);
        earlier.assumptions.push((self.decisions, condition));
        earlier.replay_until = self.decisions;
        earlier.replayed = Some(self.trail.clone());
        earlier.aliases = self.aliases;
        earlier.objects.clone_from(&self.objects);
        earlier
    }

    /// Adds an assumption on the decision that the path has just passed: a replay from an earlier point states it again.
    pub(crate) fn assumed(&mut self, condition: Term) {
        self.assumptions.push((self.decisions - 1, condition));
        self.assumptions_done = self.assumptions.len();
    }

    /// Whether the decision at hand is new, so that its alternatives belong into the frontier.
    pub(crate) fn is_new(&self) -> bool {
        self.decisions >= self.replay_until && self.assumptions_done == self.assumptions.len()
    }

    /// Makes the start lead where an earlier point of the path led, under the same conditions.
    pub(crate) fn restart(&self, mut start: Task) -> Task {
        start.assumptions.clone_from(&self.assumptions);
        start.replay_until = self.replay_until;
        start.replayed.clone_from(&self.replayed);
        start.aliases = self.aliases;
        start.objects.clone_from(&self.objects);
        start
    }

    /// What the machine runs the path in.
    pub(crate) fn domain<'t>(
        &'t mut self,
        world: &'t World,
        inputs: &'t mut Inputs,
        terms: &'t mut Terms,
        events: &'t mut Vec<Event>,
    ) -> ConcolicDomain<'t, Sensor<'t>> {
        let outside = Sensor { world, progress: &mut self.progress, inputs, model: &self.model };
        ConcolicDomain { state: &mut self.state, outside, terms, events, windows: &self.windows }
    }

    /// A copy that shares the state.
    pub(crate) fn fork(&mut self) -> Task {
        Task {
            state: self.state.fork(),
            at: self.at,
            progress: self.progress.clone(),
            trail: self.trail.clone(),
            windows: self.windows.clone(),
            model: self.model.clone(),
            instructions: self.instructions,
            last: self.last,
            path: self.path,
            aliases: self.aliases,
            targets: self.targets,
            objects: self.objects.clone(),
            watchers: self.watchers.fork(),
            derailed: self.derailed,
            decisions: self.decisions,
            replay_until: self.replay_until,
            assumptions: self.assumptions.clone(),
            assumptions_done: self.assumptions_done,
            replayed: self.replayed.clone(),
        }
    }
}

/// A number that stands for a sequence of blocks and the exits taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PathNumber(pub(crate) u64);

impl PathNumber {
    pub(crate) const START: PathNumber = PathNumber(0xcbf2_9ce4_8422_2325);

    /// The sequence with one more block, left by this exit.
    #[inline]
    pub(crate) fn then(self, place: Place, exit: usize) -> PathNumber {
        let mix = |number: u64, part: u64| (number.rotate_left(5) ^ part).wrapping_mul(0x517c_c1b7_2722_0a95);
        PathNumber(mix(mix(self.0, place.address), exit as u64 | u64::from(place.part) << 32))
    }
}
