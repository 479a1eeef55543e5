//! The main backend: terms as circuits, circuits as clauses, clauses to a SAT solver that stays incremental along a
//! path.

mod instance;
mod lazy;
mod search;
mod session;
mod shelf;
mod translate;

pub(crate) use lazy::{Hit, Lemma, violated};
pub use session::Session;
pub(crate) use translate::Translator;
