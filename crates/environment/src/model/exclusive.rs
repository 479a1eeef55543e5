//! Models of load-linked/store-conditional on a single processor.
//!
//! If the specification's loads reserve nothing, a store cannot be told from one without a load: `constant` with the
//! value 1 lets all of them succeed.

use super::definition::OperationModel;
use everypath_ir::{Bits, Width};
use std::sync::Arc;

pub(super) const LOAD: OperationModel = OperationModel {
    name: "exclusive load",
    what: "marks the address that is its first argument",
    ends: false,
    assumes: false,
    make: |setup| {
        setup.without_parameters()?;
        Ok(Arc::new(|call| {
            call.remembered.marked = call.number(0);
            Ok(None)
        }))
    },
};

pub(super) const STORE: OperationModel = OperationModel {
    name: "exclusive store",
    what: "the result is one if the address that is its first argument is marked, else zero; nothing is marked any more",
    ends: false,
    assumes: true,
    make: |setup| {
        setup.without_parameters()?;
        Ok(Arc::new(|call| {
            let marked = call.remembered.marked.take();
            let succeeds = marked.is_some() && marked == call.number(0);
            Ok(Some(Bits::from_u64(u64::from(succeeds), Width::W64)))
        }))
    },
};

pub(super) const CLEAR: OperationModel = OperationModel {
    name: "exclusive clear",
    what: "nothing is marked any more",
    ends: false,
    assumes: false,
    make: |setup| {
        setup.without_parameters()?;
        Ok(Arc::new(|call| {
            call.remembered.marked = None;
            Ok(None)
        }))
    },
};
