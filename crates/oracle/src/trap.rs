//! Traps on a condition.
//!
//! *What*: an instruction by which a program or its compiler gives up: a breakpoint, an undefined instruction, a trap on a
//! comparison; and an access to a value that is not aligned, where the processor raises an exception for it.
//! *How*: such an instruction ends a run; where it is guarded by a condition on input, by asking whether the guard can hold,
//! and where input computes an address, by asking whether it can be one that is not aligned.
//! *False positives*: programs that use traps for something else, such as calls of a monitor.
//! *False negatives*: none that a run meets.

use crate::look::{Look, OpenAccess};
use crate::watcher::{Definition, Setup, Statement, Watcher};
use everypath_machine::{Step, is_aligned};
use std::rc::Rc;

pub(crate) const DEFINITION: Definition = Definition {
    name: crate::ended::TRAP,
    about: "the program runs into a trap",
    make: |setup: &Setup| Box::new(Trap { operations: setup.traps.as_slice().into() }),
};

#[derive(Clone)]
struct Trap {
    /// The user operations that trap.
    operations: Rc<[u32]>,
}

impl Watcher for Trap {
    fn fork(&self) -> Box<dyn Watcher> {
        Box::new(self.clone())
    }

    fn look(&mut self, look: &mut Look<'_>, statements: &mut Vec<Statement>) {
        if look.facts.checks_alignment {
            misaligned(look, statements);
        }
        for step in look.facts.guarded_operations.iter().copied().take_while(|step| *step < look.run) {
            let Step::User(call) = &look.steps[step] else { continue };
            let guard = call.guard.and_then(|guard| (look.value)(guard).term);
            if let Some(mut condition) = guard.filter(|_| self.operations.contains(&call.operation)) {
                let (address, what) = (look.instruction(step), "a trap".to_owned());
                // That an instruction traps because it divides by zero is stated as such.
                for division in &look.facts.divisions {
                    let here = look.instruction(division.step) == address;
                    let divisor = (look.value)(division.divisor).term.filter(|_| here);
                    if let (Some(divisor), Some(terms)) = (divisor, look.terms.as_deref_mut()) {
                        let zero = terms.constant_u64(0, terms.width(divisor));
                        let divides = terms.ne(divisor, zero);
                        condition = terms.and(condition, divides);
                    }
                }
                statements.push(Statement::Suspect { step, address, condition, any_memory: false, what });
            }
        }
    }
}

/// Asks of each access that must be aligned, and at which address depends on input, whether it can be misaligned.
fn misaligned(look: &mut Look<'_>, statements: &mut Vec<Statement>) {
    for open in look.open_accesses() {
        let OpenAccess { step, access, address, .. } = open;
        let at = look.instruction(step);
        let Some(terms) = look.terms.as_deref_mut().filter(|_| access.misaligned != 0) else { continue };
        let aligned = is_aligned(terms, &access, address);
        let misaligned = terms.not(aligned);
        let condition = open.made_and(terms, misaligned);
        let what = "an access to a value that is not aligned".to_owned();
        statements.push(Statement::Suspect { step, address: at, condition, any_memory: false, what });
    }
}
