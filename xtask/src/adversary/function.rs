//! Functions of a generated program, each tested by itself (`[call]`) with its arguments as input: what a run of the whole
//! program does in a function is a behaviour of the function, so that the runs refute claims about it.
//!
//! Only transitions within the function are compared: its callees may have other callers, who do more with them.

use super::build::Built;
use super::claim::{Claim, FUNCTION_SECONDS, explore_file};
use super::compare::{Comparison, compare_function};
use super::generate::{Function, Program};
use super::shape::Shapes;
use super::truth::Truth;
use everypath_lift::Architecture;
use serde::{Deserialize, Serialize};
use std::fmt::Write as _;
use std::path::Path;

/// A function under test.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Called {
    /// The addresses of its first and of its last byte.
    pub(super) first: u64,
    pub(super) last: u64,
    /// Its `everypath.toml`.
    pub(super) configuration: String,
}

/// The function in which the runs of a program make the most transitions; `None` if there is none that can be called.
pub(super) fn busiest(
    program: &Program,
    built: &Built,
    truth: &Truth,
    (architecture, int): (&Architecture, u32),
) -> Option<Called> {
    // A wider argument takes several registers.
    let fits = |function: &&Function| function.parameters.iter().all(|kind| kind.bits <= int);
    let functions = program.functions.iter().filter(fits);
    // A bit of a symbol's address may be a mode.
    let plain = |address: u64| architecture.code_address(address).0;
    let range = |(first, last): &(u64, u64)| (plain(*first), last - (first - plain(*first)));
    let ranges =
        functions.filter_map(|function| Some((function, range(built.functions.get(&function.name)?))));
    let transitions = |(first, last): (u64, u64)| {
        truth.edges.keys().filter(|(from, to)| within(*from, first, last) && within(*to, first, last)).count()
    };
    let (count, function, (first, last)) = ranges
        .map(|(function, range)| (transitions(range), function, range))
        .max_by_key(|(count, ..)| *count)?;
    (count > 0).then(|| Called { first, last, configuration: configuration(program, built, function) })
}

fn within(address: u64, first: u64, last: u64) -> bool {
    (first..=last).contains(&address)
}

/// The program's configuration with a call of the function.
fn configuration(program: &Program, built: &Built, function: &Function) -> String {
    let lines = built.configuration.lines().filter(|line| !line.starts_with("entry"));
    let mut text = lines.fold(String::new(), |text, line| text + line + "\n");
    let _ = writeln!(text, "[call]\nfunction = \"{}\"", function.name);
    for (number, kind) in function.parameters.iter().enumerate() {
        let _ = writeln!(
            text,
            "[[input]]\nname = \"argument{number}\"\nargument = {number}\nsize = {}\nsigned = {}",
            kind.bits / 8,
            kind.signed
        );
    }
    let arrays = ["g0", "g1"].into_iter().filter(|name| built.symbols.contains_key(*name));
    for array in arrays.filter(|_| program.arrays_are_input) {
        let _ = writeln!(text, "[[input]]\nname = \"{array}\"");
    }
    text
}

impl Called {
    /// Explores the function of a file and compares; files go to a folder in `work`.
    ///
    /// # Errors
    /// If the command cannot be run, or a file cannot be written.
    pub(super) fn check(
        &self,
        everypath: &Path,
        file: &Path,
        work: &Path,
        truth: &Truth,
        shapes: &mut Shapes<'_>,
    ) -> Result<Comparison, String> {
        let folder = work.join("function");
        let problem = |error: std::io::Error| format!("{}: {error}", folder.display());
        std::fs::create_dir_all(&folder).map_err(problem)?;
        let copy = folder.join(file.file_name().unwrap_or_default());
        std::fs::copy(file, &copy).map_err(problem)?;
        std::fs::write(folder.join("everypath.toml"), &self.configuration).map_err(problem)?;
        let claim = explore_file(everypath, &copy, &folder, ("branch", FUNCTION_SECONDS), &[])?;
        let claim = Claim { criterion: "function", ..claim };
        let inside = |address: u64| within(address, self.first, self.last);
        Ok(compare_function(&claim, truth, &inside, shapes))
    }
}
