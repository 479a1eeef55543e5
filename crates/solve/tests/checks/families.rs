//! Query families, each hard for a different reason.

use std::time::{Duration, Instant};

use everypath_solve::backend::bitblast::BitBlastSession;
use everypath_solve::{Answer, QueryLimits};
use everypath_term::Evaluation;
use everypath_testkit::queries::{Question, families, paths};

/// Solves a query within a time limit; returns whether it was decided, and the time taken. A wrong verdict panics.
fn ask(question: &Question, limit: Duration) -> (bool, Duration) {
    let start = Instant::now();
    let limits = QueryLimits { time: Some(limit), ..QueryLimits::default() };
    let answer = BitBlastSession::new().check(&question.terms, &question.conditions, limits);
    let taken = start.elapsed();
    let answered = match answer {
        Answer::Sat(model) => {
            assert!(question.has_model, "{}", question.name);
            let mut evaluation = Evaluation::new(model);
            let terms = &question.terms;
            assert!(
                question.conditions.iter().all(|&condition| evaluation.holds(terms, condition)),
                "{}",
                question.name
            );
            true
        }
        Answer::Unsat(_) => {
            assert!(!question.has_model, "{}", question.name);
            true
        }
        Answer::Unknown(_) => false,
    };
    (answered, taken)
}

/// A query may time out, but no verdict may be wrong.
#[test]
fn no_answer_is_wrong() {
    let questions = families();
    let answered = questions.iter().filter(|question| ask(question, Duration::from_millis(300)).0).count();
    assert!(answered * 2 > questions.len(), "{answered} of {}", questions.len());
}

#[test]
#[ignore = "measures for minutes"]
fn measure_families() {
    let mut total = Duration::ZERO;
    let mut answered = 0;
    let questions = families();
    for question in &questions {
        let (done, taken) = ask(question, Duration::from_secs(20));
        println!(
            "{:>9.3} s  {}{}",
            taken.as_secs_f64(),
            question.name,
            if done { "" } else { ": no answer" }
        );
        total += taken;
        answered += usize::from(done);
    }
    println!("{answered} of {} answered in {:.1} s", questions.len(), total.as_secs_f64());
}

#[test]
#[ignore = "measures"]
fn measure_paths() {
    let mut paths = paths(1, 100, 30, 24);
    let questions = paths.questions();
    let mut session = BitBlastSession::new();
    let mut times = Vec::new();
    let mut models = 0;
    for question in &questions {
        let start = Instant::now();
        let answer = session.check(&paths.terms, question, QueryLimits::default());
        times.push(start.elapsed());
        models += usize::from(matches!(answer, Answer::Sat(_)));
    }
    let total: Duration = times.iter().sum();
    times.sort_unstable();
    let at = |share: usize| times[(times.len() - 1) * share / 100];
    println!(
        "{} questions, {models} models: mean {:?}, median {:?}, 90 % {:?}, 99 % {:?}, greatest {:?}",
        times.len(),
        total / times.len() as u32,
        at(50),
        at(90),
        at(99),
        at(100)
    );
}
