//! The main backend: bit blasting of terms into circuits, Tseitin encoding into CNF, and incremental SAT solving along
//! a path.

mod instance;
mod lazy;
mod search;
mod session;
mod shelf;
mod translate;

pub(crate) use lazy::{Hit, Lemma, violated};
pub use session::BitBlastSession;
pub(crate) use translate::Translator;
