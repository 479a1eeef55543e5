//! The record of skipped checks, `target/skipped.txt`: lines of a run and a check with the program that it needs.
//!
//! The checks of one `cargo nextest run` are processes that append to it at the same time, hence the lock; several runs
//! may overlap, hence the run in each line. Without nextest, runs are not told apart.

use super::RequiredProgram;
use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, Write};
use std::path::{Path, PathBuf};

/// The separator between a skipped check and the program that it needs, in a line of the record.
const NEEDS: &str = ": needs ";
/// The line with which a run begins, after the run.
const BEGINS: &str = "begins";
/// A run that begins discards a record of more bytes than this.
const MOST: usize = 1 << 20;

/// A check of the last run that was skipped, wholly or in part.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct SkippedCheck {
    /// The missing program with its packages, as [`RequiredProgram`] is displayed.
    pub program: String,
    /// Package, test binary and name of the check.
    pub check: String,
}

/// The file of the record.
pub(super) fn file() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/skipped.txt")
}

/// The skipped checks of the run that began last, sorted by program.
///
/// # Errors
/// If the record cannot be read. There is none before the first run.
pub fn skipped() -> io::Result<Vec<SkippedCheck>> {
    Ok(last_run(&std::fs::read_to_string(file())?))
}

fn last_run(text: &str) -> Vec<SkippedCheck> {
    let lines = || text.lines().filter_map(|line| line.split_once('\t'));
    let last = lines().rfind(|(_, rest)| *rest == BEGINS).map(|(run, _)| run);
    let lines = lines().filter(|(run, _)| Some(*run) == last);
    let mut checks: Vec<SkippedCheck> = lines.filter_map(|(_, rest)| parse(rest)).collect();
    checks.sort();
    checks
}

fn parse(line: &str) -> Option<SkippedCheck> {
    let (check, program) = line.split_once(NEEDS)?;
    Some(SkippedCheck { program: program.to_owned(), check: check.to_owned() })
}

/// Adds a line for the calling check and each of these programs.
pub(super) fn add(missing: &[&RequiredProgram]) -> io::Result<()> {
    let file = file();
    if let Some(folder) = file.parent() {
        std::fs::create_dir_all(folder)?;
    }
    let file = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(file)?;
    file.lock()?;
    let run = std::env::var("NEXTEST_RUN_ID").unwrap_or_else(|_| "without nextest".to_owned());
    let check = check();
    let lines = missing.iter().map(|program| format!("{check}{NEEDS}{program}"));
    append(file, &run, lines)
}

/// Appends those of these lines that the record of the run does not have.
fn append(mut file: File, run: &str, lines: impl Iterator<Item = String>) -> io::Result<()> {
    let mut text = String::new();
    file.read_to_string(&mut text)?;
    let is_known = |line: &str| text.lines().any(|known| known == line);
    let begins = format!("{run}\t{BEGINS}");
    if !is_known(&begins) && text.len() > MOST {
        file.set_len(0)?;
        file.rewind()?;
    }
    let lines = lines.map(|line| format!("{run}\t{line}"));
    for line in [begins].into_iter().chain(lines).filter(|line| !is_known(line)) {
        file.write_all(format!("{line}\n").as_bytes())?;
    }
    Ok(())
}

/// The calling check: its package and test binary, which cargo names, and the thread that runs it.
fn check() -> String {
    let binary = std::env::current_exe().unwrap_or_default();
    let binary = binary.file_stem().unwrap_or_default().to_string_lossy();
    // Cargo appends a hash to the name of the binary.
    let binary = binary.rsplit_once('-').map_or(&*binary, |(name, _)| name);
    let package = std::env::var("CARGO_PKG_NAME").unwrap_or_default();
    let thread = std::thread::current();
    format!("{package}::{binary} {}", thread.name().unwrap_or("unnamed"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_run_is_told_from_others_and_repeats_nothing() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("record");
        let add = |run: &str, lines: &[&str]| {
            let file = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(&path);
            let lines = lines.iter().map(|line| (*line).to_owned());
            append(file.expect("a file"), run, lines).expect("it can be written");
            let last = last_run(&std::fs::read_to_string(&path).expect("a record"));
            last.iter().map(|skipped| format!("{} {}", skipped.program, skipped.check)).collect::<Vec<_>>()
        };
        assert_eq!(add("1", &["b: needs x", "a: needs x"]), ["x a", "x b"]);
        assert_eq!(add("1", &["a: needs x", "a: needs w"]), ["w a", "x a", "x b"]);
        assert_eq!(add("2", &[]), [""; 0]);
        // The first run goes on.
        assert_eq!(add("1", &["c: needs x"]), [""; 0]);
        assert_eq!(add("2", &["d: needs x"]), ["x d"]);
        std::fs::write(&path, " ".repeat(MOST + 1)).expect("a file");
        assert_eq!(add("2", &["d: needs x"]), ["x d"]);
        assert!(std::fs::metadata(&path).expect("a file").len() < 100);
    }
}
