//! Runs all rules.

use super::{
    Fault, Project, architecture_folders, architecture_names, conflict_markers, crate_table,
    dependency_notes, file_size, first_line, forbidden_names, forbidden_text, image_formats, import_circles,
    named_paths, publication, type_names,
};
use std::path::Path;

/// A rule: returns the faults of the project.
pub type Rule = fn(&Project) -> Vec<Fault>;

/// Every rule.
pub const ALL: &[Rule] = &[
    crate_table::check,
    first_line::check,
    conflict_markers::check,
    file_size::check,
    forbidden_names::check,
    forbidden_text::check,
    architecture_names::check,
    architecture_folders::check,
    image_formats::check,
    dependency_notes::check,
    named_paths::check,
    import_circles::check,
    publication::check,
    type_names::check,
];

/// Checks the workspace in this folder. The error is that the workspace cannot be read.
pub fn run(root: &Path) -> Result<Vec<Fault>, String> {
    let project = Project::read(root)?;
    let mut faults: Vec<_> = ALL.iter().flat_map(|rule| rule(&project)).collect();
    faults.sort();
    Ok(faults)
}
