//! Exclusive loads and stores, on the only processor there is.
//!
//! Where the specification's loads mark nothing, a store cannot be told from one without a load: `constant` with the value
//! 1 lets all of them succeed.

use super::definition::Model;
use everypath_ir::{Bits, Width};
use std::sync::Arc;

pub(super) const LOAD: Model = Model {
    name: "exclusive load",
    what: "marks the address that is its first argument",
    ends: false,
    make: |setup| {
        setup.without_parameters()?;
        Ok(Arc::new(|call| {
            call.remembered.marked = call.number(0);
            Ok(None)
        }))
    },
};

pub(super) const STORE: Model = Model {
    name: "exclusive store",
    what: "the result is one if the address that is its first argument is marked, else zero; nothing is marked any more",
    ends: false,
    make: |setup| {
        setup.without_parameters()?;
        Ok(Arc::new(|call| {
            let marked = call.remembered.marked.take();
            let succeeds = marked.is_some() && marked == call.number(0);
            Ok(Some(Bits::from_u64(u64::from(succeeds), Width::W64)))
        }))
    },
};

pub(super) const CLEAR: Model = Model {
    name: "exclusive clear",
    what: "nothing is marked any more",
    ends: false,
    make: |setup| {
        setup.without_parameters()?;
        Ok(Arc::new(|call| {
            call.remembered.marked = None;
            Ok(None)
        }))
    },
};
