//! Delta debugging (Zeller and Hildebrandt 2002): removes and simplifies parts of a program while the same kind of
//! wrong claim remains.

use super::compare::Wrong;
use super::examine::{Bench, Outcome};
use super::generate::Program;
use super::tree::Node;
use std::path::Path;
use std::time::{Duration, Instant};

/// The limits on the number of candidates and on the time.
const MOST: usize = 300;
const LONGEST: Duration = Duration::from_secs(150);

/// A smaller program with the same kind of wrong claim.
///
/// # Errors
/// If the command cannot be run.
#[allow(clippy::unnecessary_wraps, reason = "the caller handles other failures by the same type")]
pub(super) fn reduce(
    bench: &Bench,
    program: &Program,
    level: &str,
    wrong: &Wrong,
    folder: &Path,
) -> Result<Program, String> {
    if program.tampered && !wrong.is_of_exploration() {
        return Ok(program.clone());
    }
    let mut smallest = Program { tampered: false, ..program.clone() };
    let (mut tried, start) = (0, Instant::now());
    let mut goes_on = true;
    while goes_on {
        goes_on = false;
        // Statements first, from last to first: later statements depend on earlier ones.
        for statements in [true, false] {
            let mut number = smallest.tree.count();
            while number > 1 {
                number -= 1;
                let Some(node) = smallest.tree.find(number) else { continue };
                if node.is_statement() != statements {
                    continue;
                }
                for simpler in node.simpler() {
                    let candidate =
                        Program { tree: smallest.tree.replaced(number, &simpler), ..smallest.clone() };
                    if size(&candidate.tree) >= size(&smallest.tree) {
                        continue;
                    }
                    tried += 1;
                    if tried > MOST || start.elapsed() > LONGEST {
                        return Ok(smallest);
                    }
                    if shows(bench, &candidate, level, wrong, folder) {
                        smallest = candidate;
                        goes_on = true;
                        break;
                    }
                }
            }
        }
    }
    Ok(smallest)
}

fn size(tree: &Node) -> usize {
    tree.render().split_whitespace().map(str::len).sum()
}

fn shows(bench: &Bench, program: &Program, level: &str, wrong: &Wrong, folder: &Path) -> bool {
    match bench.examine_with(program, level, folder, wrong.reproduced_by()) {
        Ok(Outcome::Compared(report)) => report.comparison.wrong.iter().any(|found| found.kind == wrong.kind),
        // A program that an executor cannot run does not count.
        Ok(Outcome::Skipped(_)) | Err(_) => false,
    }
}
