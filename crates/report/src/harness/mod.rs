//! Replay harnesses: programs that run a whole suite elsewhere and compare what each test leaves behind with its expected
//! outputs. Each format is one file and one line in [`HARNESSES`].

mod c;
mod c_memory;
mod python;

use std::collections::BTreeSet;

use everypath_record::{HarnessSuite, OutputFile};

/// The instructions of a test's path, by their index, that have no effect because their predicate, which an earlier
/// instruction gives them, is false. Tools that follow a path differ in whether they report such an instruction.
pub type PredicatesFalse = BTreeSet<usize>;

/// A kind of replay harness.
#[derive(Clone, Copy, Debug)]
pub struct HarnessFormat {
    /// Its name, by which an architecture refers to it.
    pub name: &'static str,
    /// A one-line description.
    pub what: &'static str,
    /// The command that runs it, from its folder.
    pub command: &'static str,
    /// Whether it compares the path of each test instruction by instruction.
    pub follows_path: bool,
    /// Writes the harness for a suite and, for each of its tests, the instructions whose predicate is false; an error is the
    /// reason, in words, why the suite does not fit the format.
    #[allow(clippy::type_complexity, reason = "a function of a suite, which fails with a sentence")]
    pub files: fn(&HarnessSuite, &[PredicatesFalse]) -> Result<Vec<OutputFile>, String>,
}

/// Every format.
pub static HARNESSES: &[HarnessFormat] = &[
    HarnessFormat {
        name: "python",
        what: "a Python program that runs the tests on the Unicorn engine",
        command: "python3 replay.py",
        follows_path: true,
        files: python::files,
    },
    HarnessFormat {
        name: "c",
        what: "a C file that calls the function under test, for the target's own test bench",
        command: "cc replay.c FUNCTION.o -o replay && ./replay",
        follows_path: false,
        files: |suite, _| c::files(suite),
    },
];

impl HarnessFormat {
    /// The format with this name.
    pub fn by_name(name: &str) -> Option<&'static HarnessFormat> {
        HARNESSES.iter().find(|format| format.name == name)
    }
}
