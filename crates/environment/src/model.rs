//! Models of user operations: what a processor does that its specification only names.

use everypath_ir::Bits;
use everypath_machine::{Fault, State};

/// A model, by the name that an architecture's description uses.
pub struct Model {
    /// The name.
    pub name: &'static str,
    /// What it stands for.
    pub what: &'static str,
    /// Does it: `None` where the operation has no result, which then counts as zero.
    pub call: fn(&mut State, &[Bits]) -> Result<Option<Bits>, Fault>,
}

/// The status with which a run ends that stops itself.
const STOPPED: u64 = 0;

/// Every model.
pub static ALL: &[Model] = &[
    Model {
        name: "nothing",
        what: "no effect that a program on one processor sees: a barrier, a hint, a cache operation; a result is zero",
        call: |_, _| Ok(None),
    },
    Model {
        name: "stop",
        what: "the run ends here: waiting for an interrupt that does not come, a halt, a breakpoint",
        call: |_, _| Err(Fault::Stop(STOPPED)),
    },
    Model {
        name: "first",
        what: "the result is the first argument: an operation that only marks a value",
        call: |_, arguments| Ok(arguments.first().cloned()),
    },
];
