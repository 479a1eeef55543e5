//! Concolic execution of one path (DART: Godefroid, Klarlund and Sen 2005): each block that runs extends the path
//! condition and enqueues the alternatives.

use everypath_environment::Guest;
use everypath_ir::{ExitKind, Location, Place};
use everypath_machine::{Bound, Concolic, End, FaultReason, NoWatch, ReadyBlock, State, Step, Stepped};
use everypath_oracle::ended;
use everypath_record::{Address, Direction};
use everypath_term::Term;

use crate::branches::BlockBranches;
use crate::explorer::Explorer;
use crate::ledger::Kind;
use crate::observer::Observer;
use crate::oracles::Violation;
use crate::task::Task;

/// Number of blocks between two calls of the observer.
const ASK_EVERY: u64 = 1 << 14;

/// Maximum number of instructions after control flow went astray: it may run any code then, meant to run or not.
const ASTRAY: u64 = 1_000;

/// A path that was run to its end.
pub(crate) struct Finished {
    pub(crate) task: Task,
    pub(crate) end: End,
    /// Violations that oracles reported on the path.
    pub(crate) wrongs: Vec<Violation>,
    /// Directions that the path is the first to take.
    pub(crate) adds: Vec<Direction>,
    /// Whether an instruction was executed for the first time.
    pub(crate) new_instructions: bool,
    /// Whether the exploration was cancelled during the run.
    pub(crate) interrupted: bool,
}

/// Whether a block is an idle loop: it has no effect but to jump to itself, by which a program ends.
pub(crate) fn is_idle<V>(guest: &Guest, place: Place, to: Place, block: &ReadyBlock<V>) -> bool {
    let acts = |step: &Step| match step {
        Step::Put(_) | Step::Load(_) | Step::Store(_) => true,
        Step::User(call) => !guest.is_harmless(call.operation),
        Step::Compute(_) | Step::Get(_) => false,
    };
    to == place && block.exits.len() == 1 && !block.steps.iter().any(acts)
}

/// The end of a run that would execute uninitialised memory.
pub(crate) fn unwritten_code(guest: &Guest, state: &State, place: Place) -> Option<End> {
    let code = Location { space: guest.code_space(), offset: place.address };
    let reason =
        || FaultReason::NoInstruction("nothing has written the memory that is to be executed".to_owned());
    state.is_unset(code).then(|| End::Faulted { address: place.address, reason: reason() })
}

impl Explorer<'_> {
    /// Runs a path to its end. It begins behind the branch that takes `direction`.
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
            if self.cancellation.is_set()
                || blocks % ASK_EVERY == 0 && !observer.goes_on(&|| self.now(place.address))
            {
                interrupted = true;
                break End::Exhausted { place, bound: Bound::Instructions };
            }
            let mut before = self.fork_before.contains(&place).then(|| task.fork());
            if let Some(end) = unwritten_code(self.guest, &task.state, place) {
                break end;
            }
            let stepped = self.step(&mut task);
            self.note_premises(place);
            let stated = self.observe(&mut task, place, &stepped);
            let before_derailing = task.derailed.is_none();
            if before_derailing && stated.astray {
                task.derailed = Some(task.instructions);
            }
            let Some(block) = self.machine.known(place) else {
                self.process_events(&mut task, place, &mut before, &[]);
                break match stepped {
                    Err(end) => end,
                    Ok(_) => unreachable!("a block that was run is known"),
                };
            };
            match stepped {
                Err(end) => {
                    self.coverage.broke_off(block, &end);
                    self.process_events(&mut task, place, &mut before, &stated.suspicions);
                    wrongs.extend(stated.wrongs.into_iter().filter(|_| before_derailing));
                    break end;
                }
                Ok(stepped) => {
                    let exit = block.block.exits[stepped.exit];
                    let idle = is_idle(self.guest, place, stepped.to.place, block);
                    task.last = block.instruction_starts.last().map_or(task.last, |(_, address)| *address);
                    if !self.coverage.knows(place, &block.block) {
                        new_instructions |= self.enter(&mut task, place);
                    }
                    self.process_events(&mut task, place, &mut before, &stated.suspicions);
                    self.decide(&mut task, place, &stepped, &mut before);
                    if let Some(exit) = &stated.exit {
                        task.oracles.leave(exit, &mut task.state);
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
        // A bad return to where no code is has already been reported.
        if let Some((oracle, address)) = ended(&end, task.last)
            && task.derailed.is_none()
            && !wrongs.iter().any(|wrong| wrong.address == address)
        {
            wrongs.push(Violation { oracle, address, what: self.guest.explain(&end) });
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
        self.machine.step(&mut domain, at, u64::MAX, &mut NoWatch).map_err(|ended| ended.end)
    }

    /// Computes the branch directions of a block on its first execution. Returns true if an instruction is new.
    fn enter(&mut self, task: &mut Task, place: Place) -> bool {
        let mut domain = task.domain(&self.world, &mut self.inputs, &mut self.terms, &mut self.events);
        let branches = BlockBranches::of_executed(&mut self.machine, &mut domain, place);
        let known = self.machine.known(place).zip(branches);
        known.is_some_and(|(ready, branches)| self.coverage.enter(place, ready, branches))
    }

    /// The constraint of a decision, and that of its alternative. The simplifier may give a double negation another
    /// form than the condition had: both are built as negations, so that the path which takes the alternative and its
    /// replay state the same term.
    pub(crate) fn sides(&mut self, condition: Term, taken: bool) -> (Term, Term) {
        let refuted = self.terms.not(condition);
        let met = self.terms.not(refuted);
        if taken { (met, refuted) } else { (refuted, met) }
    }

    /// Adds a condition to the path condition, unless it is the last one there.
    pub(crate) fn assume(&mut self, task: &mut Task, condition: Term) {
        if task.path_condition.last() != Some(condition) {
            task.path_condition.push(condition);
            task.ranges.assume(&self.terms, condition, true);
        }
    }

    /// Makes a decision: the path continues where a condition holds.
    pub(crate) fn commit_decision(&mut self, task: &mut Task, condition: Term) {
        self.add_due_assumptions(task);
        self.assume(task, condition);
        task.decisions += 1;
    }

    /// Adds the assumptions that precede the current decision, and checks the path condition of a replayed prefix.
    pub(crate) fn add_due_assumptions(&mut self, task: &mut Task) {
        while let Some((decision, condition)) = task.assumptions.get(task.assumptions_done).copied()
            && decision == task.decisions
        {
            task.assumptions_done += 1;
            if task.assumptions_done == task.assumptions.len()
                && let Some(expected) = task.replayed.take()
                && !expected.is_same(&task.path_condition)
            {
                self.lost_prefix(task);
            }
            self.assume(task, condition);
        }
    }

    /// Records that a replay diverged from its prefix, so that alternatives behind it are lost.
    fn lost_prefix(&mut self, task: &Task) {
        debug_assert!(false, "the replay of a path prefix differs from the path at {:#x}", task.last);
        let what = "a path prefix could not be replayed, so alternatives behind it were not explored";
        self.ledger.note(Kind::Divergence, task.last, what, true);
    }
}

/// The type of a guest's machine.
pub(crate) type GuestMachine<'g> = everypath_machine::Machine<&'g Guest, Concolic>;
