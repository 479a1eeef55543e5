//! Use of uninitialised memory, where it decides what the program does (as Memcheck: Seward and Nethercote 2005).
//!
//! *What*: a program that does something else, depending on what memory happens to hold at the start.
//! *How*: bytes that are read before they are written are symbolic. Where a decision, an address or a jump depends on
//! one, the query is whether other contents change it; the test shows them, and takes another path than with zeros.
//! *False positives*: memory that something outside the program has filled, such as a boot loader: say so in the
//! configuration (`initial`, `input`).
//! *False negatives*: values that only go out of the program; registers.

use crate::definition::{Definition, Oracle, OracleReport};
use crate::observation::{BlockObservation, OpenAccess};
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

impl Oracle for NeverWritten {
    fn fork(&self) -> Box<dyn Oracle> {
        Box::new(NeverWritten)
    }

    fn fingerprint(&self) -> Option<Vec<u64>> {
        Some(Vec::new())
    }

    fn observe(&mut self, observation: &mut BlockObservation<'_>, statements: &mut Vec<OracleReport>) {
        let last = (observation.last_instruction(), observation.steps.len());
        let accesses = observation.open_accesses();
        let is_unwritten = observation.is_unwritten;
        let mut suspicions = Vec::new();
        for open in accesses {
            let OpenAccess { step, access, address, .. } = open;
            let now = (observation.value)(access.address).bits.to_bits(observation.width_of_address(step));
            let at = observation.instruction(step);
            let Some(terms) = observation.terms.as_deref_mut() else { return };
            if depends(terms, address, is_unwritten) {
                let now = terms.constant(&now);
                let other = terms.ne(address, now);
                suspicions.push((step, at, open.made_and(terms, other), address, "an address"));
            }
        }
        let Some(terms) = observation.terms.as_deref_mut() else { return };
        for decision in observation.decisions {
            if depends(terms, *decision, is_unwritten) {
                suspicions.push((last.1, last.0, terms.not(*decision), *decision, "a branch"));
            }
        }
        if let Some(exit) = observation.exit
            && let Some(target) = exit.term
            && depends(terms, target, is_unwritten)
        {
            let width = terms.width(target);
            let now = terms.constant_u64(exit.target, width);
            suspicions.push((last.1, last.0, terms.ne(target, now), target, "the target of a jump"));
        }
        for (step, address, condition, value, what) in suspicions {
            let what = format!("{what} depends on memory that was never written");
            statements.push(OracleReport::Suspect { step, address, condition, unwritten: Some(value), what });
        }
    }
}
