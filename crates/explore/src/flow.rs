//! Running a path: block after block, noting on the way what other input would do.

use everypath_environment::{Guest, Sensor};
use everypath_ir::{Exit, ExitKind, Place, Target, Width};
use everypath_machine::{
    At, Bound, Concolic, ConcolicDomain, End, Event, FaultReason, Nobody, ReadyBlock, Step, StepKey, Stepped,
    WayTarget, lies_in,
};
use everypath_oracle::ended;
use everypath_record::{Address, Direction};
use everypath_term::Term;

use crate::explorer::Explorer;
use crate::ledger::Kind;
use crate::pending::{Pending, Resume};
use crate::suspicion::Suspicion;
use crate::task::Task;
use crate::watch::Observer;
use crate::watchers::{Wrong, code_space};

/// How often the observer is asked, in blocks.
const ASK_EVERY: u64 = 1 << 14;

/// A path that was run to its end.
pub(crate) struct Finished {
    pub(crate) task: Task,
    pub(crate) end: End,
    /// What was wrong on the way.
    pub(crate) wrongs: Vec<Wrong>,
    /// Directions that nothing took before.
    pub(crate) adds: Vec<Direction>,
    /// Whether an instruction was run that was not run before.
    pub(crate) new_instructions: bool,
    /// Whether the observer ended the run.
    pub(crate) interrupted: bool,
}

/// Whether a block does nothing but lead to itself: there a program has come to its end.
pub(crate) fn is_idle<V>(place: Place, to: Place, block: &ReadyBlock<V>) -> bool {
    let acts = |step: &Step| matches!(step, Step::Put(_) | Step::Load(_) | Step::Store(_) | Step::User(_));
    to == place && block.ways.len() == 1 && !block.steps.iter().any(acts)
}

/// What is different when a block is run again.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Redo {
    /// An address.
    Alias,
    /// A pointer points to this object of this kind.
    Object(usize, usize),
}

/// A decision on input at the end of a block.
struct Decision {
    condition: Term,
    taken: bool,
    /// The way that the decision is about.
    way: usize,
}

impl<'g> Explorer<'g> {
    /// Runs a path to its end. It begins behind the branch that takes this direction.
    pub(crate) fn follow(
        &mut self,
        mut task: Task,
        direction: Option<Direction>,
        observer: &mut dyn Observer,
    ) -> Finished {
        let mut adds: Vec<Direction> =
            direction.and_then(|direction| self.coverage.take(direction)).into_iter().collect();
        let mut new_instructions = false;
        let mut interrupted = false;
        let mut blocks = 0;
        let mut wrongs = Vec::new();
        let end = loop {
            let place = task.at.place;
            if self.limits.stops.contains(&place.address) && place.part == 0 {
                break End::Exited { address: place.address, status: 0 };
            }
            if let Some(what) = self.exceeded(&task) {
                self.ledger.note(Kind::Bound, place.address, what, true);
                break End::Exhausted { place, bound: Bound::Instructions };
            }
            blocks += 1;
            self.collect(Some(&task));
            if blocks % ASK_EVERY == 0 && !observer.goes_on(&|| self.now(place.address)) {
                interrupted = true;
                break End::Exhausted { place, bound: Bound::Instructions };
            }
            let mut before = self.touchy.contains(&place).then(|| task.fork());
            let stepped = self.step(&mut task);
            let stated = self.look(&mut task, place, &stepped);
            let Some(block) = self.machine.known(place) else {
                break match stepped {
                    Err(end) => end,
                    Ok(_) => unreachable!("a block that was run is known"),
                };
            };
            match stepped {
                Err(end) => {
                    self.coverage.broke_off(block, &end);
                    self.digest(&mut task, place, &mut before, &stated.suspicions);
                    wrongs.extend(stated.wrongs);
                    break end;
                }
                Ok(stepped) => {
                    new_instructions |= self.coverage.enter(place, block);
                    let exit = block.block.exits[stepped.exit];
                    let idle = is_idle(place, stepped.to.place, block);
                    task.last = block.marks.last().map_or(task.last, |(_, address)| *address);
                    self.digest(&mut task, place, &mut before, &stated.suspicions);
                    self.decide(&mut task, place, &stepped, &mut before);
                    adds.extend(self.jump(&mut task, place, &stepped, &exit));
                    if exit.kind == ExitKind::Call && !self.calls.is_empty() {
                        let target = Address(stepped.to.place.address);
                        self.calls.remove(&Direction { branch: Address(task.last), target });
                    }
                    self.took(task.last, &exit, stepped.to.place);
                    wrongs.extend(stated.wrongs);
                    task.instructions += stepped.instructions;
                    self.executed += stepped.instructions;
                    task.path = task.path.then(place, stepped.exit);
                    adds.extend(self.coverage.leave(place, stepped.exit));
                    task.at = stepped.to;
                    if let Some(why) = stated.ends {
                        break End::Faulted { address: task.last, reason: FaultReason::Forbidden(why) };
                    }
                    if idle {
                        break End::Exited { address: place.address, status: 0 };
                    }
                }
            }
        };
        if let Some((oracle, address)) = ended(&end, task.last) {
            wrongs.push(Wrong { oracle, address, what: self.guest.explain(&end) });
        }
        Finished { task, end, wrongs, adds, new_instructions, interrupted }
    }

