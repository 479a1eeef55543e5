//! Runs all sweeps one after the other, and prints the table.

use super::code::read_code;
use super::confirm::confirm;
use super::known::KnownList;
use super::linear::sweep;
use super::list::{List, ProgramEntry, WordsEntry};
use super::processor::Processor;
use super::row::{Crash, Row};
use super::words::words;
use everypath_lift::Library;
use everypath_testkit::random::Random;
use std::path::Path;
use std::time::Instant;

/// The number of bytes of each program with `--cut`.
const CUT_BYTES: usize = 100 << 10;
/// The number of random words with `--cut`.
const CUT_WORDS: usize = 20_000;
const ALL_WORDS: usize = 1_000_000;

/// Options of the sweep.
#[derive(Clone, Debug)]
pub struct Options {
    /// Only the beginning of each program and few words.
    pub cut: bool,
    /// Only this architecture.
    pub architecture: Option<String>,
    /// The number of words of each architecture, if not the default.
    pub words: Option<usize>,
    /// The seed of the words.
    pub seed: u64,
}

/// Runs the sweeps and prints the table; returns whether there is no difference and nothing is missing.
///
/// # Errors
/// If the list is wrong, or the reference fails.
pub fn run(root: &Path, options: &Options) -> Result<bool, String> {
    let list = List::read(root)?;
    let known = KnownList::read(root)?;
    check_complete(&list)?;
    if let Some(name) = &options.architecture
        && !list.words.iter().any(|entry| entry.architecture == *name)
    {
        return Err(format!("tests/sweep/list.toml has no architecture {name}"));
    }
    let wanted = |architecture: &str| options.architecture.as_ref().is_none_or(|name| name == architecture);
    let mut missing = Vec::new();
    let mut sum = Row::new("all");
    println!("{}", Row::HEAD);
    for entry in list.programs.iter().filter(|entry| wanted(&entry.architecture)) {
        match program(entry, options, &known)? {
            Ok(row) => sum.add(&row),
            Err(message) => missing.push(message),
        }
    }
    for entry in list.words.iter().filter(|entry| wanted(&entry.architecture)) {
        sum.add(&random_words(entry, options, &known)?);
    }
    println!("{sum}");
    for message in &missing {
        println!("missing: {message}");
    }
    Ok(sum.different == 0 && sum.answers > 0 && missing.is_empty())
}

/// Checks that each built-in architecture is swept.
fn check_complete(list: &List) -> Result<(), String> {
    for (name, _, _) in Library::built_in().list() {
        if !list.words.iter().any(|entry| entry.architecture == name) {
            return Err(format!(
                "tests/sweep/list.toml has no words for the architecture {name}: add an entry"
            ));
        }
    }
    Ok(())
}

/// A program's row, or the missing file.
fn program(
    entry: &ProgramEntry,
    options: &Options,
    known: &KnownList,
) -> Result<Result<Row, String>, String> {
    let code = match read_code(entry, if options.cut { CUT_BYTES } else { usize::MAX }) {
        Ok(code) => code,
        Err(message) => return Ok(Err(message)),
    };
    let start = Instant::now();
    let processor = Processor::load(&entry.architecture, &entry.context)?;
    let mut row = Row::new(&entry.name);
    sweep(&processor, &code, entry, &mut row)
        .and_then(|differences| confirm(&processor, &entry.architecture, known, differences, &mut row))
        .map_err(|error| format!("{}: {error}", entry.name))?;
    row.seconds = start.elapsed().as_secs_f64();
    print(&row, &entry.architecture, known);
    Ok(Ok(row))
}

fn random_words(entry: &WordsEntry, options: &Options, known: &KnownList) -> Result<Row, String> {
    let start = Instant::now();
    let processor = Processor::load(&entry.architecture, &entry.context)?;
    let count = options.words.unwrap_or(if options.cut { CUT_WORDS } else { ALL_WORDS });
    let size = usize::try_from(entry.size).expect("a size of some bytes");
    let records = Random::named(options.seed, entry.name()).bytes(count * size);
    let mut row = Row::new(&format!("random {}", entry.name()));
    words(&processor, &records, size, &mut row)
        .and_then(|differences| confirm(&processor, &entry.architecture, known, differences, &mut row))
        .map_err(|error| format!("{}: {error}", row.name))?;
    row.seconds = start.elapsed().as_secs_f64();
    print(&row, &entry.architecture, known);
    Ok(row)
}

/// The number of kinds of crashing instructions that are shown.
const SHOWN_CRASHES: usize = 4;

fn print(row: &Row, architecture: &str, known: &KnownList) {
    println!("{row}");
    let crashes = row.crashes();
    let (listed, unlisted): (Vec<&Crash>, Vec<&Crash>) =
        crashes.into_iter().partition(|crash| known.lists_crash(architecture, &crash.text));
    for (crashes, remark) in [(unlisted, ", which is not listed"), (listed, "")] {
        for Crash { count, bytes, text } in crashes.into_iter().take(SHOWN_CRASHES) {
            println!("    the reference died of {bytes} {text}{remark}: {count}");
        }
    }
}
