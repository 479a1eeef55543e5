//! The definition of a user-operation model.

use crate::interrupt_lines::Lines;
use crate::linux::Process;
use everypath_ir::{Bits, Location, Width};
use everypath_lift::{Architecture, UserOperation};
use everypath_machine::{Fault, State};
use serde::de::DeserializeOwned;
use std::sync::Arc;

/// A model of a user operation, by the name that an architecture's description uses.
pub struct OperationModel {
    /// The name.
    pub name: &'static str,
    /// Its documentation.
    pub what: &'static str,
    /// True if it always ends the run.
    pub ends: bool,
    /// True if its result is an assumption: another processor, or another moment, gives another one.
    pub(crate) assumes: bool,
    /// Instantiates it for one operation of an architecture with the given parameters.
    pub(crate) make: fn(&ModelSetup<'_>) -> Result<Action, String>,
}

/// Performs an operation: `None` if it has no result, which then counts as zero. The result is truncated or
/// zero-extended to the width of the operation.
pub(crate) type Action = Arc<dyn Fn(&mut Call<'_>) -> Result<Option<Bits>, Fault> + Send + Sync>;

/// The operation for which a model is instantiated.
pub struct ModelSetup<'s> {
    pub(crate) architecture: &'s Architecture,
    pub(crate) operation: &'s UserOperation,
}

impl ModelSetup<'_> {
    /// The parameters from the description.
    pub(crate) fn parameters<P: DeserializeOwned>(&self) -> Result<P, String> {
        self.operation.parameters()
    }

    /// The location of a register.
    pub(crate) fn register(&self, name: &str) -> Result<(Location, Width), String> {
        self.architecture.register(name).ok_or_else(|| format!("there is no register `{name}`"))
    }
}

/// One execution of an operation.
pub struct Call<'c> {
    /// The state at that point.
    pub state: &'c mut State,
    /// The hidden processor state.
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

/// Processor state between user operations that no register shows. Each path has its own.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Remembered {
    /// The address reserved by the last exclusive load, until it is cleared.
    pub marked: Option<u64>,
    /// The number of counter reads.
    pub counted: u64,
    /// The interrupt lines that the program has enabled and pended.
    pub lines: Lines,
    /// The process that the program is, if it is a Linux program.
    pub(crate) process: Option<Arc<Process>>,
}
