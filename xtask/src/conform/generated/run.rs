//! Runs all targets and guests, and prints the table.

use super::client::carry_out;
use super::list::{List, Target};
use super::tool;
use crate::conform::description::Description;
use crate::conform::gdb::Emulator;
use crate::conform::registers::Registers;
use everypath_explore::{Explorer, NoObserver, Plan, replay, rerun};
use everypath_lift::Library;
use everypath_record::{Address, Direction, Rerun};
use everypath_report::ScriptFormat;
use everypath_solve::SolverStack;
use everypath_testkit::guests::{Subject, build, targets, with_root};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// Options of the confirmation.
#[derive(Clone, Debug)]
pub struct Options {
    /// Only these targets; all if empty.
    pub targets: Vec<String>,
    /// Only the first guests, for every change.
    pub cut: bool,
}

/// The number of guests with `cut`.
const CUT: usize = 4;
/// The maximum number of instructions of a test: tools take long to single-step.
const LONGEST: u64 = 5_000;

/// The counts for one target.
#[derive(Default)]
struct Row {
    tests: u64,
    left_out: u64,
    debugged: u64,
    instructions: u64,
    directions: u64,
    differences: Vec<String>,
}

/// Runs the tests and prints the table; returns whether all took the recorded directions.
///
/// # Errors
/// If a guest cannot be compiled, or an executor cannot be run.
pub fn run(root: &Path, options: &Options) -> Result<bool, String> {
    let list = List::read(root)?;
    let wanted = |target: &&Target| options.targets.is_empty() || options.targets.contains(&target.name);
    if let Some(missing) =
        options.targets.iter().find(|name| !list.targets.iter().any(|target| target.name == **name))
    {
        return Err(format!("no target in tests/confirm/list.toml is called `{missing}`"));
    }
    println!(
        "{:<10} {:<6} {:>6} {:>6} {:>8} {:>8} {:>12} {:>10} {:>11} {:>8}",
        "target",
        "level",
        "guests",
        "tests",
        "left out",
        "debugged",
        "instructions",
        "directions",
        "differences",
        "seconds"
    );
    let mut good = true;
    for target in list.targets.iter().filter(wanted) {
        let start = Instant::now();
        let count = if options.cut { CUT } else { list.guests.len() };
        let guests = &list.guests[..count.min(list.guests.len())];
        let mut row = Row::default();
        for guest in guests {
            confirm(root, target, guest, &mut row)
                .map_err(|error| format!("{} {guest}: {error}", target.name))?;
        }
        println!(
            "{:<10} {:<6} {:>6} {:>6} {:>8} {:>8} {:>12} {:>10} {:>11} {:>8.1}",
            target.name,
            target.level,
            guests.len(),
            row.tests,
            row.left_out,
            row.debugged,
            row.instructions,
            row.directions,
            row.differences.len(),
            start.elapsed().as_secs_f64()
        );
        for difference in &row.differences {
            println!("    {difference}");
        }
        good &= row.differences.is_empty() && row.tests > 0;
    }
    Ok(good)
}

/// Generates the tests of a guest and runs them on an executor.
fn confirm(root: &Path, target: &Target, name: &str, row: &mut Row) -> Result<(), String> {
    let known = targets(root)?.into_iter().find(|known| known.name == target.name);
    let mut compiled = known.ok_or("it is not in tests/guests/targets.toml")?;
    compiled.flags.extend(target.flags.iter().map(|flag| with_root(root, flag)));
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let source = root.join("tests/guests/classic").join(format!("{name}.c"));
    let built = build(&source, &compiled, &target.level, folder.path())?;
    let Subject { guest, configuration } = Subject::load(&built, &compiled, "")?;
    let problem = |error: everypath_environment::GuestError| error.to_string();
    let explorer = Explorer::new(&guest, &configuration, Plan::default(), SolverStack::default().build());
    let found = explorer.map_err(problem)?.run(&mut NoObserver);

    let format = ScriptFormat::by_name(&target.format).ok_or("there is no such format")?;
    let known: BTreeSet<Direction> = found.directions.iter().map(|judged| judged.direction).collect();
    let shortest = found.tests.iter().map(|test| test.instructions).min();
    let mut debugged = row.debugged > 0;
    for test in &found.tests {
        if test.instructions > LONGEST {
            row.left_out += 1;
            continue;
        }
        let program = built.file.display().to_string();
        let expected = rerun(&guest, &configuration, test, &program, format.name).map_err(problem)?;
        let script = folder.path().join(format!("{}.{}", test.name, format.extension));
        std::fs::write(&script, (format.script)(&expected)).map_err(|error| error.to_string())?;
        let taken = taken(&known, &replay(&guest, &configuration, test).map_err(problem)?);
        let mut check = |printed: Result<String, String>| {
            let printed = printed.map_err(|error| format!("{name}, test {}: {error}", test.name));
            let difference = printed.map_or_else(Some, |printed| {
                compare(&(format.addresses)(&printed), expected.instructions.len(), &taken, &known)
                    .map(|what| format!("{name}, test {}: {what}", test.name))
            });
            row.differences.extend(difference);
        };
        let side = Side { root, target, file: &built.file, script: &script };
        check(side.run());
        // The real debugger, once for each target.
        if target.registers.is_some() && !debugged && Some(test.instructions) == shortest {
            debugged = true;
            row.debugged += 1;
            check(tool::debug(&target.command, &target.arguments, &built.file, &script));
        }
        if Some(test.instructions) == shortest {
            row.differences.extend(
                cannot_fail(&side, format, &expected).map(|why| format!("{name}, test {}: {why}", test.name)),
            );
        }
        row.tests += 1;
        row.instructions += expected.instructions.len() as u64;
        row.directions += taken.len() as u64;
    }
    Ok(())
}

