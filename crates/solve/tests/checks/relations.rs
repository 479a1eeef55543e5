//! Relations between bytes against the bare backend: chains, cycles, and `all different` constraints.

use everypath_ir::{Op, Width};
use everypath_solve::{Answer, Query, QueryLimits, Solver, SolverStack};
use everypath_term::{Evaluation, Input, Model, Term, Terms};

use everypath_testkit::random::Random;

/// Queries a stack and the bare backend; returns whether there is a model, and whether the stack queried its backend.
fn ask(stack: &SolverStack, terms: &mut Terms, conditions: &[Term], known: Option<&Model>) -> (bool, bool) {
    let mut solver = stack.build();
    ask_solver(&mut *solver, terms, conditions, known)
}

fn ask_solver(
    solver: &mut dyn Solver,
    terms: &mut Terms,
    conditions: &[Term],
    known: Option<&Model>,
) -> (bool, bool) {
    let backend = |solver: &dyn Solver| {
        let mut statistics = Vec::new();
        solver.statistics(&mut statistics);
        statistics.last().expect("a backend").asked
    };
    let before = backend(solver);
    let answer = solver.check(terms, Query { conditions, known }, &QueryLimits::default());
    let asked = backend(solver) > before;
    let mut bare = SolverStack::bare().build();
    let mut expected =
        |conditions: &[Term]| bare.check(terms, Query { conditions, known: None }, &QueryLimits::default());
    match &answer {
        Answer::Sat(model) => {
            let terms: &Terms = terms;
            let mut evaluation = Evaluation::new(model.clone());
            assert!(conditions.iter().all(|&condition| evaluation.holds(terms, condition)), "{model:?}");
            (true, asked)
        }
        Answer::Unsat(core) => {
            assert!(core.iter().all(|part| conditions.contains(part)));
            assert!(matches!(expected(core), Answer::Unsat(_)), "the core has no model");
            (false, asked)
        }
        Answer::Unknown(reason) => panic!("no limit was set, but {reason}"),
    }
}

/// Counts of verdicts.
#[derive(Default)]
struct Tally {
    models: usize,
    none: usize,
    /// Decided without the backend.
    alone: usize,
}

impl Tally {
    /// Passes a query to a solver and to the bare backend; both must agree.
    fn compare(
        &mut self,
        solver: &mut dyn Solver,
        terms: &mut Terms,
        conditions: &[Term],
        known: Option<&Model>,
    ) {
        let (found, asked) = ask_solver(solver, terms, conditions, known);
        let expected = ask(&SolverStack::bare(), terms, conditions, known).0;
        assert_eq!(found, expected, "{}", terms.text_of(conditions));
        self.models += usize::from(found);
        self.none += usize::from(!found);
        self.alone += usize::from(!asked);
    }
}

/// A condition on two bytes, one of a few kinds.
fn related(terms: &mut Terms, random: &mut Random, kind: usize, first: Term, second: Term) -> Term {
    let limit = [3, 4, 90][kind % 3];
    match kind {
        0..3 => {
            let (a, b) = (wide(terms, first, Op::Sext), wide(terms, second, Op::Sext));
            let change = terms.apply(Op::Sub, Width::W16, &[a, b]);
            let limit = terms.constant_u64(limit, Width::W16);
            terms.apply(Op::Sle, Width::W1, &[change, limit])
        }
        3..6 => {
            let change = terms.apply(Op::Xor, Width::W8, &[first, second]);
            let limit = terms.constant_u64(limit, Width::W8);
            terms.apply(Op::Ult, Width::W1, &[change, limit])
        }
        6 => terms.ne(first, second),
        _ => {
            let number = terms.constant_u64(random.below(256) as u64, Width::W8);
            terms.apply(Op::Ule, Width::W1, &[number, first])
        }
    }
}

fn wide(terms: &mut Terms, byte: Term, op: Op) -> Term {
    terms.apply(op, Width::W16, &[byte])
}

