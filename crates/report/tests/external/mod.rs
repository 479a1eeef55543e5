//! Reports in a folder, and the programs that read them there.

#![allow(dead_code, reason = "each test binary uses a part")]

use std::path::Path;
use std::process::{Command, Output};

use everypath_record::OutputFile;
use tempfile::TempDir;

use crate::samples::Sample;

/// A folder with the sources of a program.
pub(crate) struct Folder(TempDir);

impl Folder {
    /// Writes the sources of a sample, and changes their paths in it to those of the written files.
    pub(crate) fn with_sources(sample: &mut Sample) -> Folder {
        let folder = tempfile::tempdir().expect("a folder");
        for source in &mut sample.listing.sources {
            let path = folder.path().join(source.path.trim_start_matches('/'));
            std::fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
            std::fs::write(&path, source.lines.join("\n") + "\n").expect("a file");
            source.path = path.to_str().expect("the path is UTF-8").to_owned();
        }
        Folder(folder)
    }

    pub(crate) fn path(&self) -> &Path {
        self.0.path()
    }

    /// Writes files.
    pub(crate) fn write(&self, files: &[OutputFile]) {
        for file in files {
            let path = self.path().join(&file.path);
            std::fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
            std::fs::write(path, &file.contents).expect("a file");
        }
    }

    /// Reads a file.
    pub(crate) fn read(&self, file: &str) -> String {
        std::fs::read_to_string(self.path().join(file)).unwrap_or_else(|error| panic!("{file}: {error}"))
    }

    /// Runs a program in the folder; returns what it prints, and fails if it does.
    pub(crate) fn run(&self, program: &str, arguments: &[&str]) -> String {
        let run = self.output(program, arguments);
        let (printed, errors) = (String::from_utf8_lossy(&run.stdout), String::from_utf8_lossy(&run.stderr));
        assert!(run.status.success(), "{program} {arguments:?}: {}\n{printed}{errors}", run.status);
        printed.into_owned()
    }

    /// Runs a program in the folder; returns its exit code.
    pub(crate) fn status(&self, program: &str, arguments: &[&str]) -> Option<i32> {
        self.output(program, arguments).status.code()
    }

    fn output(&self, program: &str, arguments: &[&str]) -> Output {
        let run = Command::new(program).args(arguments).current_dir(self.path()).output();
        run.unwrap_or_else(|error| panic!("{program}: {error}"))
    }
}
