//! Regression tests, `tests/adversary/kept/<name>/`: a guest, its configuration and the recorded ground truth, checked
//! again without compiler or executor.

use super::claim::{self, Address};
use super::compare::{Case, compare};
use super::examine::{Bench, EXPLORATIONS, Report};
use super::function::Called;
use super::generate::Program;
use super::input::{Cell, Contents, Domain};
use super::shape::Shapes;
use super::truth::{Ending, Run, Truth};
use everypath_lift::Library;
use everypath_testkit::guests::{self, Subject};
use serde::{Deserialize, Serialize};
use std::path::Path;

/// The recorded ground truth, `truth.json`.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Kept {
    architecture: String,
    /// The guest's file.
    file: String,
    /// Name, mask and number of reads of each input cell.
    cells: Vec<(String, u8, u32)>,
    faulty: bool,
    /// Transitions between instructions, each with an input.
    edges: Vec<(String, String, u64)>,
    /// Run-length encoded runs in the order of inputs: count, path, address of the fault, and whether it divides by
    /// zero.
    runs: Vec<(u64, String, Option<String>, bool)>,
    /// The function that is tested by itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    called: Option<Called>,
}

fn text(number: u64) -> String {
    format!("{number:#x}")
}

fn number(text: &str) -> Result<u64, String> {
    Address::try_from(text.to_owned()).map(|address| address.0)
}

impl Kept {
    pub(super) fn new(bench: &Bench, program: &Program, report: &Report) -> Kept {
        let truth = &report.truth;
        let edges = truth.edges.iter().map(|((from, to), input)| (text(*from), text(*to), *input));
        let mut runs: Vec<(u64, String, Option<String>, bool)> = Vec::new();
        for run in &truth.runs {
            let fault = match run.ending {
                Ending::Stopped => None,
                Ending::Faulted(at) => Some(text(at)),
            };
            let same = (text(run.path), fault, run.divides_by_zero);
            match runs.last_mut() {
                Some((count, path, fault, divides))
                    if (&*path, &*fault, *divides) == (&same.0, &same.1, same.2) =>
                {
                    *count += 1;
                }
                _ => runs.push((1, same.0, same.1, same.2)),
            }
        }
        let cells = program.domain.cells.iter().filter_map(|cell| match cell.contents {
            Contents::Input { mask, reads } => Some((cell.name.to_owned(), mask, reads)),
            Contents::Script(_) => None,
        });
        Kept {
            architecture: bench.target.description.name.clone(),
            file: bench.target.compiler.file.clone(),
            cells: cells.collect(),
            faulty: program.faulty,
            edges: edges.collect(),
            runs,
            called: report.called.clone(),
        }
    }

    pub(super) fn write(&self, folder: &Path) -> Result<(), String> {
        let file = folder.join("truth.json");
        let text = serde_json::to_string(self).map_err(|error| error.to_string())?;
        let text = text.replace("]],", "]],\n").replace("],[", "],\n[");
        std::fs::write(&file, text + "\n").map_err(|error| format!("{}: {error}", file.display()))
    }

    fn truth(&self) -> Result<Truth, String> {
        let mut truth = Truth::default();
        for (from, to, input) in &self.edges {
            truth.edges.insert((number(from)?, number(to)?), *input);
        }
        for (count, path, fault, divides_by_zero) in &self.runs {
            let ending = match fault {
                Some(at) => Ending::Faulted(number(at)?),
                None => Ending::Stopped,
            };
            let run = Run { path: number(path)?, ending, divides_by_zero: *divides_by_zero };
            truth.runs.extend((0..*count).map(|_| run));
        }
        Ok(truth)
    }

    fn domain(&self) -> Domain {
        let names = ["in_a", "in_b"];
        let cell = |(name, mask, reads): &(String, u8, u32)| {
            let name = names.into_iter().find(|known| known == name)?;
            let contents = Contents::Input { mask: *mask, reads: *reads };
            Some(Cell { name, symbol: name, offset: 0, contents })
        };
        Domain { cells: self.cells.iter().filter_map(cell).collect() }
    }

    /// The wrong claims of the command about the program in a folder.
    fn check(&self, everypath: &Path, folder: &Path) -> Result<Vec<String>, String> {
        let architecture = Library::built_in().load(&self.architecture).map_err(|error| error.to_string())?;
        let file = folder.join(&self.file);
        let configuration = std::fs::read_to_string(folder.join("everypath.toml"));
        let configuration = configuration.map_err(|error| format!("{}: {error}", folder.display()))?;
        let built = guests::Built { file: file.clone(), configuration };
        let Subject { guest, configuration } = Subject::with_architecture(&built, architecture.clone(), "")?;
        let problem = |error: everypath_environment::GuestError| error.to_string();
        let entry = guest.entry(&configuration).map_err(problem)?;
        let mut state = guest.state(&configuration).map_err(problem)?;
        let memory = state.memory(guest.code_space()).ok_or("the code space is not memory")?;
        let mut shapes = Shapes::new(&architecture, memory, entry.context);
        let (truth, domain) = (self.truth()?, self.domain());
        let case = Case { truth: &truth, domain: &domain, faulty: self.faulty };
        let work = tempfile::tempdir().map_err(|error| error.to_string())?;
        let mut wrong = Vec::new();
        for (criterion, setting) in claim::explorations(&EXPLORATIONS, true) {
            let claim =
                claim::explore_file(everypath, &file, work.path(), (criterion, claim::SECONDS), setting)?;
            let found = compare(&claim, &case, &mut shapes).wrong;
            wrong.extend(found.into_iter().map(|found| format!("{}: {}", found.kind, found.what)));
            let differs = super::tamper::differs(everypath, &file, &claim.folder)?;
            wrong.extend(differs.map(|(kind, what)| format!("{kind}: {criterion}: {what}")));
        }
        if let Some(called) = &self.called {
            let found = called.check(everypath, &file, work.path(), &truth, &mut shapes)?.wrong;
            wrong.extend(found.into_iter().map(|found| format!("{}: {}", found.kind, found.what)));
        }
        Ok(wrong)
    }
}

/// Checks all kept programs of the project with the command; returns the wrong claims, each with the name of the
/// program.
///
/// # Errors
/// If a folder or a file cannot be read, or the command cannot be run.
pub fn kept(root: &Path, everypath: &Path) -> Result<Vec<String>, String> {
    let folder = root.join("tests/adversary/kept");
    let entries = std::fs::read_dir(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let mut folders: Vec<_> =
        entries.filter_map(|entry| Some(entry.ok()?.path())).filter(|path| path.is_dir()).collect();
    folders.sort();
    if folders.is_empty() {
        return Err(format!("{}: no program is kept there", folder.display()));
    }
    let mut wrong = Vec::new();
    for place in folders {
        let name = place.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let file = place.join("truth.json");
        let text = std::fs::read_to_string(&file).map_err(|error| format!("{}: {error}", file.display()))?;
        let kept: Kept =
            serde_json::from_str(&text).map_err(|error| format!("{}: {error}", file.display()))?;
        wrong.extend(kept.check(everypath, &place)?.into_iter().map(|found| format!("{name}: {found}")));
    }
    Ok(wrong)
}
