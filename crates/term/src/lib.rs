//! Hash-consed bit-vector terms over symbolic input bytes: the symbolic values of an execution.
//!
//! A [`Term`] is a four-byte handle into a pool, [`Terms`], in which structurally equal terms are one. The operators
//! are those of the IR, [`everypath_ir::Op`], with `Op::apply` as their only semantics: terms are simplified at
//! construction ([`Terms::apply`]), evaluated under a [`Model`] ([`Evaluation`]), printed and parsed by it.
//! [`Terms::collect`] frees the terms that no live state references.
//!
//! A term takes 28 bytes, 16 to 32 more if bits or a range of it are known, and about 5 to 10 bytes in the hash table.
//!
//! ```
//! use everypath_ir::{Op, Width};
//! use everypath_term::{Evaluation, Input, Model, Terms};
//! let mut terms = Terms::new();
//! let byte = terms.input(Input(0));
//! let digit = terms.constant_u64(u64::from(b'0'), Width::W8);
//! let value = terms.apply(Op::Sub, Width::W8, &[byte, digit]);
//! let model: Model = [(Input(0), b'7')].into_iter().collect();
//! assert_eq!(Evaluation::new(model).word(&terms, value), Some(7));
//! ```

mod algebra;
mod array;
mod build;
mod byte_set;
mod collect;
mod demanded;
mod evaluation;
mod facts;
mod handle;
mod input_set;
mod model;
mod names;
mod node;
mod parts;
mod pool;
mod rebuild;
mod simplify;
mod smtlib;
mod sweep;
mod text;
mod truth_tables;
mod view;

pub use byte_set::ByteSet;
pub use collect::Collected;
pub use evaluation::Evaluation;
pub use facts::Facts;
pub use handle::{Array, Input, Term};
pub use input_set::{InputSet, Inputs};
pub use model::Model;
pub use parts::Part;
pub use pool::Terms;
pub use smtlib::{Declared, Inexpressible, Script};
pub use sweep::Sweep;
pub use text::Text;
pub use truth_tables::TruthTables;
pub use view::{Arguments, ArrayView, View};
