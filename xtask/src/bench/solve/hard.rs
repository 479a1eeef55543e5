//! Families of questions that are hard each in its own way.

use super::child::Bare;
use super::{bare, clock};
use everypath_solve::{Answer, Limits, Program, Query, Stack};
use everypath_testkit::queries::{Question, families};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// The stack may take this part of the better bare solver's time in all.
const PART: f64 = 1.0 / 3.0;

/// An answer and the processor time it took.
struct Measured {
    has_model: Option<bool>,
    time: Duration,
}

pub(super) fn run(seconds: u64) -> Result<bool, String> {
    let limit = Duration::from_secs(seconds);
    let [first, second] = bare();
    println!("\nhard families, {seconds} s each; processor seconds (- is no answer)");
    println!("  {:44} {:>8} {:>8} {:>8}", "", "stack", first.name, second.name);
    let mut totals = [Duration::ZERO; 3];
    let mut solved = [0; 3];
    let mut good = true;
    for mut question in families() {
        let theirs = [by_pipe(&question, &first, limit)?, by_pipe(&question, &second, limit)?];
        let ours = by_stack(&mut question, limit);
        let all = [&ours, &theirs[0], &theirs[1]];
        for (place, measured) in all.iter().enumerate() {
            totals[place] += measured.time;
            solved[place] += usize::from(measured.has_model.is_some());
        }
        let text = all.map(|measured| match measured.has_model {
            Some(_) => format!("{:.2}", measured.time.as_secs_f64()),
            None => "-".to_owned(),
        });
        let wrong =
            all.iter().any(|measured| measured.has_model.is_some_and(|has| has != question.has_model));
        let missed = ours.has_model.is_none() && theirs.iter().any(|measured| measured.has_model.is_some());
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
    let part = total[0] / total[1].min(total[2]);
    println!("  the stack takes {part:.2} of the better one's time (bar {PART:.2})");
    Ok(good && part <= PART)
}

/// The stack with its second solver, whose time counts.
fn by_stack(question: &mut Question, limit: Duration) -> Measured {
    let mut solver = Stack { second: Some(Program::z3()), ..Stack::default() }.build();
    let limits = Limits { time: Some(limit), ..Limits::default() };
    let start = clock::own() + clock::of_children();
    let query = Query { conditions: &question.conditions, known: None };
    let answer = solver.check(&mut question.terms, query, &limits);
    // Its children count when they have ended.
    drop(solver);
    let time = clock::own() + clock::of_children() - start;
    let has_model = match answer {
        Answer::Model(_) => Some(true),
        Answer::None(_) => Some(false),
        Answer::Unknown(_) => None,
    };
    Measured { has_model, time }
}

/// A bare solver, ended when it has taken more processor time than the limit.
fn by_pipe(question: &Question, program: &Program, limit: Duration) -> Result<Measured, String> {
    let script = question.terms.smtlib(&question.conditions).map_err(|error| error.to_string())?;
    let mut solver = Bare::start(program)?;
    let process = solver.process();
    let done = AtomicBool::new(false);
    let answer = std::thread::scope(|scope| {
        scope.spawn(|| {
            let started = Instant::now();
            while !done.load(Ordering::Relaxed) {
                if clock::of(process) > limit || started.elapsed() > 4 * limit {
                    let process = nix::unistd::Pid::from_raw(process as i32);
                    // It was started here and not waited for yet, so the number is still its own.
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
    let time = if has_model.is_some() { solver.time() } else { limit };
    Ok(Measured { has_model, time })
}
