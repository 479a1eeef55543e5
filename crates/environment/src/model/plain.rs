//! Operations that do nothing a program sees.

use super::definition::{Model, Setup};
use serde::Deserialize;
use std::sync::Arc;

/// A model that takes no parameters.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct NoParameters {}

impl Setup<'_> {
    /// Makes sure that no parameters are given.
    pub(super) fn without_parameters(&self) -> Result<(), String> {
        self.parameters::<NoParameters>().map(|_| ())
    }
}

pub(super) const NOTHING: Model = Model {
    name: "nothing",
    what: "no effect that a program on one processor sees: a barrier, a hint, a cache operation; a result is zero",
    ends: false,
    make: |setup| {
        setup.without_parameters()?;
        Ok(Arc::new(|_| Ok(None)))
    },
};

pub(super) const FIRST: Model = Model {
    name: "first",
    what: "the result is the first argument: an operation that only marks a value",
    ends: false,
    make: |setup| {
        setup.without_parameters()?;
        Ok(Arc::new(|call| Ok(call.arguments.first().cloned())))
    },
};
