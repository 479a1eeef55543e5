//! The backends: what decides a query in the end.

pub mod bitblast;
