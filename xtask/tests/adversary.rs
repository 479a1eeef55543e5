//! Regression tests of programs that once showed a wrong claim, with the recorded behaviour of every input.

use std::path::{Path, PathBuf};

/// The command, in the folder of the workspace's build.
fn everypath() -> PathBuf {
    let own = std::env::current_exe().expect("a test knows where it is");
    let folder = own.parent().and_then(Path::parent).expect("a test lies in `deps`");
    folder.join("everypath")
}

#[test]
fn kept_programs_have_no_wrong_claim() {
    let everypath = everypath();
    assert!(everypath.is_file(), "{} is missing: build the package everypath-cli", everypath.display());
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask lies in the workspace");
    let wrong = xtask::adversary::kept(root, &everypath).expect("kept programs can be checked");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
