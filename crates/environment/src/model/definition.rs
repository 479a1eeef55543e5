//! What a model is.

use everypath_ir::{Bits, Location, Width};
use everypath_lift::{Architecture, UserOperation};
use everypath_machine::{Fault, State};
use serde::de::DeserializeOwned;
use std::sync::Arc;

/// A model, by the name that an architecture's description uses.
pub struct Model {
    /// The name.
    pub name: &'static str,
    /// What it stands for.
    pub what: &'static str,
    /// Whether it always ends the run.
    pub ends: bool,
    /// Makes it ready for one operation of an architecture, whose parameters it reads.
    pub(crate) make: fn(&Setup<'_>) -> Result<Action, String>,
}

/// Does an operation: `None` where it has no result, which then counts as zero. A result is cut or filled up with zeros
/// to the width that the operation has.
pub(crate) type Action = Arc<dyn Fn(&mut Call<'_>) -> Result<Option<Bits>, Fault> + Send + Sync>;

/// An operation for which a model is made ready.
pub struct Setup<'s> {
    pub(crate) architecture: &'s Architecture,
    pub(crate) operation: &'s UserOperation,
}

impl Setup<'_> {
    /// The parameters that the description gives.
    pub(crate) fn parameters<P: DeserializeOwned>(&self) -> Result<P, String> {
        self.operation.parameters()
    }

    /// Where a register lies.
    pub(crate) fn register(&self, name: &str) -> Result<(Location, Width), String> {
        self.architecture.register(name).ok_or_else(|| format!("there is no register `{name}`"))
    }
}

/// One use of an operation in a run.
pub struct Call<'c> {
    /// The state at that point.
    pub state: &'c mut State,
    /// What earlier uses left behind.
    pub remembered: &'c mut Remembered,
    /// The arguments.
    pub arguments: &'c [Bits],
}

impl Call<'_> {
    /// The low 64 bits of an argument, if there is one.
    pub(crate) fn number(&self, index: usize) -> Option<u64> {
        self.arguments.get(index).map(Bits::to_word)
    }

    /// The low 64 bits of a register.
    pub(crate) fn register(&mut self, (location, width): (Location, Width)) -> Result<u64, Fault> {
        let value = self.state.read(location.space, location.offset, width.bytes().min(8));
        value.map_err(|denied| Fault::Access { space: location.space, denied })
    }
}

/// What a processor keeps between two user operations and no register shows. It belongs to a path as its state does.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Remembered {
    /// The address that the last exclusive load marked, until it is cleared.
    pub marked: Option<u64>,
    /// How often the counters were read.
    pub counted: u64,
}
