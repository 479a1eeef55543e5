//! Models of cycle and time counters. They count reads, so that runs are deterministic.

use super::definition::OperationModel;
use everypath_ir::{Bits, Width};
use serde::Deserialize;
use std::sync::Arc;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Parameters {
    #[serde(default = "one")]
    step: u64,
}

fn one() -> u64 {
    1
}

pub(super) const COUNTER: OperationModel = OperationModel {
    name: "counter",
    what: "the result is how often a counter was read before, times `step` (1 if nothing is said); all counters are one",
    ends: false,
    assumes: true,
    make: |setup| {
        let Parameters { step } = setup.parameters()?;
        Ok(Arc::new(move |call| {
            let value = call.remembered.counted.wrapping_mul(step);
            call.remembered.counted += 1;
            Ok(Some(Bits::from_u64(value, Width::W64)))
        }))
    },
};
