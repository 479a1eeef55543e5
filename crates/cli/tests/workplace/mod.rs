//! A temporary folder with the golden inputs, in which `everypath` is run.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use tempfile::TempDir;

/// The root of the project.
pub(crate) fn project() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .ancestors()
        .nth(2)
        .expect("the crate lies two folders deep")
        .to_owned()
}

/// The folder of the golden cases.
pub(crate) fn golden_folder() -> PathBuf {
    project().join("tests/golden")
}

/// A folder with the golden inputs.
pub(crate) struct Workplace {
    folder: TempDir,
}

/// The result of a run of the program.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Run {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Workplace {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        for entry in fs::read_dir(golden_folder().join("inputs")).expect("inputs") {
            let path = entry.expect("an entry").path();
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let contents = fs::read(&path).expect("an input");
            match name.strip_suffix(".bytes") {
                Some(stem) => {
                    let text = String::from_utf8(contents).expect("hexadecimal text");
                    fs::write(folder.path().join(stem), bytes(&text)).expect("a copy");
                }
                None => fs::write(folder.path().join(&name), contents).expect("a copy"),
            }
        }
        Self { folder }
    }

    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    /// The program, to be run in this folder. Its cache is in the folder as well, so nothing outside is changed.
    pub(crate) fn command<A: AsRef<str>>(&self, arguments: &[A]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_everypath"));
        command.current_dir(self.path()).args(arguments.iter().map(AsRef::as_ref));
        command.env("XDG_CACHE_HOME", self.path().join("user cache")).stdin(Stdio::null());
        command
    }

    pub(crate) fn run<A: AsRef<str>>(&self, arguments: &[A]) -> Run {
        let output = self.command(arguments).output().expect("the program runs");
        Run {
            code: output.status.code(),
            stdout: String::from_utf8(output.stdout).expect("text"),
            stderr: String::from_utf8(output.stderr).expect("text"),
        }
    }
}

/// The bytes of hexadecimal text; `#` starts a comment.
fn bytes(text: &str) -> Vec<u8> {
    let words = text.lines().flat_map(|line| line.split('#').next().unwrap_or_default().split_whitespace());
    words.map(|word| u8::from_str_radix(word, 16).unwrap_or_else(|_| panic!("`{word}` is no byte"))).collect()
}
