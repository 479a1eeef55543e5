//! Models of operations without a visible effect.

use super::definition::{ModelSetup, OperationModel};
use serde::Deserialize;
use std::sync::Arc;

/// The parameters of a model that takes none.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct NoParameters {}

impl ModelSetup<'_> {
    /// Checks that no parameters are given.
    pub(super) fn without_parameters(&self) -> Result<(), String> {
        self.parameters::<NoParameters>().map(|_| ())
    }
}

pub(super) const NOTHING: OperationModel = OperationModel {
    name: "nothing",
    what: "no effect that a program on one processor sees: a barrier, a hint, a cache operation; a result is zero",
    ends: false,
    assumes: false,
    make: |setup| {
        setup.without_parameters()?;
        Ok(Arc::new(|_| Ok(None)))
    },
};

pub(super) const FIRST: OperationModel = OperationModel {
    name: "first",
    what: "the result is the first argument: an operation that only marks a value",
    ends: false,
    assumes: false,
    make: |setup| {
        setup.without_parameters()?;
        Ok(Arc::new(|call| Ok(call.arguments.first().cloned())))
    },
};
