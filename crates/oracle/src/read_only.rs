//! Writes to code and to other memory that may not be written, and reads of what may not be read.
//!
//! *What*: an access that memory which exists does not permit.
//! *How*: such an access ends a run; where input computes an address, by querying whether it can lie in such memory.
//! *False positives*: a memory map with fewer permissions than the device has.
//! *False negatives*: code in memory that may be written.

use crate::definition::{Definition, Oracle, OracleReport};
use crate::observation::{BlockObservation, OpenAccess};
use everypath_machine::{Permissions, lies_in};

pub(crate) const DEFINITION: Definition = Definition {
    name: "read-only",
    about: "memory is written that may not be written",
    make: |_| Box::new(ReadOnly),
};

struct ReadOnly;

impl Oracle for ReadOnly {
    fn fork(&self) -> Box<dyn Oracle> {
        Box::new(ReadOnly)
    }

    fn fingerprint(&self) -> Option<Vec<u64>> {
        Some(Vec::new())
    }

    fn observe(&mut self, observation: &mut BlockObservation<'_>, statements: &mut Vec<OracleReport>) {
        for open in observation.open_accesses() {
            let OpenAccess { step, access, writes, address, .. } = open;
            let permits = |permissions: Permissions| {
                if writes { permissions.write } else { permissions.read }
            };
            let all = observation.state.ranges(access.space, |_| true);
            let permitted = observation.state.ranges(access.space, permits);
            if all == permitted {
                continue;
            }
            let at = observation.instruction(step);
            let Some(terms) = observation.terms.as_deref_mut() else { return };
            let size = access.width.bytes();
            let (Some(exists), Some(inside)) =
                (lies_in(terms, address, size, &all), lies_in(terms, address, size, &permitted))
            else {
                continue;
            };
            let outside = terms.not(inside);
            let condition = terms.and(exists, outside);
            let condition = open.made_and(terms, condition);
            let what = if writes {
                "a write to memory that may not be written"
            } else {
                "a read of memory that may not be read"
            };
            let what = what.to_owned();
            statements.push(OracleReport::Suspect { step, address: at, condition, unwritten: None, what });
        }
    }
}
