//! Writes the reference pages of the guide; `crates/cli/tests/reference.rs` compares them.

use crate::command::given_or_built;
use everypath_testkit::reference_pages::{FOLDER, reference_pages};
use std::fs;
use std::path::Path;

/// Writes the pages.
///
/// # Errors
/// If the command does not build, or a page cannot be made or written.
pub fn run(root: &Path, everypath: Option<&Path>) -> Result<bool, String> {
    let everypath = given_or_built(everypath, root)?;
    for (name, text) in reference_pages(root, &everypath)? {
        let file = root.join(FOLDER).join(name);
        fs::write(&file, text).map_err(|error| format!("{}: {error}", file.display()))?;
        println!("{FOLDER}/{name}");
    }
    Ok(true)
}
