//! Checks of the circuits, the solver and the proofs.

mod certificates;
mod circuits;
mod families;
mod limits;
mod proofs;
mod queries;
mod random_query;
mod relations;
mod tables;
