//! The memory limit: near it, pending branches lose their forked states, and are later replayed from the entry.
//!
//! An allocator does not return all freed memory to the system, so the resident size shows when memory gets scarce and
//! not how much was freed. The number of states that may be kept is therefore halved each time the size grows further.

/// Number of live terms above which unreachable terms are garbage-collected for the first time.
const COLLECT_ABOVE: usize = 2_000_000;
/// Maximum number of pending branches that hold a forked state.
const STATES: usize = 50_000;
/// Number of checks in a row, each a twentieth of the limit larger, with the process beyond the limit before the
/// exploration ends.
const BEYOND: u32 = 2;
/// Bytes of the limit for each term: terms may fill a third of it.
const BYTES_FOR_TERM: u64 = 1200;

/// The memory limit of an exploration, and what was evicted to keep it.
#[derive(Debug)]
pub(crate) struct Memory {
    /// The limit, in bytes.
    bound: Option<u64>,
    /// Number of pending branches that may hold a forked state.
    states: usize,
    /// The resident size at which states are evicted next.
    next: u64,
    /// Number of checks in a row with the process beyond the limit and no state left to evict.
    beyond: u32,
    /// Number of evicted states.
    evicted: u64,
    /// Whether the limit is reached and there is nothing left to evict.
    is_exhausted: bool,
    /// Whether states were evicted since the last call of [`Memory::take_pressure`].
    pressure: bool,
}

impl Memory {
    pub(crate) fn new(bound: Option<u64>) -> Memory {
        let next = bound.map_or(u64::MAX, |bound| bound / 5 * 3);
        Memory { bound, states: STATES, next, beyond: 0, evicted: 0, is_exhausted: false, pressure: false }
    }

    /// Whether one more pending branch may hold a forked state, if so many do.
    pub(crate) fn has_room(&self, held: usize) -> bool {
        held < self.states
    }

    /// Whether the limit is reached and there is nothing left to evict.
    pub(crate) fn is_exhausted(&self) -> bool {
        self.is_exhausted
    }

    /// Number of live terms above which unreachable terms are garbage-collected for the first time. With the caches of
    /// the solver's layers, a term takes some hundred bytes.
    pub(crate) fn terms(&self) -> usize {
        let fitting = self
            .bound
            .map_or(usize::MAX, |bound| usize::try_from(bound / BYTES_FOR_TERM).unwrap_or(usize::MAX));
        COLLECT_ABOVE.min(fitting)
    }

    /// Looks at the resident size. If it has come near the limit, returns how many of the states that can be evicted to keep.
    pub(crate) fn look(&mut self, held: usize, evictable: impl FnOnce() -> usize) -> Option<usize> {
        let bound = self.bound?;
        let size = resident().filter(|size| *size >= self.next)?;
        let evictable = evictable();
        // One check is not enough: the size may still include evicted states.
        self.beyond = if size >= bound && evictable == 0 { self.beyond + 1 } else { 0 };
        self.is_exhausted = self.beyond >= BEYOND;
        self.states = held / 2;
        self.next = size + bound / 20;
        self.pressure = true;
        Some(evictable / 4)
    }

    /// Whether the limit was ever near.
    pub(crate) fn is_scarce(&self) -> bool {
        self.states < STATES
    }

    /// Counts evicted states.
    pub(crate) fn evicted(&mut self, count: u64) {
        self.evicted += count;
    }

    /// Whether memory was scarce since the last call, so that caches are better dropped.
    pub(crate) fn take_pressure(&mut self) -> bool {
        std::mem::take(&mut self.pressure)
    }

    /// The ledger entry about evicted states, if there are any.
    pub(crate) fn ledger_entry(&self) -> Option<String> {
        let bound = self.bound.filter(|_| self.evicted > 0)?;
        let (evicted, megabytes) = (self.evicted, bound >> 20);
        Some(format!(
            "the forked states of {evicted} pending branches were evicted to keep within {megabytes} MB of memory; these branches are replayed from the entry"
        ))
    }

    /// The reason to end at the limit.
    pub(crate) fn reason(&self) -> String {
        format!("the bound of {} MB of memory was reached", self.bound.unwrap_or(0) >> 20)
    }
}

/// The resident size of this process in bytes, where the system reports it.
fn resident() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok().map(|kilobytes| kilobytes << 10)
}
