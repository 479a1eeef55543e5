//! Very many questions in one process, whose memory must not grow with them.

use super::SolveOptions;
use everypath_solve::{Limits, Query, Stack};
use everypath_term::Terms;
use everypath_testkit::queries::paths_within;

/// How many questions, and after how many the memory is taken as what it takes.
const QUESTIONS: usize = 100_000;
const EARLY: usize = 20_000;
/// The paths of one program, after which its terms are given back.
const PATHS: usize = 100;
const BRANCHES: usize = 30;
/// So much more than early may be in use at the end.
const GROWTH: f64 = 1.1;

pub(super) fn run(_: &SolveOptions) -> Result<bool, String> {
    println!("\n{QUESTIONS} questions in one process");
    let mut solver = Stack::default().build();
    // One pool for all, as in an exploration; what no path needs any more is given back.
    let mut terms = Terms::new();
    let (mut asked, mut early, mut seed) = (0, 0, 0);
    while asked < QUESTIONS {
        seed += 1;
        let batch = paths_within(terms, seed, PATHS, BRANCHES, 24);
        terms = batch.terms;
        for (path, model) in batch.paths.iter().zip(&batch.models) {
            let mut conditions = Vec::with_capacity(path.len());
            for &condition in path {
                conditions.push(terms.not(condition));
                let query = Query { conditions: &conditions, known: Some(model) };
                solver.check(&mut terms, query, &Limits::default());
                conditions.pop();
                conditions.push(condition);
                asked += 1;
            }
        }
        terms.collect([], []);
        let now = resident()?;
        if early == 0 && asked >= EARLY {
            early = now;
            println!("  {asked:6} questions: {:.1} MB", now as f64 / 1e6);
        }
    }
    let late = resident()?;
    let growth = late as f64 / early as f64;
    println!("  {asked:6} questions: {:.1} MB, {growth:.2} times as much (bar {GROWTH})", late as f64 / 1e6);
    Ok(growth <= GROWTH)
}

/// The memory that this process has, in bytes.
fn resident() -> Result<u64, String> {
    let text = std::fs::read_to_string("/proc/self/statm").map_err(|error| error.to_string())?;
    let pages = text.split(' ').nth(1).and_then(|pages| pages.parse::<u64>().ok());
    pages.map(|pages| pages * 4096).ok_or_else(|| "the process does not know its memory".to_owned())
}
