//! The workspace itself is tidy.

use std::path::Path;

#[test]
fn the_workspace_is_tidy() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let faults = xtask::tidy::run(root).unwrap();
    let list: Vec<_> = faults.iter().map(ToString::to_string).collect();
    assert!(list.is_empty(), "{} faults:\n{}", list.len(), list.join("\n"));
}
