//! A replay in progress: the concrete state, and what the run has shown so far.

use std::collections::BTreeSet;

use everypath_environment::{Guest, World};
use everypath_machine::{At, Concrete, Ended, ReadyBlock, State, Stepped};
use everypath_oracle::{BlockFacts, BlockObservation, ObservedValue, OracleReport};
use everypath_record::{Direction, TakenInterrupt};

use crate::path::oracles::{Oracles, Violation, left};
use crate::path::path_hash::PathHash;

/// A replay in progress.
pub(crate) struct Running {
    pub(crate) state: State,
    pub(crate) world: World,
    pub(crate) oracles: Oracles,
    pub(crate) violations: Vec<Violation>,
    /// The last executed instruction.
    pub(crate) last: u64,
    pub(crate) at: At,
    pub(crate) path: PathHash,
    /// Number of executed instructions.
    pub(crate) done: u64,
    pub(crate) directions: BTreeSet<Direction>,
    /// The interrupts that it has taken.
    pub(crate) interrupts: Vec<TakenInterrupt>,
    /// How many of the test's interrupts are done.
    pub(crate) scheduled: usize,
}

impl Running {
    /// Forks the replay; the state is copied on write.
    pub(crate) fn fork(&mut self) -> Running {
        Running {
            state: self.state.fork(),
            world: self.world.clone(),
            oracles: self.oracles.fork(),
            violations: self.violations.clone(),
            last: self.last,
            at: self.at,
            path: self.path,
            done: self.done,
            directions: self.directions.clone(),
            interrupts: self.interrupts.clone(),
            scheduled: self.scheduled,
        }
    }

    /// Lets the oracles observe an executed block.
    pub(crate) fn observe(
        &mut self,
        guest: &Guest,
        facts: &BlockFacts,
        block: &ReadyBlock<Concrete>,
        stepped: &Result<Stepped, Ended>,
    ) {
        if let (Ok(_), Some((_, last))) = (stepped, block.instruction_starts.last()) {
            self.last = *last;
        }
        if self.oracles.is_empty() {
            return;
        }
        let left = left(block, stepped.as_ref().map_err(|ended| &ended.end), None);
        let value = |slot: u32| ObservedValue { bits: block.values[slot as usize].clone(), term: None };
        let (state, code_space) = (&mut self.state, guest.code_space());
        let mut observation = BlockObservation::concrete(block, facts, left, &value, state, code_space);
        let violations = &mut self.violations;
        self.oracles.observe(&mut observation, |oracle, statement| {
            if let OracleReport::Violation { address, what, .. } = statement {
                violations.push(Violation { oracle, address, what });
            }
        });
        if let (_, Some(exit)) = &left {
            self.oracles.leave(exit, &mut self.state);
        }
    }
}
