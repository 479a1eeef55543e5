//! Observers of a run: coverage, oracles and traces.

use everypath_ir::{Exit, Place};

/// An observer of a run. Callbacks that it does not use cost nothing.
pub trait Watch {
    /// True if [`Watch::instruction`] is to be called.
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

/// The no-op observer.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoWatch;

impl Watch for NoWatch {}

/// An instruction trace: the addresses of the executed instructions.
#[derive(Clone, Debug, Default)]
pub struct Trace {
    /// The addresses in order.
    pub addresses: Vec<u64>,
}

impl Watch for Trace {
    const INSTRUCTIONS: bool = true;

    fn instruction(&mut self, address: u64) {
        self.addresses.push(address);
    }
}
