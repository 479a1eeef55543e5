//! The sources of a program's interrupt handlers: the base registers of its vector table, and the code at fixed vectors. A
//! program that writes them, if only for a while, has handlers that no analysis knows.

use everypath_environment::Guest;
use everypath_ir::{Block, Location, Place, Statement};
use everypath_machine::State;
use rustc_hash::FxHashSet;

/// The number of bytes that one statement writes at the most.
const WIDEST: u64 = 64;

/// A base register of the vector table, or the code at a fixed vector.
#[derive(Clone, Copy, Debug)]
struct VectorBase {
    location: Location,
    /// Its size in bytes.
    size: usize,
    /// Its value at the start; `None` if that is not memory.
    initial: Option<u64>,
}

/// The vector bases, and the blocks that may write one.
#[derive(Default)]
pub(crate) struct VectorBases {
    each: Vec<VectorBase>,
    writers: FxHashSet<Place>,
    /// Whether the ledger records that one was written.
    are_noted: bool,
}

impl VectorBases {
    pub(crate) fn of(guest: &Guest) -> VectorBases {
        let base = |(location, size)| VectorBase { location, size, initial: None };
        VectorBases { each: guest.vector_bases().into_iter().map(base).collect(), ..VectorBases::default() }
    }

    /// Records the state at the start.
    pub(crate) fn start(&mut self, root: &mut State) {
        for base in &mut self.each {
            base.initial = root.read(base.location.space, base.location.offset, base.size).ok();
        }
    }

    /// Records a block before its first run.
    pub(crate) fn enter(&mut self, block: &Block) {
        let writes = |base: &VectorBase, statement: &Statement| match statement {
            Statement::Put { location, .. } => base.is_near(*location),
            Statement::Store { space, .. } => *space == base.location.space,
            _ => false,
        };
        let may_write = |base: &VectorBase| block.statements.iter().any(|statement| writes(base, statement));
        if self.each.iter().any(may_write) {
            self.writers.insert(block.place);
        }
    }

    /// Whether a block has left another base than that of the start, in the state after it.
    #[inline]
    pub(crate) fn are_moved_by(&self, place: Place, state: &mut State) -> bool {
        !self.writers.is_empty()
            && self.writers.contains(&place)
            && self.each.iter().any(|base| {
                let held = state.read(base.location.space, base.location.offset, base.size).ok();
                held != base.initial || base.has_term(state)
            })
    }

    /// Whether a state holds other bases than the one at the start, and the ledger does not record that one was written.
    pub(crate) fn are_newly_moved(&self, end: &mut State, root: &mut State) -> bool {
        !self.are_noted && self.are_moved(end, root)
    }

    /// Records that the ledger records that one was written.
    pub(crate) fn note(&mut self) {
        self.are_noted = true;
    }

    fn are_moved(&self, end: &mut State, root: &mut State) -> bool {
        self.each.iter().any(|VectorBase { location, size, .. }| {
            let held = |state: &mut State| state.read(location.space, location.offset, *size).ok();
            // A base that depends on input, or on what merged paths hold, may be another than the one of this run.
            let mut bytes = location.offset..location.offset + *size as u64;
            let term = |state: &State, byte: u64| state.shadow(location.space).get(byte);
            held(end) != held(root) || bytes.any(|byte| term(end, byte) != term(root, byte))
        })
    }
}

impl VectorBase {
    /// Whether a write that begins at a location may overlap it.
    fn is_near(&self, location: Location) -> bool {
        let first = self.location.offset.saturating_sub(WIDEST);
        let last = self.location.offset.saturating_add(self.size as u64 - 1);
        location.space == self.location.space && (first..=last).contains(&location.offset)
    }

    /// Whether one of its bytes depends on input.
    fn has_term(&self, state: &State) -> bool {
        let shadow = state.shadow(self.location.space);
        (0..self.size as u64).any(|byte| shadow.get(self.location.offset.wrapping_add(byte)).is_some())
    }
}
