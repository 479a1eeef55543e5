//! Benchmark on several families of hard queries.

use super::child::Bare;
use super::{SolveOptions, bare, clock};
use everypath_solve::{Answer, Query, QueryLimits, SolverProgram, SolverStack};
use everypath_testkit::queries::{Question, families};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// The maximum share of the better bare solver's total time that the stack may take.
const PART: f64 = 1.0 / 3.0;

/// An answer and its CPU time.
struct Measured {
    has_model: Option<bool>,
    time: Duration,
}

impl Measured {
    /// The result of a solver that was not queried.
    const NOT: Measured = Measured { has_model: None, time: Duration::ZERO };

    /// The result within the limit; no answer counts as the whole limit.
    fn within(limit: Duration, has_model: Option<bool>, time: Duration) -> Measured {
        let has_model = has_model.filter(|_| time <= limit);
        Measured { has_model, time: if has_model.is_some() { time } else { limit } }
    }
}

/// The limit is in CPU time; on a shared machine, the wall-clock limit is this many times longer.
const ON_THE_CLOCK: u32 = 6;

pub(super) fn run(options: &SolveOptions) -> Result<bool, String> {
    let limit = Duration::from_secs(options.seconds);
    let [first, second] = bare();
    println!("\nhard families, {} s each; processor seconds (- is no answer)", options.seconds);
    println!("  {:44} {:>8} {:>8} {:>8}", "", "stack", first.name, second.name);
    let mut totals = [Duration::ZERO; 3];
    let mut solved = [0; 3];
    let mut good = true;
    let wanted =
        |question: &Question| options.family.as_deref().is_none_or(|family| question.name.contains(family));
    for mut question in families().into_iter().filter(wanted) {
        let ours = by_stack(&mut question, limit);
        let theirs = [&first, &second].map(|program| {
            if options.alone { Ok(Measured::NOT) } else { by_pipe(&question, program, limit) }
        });
        let [first, second] = theirs;
        let all = [ours, first?, second?];
        for (place, measured) in all.iter().enumerate() {
            totals[place] += measured.time;
            solved[place] += usize::from(measured.has_model.is_some());
        }
        let text = all.each_ref().map(|measured| match measured.has_model {
            Some(_) => format!("{:.2}", measured.time.as_secs_f64()),
            None => "-".to_owned(),
        });
        let wrong =
            all.iter().any(|measured| measured.has_model.is_some_and(|has| has != question.has_model));
        let missed = all[0].has_model.is_none() && all.iter().any(|measured| measured.has_model.is_some());
        let mark = if wrong {
            "  WRONG"
        } else if missed {
            "  missed"
        } else {
            ""
        };
        println!("  {:44} {:>8} {:>8} {:>8}{mark}", question.name, text[0], text[1], text[2]);
        good &= !wrong && !missed;
    }
    let total = totals.map(|total| total.as_secs_f64());
    println!("  {:44} {:>8.1} {:>8.1} {:>8.1}", "total", total[0], total[1], total[2]);
    println!("  {:44} {:>8} {:>8} {:>8}", "answered", solved[0], solved[1], solved[2]);
    if options.alone {
        return Ok(good);
    }
    let part = total[0] / total[1].min(total[2]);
    println!("  the stack takes {part:.2} of the better one's time (bar {PART:.2})");
    Ok(good && part <= PART)
}

/// The stack with its second solver, whose time is included.
fn by_stack(question: &mut Question, limit: Duration) -> Measured {
    let mut solver = SolverStack { second: Some(SolverProgram::z3()), ..SolverStack::default() }.build();
    let limits = QueryLimits { time: Some(limit * ON_THE_CLOCK), ..QueryLimits::default() };
    let start = clock::own() + clock::of_children();
    let query = Query { conditions: &question.conditions, known: None };
    let answer = solver.check(&mut question.terms, query, &limits);
    // The CPU time of its children is known once they have exited.
    drop(solver);
    let time = clock::own() + clock::of_children() - start;
    let has_model = match answer {
        Answer::Sat(_) => Some(true),
        Answer::Unsat(_) => Some(false),
        Answer::Unknown(_) => None,
    };
    Measured::within(limit, has_model, time)
}

/// Runs a bare solver, which is killed when it exceeds the limit of CPU time.
fn by_pipe(question: &Question, program: &SolverProgram, limit: Duration) -> Result<Measured, String> {
    let script = question.terms.smtlib(&question.conditions).map_err(|error| error.to_string())?;
    let mut solver = Bare::start(program)?;
    let process = solver.process();
    let done = AtomicBool::new(false);
    let answer = std::thread::scope(|scope| {
        scope.spawn(|| {
            let started = Instant::now();
            while !done.load(Ordering::Relaxed) {
                if clock::of(process) > limit || started.elapsed() > limit * ON_THE_CLOCK {
                    let process = nix::unistd::Pid::from_raw(process as i32);
                    // It has not been waited for yet, so the process id is still its own.
                    let _ = nix::sys::signal::kill(process, nix::sys::signal::Signal::SIGKILL);
                    break;
                }
                std::thread::sleep(Duration::from_millis(20));
            }
        });
        let answer = solver.send(&format!("{script}(check-sat)\n")).and_then(|()| solver.answer());
        done.store(true, Ordering::Relaxed);
        answer
    });
    let has_model = match answer.as_deref() {
        Ok("sat") => Some(true),
        Ok("unsat") => Some(false),
        _ => None,
    };
    Ok(Measured::within(limit, has_model, solver.time()))
}
