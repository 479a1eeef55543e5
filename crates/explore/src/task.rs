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
    /// Until the trail is this long, the other ways have been noted before.
    pub(crate) quiet: usize,
    /// Conditions that join the trail when it has reached a length, in order: those that no step of the run states.
    pub(crate) later: Vec<(usize, Term)>,
    /// How many of them have joined.
    pub(crate) later_done: usize,
}

impl Task {
    /// Makes an earlier point of the path lead here, where a condition then holds: until then its ways are known.
    pub(crate) fn lead(&self, mut earlier: Task, condition: Term) -> Task {
        earlier.later.clone_from(&self.later);
        earlier.later.push((self.trail.len(), condition));
        earlier.quiet = self.trail.len();
        earlier.aliases = self.aliases;
        earlier.objects.clone_from(&self.objects);
        earlier
    }

    /// Makes the start lead where an earlier point of the path led, under the same conditions.
    pub(crate) fn restart(&self, mut start: Task) -> Task {
        start.later.clone_from(&self.later);
        start.quiet = self.quiet;
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
            quiet: self.quiet,
            later: self.later.clone(),
            later_done: self.later_done,
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
