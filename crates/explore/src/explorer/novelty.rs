//! Novelty of states at the head of a loop: pairs of values of two bytes of memory (combinatorial coverage of strength two, as in
//! Kuhn, Wallace and Gallo 2004, over program states as in IJON, Aschermann et al. 2020).
//!
//! Single bytes would tell a state machine's modes, but not how far a counter has come in each of them; whole states differ in data
//! that decides nothing. A byte with many values counts by itself and by its highest bit, so that a counter leads on.

use std::ops::ControlFlow;

use everypath_environment::Guest;
use everypath_ir::{Location, SpaceId, SpaceKind, Width};
use everypath_machine::State;
use rustc_hash::FxHashSet;

/// Maximum number of bytes with few values that are looked at: those that change first. Their number is squared.
const BYTES: usize = 96;
/// Maximum number of all bytes that are looked at, which a pair tells by eight bits.
const ALL_BYTES: usize = 255;
/// Maximum number of values of a byte that are told apart; one with more is data, or a counter.
const VALUES: usize = 8;
/// The distance behind the stack pointer in which memory counts as dead. Variables may lie not far behind.
const DEAD: u64 = 256;

/// The pairs that were seen.
pub(super) struct Novelty {
    /// The state that others are compared with.
    reference: State,
    /// The bytes that are looked at, and the values that each has had.
    known: FxHashSet<Location>,
    bytes: Vec<(Location, Vec<u8>)>,
    pairs: FxHashSet<(u16, u16)>,
    is_memory: Vec<bool>,
    stack_pointer: Option<(Location, Width)>,
    /// The space that the stack pointer points to.
    stack_space: Option<SpaceId>,
    grows_up: bool,
}

impl Novelty {
    pub(super) fn new(guest: &Guest, reference: State) -> Novelty {
        let architecture = guest.architecture();
        let spaces = &architecture.layout().spaces;
        let pushed = architecture.description().pushed_return.as_ref();
        Novelty {
            reference,
            known: FxHashSet::default(),
            bytes: Vec::new(),
            pairs: FxHashSet::default(),
            is_memory: spaces.iter().map(|space| space.kind == SpaceKind::Memory).collect(),
            stack_pointer: architecture.stack_pointer(),
            stack_space: guest.space(pushed.and_then(|pushed| pushed.space.as_deref())).ok(),
            grows_up: architecture.description().registers.stack_grows_up,
        }
    }

    /// Records the pairs of values of a state; returns true if one of them is new.
    pub(super) fn record(&mut self, state: &State) -> bool {
        self.find_bytes(state);
        let (mut few, mut is_new) = (Vec::with_capacity(self.bytes.len()), false);
        for (number, (location, values)) in self.bytes.iter_mut().enumerate() {
            let value = state.peek(*location, 1) as u8;
            if values.len() <= VALUES && !values.contains(&value) {
                values.push(value);
            }
            let number = (number as u16) << 8;
            if values.len() > VALUES {
                let magnitude = 8 - value.leading_zeros() as u16;
                is_new |= self.pairs.insert((number | magnitude, number));
            } else {
                few.push(number | u16::from(value));
            }
        }
        for (position, first) in few.iter().enumerate() {
            for second in &few[position..] {
                is_new |= self.pairs.insert((*first, *second));
            }
        }
        is_new
    }

    /// Whether one more byte may be looked at. A buffer with many values takes no place of a variable with few.
    fn has_room(&self) -> bool {
        let few = self.bytes.iter().filter(|(_, values)| values.len() <= VALUES).count();
        few < BYTES && self.bytes.len() < ALL_BYTES
    }

    /// Begins to look at the bytes of memory that differ from the reference, but those behind the top of the stack.
    fn find_bytes(&mut self, state: &State) {
        if !self.has_room() {
            return;
        }
        let stack = self.stack_space;
        let top = self.stack_pointer.map(|(location, width)| state.peek(location, width.bytes().min(8)));
        let mut found = Vec::new();
        let _ = state.try_for_each_difference(&self.reference, |location| {
            let distance = top.map_or(u64::MAX, |top| match self.grows_up {
                true => location.offset.wrapping_sub(top),
                false => top.wrapping_sub(location.offset),
            });
            // The stack pointer is at the last byte that is in use, or at the first that is not.
            let is_dead = stack == Some(location.space) && (1..=DEAD).contains(&distance);
            if self.is_memory[usize::from(location.space.0)] && !is_dead && !self.known.contains(&location) {
                found.push(location);
            }
            ControlFlow::Continue(())
        });
        for location in found {
            if self.has_room() && self.known.insert(location) {
                self.bytes.push((location, vec![self.reference.peek(location, 1) as u8]));
            }
        }
    }
}
