//! Models of operations with a constant result.

use super::definition::OperationModel;
use everypath_ir::{Bits, Width};
use serde::Deserialize;
use std::sync::Arc;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Parameters {
    value: u64,
}

pub(super) const CONSTANT: OperationModel = OperationModel {
    name: "constant",
    what: "the result is `value`",
    ends: false,
    assumes: true,
    make: |setup| {
        let Parameters { value } = setup.parameters()?;
        let value = Bits::from_u64(value, Width::W64);
        Ok(Arc::new(move |_| Ok(Some(value.clone()))))
    },
};