/// Chains and cycles of few bytes with many conditions, with and without a known model.
#[test]
fn random_networks_have_the_answers_of_the_backend() {
    let stack = SolverStack { relate: true, ..SolverStack::bare() };
    let mut random = Random::new(11);
    let mut tally = Tally::default();
    let mut terms = Terms::new();
    let mut solver = stack.build();
    for round in 0..300 {
        let count = 3 + random.below(6);
        let bytes: Vec<Term> = (0..count).map(|number| terms.input(Input(number as u32))).collect();
        let kinds = [random.below(3), 3 + random.below(3), 6];
        let mut conditions = Vec::new();
        // Bounded differences, so that values cannot get far.
        for place in 1..count {
            let kind = kinds[round % 2];
            let kind = if kind == 2 { 0 } else { kind };
            for (first, second) in [(place - 1, place), (place, place - 1)] {
                conditions.push(related(&mut terms, &mut random, kind, bytes[first], bytes[second]));
            }
        }
        for _ in 0..8 {
            let place = random.below(count - 1);
            // A chain, or at times a cycle.
            let other =
                if round % 3 == 0 { (place + 1 + random.below(count - 1)) % count } else { place + 1 };
            let pair = match random.below(2) {
                0 => (bytes[place], bytes[other]),
                _ => (bytes[other], bytes[place]),
            };
            let kind = if random.below(4) == 0 { 7 } else { random.pick(&kinds) };
            conditions.push(related(&mut terms, &mut random, kind, pair.0, pair.1));
        }
        let (least, greatest) = (random.below(256) as u64, random.below(256) as u64);
        let (least, greatest) =
            (terms.constant_u64(least, Width::W8), terms.constant_u64(greatest, Width::W8));
        conditions.push(terms.apply(Op::Ule, Width::W1, &[least, bytes[0]]));
        conditions.push(terms.apply(Op::Ult, Width::W1, &[bytes[count - 1], greatest]));
        let known = Model::from_bytes(&[200, 7, 0, 9]);
        for known in [None, Some(&known)] {
            tally.compare(&mut *solver, &mut terms, &conditions, known);
        }
    }
    let Tally { models, none, alone } = tally;
    assert!(models > 100 && none > 100, "{models} with a model, {none} without: too few of a kind");
    assert!(alone > 300, "only {alone} of 600 were answered without the backend");
}

/// Numbers from one to nine of which neighbours or all differ, with sums of some of them given or excluded.
#[test]
fn random_sums_have_the_answers_of_the_backend() {
    let mut random = Random::new(5);
    let mut terms = Terms::new();
    let mut solver = SolverStack { linear: true, ..SolverStack::bare() }.build();
    let mut tally = Tally::default();
    for round in 0..120 {
        let count = 5 + random.below(4);
        let bytes: Vec<Term> = (0..count).map(|number| terms.input(Input(number as u32))).collect();
        let (one, nine) = (terms.constant_u64(1, Width::W8), terms.constant_u64(9, Width::W8));
        let mut conditions = Vec::new();
        for (place, &byte) in bytes.iter().enumerate() {
            conditions.push(terms.apply(Op::Ule, Width::W1, &[one, byte]));
            conditions.push(terms.apply(Op::Ule, Width::W1, &[byte, nine]));
            let from = if round % 2 == 0 { 0 } else { place.saturating_sub(1) };
            conditions.extend(bytes[from..place].iter().map(|&other| terms.ne(byte, other)));
        }
        for _ in 0..2 + random.below(3) {
            let mut sum = terms.constant_u64(0, Width::W16);
            for _ in 0..3 {
                let byte = bytes[random.below(count)];
                let number = wide(&mut terms, byte, Op::Zext);
                let op = if random.below(4) == 0 { Op::Sub } else { Op::Add };
                sum = terms.apply(op, Width::W16, &[sum, number]);
            }
            let value = terms.constant_u64(4 + random.below(16) as u64, Width::W16);
            conditions.push(if random.below(3) == 0 { terms.ne(sum, value) } else { terms.eq(sum, value) });
        }
        let known = Model::from_bytes(&[1, 2, 3, 4, 5, 6, 7, 8, 9]);
        for known in [None, Some(&known)] {
            tally.compare(&mut *solver, &mut terms, &conditions, known);
        }
    }
    let Tally { models, none, alone } = tally;
    assert!(models > 50 && none > 50, "{models} with a model, {none} without: too few of a kind");
    assert!(alone > 150, "only {alone} of 240 were answered without the backend");
}

