//! Examples of the crate, run by tests.

use std::path::PathBuf;
use std::process::Command;

/// Runs an example, and returns its output. Examples are built together with the tests, in the folder beside theirs.
pub(crate) fn run(name: &str, arguments: &[&str]) -> String {
    let test = std::env::current_exe().expect("the test has a file");
    let profile: PathBuf = test.ancestors().nth(2).expect("a folder of the build's profile").to_owned();
    let program = profile.join("examples").join(name).with_extension(std::env::consts::EXE_EXTENSION);
    let output = Command::new(&program).args(arguments).output();
    let output = output.unwrap_or_else(|error| panic!("{}: {error}; build the examples", program.display()));
    let text = String::from_utf8(output.stdout).expect("text");
    assert!(output.status.success(), "{name}: {text}{}", String::from_utf8_lossy(&output.stderr));
    text
}
