//! Accesses to memory that does not exist.
//!
//! *What*: a read or a write at an address where there is no memory and no device.
//! *How*: such an access ends a run; where input computes an address, by querying whether it can be outside all memory.
//! *False positives*: a memory map that lacks something, such as a device: the map is what the configuration says.
//! *False negatives*: an access beyond an object that still lies in memory.

use crate::definition::{Definition, Oracle, OracleReport};
use crate::observation::{BlockObservation, OpenAccess};
use everypath_machine::lies_in;

pub(crate) const DEFINITION: Definition = Definition {
    name: "unmapped",
    about: "memory is accessed that does not exist",
    make: |_| Box::new(Unmapped),
};

struct Unmapped;

impl Oracle for Unmapped {
    fn fork(&self) -> Box<dyn Oracle> {
        Box::new(Unmapped)
    }

    fn fingerprint(&self) -> Option<Vec<u64>> {
        Some(Vec::new())
    }

    fn observe(&mut self, observation: &mut BlockObservation<'_>, statements: &mut Vec<OracleReport>) {
        for open in observation.open_accesses() {
            let OpenAccess { step, access, writes, address, .. } = open;
            let ranges = observation.state.ranges(access.space, |_| true);
            let at = observation.instruction(step);
            let Some(terms) = observation.terms.as_deref_mut() else { return };
            let Some(inside) = lies_in(terms, address, access.width.bytes(), &ranges) else { continue };
            let outside = terms.not(inside);
            let condition = open.made_and(terms, outside);
            let what = if writes { "a write to memory" } else { "a read of memory" };
            let what = format!("{what} that does not exist");
            statements.push(OracleReport::Suspect { step, address: at, condition, unwritten: None, what });
        }
    }
}
