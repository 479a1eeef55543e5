//! Divisions by zero.
//!
//! *What*: an instruction that divides, and gets zero to divide by.
//! *How*: by looking at the divisor of each division of a block, or asking whether it can be zero. Where the predicate of a
//! predicated instruction does not hold, the lifter makes the divisor one.
//! *False positives*: a program that relies on what its processor gives for a quotient by zero.
//! *False negatives*: processors without such an instruction divide by a routine, which is not recognised.

use crate::look::Look;
use crate::watcher::{Definition, Statement, Watcher};
use everypath_ir::Bits;

pub(crate) const DEFINITION: Definition = Definition {
    name: "division-by-zero",
    about: "an instruction divides by zero",
    make: |_| Box::new(DivisionByZero),
};

const WHAT: &str = "division by zero";

struct DivisionByZero;

impl Watcher for DivisionByZero {
    fn fork(&self) -> Box<dyn Watcher> {
        Box::new(DivisionByZero)
    }

    fn look(&mut self, look: &mut Look<'_>, statements: &mut Vec<Statement>) {
        for division in &look.facts.divisions {
            if division.step >= look.run {
                break;
            }
            let address = look.instruction(division.step);
            let divisor = (look.value)(division.divisor);
            let width = width_of(look, division.step);
            if divisor.bits.to_bits(width) == Bits::zero(width) {
                statements.push(Statement::Wrong { address, what: WHAT.to_owned(), astray: false });
                continue;
            }
            let (Some(term), Some(terms)) = (divisor.term, look.terms.as_deref_mut()) else { continue };
            let zero = terms.constant(&Bits::zero(width));
            let condition = terms.eq(term, zero);
            statements.push(Statement::Suspect {
                step: division.step,
                address,
                condition,
                any_memory: false,
                what: WHAT.to_owned(),
            });
        }
    }
}

fn width_of(look: &Look<'_>, step: usize) -> everypath_ir::Width {
    match &look.steps[step] {
        everypath_machine::Step::Compute(computation) => computation.argument_widths[1],
        _ => everypath_ir::Width::W64,
    }
}
