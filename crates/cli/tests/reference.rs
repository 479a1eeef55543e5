//! The reference pages of the guide are those of the types and of the help.

#[allow(dead_code, reason = "only the root of the project is used")]
mod workplace;

use everypath_testkit::reference_pages::{FOLDER, reference_pages};
use std::fs;
use std::path::Path;
use workplace::project;

#[test]
fn the_reference_is_not_stale() {
    let root = project();
    let pages = reference_pages(&root, Path::new(env!("CARGO_BIN_EXE_everypath")));
    for (name, text) in pages.unwrap_or_else(|error| panic!("{error}")) {
        let kept = fs::read_to_string(root.join(FOLDER).join(name)).unwrap_or_default();
        assert!(kept == text, "{FOLDER}/{name} is stale: run `cargo xtask reference`");
    }
}
