//! The knowledge of an exploration about branch directions and indirect exits, and the verdicts that follow from it.

pub(crate) mod alias_candidates;
pub(crate) mod blockers;
pub(crate) mod certificate;
pub(crate) mod coverage;
pub(crate) mod evidence;
pub(crate) mod float_modes;
pub(crate) mod guards;
pub(crate) mod indirect_exits;
pub(crate) mod interrupts;
pub(crate) mod judge;
pub(crate) mod knowledge;
pub(crate) mod latches;
pub(crate) mod ledger;
pub(crate) mod notes;
pub(crate) mod path_ends;
pub(crate) mod premises;
pub(crate) mod proofs;
pub(crate) mod setup;
pub(crate) mod static_analysis;
pub(crate) mod vector_bases;