    fn exceeded(&self, task: &Task) -> Option<&'static str> {
        if task.instructions >= self.plan.path_instructions {
            Some("a path has as many instructions as the plan allows")
        } else if task.trail.len() > self.plan.path_decisions as usize {
            Some("a path has as many decisions as the plan allows")
        } else {
            None
        }
    }

    fn step(&mut self, task: &mut Task) -> Result<Stepped, End> {
        self.events.clear();
        let outside = Sensor {
            world: &self.world,
            progress: &mut task.progress,
            inputs: &mut self.inputs,
            model: &task.model,
        };
        let mut domain = ConcolicDomain {
            state: &mut task.state,
            outside,
            terms: &mut self.terms,
            events: &mut self.events,
            windows: &task.windows,
        };
        self.machine.step(&mut domain, task.at, u64::MAX, &mut Nobody).map_err(|ended| ended.end)
    }

    /// Puts a condition on the trail, after those that wait for this point.
    fn assume(&mut self, task: &mut Task, condition: Term) {
        self.catch_up(task);
        task.trail.push(condition);
        task.windows.assume(&self.terms, condition, true);
    }

    fn catch_up(&mut self, task: &mut Task) {
        while let Some((length, condition)) = task.later.get(task.later_done).copied()
            && length == task.trail.len()
        {
            task.later_done += 1;
            task.trail.push(condition);
            task.windows.assume(&self.terms, condition, true);
        }
    }

    /// Works through what happened inside the block.
    fn digest(&mut self, task: &mut Task, place: Place, before: &mut Option<Task>, suspicions: &[Suspicion]) {
        let events = std::mem::take(&mut self.events);
        let mut suspicions = suspicions.iter().peekable();
        for event in &events {
            // What is suspected of a step is asked before what the step takes for granted.
            if let Event::Accessed { step, .. } = event
                && let Some(step) = self.machine.known(place).and_then(|block| block.step_of(*step))
            {
                while let Some(suspicion) = suspicions.next_if(|suspicion| suspicion.step <= step) {
                    self.catch_up(task);
                    self.suspect(task, suspicion);
                }
            }
            match *event {
                Event::Unwritten { byte, value } => self.pin(task, byte, value),
                Event::Accessed { window: true, .. } | Event::Decided { .. } | Event::Jumped { .. } => {}
                Event::Accessed { space, address, value, write, step, .. } => {
                    self.point(task, before, address, place);
                    if task.windows.fixed(&self.terms, address).is_some() {
                        continue;
                    }
                    let size = self.size_of(place, step);
                    let width = self.terms.width(address);
                    let value = self.terms.constant_u64(value, width);
                    let same = self.terms.eq(address, value);
                    if task.aliases < self.plan.aliases {
                        // Addresses where nothing may be accessed are the oracles' business: they all end the path.
                        let other = self.terms.not(same);
                        let ranges = task
                            .state
                            .ranges(space, |allowed| if write { allowed.write } else { allowed.read });
                        let allowed = lies_in(&mut self.terms, address, size, &ranges);
                        let watched = task.watchers.has("unmapped") && task.watchers.has("read-only");
                        let question = match allowed.filter(|_| watched) {
                            Some(allowed) => self.terms.and(allowed, other),
                            None => other,
                        };
                        self.note_redo(task, before, question, place, Some(Redo::Alias));
                    } else {
                        let what = "an address that input computes was taken to be the one it is";
                        self.ledger.note(Kind::Bound, place.address, what, true);
                    }
                    self.assume(task, same);
                }
                Event::Guarded { condition, taken } => {
                    let holds = if taken { condition } else { self.terms.not(condition) };
                    let question = self.terms.not(holds);
                    self.note_redo(task, before, question, place, None);
                    self.assume(task, holds);
                }
                Event::Fixed { argument, .. } => {
                    self.evaluation.set_model(task.model.clone());
                    let value = self.evaluation.value(&self.terms, argument);
                    let value = self.terms.constant(&value);
                    let same = self.terms.eq(argument, value);
                    let what = "what a user operation got from input was taken to be what it is";
                    self.ledger.note(Kind::Concretised, place.address, what, true);
                    self.assume(task, same);
                }
                Event::Divided { .. } => {}
            }
        }
        for suspicion in suspicions {
            self.catch_up(task);
            self.suspect(task, suspicion);
        }
        self.events = events;
    }

    /// Takes a byte that nothing has written to be what it is, unless such bytes are input.
    fn pin(&mut self, task: &mut Task, byte: Term, value: u8) {
        if self.unwritten_is_input {
            return;
        }
        let value = self.terms.constant_u64(u64::from(value), Width::W8);
        let same = self.terms.eq(byte, value);
        self.pins.insert(same);
        self.assume(task, same);
    }

    /// How many bytes a step accesses.
    fn size_of(&self, place: Place, step: StepKey) -> usize {
        let block = self.machine.known(place);
        let step = block.and_then(|block| Some(&block.steps[block.step_of(step)?]));
        match step {
            Some(Step::Load(access) | Step::Store(access)) => access.width.bytes(),
            _ => 1,
        }
    }

    /// Decides what pointers among the input point to, if an address depends on them: null, an object that the path has
    /// used, or one that it has not. Unused ones are all alike, so one stands for all.
    fn point(&mut self, task: &mut Task, before: &mut Option<Task>, address: Term, place: Place) {
        for number in 0..self.pointers.len() {
            let (pointer, term) = (&self.pointers[number].0, self.pointers[number].1);
            let touches = self.terms.inputs(address).intersects(self.terms.inputs(term));
            if !touches || task.windows.fixed(&self.terms, term).is_some() {
                continue;
            }
            self.evaluation.set_model(task.model.clone());
            let now = self.evaluation.word(&self.terms, term).unwrap_or(0);
            let (object, targets) = (pointer.object, pointer.targets.clone());
            let chosen = targets.iter().position(|target| *target == now);
            let is_used = |which: usize| task.objects[object] >> which & 1 == 1;
            let fresh = match chosen {
                Some(chosen) if !is_used(chosen) => Some(chosen),
                _ => (0..targets.len()).find(|which| !is_used(*which)),
            };
            let mut others: Vec<(u64, Option<usize>)> = Vec::new();
            if pointer.null && now != 0 {
                others.push((0, None));
            }
            for (which, target) in targets.iter().enumerate() {
                if Some(which) != chosen && (is_used(which) || Some(which) == fresh) {
                    others.push((*target, Some(which)));
                }
            }
            if fresh.is_none() {
                let what = "there are only as many objects as the configuration says";
                self.ledger.note(Kind::Bound, place.address, what, true);
            }
            for (target, which) in others {
                let question = self.is_number(term, target);
                self.note_redo(task, before, question, place, which.map(|which| Redo::Object(object, which)));
            }
            if let Some(chosen) = chosen {
                task.objects[object] |= 1 << chosen;
            }
            let same = self.is_number(term, now);
            self.assume(task, same);
        }
    }

    fn is_number(&mut self, term: Term, value: u64) -> Term {
        let width = self.terms.width(term);
        let value = self.terms.constant_u64(value, width);
        self.terms.eq(term, value)
    }

    /// Notes that the block could be run again with another value, if a question has a model.
    fn note_redo(
        &mut self,
        task: &mut Task,
        before: &mut Option<Task>,
        question: Term,
        place: Place,
        redo: Option<Redo>,
    ) {
        self.catch_up(task);
        if task.trail.len() < task.quiet {
            return;
        }
        let again = match before {
            Some(before) => before.fork(),
            None => {
                // The first time nobody knew: from the start. From now on a fork is made before this block.
                self.touchy.insert(place);
                self.root.fork()
            }
        };
        let mut again = task.lead(again, question);
        again.aliases += u32::from(redo == Some(Redo::Alias));
        if let Some(Redo::Object(object, which)) = redo {
            again.objects[object] |= 1 << which;
        }
        let pending = Pending {
            question,
            at_once: false,
            resume: Resume::Here,
            direction: None,
            address: place.address,
            prefix: task.trail.clone(),
            known: task.model.clone(),
            task: again,
        };
        self.note(pending);
    }

    /// Works through the decisions at the end of the block.
    fn decide(&mut self, task: &mut Task, place: Place, stepped: &Stepped, before: &mut Option<Task>) {
        let Some(block) = self.machine.known(place) else { return };
        if block.ways.len() == 1 {
            return;
        }
        let (mut decisions, mut closed) = (Vec::new(), Vec::new());
        for (way, out) in block.ways.iter().enumerate() {
            let taken = out.exit == stepped.exit;
            match out.guard.map(|guard| &block.values[guard as usize]) {
                Some(Concolic { term: Some(condition), .. }) => {
                    decisions.push(Decision { condition: *condition, taken, way });
                }
                Some(_) if !taken => closed.push(out.exit),
                _ => {}
            }
            if taken {
                // What comes after an exit that is always taken is closed.
                if out.guard.is_some_and(|guard| block.values[guard as usize].term.is_none()) {
                    closed.extend(block.ways[way + 1..].iter().map(|other| other.exit));
                }
                break;
            }
        }
        for exit in closed {
            if let Some(direction) = self.coverage.direction(place, exit)
                && let Some(known) = self.coverage.known(direction)
            {
                known.constant += 1;
            }
        }
        for decision in decisions {
            let holds = if decision.taken { decision.condition } else { self.terms.not(decision.condition) };
            self.catch_up(task);
            if task.trail.len() >= task.quiet {
                self.note_flip(task, place, &decision, holds, before);
            }
            self.assume(task, holds);
        }
    }

    /// Notes the other side of a decision.
    fn note_flip(
        &mut self,
        task: &mut Task,
        place: Place,
        decision: &Decision,
        holds: Term,
        before: &mut Option<Task>,
    ) {
        let Some((at, exit)) = self.other_way(task, place, decision) else {
            // What comes next is again decided by input: the block is run again to see.
            let question = self.terms.not(holds);
            return self.note_redo(task, before, question, place, None);
        };
        let direction = self.coverage.direction(place, exit);
        let question = self.terms.not(holds);
        let at_once = self.is_roomy();
        let other = if at_once {
            let mut other = task.fork();
            other.at = at;
            other.path = task.path.then(place, exit);
            if let Some(block) = self.machine.known(place) {
                other.instructions += block.marks.len().max(1) as u64;
            }
            other
        } else {
            task.lead(self.root.fork(), question)
        };
        let address = direction.map_or(place.address, |direction| direction.branch.0);
        let (prefix, known) = (task.trail.clone(), task.model.clone());
        let resume = Resume::Here;
        self.note(Pending { task: other, question, at_once, resume, direction, address, prefix, known });
    }

    /// Where the block leads to if a decision goes the other way, and by which exit; `None` if that is not yet known.
    fn other_way(&mut self, task: &mut Task, place: Place, decision: &Decision) -> Option<(At, usize)> {
        let block = self.machine.known(place)?;
        let mut way = decision.way;
        if decision.taken {
            loop {
                way += 1;
                match block.ways[way].guard.map(|guard| &block.values[guard as usize]) {
                    None => break,
                    Some(value) if value.term.is_some() => return None,
                    Some(value) if value.bits.narrow() != 0 => break,
                    Some(_) => {}
                }
            }
        }
        let out = block.ways[way];
        match out.target {
            WayTarget::Place(target) => Some((At::new(target), out.exit)),
            WayTarget::Computed(slot, _) => {
                let value = &block.values[slot as usize];
                if value.term.is_some() {
                    return None;
                }
                let (exit, address) = (block.block.exits[out.exit], value.bits.narrow());
                Some((At::new(self.place_of(task, &exit, address)), out.exit))
            }
        }
    }

    /// The place of a computed address.
    pub(crate) fn place_of(&mut self, task: &mut Task, exit: &Exit, address: u64) -> Place {
        let outside = Sensor {
            world: &self.world,
            progress: &mut task.progress,
            inputs: &mut self.inputs,
            model: &task.model,
        };
        let mut domain = ConcolicDomain {
            state: &mut task.state,
            outside,
            terms: &mut self.terms,
            events: &mut self.events,
            windows: &task.windows,
        };
        self.machine.computed_place(&mut domain, exit, address)
    }

    /// Works through a jump to an address that input computes; gives the direction if it was never taken before.
    fn jump(&mut self, task: &mut Task, place: Place, stepped: &Stepped, exit: &Exit) -> Option<Direction> {
        let target = self.events.iter().find_map(|event| match event {
            Event::Jumped { target, value } => Some((*target, *value)),
            _ => None,
        });
        let (target, value) = target?;
        let branch = self.coverage.branch(place)?;
        self.catch_up(task);
        let width = self.terms.width(target);
        let number = self.terms.constant_u64(value, width);
        let same = self.terms.eq(target, number);
        // A return elsewhere than to the caller is the business of the oracle of calls.
        let watched = exit.kind == ExitKind::Return && task.watchers.has("calls");
        if task.trail.len() >= task.quiet && !watched {
            let mut other = task.fork();
            other.path = task.path.then(place, stepped.exit);
            other.instructions += stepped.instructions;
            let mut question = self.terms.not(same);
            for proposed in self.proposed(branch.0, value) {
                let number = self.terms.constant_u64(proposed, width);
                let leads = self.terms.eq(target, number);
                let resume = Resume::Proposed { target: proposed, exit: *exit };
                let direction = Some(Direction { branch, target: Address(proposed) });
                self.note_jump(task, other.fork(), leads, resume, direction, branch.0);
                let elsewhere = self.terms.not(leads);
                question = self.terms.and(question, elsewhere);
            }
            let code = task.state.ranges(code_space(self.guest), |allowed| allowed.execute);
            if task.watchers.has("no-instruction")
                && let Some(inside) = lies_in(&mut self.terms, target, 1, &code)
            {
                question = self.terms.and(question, inside);
            }
            let resume = Resume::Computed { target, exit: *exit, fresh: true };
            self.note_jump(task, other, question, resume, None, branch.0);
        }
        self.assume(task, same);
        let direction = self.note_target(branch, value, stepped.to.place);
        self.coverage.take(direction)
    }

    /// Where the analysis says that a jump may lead to besides, each to be asked for by itself.
    fn proposed(&self, branch: u64, taken: u64) -> Vec<u64> {
        let proposed = self.map.as_ref().map(|map| map.proposed(branch)).unwrap_or_default();
        let others = proposed.into_iter().filter(|target| *target != taken);
        others.take(self.plan.targets as usize).collect()
    }

    /// Notes another way of a jump that input computes.
    fn note_jump(
        &mut self,
        task: &Task,
        other: Task,
        question: Term,
        resume: Resume,
        direction: Option<Direction>,
        address: u64,
    ) {
        if let Some(direction) = direction {
            self.coverage.discover(direction);
        }
        self.note(Pending {
            task: other,
            question,
            at_once: true,
            resume,
            direction,
            address,
            prefix: task.trail.clone(),
            known: task.model.clone(),
        });
    }

    /// Takes note of an exit that was taken. Where the graph does not have its target, it is to be recovered again.
    pub(crate) fn took(&mut self, branch: u64, exit: &Exit, to: Place) {
        if !matches!(exit.target, Target::Computed { .. }) {
            return;
        }
        let is_new = self.jumps.took(branch, exit.kind, to.address);
        if is_new && exit.kind != ExitKind::Return && self.map.is_some() {
            self.found.push((branch, exit.kind, to));
        }
    }

    /// Takes note of where a jump that input computes can lead to.
    pub(crate) fn note_target(&mut self, branch: Address, value: u64, place: Place) -> Direction {
        self.targets.entry(branch).or_default().insert(value);
        let direction = Direction { branch, target: Address(place.address) };
        self.coverage.discover(direction);
        direction
    }
}

/// The type of a guest's machine.
pub(crate) type GuestMachine<'g> = everypath_machine::Machine<&'g Guest, Concolic>;
