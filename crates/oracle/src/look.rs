//! A look at a block that was just run.

use crate::block_facts::BlockFacts;
use everypath_ir::{ExitKind, SpaceId, Width};
use everypath_machine::{Access, Concrete, Slot, State, Step, Windows};
use everypath_term::{Input, Term, Terms};

/// A value that the block computed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seen {
    /// Its bits.
    pub bits: Concrete,
    /// The term that says what it is for other input, if it depends on input.
    pub term: Option<Term>,
}

/// The way by which the block was left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Way {
    /// What kind of exit it was.
    pub kind: ExitKind,
    /// Where it led to.
    pub target: u64,
    /// The target as a term, if input computes it.
    pub term: Option<Term>,
    /// The address behind the block: where a call returns to.
    pub behind: u64,
}

/// A look at a block that was just run.
pub struct Look<'l> {
    /// The block's steps.
    pub steps: &'l [Step],
    /// Before which step each instruction begins, and its address.
    pub marks: &'l [(u32, u64)],
    /// What of it there is to look at.
    pub facts: &'l BlockFacts,
    /// How many of its steps were certainly run.
    pub run: usize,
    /// The value of a slot.
    pub value: &'l dyn Fn(Slot) -> Seen,
    /// How it was left, if it was.
    pub way: Option<Way>,
    /// The state after it.
    pub state: &'l mut State,
    /// Where terms live, if values have terms.
    pub terms: Option<&'l mut Terms>,
    /// What is known of terms before the block.
    pub windows: Option<&'l Windows>,
    /// The conditions on input that decided what the block did and how it was left, as they held.
    pub decisions: &'l [Term],
    /// Whether an input byte is what memory held where nothing was written.
    pub is_unwritten: &'l dyn Fn(Input) -> bool,
    /// The space of code.
    pub code_space: SpaceId,
}

impl Look<'_> {
    /// The address of the instruction that a step belongs to.
    pub fn instruction(&self, step: usize) -> u64 {
        self.mark(step).1
    }

    /// The first step of the instruction that a step belongs to.
    pub(crate) fn first_step(&self, step: usize) -> usize {
        self.mark(step).0 as usize
    }

    /// The mark of the instruction that a step belongs to.
    fn mark(&self, step: usize) -> (u32, u64) {
        let next = self.marks.partition_point(|(first, _)| *first as usize <= step);
        next.checked_sub(1).map_or((0, 0), |mark| self.marks[mark])
    }

    /// The address of the block's last instruction.
    pub fn last_instruction(&self) -> u64 {
        self.marks.last().map_or(0, |(_, address)| *address)
    }

    /// The width of the address that a step accesses.
    pub(crate) fn width_of_address(&self, step: usize) -> Width {
        match (&self.steps[step], self.terms.as_deref()) {
            (Step::Load(access) | Step::Store(access), Some(terms)) => {
                (self.value)(access.address).term.map_or(Width::W64, |term| terms.width(term))
            }
            _ => Width::W64,
        }
    }

    /// The accesses that depend on input: their address, if that may be more than one, or whether they are made at all.
    pub(crate) fn open_accesses(&mut self) -> Vec<OpenAccess> {
        let Some(terms) = self.terms.as_deref_mut() else { return Vec::new() };
        let mut open = Vec::new();
        for step in self.facts.accesses.iter().copied().take_while(|step| *step < self.run) {
            let (access, writes) = match &self.steps[step] {
                Step::Load(access) => (*access, false),
                Step::Store(access) => (*access, true),
                _ => continue,
            };
            let guard = access.guard.map(|guard| (self.value)(guard));
            if guard.as_ref().is_some_and(|guard| guard.term.is_none() && guard.bits.narrow() == 0) {
                continue;
            }
            let guard = guard.and_then(|guard| guard.term);
            let Seen { bits, term } = (self.value)(access.address);
            let fixed = term
                .is_none_or(|term| self.windows.is_some_and(|windows| windows.fixed(terms, term).is_some()));
            if fixed && guard.is_none() {
                continue;
            }
            let address = term.unwrap_or_else(|| terms.constant_u64(bits.narrow(), Width::W64));
            open.push(OpenAccess { step, access, writes, address, guard });
        }
        open
    }
}

/// An access that depends on input.
pub(crate) struct OpenAccess {
    pub(crate) step: usize,
    pub(crate) access: Access,
    pub(crate) writes: bool,
    pub(crate) address: Term,
    /// The condition under which it is made, if that depends on input.
    guard: Option<Term>,
}

impl OpenAccess {
    /// That the access is made, and a condition holds.
    pub(crate) fn made_and(&self, terms: &mut Terms, condition: Term) -> Term {
        match self.guard {
            Some(guard) => terms.and(guard, condition),
            None => condition,
        }
    }
}
