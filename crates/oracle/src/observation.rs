//! The observation of an executed basic block that oracles get.

use crate::block_facts::BlockFacts;
use everypath_ir::{ExitKind, SpaceId, Width};
use everypath_machine::{Access, Concrete, PathRanges, ReadyBlock, Slot, State, Step};
use everypath_term::{Input, Term, Terms};

/// A value that the block computed, as oracles observe it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ObservedValue {
    /// Its bits.
    pub bits: Concrete,
    /// Its term, if it depends on input.
    pub term: Option<Term>,
}

/// The exit by which a block was left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TakenExit {
    /// The kind of exit.
    pub kind: ExitKind,
    /// The target address.
    pub target: u64,
    /// The target as a term, if it depends on input.
    pub term: Option<Term>,
    /// The address behind the block: the return address of a call.
    pub behind: u64,
}

/// An observation of an executed block.
pub struct BlockObservation<'l> {
    /// The block's steps.
    pub steps: &'l [Step],
    /// Instruction boundaries: the first step of each instruction, and its address.
    pub instruction_starts: &'l [(u32, u64)],
    /// The steps that oracles inspect.
    pub facts: &'l BlockFacts,
    /// The number of steps that were certainly executed.
    pub run: usize,
    /// The value of a slot.
    pub value: &'l dyn Fn(Slot) -> ObservedValue,
    /// The exit by which the block was left, if it was.
    pub exit: Option<TakenExit>,
    /// The state after the block.
    pub state: &'l mut State,
    /// The pool of terms, if values have terms.
    pub terms: Option<&'l mut Terms>,
    /// Value ranges of terms that the path condition implies before the block.
    pub ranges: Option<&'l PathRanges>,
    /// The constraints of the block's decisions on input, as they held on this path.
    pub decisions: &'l [Term],
    /// Whether an input byte stands for uninitialised memory.
    pub is_unwritten: &'l dyn Fn(Input) -> bool,
    /// The address space of code.
    pub code_space: SpaceId,
}

impl<'l> BlockObservation<'l> {
    /// An observation of a block whose values have no terms. `run` steps were certainly executed.
    pub fn concrete<V>(
        block: &'l ReadyBlock<V>,
        facts: &'l BlockFacts,
        (run, exit): (usize, Option<TakenExit>),
        value: &'l dyn Fn(Slot) -> ObservedValue,
        state: &'l mut State,
        code_space: SpaceId,
    ) -> Self {
        BlockObservation {
            steps: &block.steps,
            instruction_starts: &block.instruction_starts,
            facts,
            run,
            value,
            exit,
            state,
            terms: None,
            ranges: None,
            decisions: &[],
            is_unwritten: &|_| false,
            code_space,
        }
    }

    /// The address of the instruction that a step belongs to.
    pub fn instruction(&self, step: usize) -> u64 {
        self.mark(step).1
    }

    /// The first step of the instruction that a step belongs to.
    pub(crate) fn first_step(&self, step: usize) -> usize {
        self.mark(step).0 as usize
    }

    /// The boundary of the instruction that a step belongs to.
    fn mark(&self, step: usize) -> (u32, u64) {
        let next = self.instruction_starts.partition_point(|(first, _)| *first as usize <= step);
        next.checked_sub(1).map_or((0, 0), |mark| self.instruction_starts[mark])
    }

    /// The address of the block's last instruction.
    pub fn last_instruction(&self) -> u64 {
        self.instruction_starts.last().map_or(0, |(_, address)| *address)
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

    /// The accesses that depend on input: by an address that may have several values, or by a guard.
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
            let ObservedValue { bits, term } = (self.value)(access.address);
            let fixed =
                term.is_none_or(|term| self.ranges.is_some_and(|ranges| ranges.fixed(terms, term).is_some()));
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
    /// The guard of the access, if it depends on input.
    guard: Option<Term>,
}

impl OpenAccess {
    /// The condition that the access is made and another condition holds.
    pub(crate) fn made_and(&self, terms: &mut Terms, condition: Term) -> Term {
        match self.guard {
            Some(guard) => terms.and(guard, condition),
            None => condition,
        }
    }
}
