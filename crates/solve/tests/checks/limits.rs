//! Limits hold within one call, and the conflict limit is deterministic.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use everypath_ir::{Op, Width};
use everypath_solve::backend::bitblast::BitBlastSession;
use everypath_solve::{Answer, Query, QueryLimits, SolverStack, UnknownReason};
use everypath_term::{Input, Term, Terms};

/// Factorisation of a product of two 32-bit primes.
fn factoring() -> (Terms, Vec<Term>) {
    let mut terms = Terms::new();
    let mut number = |first: u32| {
        let bytes: Vec<Term> = (first..first + 4).map(|byte| terms.input(Input(byte))).collect();
        let number = bytes.into_iter().reduce(|low, high| terms.concat(high, low)).expect("four bytes");
        terms.apply(Op::Zext, Width::W64, &[number])
    };
    let (p, q) = (number(0), number(4));
    let product = terms.apply(Op::Mul, Width::W64, &[p, q]);
    let target = terms.constant_u64(2_654_435_761 * 3_266_489_917, Width::W64);
    let one = terms.constant_u64(1, Width::W64);
    let conditions = vec![
        terms.eq(product, target),
        terms.apply(Op::Ult, Width::W1, &[one, p]),
        terms.apply(Op::Ult, Width::W1, &[p, q]),
    ];
    (terms, conditions)
}

#[test]
fn time_ends_a_hard_question() {
    let (terms, conditions) = factoring();
    let limits = QueryLimits { time: Some(Duration::from_millis(200)), ..QueryLimits::default() };
    let mut session = BitBlastSession::new();
    for _ in 0..2 {
        let start = Instant::now();
        let answer = session.check(&terms, &conditions, limits.clone());
        let taken = start.elapsed();
        assert_eq!(answer, Answer::Unknown(UnknownReason::Time));
        assert!(taken < Duration::from_millis(400), "{taken:?}");
    }
}

/// The stop flag works with any other limits and through every layer.
#[test]
fn somebody_else_ends_a_hard_question() {
    let (mut terms, conditions) = factoring();
    let stop = Arc::new(AtomicBool::new(false));
    let limits = QueryLimits { stop: Some(stop.clone()), ..QueryLimits::default() };
    let mut solver = SolverStack::default().build();
    let start = Instant::now();
    let setter = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(100));
        stop.store(true, Ordering::Relaxed);
    });
    let answer = solver.check(&mut terms, Query { conditions: &conditions, known: None }, &limits);
    let taken = start.elapsed();
    setter.join().expect("it ends");
    assert_eq!(answer, Answer::Unknown(UnknownReason::Stopped));
    assert!(taken < Duration::from_millis(1000), "{taken:?}");
}

#[test]
fn conflicts_end_a_hard_question_at_the_same_point() {
    let (terms, conditions) = factoring();
    let limits = QueryLimits { conflicts: Some(2000), ..QueryLimits::default() };
    let run = || {
        let mut session = BitBlastSession::new();
        let answers: Vec<Answer> =
            (0..3).map(|_| session.check(&terms, &conditions, limits.clone())).collect();
        let easy = session.check(&terms, &conditions[1..], limits.clone());
        (answers, easy, session.conflicts())
    };
    let (first, second) = (run(), run());
    assert_eq!(first.0, vec![Answer::Unknown(UnknownReason::Conflicts); 3]);
    assert!(matches!(first.1, Answer::Sat(_)));
    assert_eq!(first, second);
}

#[test]
fn gates_end_a_large_question() {
    let (terms, conditions) = factoring();
    let limits = QueryLimits { gates: Some(1000), ..QueryLimits::default() };
    let mut session = BitBlastSession::new();
    assert_eq!(session.check(&terms, &conditions, limits.clone()), Answer::Unknown(UnknownReason::Memory));
    assert!(
        matches!(session.check(&terms, &conditions[1..], limits.clone()), Answer::Sat(_)),
        "a small one is answered after it"
    );
}

#[test]
fn an_operator_without_circuit_is_named() {
    let mut terms = Terms::new();
    let byte = terms.input(Input(0));
    let number = terms.apply(Op::Zext, Width::W32, &[byte]);
    let sum = terms.apply(Op::Fadd, Width::W32, &[number, number]);
    let equal = terms.eq(sum, number);
    let answer = BitBlastSession::new().check(&terms, &[equal], QueryLimits::default());
    assert_eq!(answer, Answer::Unknown(UnknownReason::Unsupported(Op::Fadd)));
}
