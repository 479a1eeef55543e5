//! Benchmark on very many queries in one process, whose memory must not grow.

use super::SolveOptions;
use everypath_solve::{Query, QueryLimits, SolverStack};
use everypath_term::Terms;
use everypath_testkit::queries::paths_within;

/// The number of queries, and the number after which the baseline of memory is taken.
const QUESTIONS: usize = 100_000;
const EARLY: usize = 20_000;
/// The paths of one program, after which its terms are freed.
const PATHS: usize = 100;
const BRANCHES: usize = 30;
/// The maximum ratio of the final memory to the baseline.
const GROWTH: f64 = 1.1;

pub(super) fn run(_: &SolveOptions) -> Result<bool, String> {
    println!("\n{QUESTIONS} questions in one process");
    let mut solver = SolverStack::default().build();
    // One pool for all, as in an exploration; terms that no path needs are freed.
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
                solver.check(&mut terms, query, &QueryLimits::default());
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

/// The resident memory of this process, in bytes.
fn resident() -> Result<u64, String> {
    let text = std::fs::read_to_string("/proc/self/statm").map_err(|error| error.to_string())?;
    let pages = text.split(' ').nth(1).and_then(|pages| pages.parse::<u64>().ok());
    pages.map(|pages| pages * 4096).ok_or_else(|| "the process does not know its memory".to_owned())
}
