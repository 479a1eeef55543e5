//! Exploration of the classic guests on every target with an installed compiler, in CPU seconds, beside the times of
//! the OSMOSE paper (Bardin and Herrmann).

use super::angr::cpu_seconds;
use everypath_explore::{Bounds, Criterion, Exploration, Explorer, NoObserver, Plan};
use everypath_record::Verdict;
use everypath_solve::SolverStack;
use everypath_testkit::guests::{GuestTarget, Subject, targets};
use std::path::Path;

/// The guests, with the number of paths on which several tools agree, and the paper's seconds on the 8-bit and the
/// 32-bit processor.
const GUESTS: [(&str, Option<u64>, &str, &str); 11] = [
    ("triangle", Some(16), "0.5", "0.7"),
    ("cell", Some(11), "2.4", "0.4"),
    ("list", Some(21), "1.2", "1.1"),
    ("mergesort", Some(43), "110", "2.5"),
    ("msquare3", Some(61), "5.2", "3.8"),
    ("msquare4", Some(161), "129", ">300"),
    ("hysteresis", Some(3295), "35", "36"),
    ("bsearch", Some(233), "", ""),
    ("header", Some(29), "", ""),
    ("calc", None, "", ""),
    ("tlv", Some(2132), "", ""),
];

/// Explores all and prints a table; returns whether each was explored completely within the limit.
///
/// # Errors
/// If a guest cannot be compiled or loaded.
pub fn osmose(root: &Path, only: Option<&str>, guest: Option<&str>, seconds: u64) -> Result<bool, String> {
    println!(
        "{:10} {:5} {:11} {:>8} {:>7} {:>6} {:>8} {:>10} {:>5} {:>8}  paper (8 bits, 32 bits)",
        "target", "level", "guest", "seconds", "paths", "known", "covered", "infeasible", "open", "complete"
    );
    let mut good = true;
    let mut total = 0.0;
    for target in targets(root)?.iter().filter(|target| only.is_none_or(|only| only == target.name)) {
        for level in &target.levels {
            for (name, known, eight, thirty_two) in GUESTS {
                if guest.is_some_and(|guest| guest != name) {
                    continue;
                }
                let (found, time) = explore(root, target, level, name, seconds)?;
                let count = |wanted: fn(&Verdict) -> bool| {
                    found.directions.iter().filter(|judged| wanted(&judged.verdict)).count()
                };
                let covered = count(|verdict| matches!(verdict, Verdict::Covered { .. }));
                let infeasible = count(|verdict| matches!(verdict, Verdict::Infeasible { .. }));
                let open = found.directions.len() - covered - infeasible;
                println!(
                    "{:10} {:5} {:11} {:>8.2} {:>7} {:>6} {:>8} {:>10} {:>5} {:>8}  {eight:>5} {thirty_two:>5}",
                    target.name,
                    level,
                    name,
                    time,
                    found.effort.paths,
                    known.map_or(String::new(), |known| known.to_string()),
                    covered,
                    infeasible,
                    open,
                    if found.is_complete() { "yes" } else { "no" },
                );
                for why in found.incomplete_reasons.iter().chain(&found.divergences).take(3) {
                    println!("    {why}");
                }
                good &= open == 0 && found.divergences.is_empty() && time <= 1.0;
                total += time;
            }
        }
    }
    println!("total {total:.1} s");
    Ok(good)
}

/// Compiles and loads a guest.
pub(crate) fn subject(root: &Path, target: &GuestTarget, level: &str, name: &str) -> Result<Subject, String> {
    let source = root.join("tests/guests/classic").join(format!("{name}.c"));
    Subject::compile(&source, target, level, "")
}

fn explore(
    root: &Path,
    target: &GuestTarget,
    level: &str,
    name: &str,
    seconds: u64,
) -> Result<(Exploration, f64), String> {
    let Subject { guest, configuration } = subject(root, target, level, name)?;
    let plan = Plan {
        criterion: Criterion::Path,
        bounds: Bounds { seconds: Some(seconds), ..Bounds::default() },
        ..Plan::default()
    };
    let before = cpu_seconds()?;
    let explorer = Explorer::new(&guest, &configuration, plan, SolverStack::default().build());
    let found =
        explorer.map_err(|error| format!("{name} for {}: {error}", target.name))?.run(&mut NoObserver);
    Ok((found, cpu_seconds()? - before))
}
