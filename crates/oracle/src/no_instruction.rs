//! Jumps to what is no instruction.
//!
//! *What*: execution goes on where there is no memory that may be executed, or no instruction in it.
//! *How*: such a jump ends a run; where input computes a target, by asking whether it can lie outside all code.
//! *False positives*: an instruction that the description of the architecture lacks.
//! *False negatives*: a jump into the middle of an instruction, or to data that happen to be instructions.

use crate::look::Look;
use crate::watcher::{Definition, Statement, Watcher};
use everypath_ir::Location;
use everypath_machine::lies_in;

pub(crate) const DEFINITION: Definition = Definition {
    name: "no-instruction",
    about: "execution goes on at what is no instruction",
    make: |_| Box::new(NoInstruction),
};

struct NoInstruction;

impl Watcher for NoInstruction {
    fn fork(&self) -> Box<dyn Watcher> {
        Box::new(NoInstruction)
    }

    fn look(&mut self, look: &mut Look<'_>, statements: &mut Vec<Statement>) {
        if let Some(way) = look.way
            && look.state.is_blank(Location { space: look.code_space, offset: way.target })
        {
            let address = look.last_instruction();
            let what = format!("a jump to {:#x}, where nothing was ever written", way.target);
            statements.push(Statement::Wrong { address, what, astray: true });
        }
        let Some(target) = look.way.and_then(|way| way.term) else { return };
        let ranges = look.state.ranges(look.code_space, |permissions| permissions.execute);
        let (address, step) = (look.last_instruction(), look.steps.len());
        let Some(terms) = look.terms.as_deref_mut() else { return };
        let Some(inside) = lies_in(terms, target, 1, &ranges) else { return };
        let condition = terms.not(inside);
        let what = "a jump to where no code is".to_owned();
        statements.push(Statement::Suspect { step, address, condition, any_memory: false, what });
    }
}
