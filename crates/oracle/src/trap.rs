//! Traps, and misaligned accesses that raise an exception.
//!
//! *What*: an instruction by which a program or its compiler gives up: a breakpoint, an undefined instruction, a trap
//! on a comparison; and a misaligned access, where the processor raises an exception for it.
//! *How*: such an instruction ends a run; where its guard depends on input, by querying whether the guard can hold, and
//! where input computes an address, by querying whether it can be misaligned.
//! *False positives*: programs that use traps for something else, such as calls of a monitor.
//! *False negatives*: none that a run meets.

use crate::definition::{Definition, Oracle, OracleReport, OracleSetup};
use crate::observation::{BlockObservation, OpenAccess};
use everypath_machine::{Step, is_aligned};
use std::rc::Rc;

pub(crate) const DEFINITION: Definition = Definition {
    name: crate::ended::TRAP,
    about: "the program runs into a trap",
    make: |setup: &OracleSetup| Box::new(Trap { operations: setup.traps.as_slice().into() }),
};

#[derive(Clone)]
struct Trap {
    /// The user operations that trap.
    operations: Rc<[u32]>,
}

impl Oracle for Trap {
    fn fork(&self) -> Box<dyn Oracle> {
        Box::new(self.clone())
    }

    fn fingerprint(&self) -> Option<Vec<u64>> {
        Some(Vec::new())
    }

    fn observe(&mut self, observation: &mut BlockObservation<'_>, statements: &mut Vec<OracleReport>) {
        if observation.facts.checks_alignment {
            misaligned(observation, statements);
        }
        for step in
            observation.facts.guarded_operations.iter().copied().take_while(|step| *step < observation.run)
        {
            let Step::User(call) = &observation.steps[step] else { continue };
            let guard = call.guard.and_then(|guard| (observation.value)(guard).term);
            if let Some(mut condition) = guard.filter(|_| self.operations.contains(&call.operation)) {
                let (address, what) = (observation.instruction(step), "a trap".to_owned());
                // A trap on a division by zero is reported as such.
                for division in &observation.facts.divisions {
                    let here = observation.instruction(division.step) == address;
                    let divisor = (observation.value)(division.divisor).term.filter(|_| here);
                    if let (Some(divisor), Some(terms)) = (divisor, observation.terms.as_deref_mut()) {
                        let zero = terms.constant_u64(0, terms.width(divisor));
                        let divides = terms.ne(divisor, zero);
                        condition = terms.and(condition, divides);
                    }
                }
                statements.push(OracleReport::Suspect { step, address, condition, unwritten: None, what });
            }
        }
    }
}

/// Suspects each access that must be aligned, and whose address depends on input, of being misaligned.
fn misaligned(observation: &mut BlockObservation<'_>, statements: &mut Vec<OracleReport>) {
    for open in observation.open_accesses() {
        let OpenAccess { step, access, address, .. } = open;
        let at = observation.instruction(step);
        let Some(terms) = observation.terms.as_deref_mut().filter(|_| access.misaligned != 0) else {
            continue;
        };
        let aligned = is_aligned(terms, &access, address);
        let misaligned = terms.not(aligned);
        let condition = open.made_and(terms, misaligned);
        let what = "an access to a value that is not aligned".to_owned();
        statements.push(OracleReport::Suspect { step, address: at, condition, unwritten: None, what });
    }
}
