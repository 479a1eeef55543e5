//! Delta debugging: removes and simplifies parts of a program as long as the same kind of wrong claim stays.

use super::examine::{Bench, Outcome};
use super::generate::Program;
use std::path::Path;

/// How many smaller programs are tried at most.
const MOST: usize = 250;

/// A smaller program with the same kind of wrong claim, and what is wrong with it.
///
/// # Errors
/// If an executor or the command cannot be run.
pub(super) fn reduce(
    bench: &Bench,
    program: &Program,
    level: &str,
    kind: &str,
    folder: &Path,
) -> Result<Program, String> {
    let mut smallest = program.clone();
    let mut tried = 0;
    let mut changed = true;
    while changed && tried < MOST {
        changed = false;
        let mut number = 1;
        while number < smallest.tree.count() && tried < MOST {
            let choices = smallest.tree.find(number).map(super::tree::Node::simpler).unwrap_or_default();
            let mut replaced = false;
            for simpler in choices {
                let candidate = Program { tree: smallest.tree.replaced(number, &simpler), ..smallest.clone() };
                if candidate.tree.render().len() >= smallest.tree.render().len() {
                    continue;
                }
                tried += 1;
                if shows(bench, &candidate, level, kind, folder)? {
                    smallest = candidate;
                    (changed, replaced) = (true, true);
                    break;
                }
                if tried >= MOST {
                    break;
                }
            }
            // After a replacement another node has this number.
            if !replaced {
                number += 1;
            }
        }
    }
    Ok(smallest)
}

fn shows(bench: &Bench, program: &Program, level: &str, kind: &str, folder: &Path) -> Result<bool, String> {
    match bench.examine(program, level, folder)? {
        Outcome::Compared(report) => Ok(report.comparison.wrong.iter().any(|wrong| wrong.kind == kind)),
        Outcome::Skipped(_) => Ok(false),
    }
}
