//! The claims of Everypath about a program: the command run as a user runs it, and the files it wrote.

use super::build::Built;
use super::emulator::wait;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

/// The fields of `summary.json` that are compared with the ground truth.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct Summary {
    pub(super) criterion_reached: bool,
    pub(super) complete: bool,
    pub(super) directions_exact: bool,
    pub(super) directions: Vec<Direction>,
    pub(super) indirect_exits: Vec<Jump>,
    pub(super) tests: Vec<String>,
    pub(super) findings: Vec<Finding>,
    pub(super) divergences: Vec<String>,
}

/// A branch direction and its verdict.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct Direction {
    pub(super) branch: Address,
    pub(super) target: Address,
    pub(super) verdict: String,
}

/// An indirect jump, call or return.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct Jump {
    pub(super) branch: Address,
    pub(super) kind: String,
    pub(super) targets: Vec<Address>,
    pub(super) resolved: bool,
}

/// A fault of the guest.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct Finding {
    pub(super) oracle: String,
    pub(super) address: Address,
    pub(super) message: String,
}

/// A test.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct Test {
    pub(super) name: String,
    pub(super) cells: Vec<Cell>,
}

/// The values of a cell.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct Cell {
    pub(super) name: String,
    pub(super) values: Vec<u64>,
}

/// An address, which is text in the files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub(super) struct Address(pub(super) u64);

impl TryFrom<String> for Address {
    type Error = String;

    fn try_from(text: String) -> Result<Address, String> {
        let digits = text.strip_prefix("0x").ok_or("an address begins with 0x")?;
        u64::from_str_radix(digits, 16).map(Address).map_err(|error| error.to_string())
    }
}

/// The result of one run of the command.
#[derive(Clone, Debug)]
pub(super) struct Claim {
    pub(super) criterion: &'static str,
    /// The exit code; none after a signal.
    pub(super) code: Option<i32>,
    /// Its standard error.
    pub(super) complaint: String,
    pub(super) summary: Option<Summary>,
    pub(super) tests: Vec<Test>,
    pub(super) folder: PathBuf,
}

/// The time limit of an exploration, and the grace period before it is killed.
pub(super) const SECONDS: u64 = 10;
const GRACE: u64 = 20;
/// The time limit of the exploration of one function. With any arguments, some have loops that no limit is enough for, and
/// what is open claims nothing.
pub(super) const FUNCTION_SECONDS: u64 = 3;

/// Explores a program.
///
/// # Errors
/// If the command cannot be run or its output cannot be read.
pub(super) fn explore(
    everypath: &Path,
    built: &Built,
    criterion: &'static str,
    more: &[&str],
) -> Result<Claim, String> {
    explore_file(everypath, &built.file, &built.folder, (criterion, SECONDS), more)
}

/// The explorations of a whole program among these, each with its flags. Proofs by abstraction, if they are wanted, are for
/// branches, and small programs need one only if it is tried at once.
pub(super) fn explorations(
    which: &[&'static str],
    proofs: bool,
) -> impl Iterator<Item = (&'static str, &'static [&'static str])> {
    which.iter().flat_map(move |criterion| {
        let settings: &[&[&str]] = match *criterion {
            "function" => &[],
            "branch" if proofs => &[&["--prove=0"], &[]],
            _ => &[&[]],
        };
        settings.iter().map(move |setting| (*criterion, *setting))
    })
}

/// Explores a file by a criterion, for so many seconds; the output goes to a folder in `work`.
///
/// # Errors
/// If the command cannot be run or its output cannot be read.
pub(super) fn explore_file(
    everypath: &Path,
    file: &Path,
    work: &Path,
    (criterion, seconds): (&'static str, u64),
    more: &[&str],
) -> Result<Claim, String> {
    let folder = work.join(format!("tests-{criterion}"));
    let complaints = work.join(format!("complaints-{criterion}"));
    let _ = std::fs::remove_dir_all(&folder);
    let errors = std::fs::File::create(&complaints).map_err(|error| error.to_string())?;
    let mut process = Command::new(everypath)
        .arg("test")
        .arg(file)
        .args(["--criterion", criterion, "--seconds", &seconds.to_string(), "--output"])
        .arg(&folder)
        .args(more)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(errors)
        .spawn()
        .map_err(|error| format!("{}: {error}", everypath.display()))?;
    let ended = wait(&mut process, Duration::from_secs(seconds + GRACE));
    let said = std::fs::read_to_string(&complaints).unwrap_or_default();
    let (code, complaint) = match ended {
        Ok(code) => (code, said),
        Err(problem) => (None, format!("{problem} within {} s", seconds + GRACE)),
    };
    let summary_file = folder.join("summary.json");
    let (mut summary, mut tests): (Option<Summary>, Vec<Test>) = (None, Vec::new());
    if summary_file.is_file() {
        let read: Summary = read(&summary_file)?;
        for name in &read.tests {
            tests.push(self::read(&folder.join("tests").join(format!("{name}.json")))?);
        }
        summary = Some(read);
    }
    Ok(Claim { criterion, code, complaint, summary, tests, folder })
}

fn read<T: serde::de::DeserializeOwned>(file: &Path) -> Result<T, String> {
    let text = std::fs::read_to_string(file).map_err(|error| format!("{}: {error}", file.display()))?;
    serde_json::from_str(&text).map_err(|error| format!("{}: {error}", file.display()))
}

impl Claim {
    /// Whether it claims completeness: `complete`, `reached` and `exact`, or exit code 0.
    pub(super) fn says_all(&self) -> bool {
        self.summary
            .as_ref()
            .is_some_and(|summary| summary.complete || summary.criterion_reached || self.code == Some(0))
    }
}

impl Summary {
    /// The verdict of each direction.
    pub(super) fn verdicts(&self) -> BTreeMap<(u64, u64), &str> {
        self.directions
            .iter()
            .map(|direction| ((direction.branch.0, direction.target.0), direction.verdict.as_str()))
            .collect()
    }
}
