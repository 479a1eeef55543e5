//! The oracles' observation of an executed block.

use everypath_ir::Width;
use everypath_machine::{Concolic, End, Event, ReadyBlock, Stepped};
use everypath_oracle::{BlockFacts, BlockObservation, ObservedValue, OracleReport, TakenExit};
use everypath_term::{Input, Term};

use crate::path::inputs::SymbolicInputs;
use crate::path::oracles::{Violation, left};
use crate::path::task::Task;
use crate::probe::Suspicion;
use crate::run::indirect::jumped;

/// The oracles' statements about an executed block.
#[derive(Default)]
pub(super) struct OracleReports {
    /// Violations on this path.
    pub(super) violations: Vec<Violation>,
    /// Whether a violation made control flow go astray.
    pub(super) astray: bool,
    /// Violations that other input may cause, in the order of the steps.
    pub(super) suspicions: Vec<Suspicion>,
    /// The exit by which the block was left, if it was.
    pub(super) exit: Option<TakenExit>,
}

/// Lets the oracles observe an executed block.
pub(super) fn observe(
    inputs: &mut SymbolicInputs<'_>,
    task: &mut Task,
    (block, facts): (&ReadyBlock<Concolic>, &BlockFacts),
    events: &[Event],
    stepped: &Result<Stepped, End>,
) -> OracleReports {
    let mut stated = OracleReports::default();
    let left = left(block, stepped.as_ref(), jumped(events).map(|(target, _)| target));
    stated.exit = left.1;
    let value = |slot: u32| {
        let Concolic { bits, term } = &block.values[slot as usize];
        ObservedValue { bits: bits.clone(), term: *term }
    };
    let terms = &mut inputs.terms;
    let decided = |event: &Event| match *event {
        Event::Decided { condition, taken } | Event::Guarded { condition, taken, .. } => {
            Some(if taken { condition } else { terms.not(condition) })
        }
        Event::Executed { byte, value } | Event::Switched { byte, value } => {
            let value = terms.constant_u64(u64::from(value), Width::W8);
            Some(terms.eq(byte, value))
        }
        _ => None,
    };
    let decisions: Vec<Term> = events.iter().filter_map(decided).collect();
    let table = &inputs.table;
    let is_unwritten = |input: Input| table.is_unwritten(input);
    let (state, ranges, oracles) = task.observed();
    let mut observation = BlockObservation {
        terms: Some(&mut inputs.terms),
        ranges: Some(ranges),
        decisions: &decisions,
        is_unwritten: &is_unwritten,
        ..BlockObservation::concrete(block, facts, left, &value, state, inputs.guest.code_space())
    };
    oracles.observe(&mut observation, |oracle, statement| match statement {
        // An oracle may be mistaken: it reports, and the machine continues.
        OracleReport::Violation { address, what, astray } => {
            stated.astray |= astray;
            stated.violations.push(Violation { oracle, address, what });
        }
        OracleReport::Suspect { step, address, condition, unwritten, what } => {
            let violation = Violation { oracle, address, what };
            stated.suspicions.push(Suspicion { step, condition, unwritten, violation });
        }
    });
    stated.suspicions.sort_by_key(|suspicion| suspicion.step);
    stated
}
