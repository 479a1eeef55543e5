//! Divisions by zero.
//!
//! *What*: an instruction that divides, and gets zero to divide by.
//! *How*: by the divisor of each division of a block, or by querying whether it can be zero. Where the predicate of a
//! predicated instruction does not hold, the lifter makes the divisor one.
//! *False positives*: a program that relies on what its processor gives for a quotient by zero.
//! *False negatives*: processors without such an instruction divide by a routine, which is not recognised.

use crate::definition::{Definition, Oracle, OracleReport};
use crate::observation::BlockObservation;
use everypath_ir::Bits;

pub(crate) const DEFINITION: Definition = Definition {
    name: "division-by-zero",
    about: "an instruction divides by zero",
    make: |_| Box::new(DivisionByZero),
};

const WHAT: &str = "division by zero";

struct DivisionByZero;

impl Oracle for DivisionByZero {
    fn fork(&self) -> Box<dyn Oracle> {
        Box::new(DivisionByZero)
    }

    fn fingerprint(&self) -> Option<Vec<u64>> {
        Some(Vec::new())
    }

    fn observe(&mut self, observation: &mut BlockObservation<'_>, statements: &mut Vec<OracleReport>) {
        for division in &observation.facts.divisions {
            if division.step >= observation.run {
                break;
            }
            let address = observation.instruction(division.step);
            let divisor = (observation.value)(division.divisor);
            let width = width_of(observation, division.step);
            if divisor.bits.to_bits(width) == Bits::zero(width) {
                statements.push(OracleReport::Violation { address, what: WHAT.to_owned(), astray: false });
                continue;
            }
            let (Some(term), Some(terms)) = (divisor.term, observation.terms.as_deref_mut()) else {
                continue;
            };
            let zero = terms.constant(&Bits::zero(width));
            let condition = terms.eq(term, zero);
            statements.push(OracleReport::Suspect {
                step: division.step,
                address,
                condition,
                unwritten: None,
                what: WHAT.to_owned(),
            });
        }
    }
}

fn width_of(observation: &BlockObservation<'_>, step: usize) -> everypath_ir::Width {
    match &observation.steps[step] {
        everypath_machine::Step::Compute(computation) => computation.argument_widths[1],
        _ => everypath_ir::Width::W64,
    }
}
