//! Project rules that the compiler does not check, one file each.
//!
//! A rule is a function from the [`Project`] to its [`Fault`]s. [`ALL`] lists them.

mod architecture_folders;
mod architecture_names;
mod conflict_markers;
mod crate_table;
mod dependency_notes;
mod fault;
mod file_size;
mod first_line;
mod forbidden_names;
mod forbidden_text;
mod image_formats;
mod import_circles;
mod markdown;
mod named_paths;
mod project;
mod publication;
mod run;
mod rust_code;
mod settings;
mod type_names;

pub use fault::Fault;
pub use project::{Dependency, Package, Project};
pub use run::{ALL, Rule, run};
pub use settings::{ForbiddenText, NameAllowance, Settings};
