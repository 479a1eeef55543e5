//! Watchers: where coverage, oracles and traces hang.

use everypath_ir::{Exit, Place};

/// Something that looks at a run. What it does not ask for costs nothing.
pub trait Watch {
    /// Whether [`Watch::instruction`] is to be called.
    const INSTRUCTIONS: bool = false;

    /// A block is about to run.
    fn block(&mut self, place: Place) {
        let _ = place;
    }

    /// An instruction is about to run.
    fn instruction(&mut self, address: u64) {
        let _ = address;
    }

    /// A block was left by this exit.
    fn exit(&mut self, from: Place, exit: &Exit, to: u64) {
        let _ = (from, exit, to);
    }
}

/// Looks at nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Nobody;

impl Watch for Nobody {}

/// The addresses of the instructions that were run, in order.
#[derive(Clone, Debug, Default)]
pub struct Trace {
    /// The addresses.
    pub addresses: Vec<u64>,
}

impl Watch for Trace {
    const INSTRUCTIONS: bool = true;

    fn instruction(&mut self, address: u64) {
        self.addresses.push(address);
    }
}
