//! Writes to code and to other memory that may not be written, and reads of what may not be read.
//!
//! *What*: an access that memory which exists does not permit.
//! *How*: such an access ends a run; where input computes an address, by asking whether it can lie in such memory.
//! *False positives*: a memory map with fewer permissions than the device has.
//! *False negatives*: code in memory that may be written.

use crate::look::{Look, OpenAccess};
use crate::watcher::{Definition, Statement, Watcher};
use everypath_machine::{Permissions, lies_in};

pub(crate) const DEFINITION: Definition = Definition {
    name: "read-only",
    about: "memory is written that may not be written",
    make: |_| Box::new(ReadOnly),
};

struct ReadOnly;

impl Watcher for ReadOnly {
    fn fork(&self) -> Box<dyn Watcher> {
        Box::new(ReadOnly)
    }

    fn look(&mut self, look: &mut Look<'_>, statements: &mut Vec<Statement>) {
        for open in look.open_accesses() {
            let OpenAccess { step, access, writes, address, .. } = open;
            let permits = |permissions: Permissions| {
                if writes { permissions.write } else { permissions.read }
            };
            let all = look.state.ranges(access.space, |_| true);
            let permitted = look.state.ranges(access.space, permits);
            if all == permitted {
                continue;
            }
            let at = look.instruction(step);
            let Some(terms) = look.terms.as_deref_mut() else { return };
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
            statements.push(Statement::Suspect { step, address: at, condition, any_memory: false, what });
        }
    }
}