/// Pairwise different bytes, each computed and bounded by other operators.
fn different(terms: &mut Terms, count: u32, least: u64, greatest: u64) -> (Vec<Term>, Vec<Term>) {
    let bytes: Vec<Term> = (0..count).map(|number| terms.input(Input(number))).collect();
    let mut conditions = Vec::new();
    for (place, &byte) in bytes.iter().enumerate() {
        let offset = terms.constant_u64(least.wrapping_neg(), Width::W16);
        let room = terms.constant_u64(greatest - least, Width::W16);
        let number = wide(terms, byte, Op::Zext);
        let above = terms.apply(Op::Add, Width::W16, &[number, offset]);
        conditions.push(terms.apply(Op::Ule, Width::W1, &[above, room]));
        for &other in &bytes[..place] {
            let same = terms.eq(byte, other);
            let least = terms.apply(Op::Ule, Width::W1, &[byte, other]);
            let condition = if place % 2 == 0 { terms.ne(byte, other) } else { terms.and(same, least) };
            conditions.push(if place % 2 == 0 { condition } else { terms.not(condition) });
        }
    }
    (bytes, conditions)
}

/// Pairwise different numbers that fill a range have a known sum, whether they are added at once or byte by byte with
/// carries.
#[test]
fn different_numbers_that_fill_a_range_have_a_known_sum() {
    let stack = SolverStack { linear: true, ..SolverStack::bare() };
    for (count, least, by_bytes) in [(5, 1, false), (5, 1, true), (6, 100, false), (6, 100, true)] {
        let mut terms = Terms::new();
        let (bytes, conditions) = different(&mut terms, count, least, least + u64::from(count) - 1);
        let numbers: Vec<Term> = bytes.iter().map(|&byte| wide(&mut terms, byte, Op::Zext)).collect();
        let sum = if by_bytes {
            let (mut low, mut high) = (bytes[0], terms.constant_u64(0, Width::W8));
            for &byte in &bytes[1..] {
                let carry = terms.apply(Op::Carry, Width::W1, &[byte, low]);
                let carry = terms.apply(Op::Zext, Width::W8, &[carry]);
                high = terms.apply(Op::Add, Width::W8, &[high, carry]);
                low = terms.apply(Op::Add, Width::W8, &[byte, low]);
            }
            terms.concat(high, low)
        } else {
            let add = |sum, &number: &Term| terms.apply(Op::Add, Width::W16, &[sum, number]);
            numbers[1..].iter().fold(numbers[0], add)
        };
        let total: u64 = (least..least + u64::from(count)).sum();
        for (value, equal, possible) in
            [(total, true, true), (total, false, false), (total + 1, true, false), (total + 1, false, true)]
        {
            let value = terms.constant_u64(value, Width::W16);
            let question = if equal { terms.eq(sum, value) } else { terms.ne(sum, value) };
            let mut conditions = conditions.clone();
            conditions.push(question);
            let (found, asked) = ask(&stack, &mut terms, &conditions, None);
            assert_eq!(found, possible, "{count} numbers from {least}");
            assert!(possible || !asked, "what the sum closes is asked of nobody");
        }
    }
}

/// More pairwise different numbers than values.
#[test]
fn different_numbers_need_room() {
    let stack = SolverStack { linear: true, ..SolverStack::bare() };
    for (greatest, possible) in [(6, true), (5, false)] {
        let mut terms = Terms::new();
        let (bytes, mut conditions) = different(&mut terms, 6, 1, greatest);
        let twice = terms.apply(Op::Add, Width::W8, &[bytes[0], bytes[1]]);
        let sum = terms.apply(Op::Add, Width::W8, &[twice, bytes[2]]);
        let six = terms.constant_u64(6, Width::W8);
        conditions.push(terms.eq(sum, six));
        let (found, asked) = ask(&stack, &mut terms, &conditions, None);
        assert_eq!(found, possible);
        assert!(possible || !asked, "what has no room is asked of nobody");
    }
}
