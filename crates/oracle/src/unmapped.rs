//! Accesses to memory that does not exist.
//!
//! *What*: a read or a write at an address where there is no memory and no device.
//! *How*: such an access ends a run; where input computes an address, by asking whether it can lie outside all memory.
//! *False positives*: a memory map that lacks something, such as a device: the map is what the configuration says.
//! *False negatives*: an access beyond an object that still lies in memory.

use crate::look::{Look, OpenAccess};
use crate::watcher::{Definition, Statement, Watcher};
use everypath_machine::lies_in;

pub(crate) const DEFINITION: Definition = Definition {
    name: "unmapped",
    about: "memory is accessed that does not exist",
    make: |_| Box::new(Unmapped),
};

struct Unmapped;

impl Watcher for Unmapped {
    fn fork(&self) -> Box<dyn Watcher> {
        Box::new(Unmapped)
    }

    fn look(&mut self, look: &mut Look<'_>, statements: &mut Vec<Statement>) {
        for open in look.open_accesses() {
            let OpenAccess { step, access, writes, address, .. } = open;
            let ranges = look.state.ranges(access.space, |_| true);
            let at = look.instruction(step);
            let Some(terms) = look.terms.as_deref_mut() else { return };
            let Some(inside) = lies_in(terms, address, access.width.bytes(), &ranges) else { continue };
            let outside = terms.not(inside);
            let condition = open.made_and(terms, outside);
            let what = if writes { "a write to memory" } else { "a read of memory" };
            let what = format!("{what} that does not exist");
            statements.push(Statement::Suspect { step, address: at, condition, any_memory: false, what });
        }
    }
}
