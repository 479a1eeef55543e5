//! Decisions on what was never written.
//!
//! *What*: a program that does something else, depending on what memory happens to hold at the start.
//! *How*: bytes that are read before they are written are unknowns. Where a decision, an address or a jump depends on one,
//! the question is whether other contents change it; the test then says which, and takes another path than with zeros.
//! *False positives*: memory that something outside the program has filled, such as a boot loader: say so in the
//! configuration (`initial`, `input`).
//! *False negatives*: values that only go out of the program; registers.

use crate::look::{Look, OpenAccess};
use crate::watcher::{Definition, Statement, Watcher};
use everypath_term::{Input, Term, Terms};

pub(crate) const DEFINITION: Definition = Definition {
    name: "never-written",
    about: "what the program does depends on memory that was never written",
    make: |_| Box::new(NeverWritten),
};

struct NeverWritten;

fn depends(terms: &Terms, term: Term, is_unwritten: &dyn Fn(Input) -> bool) -> bool {
    terms.inputs(term).iter().any(is_unwritten)
}

impl Watcher for NeverWritten {
    fn fork(&self) -> Box<dyn Watcher> {
        Box::new(NeverWritten)
    }

    fn look(&mut self, look: &mut Look<'_>, statements: &mut Vec<Statement>) {
        let last = (look.last_instruction(), look.steps.len());
        let accesses = look.open_accesses();
        let is_unwritten = look.is_unwritten;
        let mut questions = Vec::new();
        for open in accesses {
            let OpenAccess { step, access, address, .. } = open;
            let now = (look.value)(access.address).bits.to_bits(look.width_of_address(step));
            let at = look.instruction(step);
            let Some(terms) = look.terms.as_deref_mut() else { return };
            if depends(terms, address, is_unwritten) {
                let now = terms.constant(&now);
                let other = terms.ne(address, now);
                questions.push((step, at, open.made_and(terms, other), "an address"));
            }
        }
        let Some(terms) = look.terms.as_deref_mut() else { return };
        for decision in look.decisions {
            if depends(terms, *decision, is_unwritten) {
                questions.push((last.1, last.0, terms.not(*decision), "a branch"));
            }
        }
        if let Some(way) = look.way
            && let Some(target) = way.term
            && depends(terms, target, is_unwritten)
        {
            let width = terms.width(target);
            let now = terms.constant_u64(way.target, width);
            questions.push((last.1, last.0, terms.ne(target, now), "the target of a jump"));
        }
        for (step, address, condition, what) in questions {
            let what = format!("{what} depends on memory that was never written");
            statements.push(Statement::Suspect { step, address, condition, any_memory: true, what });
        }
    }
}
