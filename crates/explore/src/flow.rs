//! Running a path: block after block, noting on the way what other input would do.

use everypath_environment::Guest;
use everypath_ir::{ExitKind, Location, Place};
use everypath_machine::{Bound, Concolic, End, FaultReason, Nobody, ReadyBlock, State, Step, Stepped};
use everypath_oracle::ended;
use everypath_record::{Address, Direction};
use everypath_term::Term;

use crate::branches::BlockBranches;
use crate::explorer::Explorer;
use crate::ledger::Kind;
use crate::task::Task;
use crate::watch::Observer;
use crate::watchers::Wrong;

/// How often the observer is asked, in blocks.
const ASK_EVERY: u64 = 1 << 14;

/// How many instructions a path is followed after control flow went astray: it may run any code then, meant to run or not.
const ASTRAY: u64 = 1_000;

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
pub(crate) fn is_idle<V>(guest: &Guest, place: Place, to: Place, block: &ReadyBlock<V>) -> bool {
    let acts = |step: &Step| match step {
        Step::Put(_) | Step::Load(_) | Step::Store(_) => true,
        Step::User(call) => !guest.is_harmless(call.operation),
        Step::Compute(_) | Step::Get(_) => false,
    };
    to == place && block.ways.len() == 1 && !block.steps.iter().any(acts)
}

/// The end of a run that would execute memory which nothing has written: what it holds is not known.
pub(crate) fn unwritten_code(guest: &Guest, state: &State, place: Place) -> Option<End> {
    let code = Location { space: guest.code_space(), offset: place.address };
    let reason =
        || FaultReason::NoInstruction("nothing has written the memory that is to be executed".to_owned());
    state.is_unset(code).then(|| End::Faulted { address: place.address, reason: reason() })
}

