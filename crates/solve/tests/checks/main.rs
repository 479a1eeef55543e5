//! Tests of circuits, backends and proofs.

mod certificates;
mod circuits;
mod families;
mod limits;
mod proofs;
mod queries;
mod random_query;
mod relations;
mod tables;
