//! Benchmark on small queries along paths with a shared prefix: nearly all of the load of an exploration.

use super::child::Bare;
use super::{SolveOptions, bare, clock};
use everypath_solve::{Answer, Query, QueryLimits, Solver, SolverProgram, SolverStack, Statistics};
use everypath_term::{Model, Term, Terms};
use everypath_testkit::queries::{Paths, paths};
use std::collections::BTreeSet;
use std::fmt::Write;
use std::time::Duration;

/// The parameters of the measurements that the threshold comes from.
const PATHS: usize = 100;
const BRANCHES: usize = 30;
const BYTES: u32 = 24;
/// The maximum share of Z3's time that the stack may take.
const PART: f64 = 0.1;

/// The number of satisfiable and of unsatisfiable queries.
type Tally = (usize, usize);

pub(super) fn run(options: &SolveOptions) -> Result<bool, String> {
    let count = PATHS * BRANCHES;
    println!("\nsmall questions: {count} along {PATHS} paths over {BYTES} bytes, shared beginnings");
    // The first run warms the caches.
    stack(&SolverStack::default());
    let (ours, tally, statistics) = stack(&SolverStack::default());
    let (plain, ..) = stack(&SolverStack { polish: false, ..SolverStack::default() });
    let (backend, ..) = stack(&SolverStack::bare());
    let per = |time: Duration| time.as_secs_f64() * 1e3 / count as f64;
    println!("  stack        {:8.3} ms a question: {} with a model, {} without", per(ours), tally.0, tally.1);
    println!("  unpolished   {:8.3} ms a question", per(plain));
    println!("  backend only {:8.3} ms a question", per(backend));
    for layer in &statistics {
        println!("    {:10} {:5} of {:5} answered", layer.name, layer.answered, layer.asked);
    }
    let asked = statistics.last().map_or(0, |backend| backend.asked);
    let mut same = true;
    for program in bare().into_iter().filter(|_| !options.alone) {
        let (time, theirs) = incremental(&program)?;
        println!("  {:12} {:8.3} ms a question, incremental by pipe", program.name, per(time));
        same &= theirs == tally;
        if program == SolverProgram::z3() {
            let part = ours.as_secs_f64() / time.as_secs_f64();
            let free = 1.0 - asked as f64 / count as f64;
            println!(
                "  the stack takes {part:.3} of {}'s time (bar {PART}); {:.0} % answered without a backend (bar 50 %)",
                program.name,
                100.0 * free
            );
            same &= part <= PART && free >= 0.5;
        }
    }
    Ok(same)
}

/// The time of a stack for all queries.
fn stack(stack: &SolverStack) -> (Duration, Tally, Vec<Statistics>) {
    let Paths { mut terms, paths, models } = paths(1, PATHS, BRANCHES, BYTES);
    let mut solver = stack.build();
    let start = clock::own();
    let mut tally = (0, 0);
    for (path, model) in paths.iter().zip(&models) {
        ask_along(&mut terms, &mut *solver, path, model, &mut tally);
    }
    let time = clock::own() - start;
    let mut statistics = Vec::new();
    solver.statistics(&mut statistics);
    (time, tally, statistics)
}

fn ask_along(terms: &mut Terms, solver: &mut dyn Solver, path: &[Term], model: &Model, tally: &mut Tally) {
    let mut conditions = Vec::with_capacity(path.len());
    for &condition in path {
        conditions.push(terms.not(condition));
        let query = Query { conditions: &conditions, known: Some(model) };
        match solver.check(terms, query, &QueryLimits::default()) {
            Answer::Sat(_) => tally.0 += 1,
            Answer::Unsat(_) => tally.1 += 1,
            Answer::Unknown(_) => {}
        }
        conditions.pop();
        conditions.push(condition);
    }
}

/// The CPU time of a bare solver that keeps the prefix of each path (`push`) and gives a model for each answer.
fn incremental(program: &SolverProgram) -> Result<(Duration, Tally), String> {
    let Paths { mut terms, paths, .. } = paths(1, PATHS, BRANCHES, BYTES);
    let mut solver = Bare::start(program)?;
    let mut tally = (0, 0);
    let start = solver.time();
    for path in &paths {
        let mut both = Vec::new();
        for &condition in path {
            both.extend([terms.not(condition), condition]);
        }
        let script = terms.smtlib(&both).map_err(|error| error.to_string())?;
        let lines: Vec<&str> = script.lines().collect();
        let (header, asserts) = lines.split_at(lines.len() - both.len());
        solver.send(&format!("(reset)\n(set-option :produce-models true)\n{}\n", header.join("\n")))?;
        for (branch, pair) in asserts.chunks(2).enumerate() {
            solver.send(&format!("(push 1)\n{}\n(check-sat)\n", pair[0]))?;
            match solver.answer()?.as_str() {
                "sat" => {
                    tally.0 += 1;
                    let mut names = String::new();
                    for input in inputs(&terms, &path[..=branch]) {
                        let _ = write!(names, " i{input}");
                    }
                    solver.send(&format!("(get-value ({names}))\n"))?;
                    solver.answer()?;
                }
                "unsat" => tally.1 += 1,
                other => return Err(format!("{} said {other}", program.name)),
            }
            solver.send(&format!("(pop 1)\n{}\n", pair[1]))?;
        }
    }
    Ok((solver.time().saturating_sub(start), tally))
}

fn inputs(terms: &Terms, conditions: &[Term]) -> BTreeSet<u32> {
    conditions.iter().flat_map(|&condition| terms.inputs(condition).iter().map(|input| input.0)).collect()
}
