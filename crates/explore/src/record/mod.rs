//! Tests and findings: their record, their replay on the concrete machine, and their export.

pub(crate) mod checkpoints;
pub(crate) mod device_accesses;
pub(crate) mod expected;
pub(crate) mod false_predicates;
pub(crate) mod harness;
pub(crate) mod recorder;
pub(crate) mod recording_domain;
pub(crate) mod replay;
pub(crate) mod rerun;
pub(crate) mod running;
pub(crate) mod snapshot;
pub(crate) mod trial;
pub(crate) mod verify;
