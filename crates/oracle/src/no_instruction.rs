//! Jumps to what is no instruction.
//!
//! *What*: execution continues where there is no memory that may be executed, or no instruction in it.
//! *How*: such a jump ends a run; where input computes a target, by querying whether it can lie outside all code.
//! *False positives*: an instruction that the description of the architecture lacks.
//! *False negatives*: a jump into the middle of an instruction, or to data that happen to be instructions.

use crate::definition::{Definition, Oracle, OracleReport};
use crate::observation::BlockObservation;
use everypath_ir::Location;
use everypath_machine::lies_in;

pub(crate) const DEFINITION: Definition = Definition {
    name: "no-instruction",
    about: "execution goes on at what is no instruction",
    make: |_| Box::new(NoInstruction),
};

struct NoInstruction;

impl Oracle for NoInstruction {
    fn fork(&self) -> Box<dyn Oracle> {
        Box::new(NoInstruction)
    }

    fn fingerprint(&self) -> Option<Vec<u64>> {
        Some(Vec::new())
    }

    fn observe(&mut self, observation: &mut BlockObservation<'_>, statements: &mut Vec<OracleReport>) {
        if let Some(exit) = observation.exit
            && observation.state.is_blank(Location { space: observation.code_space, offset: exit.target })
        {
            let address = observation.last_instruction();
            let what = format!("a jump to {:#x}, where nothing was ever written", exit.target);
            statements.push(OracleReport::Violation { address, what, astray: true });
        }
        let Some(target) = observation.exit.and_then(|exit| exit.term) else { return };
        let ranges = observation.state.ranges(observation.code_space, |permissions| permissions.execute);
        let (address, step) = (observation.last_instruction(), observation.steps.len());
        let Some(terms) = observation.terms.as_deref_mut() else { return };
        let Some(inside) = lies_in(terms, target, 1, &ranges) else { return };
        let condition = terms.not(inside);
        let what = "a jump to where no code is".to_owned();
        statements.push(OracleReport::Suspect { step, address, condition, unwritten: None, what });
    }
}