impl Explorer<'_> {
    /// Runs a path to its end. It begins behind the branch that takes this direction.
    pub(crate) fn follow(
        &mut self,
        mut task: Task,
        direction: Option<Direction>,
        observer: &mut dyn Observer,
    ) -> Finished {
        let mut adds: Vec<Direction> = Vec::new();
        if let Some(direction) = direction {
            self.coverage.discover(direction);
            adds.extend(self.coverage.take(direction));
            self.calls.remove(&direction);
        }
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
            if self.is_stopped() || blocks % ASK_EVERY == 0 && !observer.goes_on(&|| self.now(place.address))
            {
                interrupted = true;
                break End::Exhausted { place, bound: Bound::Instructions };
            }
            let mut before = self.touchy.contains(&place).then(|| task.fork());
            if let Some(end) = unwritten_code(self.guest, &task.state, place) {
                break end;
            }
            let stepped = self.step(&mut task);
            self.note_premises(place);
            let stated = self.look(&mut task, place, &stepped);
            let before_derailing = task.derailed.is_none();
            if before_derailing && stated.astray {
                task.derailed = Some(task.instructions);
            }
            let Some(block) = self.machine.known(place) else {
                self.digest(&mut task, place, &mut before, &[]);
                break match stepped {
                    Err(end) => end,
                    Ok(_) => unreachable!("a block that was run is known"),
                };
            };
            match stepped {
                Err(end) => {
                    self.coverage.broke_off(block, &end);
                    self.digest(&mut task, place, &mut before, &stated.suspicions);
                    wrongs.extend(stated.wrongs.into_iter().filter(|_| before_derailing));
                    break end;
                }
                Ok(stepped) => {
                    let exit = block.block.exits[stepped.exit];
                    let idle = is_idle(self.guest, place, stepped.to.place, block);
                    task.last = block.marks.last().map_or(task.last, |(_, address)| *address);
                    if !self.coverage.knows(place, &block.block) {
                        new_instructions |= self.enter(&mut task, place);
                    }
                    self.digest(&mut task, place, &mut before, &stated.suspicions);
                    self.decide(&mut task, place, &stepped, &mut before);
                    if let Some(way) = &stated.way {
                        task.watchers.leave(way, &mut task.state);
                    }
                    self.jump(&mut task, place, &stepped, &exit);
                    if exit.kind == ExitKind::Call && !self.calls.is_empty() {
                        let target = Address(stepped.to.place.address);
                        self.calls.remove(&Direction { branch: Address(task.last), target });
                    }
                    self.took(task.last, &exit, stepped.to.place);
                    wrongs.extend(stated.wrongs.into_iter().filter(|_| before_derailing));
                    task.instructions += stepped.instructions;
                    self.executed += stepped.instructions;
                    task.path = task.path.then(place, stepped.exit);
                    self.coverage.leave(place, stepped.exit, stepped.to.place.address, &mut adds);
                    task.at = stepped.to;
                    if idle {
                        break End::Exited { address: place.address, status: 0 };
                    }
                }
            }
        };
        if !interrupted && task.decisions < task.replay_until {
            self.lost_prefix(&task);
        }
        // A return to where no code is has been reported as such.
        if let Some((oracle, address)) = ended(&end, task.last)
            && task.derailed.is_none()
            && !wrongs.iter().any(|wrong| wrong.address == address)
        {
            wrongs.push(Wrong { oracle, address, what: self.guest.explain(&end) });
        }
        Finished { task, end, wrongs, adds, new_instructions, interrupted }
    }

    fn exceeded(&self, task: &Task) -> Option<&'static str> {
        if task.instructions >= self.plan.path_instructions {
            Some("a path has as many instructions as the plan allows")
        } else if task.derailed.is_some_and(|since| task.instructions >= since.saturating_add(ASTRAY)) {
            Some("a path was not followed further after control flow went astray")
        } else if task.decisions > self.plan.path_decisions as usize {
            Some("a path has as many decisions as the plan allows")
        } else {
            None
        }
    }

    fn step(&mut self, task: &mut Task) -> Result<Stepped, End> {
        self.events.clear();
        let at = task.at;
        let mut domain = task.domain(&self.world, &mut self.inputs, &mut self.terms, &mut self.events);
        self.machine.step(&mut domain, at, u64::MAX, &mut Nobody).map_err(|ended| ended.end)
    }

    /// Works out the branch directions of a block that is run for the first time; `true` if an instruction is new.
    fn enter(&mut self, task: &mut Task, place: Place) -> bool {
        let Some(block) = self.machine.known(place).map(|ready| ready.block.clone()) else { return false };
        let branching = self.machine.branching(place).to_vec();
        let branches = BlockBranches::of(place, &block, &branching, |at| {
            let mut domain = task.domain(&self.world, &mut self.inputs, &mut self.terms, &mut self.events);
            self.machine.instruction(&mut domain, at)
        });
        self.machine.known(place).is_some_and(|ready| self.coverage.enter(place, ready, branches))
    }

    /// What holds on the path behind a decision, and what would hold behind its alternative. The simplifier may give the
    /// negation of a negation another form than the condition had: both sides are negations, so that the path which takes the
    /// alternative and its replay state the same term.
    pub(crate) fn sides(&mut self, condition: Term, taken: bool) -> (Term, Term) {
        let refuted = self.terms.not(condition);
        let met = self.terms.not(refuted);
        if taken { (met, refuted) } else { (refuted, met) }
    }

    /// Adds a condition to the path condition, unless that is what it states last.
    pub(crate) fn assume(&mut self, task: &mut Task, condition: Term) {
        if task.trail.last() != Some(condition) {
            task.trail.push(condition);
            task.windows.assume(&self.terms, condition, true);
        }
    }

    /// Makes a decision: the path goes on where a condition holds.
    pub(crate) fn settle(&mut self, task: &mut Task, condition: Term) {
        self.catch_up(task);
        self.assume(task, condition);
        task.decisions += 1;
    }

    /// Adds the assumptions that wait for the decision at hand.
    pub(crate) fn catch_up(&mut self, task: &mut Task) {
        while let Some((decision, condition)) = task.assumptions.get(task.assumptions_done).copied()
            && decision == task.decisions
        {
            task.assumptions_done += 1;
            if task.assumptions_done == task.assumptions.len()
                && let Some(expected) = task.replayed.take()
                && !expected.is_same(&task.trail)
            {
                self.lost_prefix(task);
            }
            self.assume(task, condition);
        }
    }

    /// Records that a replay did not come to the decision it was made for, so that its alternatives are lost.
    fn lost_prefix(&mut self, task: &Task) {
        debug_assert!(false, "the replay of a path prefix differs from the path at {:#x}", task.last);
        let what = "a path prefix could not be replayed, so alternatives behind it were not explored";
        self.ledger.note(Kind::Divergence, task.last, what, true);
    }
}

/// The type of a guest's machine.
pub(crate) type GuestMachine<'g> = everypath_machine::Machine<&'g Guest, Concolic>;
