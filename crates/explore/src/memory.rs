//! The bound of memory: when the process comes near it, pending branches give up the states from which they would go on, and
//! are run from the start when it is their turn.
//!
//! What an allocator gets back it does not always give to the system, so the resident size says when memory gets scarce and
//! not how much was freed. The number of states that may be kept is therefore halved each time the size grows further.

use everypath_term::Term;
use rustc_hash::FxHashSet;

use crate::explorer::{COLLECT_ABOVE, Explorer};
use crate::ledger::Kind;
use crate::trail::Trail;

/// How many pending branches hold a state of their own at most.
const STATES: usize = 50_000;
/// The size is looked at each time so many branches were enqueued.
pub(crate) const LOOK_EVERY: u64 = 64;
/// So many times in a row, each a twentieth of the bound larger, the process is beyond the bound before the exploration ends.
const BEYOND: u32 = 2;
/// How much of the bound there is for each term: terms may fill a third of it.
const BYTES_FOR_TERM: u64 = 1200;
/// So many roots are gathered before those that occur several times are dropped.
const ROOTS: usize = 1 << 20;

/// How an exploration keeps within its bound of memory.
#[derive(Debug)]
pub(crate) struct Memory {
    /// The bound, in bytes.
    bound: Option<u64>,
    /// How many pending branches may hold a state of their own.
    states: usize,
    /// The size at which something is done next.
    next: u64,
    /// How many times in a row the process had grown beyond the bound with nothing left to give up.
    beyond: u32,
    /// How many branches gave up their state.
    evicted: u64,
    /// Whether the bound is reached and there is nothing more to give up.
    pub(crate) is_exhausted: bool,
}

impl Memory {
    pub(crate) fn new(bound: Option<u64>) -> Memory {
        let next = bound.map_or(u64::MAX, |bound| bound / 5 * 3);
        Memory { bound, states: STATES, next, beyond: 0, evicted: 0, is_exhausted: false }
    }

    /// Whether one more pending branch may hold its own state, if so many do.
    pub(crate) fn has_room(&self, held: usize) -> bool {
        held < self.states
    }

    /// How many terms there may be before those that are not needed are given back for the first time. With what layers of the
    /// solver keep for each, a term takes some hundred bytes.
    pub(crate) fn terms(&self) -> usize {
        let fitting = self
            .bound
            .map_or(usize::MAX, |bound| usize::try_from(bound / BYTES_FOR_TERM).unwrap_or(usize::MAX));
        COLLECT_ABOVE.min(fitting)
    }

    /// What is to be said of it, if anything was done.
    pub(crate) fn told(&self) -> Option<String> {
        let bound = self.bound.filter(|_| self.evicted > 0)?;
        let (evicted, megabytes) = (self.evicted, bound >> 20);
        Some(format!(
            "{evicted} pending branches gave up their states to keep within {megabytes} MB of memory, and begin at the start"
        ))
    }

    /// The reason to end, when the bound is reached.
    pub(crate) fn reason(&self) -> String {
        format!("the bound of {} MB of memory was reached", self.bound.unwrap_or(0) >> 20)
    }
}

/// The resident size of this process, in bytes, where the system tells it.
fn resident() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok().map(|kilobytes| kilobytes << 10)
}

impl Explorer<'_> {
    /// Whether pending branches may hold the states from which they go on. Beyond that they begin at the start, which takes
    /// time instead of memory.
    pub(crate) fn is_roomy(&self) -> bool {
        self.memory.has_room(self.held)
    }

    /// Gives memory back if the process has come near its bound.
    pub(crate) fn keep_within_memory(&mut self) {
        let Some(bound) = self.memory.bound else { return };
        let Some(size) = resident().filter(|size| *size >= self.memory.next) else { return };
        let held = self.held;
        // Once is not enough: what was given up before may still be counted.
        self.memory.beyond = if size >= bound && held == 0 { self.memory.beyond + 1 } else { 0 };
        self.memory.is_exhausted = self.memory.beyond >= BEYOND;
        self.memory.states = held / 2;
        self.evict(held / 4);
        self.replayer.forget_checkpoints();
        // The next time that a path looks.
        self.collect_above = self.collect_above.min(self.terms.live() / 4 * 3);
        self.memory.next = size + bound / 20;
    }

    /// Takes their states from all but so many pending branches. Those with the shortest way from the start go first.
    fn evict(&mut self, keep: usize) {
        let holds = self.frontier.iter().filter(|(_, waiting)| waiting.can_be_evicted());
        let mut holds: Vec<(u64, u64)> = holds
            .map(|(number, waiting)| (waiting.task().map_or(0, |task| task.instructions), *number))
            .collect();
        holds.sort_unstable();
        let count = holds.len().saturating_sub(keep);
        for (_, number) in holds.into_iter().take(count) {
            let Some(waiting) = self.frontier.get_mut(&number) else { continue };
            waiting.evict(&mut self.root);
            self.held -= 1;
            self.memory.evicted += 1;
        }
    }

    /// Notes in the ledger what was given up.
    pub(crate) fn tell_memory(&mut self) {
        if let Some(what) = self.memory.told() {
            self.ledger.note(Kind::Bound, self.root.at.place.address, what, false);
        }
    }
}

/// Terms that are needed, gathered from holders that share much.
#[derive(Default)]
pub(crate) struct Roots {
    terms: Vec<Term>,
    conditions: FxHashSet<usize>,
}

impl Roots {
    pub(crate) fn extend(&mut self, terms: impl IntoIterator<Item = Term>) {
        self.terms.extend(terms);
        if self.terms.len() >= 2 * ROOTS {
            self.terms.sort_unstable();
            self.terms.dedup();
        }
    }

    /// The conditions of a path; those that another path shares only once.
    pub(crate) fn path(&mut self, trail: &Trail) {
        trail.visit_new(&mut self.conditions, &mut self.terms);
        self.extend([]);
    }

    pub(crate) fn into_terms(self) -> Vec<Term> {
        self.terms
    }
}