/// Checks that a script with a wrong expectation fails: otherwise it compares nothing.
fn cannot_fail(side: &Side<'_>, format: &ScriptFormat, expected: &Rerun) -> Option<String> {
    let mut other = expected.clone();
    for expected in &mut other.expected {
        if expected.after == other.instructions.len() {
            expected.at = Address(expected.at.0 ^ 2);
        }
    }
    let ends = |rerun: &Rerun| -> Result<bool, String> {
        let problem = |error: std::io::Error| error.to_string();
        std::fs::write(side.script, (format.script)(rerun)).map_err(problem)?;
        let Some((extension, check)) = format.check else { return Ok(side.run().is_ok()) };
        let script = side.script.with_extension(extension);
        std::fs::write(&script, check(rerun)).map_err(problem)?;
        tool::checks(&side.target.command, &side.target.arguments, &script)
    };
    match (ends(expected), ends(&other)) {
        (Ok(true), Ok(false)) => None,
        (Ok(true), Ok(true)) => Some("its script ends well though another end is expected".to_owned()),
        (Ok(false), _) => Some("its script does not end well".to_owned()),
        (Err(error), _) | (_, Err(error)) => Some(error),
    }
}

/// The recorded directions that a run took.
fn taken(known: &BTreeSet<Direction>, replayed: &everypath_explore::Replayed) -> BTreeSet<Direction> {
    replayed.directions.iter().filter(|taken| known.contains(taken)).copied().collect()
}

/// A script, and the tool that runs it.
struct Side<'s> {
    root: &'s Path,
    target: &'s Target,
    file: &'s PathBuf,
    script: &'s PathBuf,
}

impl Side<'_> {
    /// Runs the script; returns its output.
    fn run(&self) -> Result<String, String> {
        let Target { command, arguments, registers, .. } = self.target;
        let Some(registers) = registers else {
            return tool::simulate(command, arguments, self.script);
        };
        let description = Description::read(&self.root.join("tests/conform").join(registers))?;
        let architecture = Library::built_in().load(&description.architecture);
        let registers = Registers::new(&*architecture.map_err(|error| error.to_string())?, &description)?;
        let mut emulator = Emulator::start(command, arguments, self.file, &registers)?;
        let script = std::fs::read_to_string(self.script).map_err(|error| error.to_string())?;
        let printed = carry_out(&script, &mut emulator, &registers);
        emulator.end();
        printed
    }
}

/// The difference in words, if any. `wanted` is the number of instructions to run; `addresses` has one more, the next
/// one.
fn compare(
    addresses: &[u64],
    wanted: usize,
    taken: &BTreeSet<Direction>,
    known: &BTreeSet<Direction>,
) -> Option<String> {
    let pairs = addresses.windows(2);
    let pairs = pairs.map(|pair| Direction { branch: Address(pair[0]), target: Address(pair[1]) });
    let theirs: BTreeSet<Direction> = pairs.filter(|pair| known.contains(pair)).collect();
    let run = addresses.len().saturating_sub(1);
    if run != wanted {
        return Some(format!("{run} instructions in place of {wanted}"));
    }
    let missing: Vec<String> = taken.difference(&theirs).map(ToString::to_string).collect();
    let more: Vec<String> = theirs.difference(taken).map(ToString::to_string).collect();
    (!missing.is_empty() || !more.is_empty())
        .then(|| format!("not taken there: {}; taken there only: {}", missing.join(", "), more.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_way_out_of_a_branch_is_a_difference() {
        let direction = |target| Direction { branch: Address(0x12), target: Address(target) };
        let known = BTreeSet::from([direction(0x14), direction(0x20)]);
        let taken = BTreeSet::from([direction(0x14)]);
        assert_eq!(compare(&[0x10, 0x12, 0x14, 0x16], 3, &taken, &known), None);
        assert!(compare(&[0x10, 0x12, 0x20, 0x16], 3, &taken, &known).is_some());
        assert!(compare(&[0x10, 0x12, 0x14], 3, &taken, &known).is_some());
        // The last instruction may be the branch.
        assert_eq!(compare(&[0x10, 0x12, 0x14], 2, &taken, &known), None);
    }
}
