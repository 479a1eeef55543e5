//! Differential test: every selection of layers gives the verdicts of the bare backend, and every model satisfies its
//! query.

use everypath_ir::{Op, Width};
use everypath_solve::{Answer, Check, Query, QueryLimits, Solver, SolverStack, Statistics};
use everypath_term::{Evaluation, Input, Model, Term, Terms};

/// A linear congruential generator: the tests need many numbers, not good ones.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % bound
    }
}

/// A value of 8 or 16 bits over a few input bytes, as programs compute them.
fn value(terms: &mut Terms, numbers: &mut Numbers, inputs: u64, depth: u32) -> Term {
    if depth == 0 || numbers.below(4) == 0 {
        let byte = terms.input(Input(numbers.below(inputs) as u32));
        let widen = if numbers.below(2) == 0 { Op::Zext } else { Op::Sext };
        return terms.apply(widen, Width::W16, &[byte]);
    }
    let first = value(terms, numbers, inputs, depth - 1);
    let second = if numbers.below(2) == 0 {
        let number = [0, 1, 2, 7, 10, 0xff, 0x100, 0x8000][numbers.below(8) as usize];
        terms.constant_u64(number, Width::W16)
    } else {
        value(terms, numbers, inputs, depth - 1)
    };
    let ops = [Op::Add, Op::Sub, Op::Mul, Op::And, Op::Or, Op::Xor, Op::Shl, Op::Lshr, Op::Urem, Op::Udiv];
    let op = ops[numbers.below(ops.len() as u64) as usize];
    terms.apply(op, Width::W16, &[first, second])
}

fn condition(terms: &mut Terms, numbers: &mut Numbers, inputs: u64) -> Term {
    let first = value(terms, numbers, inputs, 2);
    let second = if numbers.below(3) > 0 {
        let number = numbers.below(300);
        terms.constant_u64(number, Width::W16)
    } else {
        value(terms, numbers, inputs, 1)
    };
    let op = [Op::Eq, Op::Ne, Op::Ult, Op::Ule, Op::Slt, Op::Sle][numbers.below(6) as usize];
    terms.apply(op, Width::W1, &[first, second])
}

/// A branch condition: mostly one comparison, at times several, which may have no input in common.
fn question(terms: &mut Terms, numbers: &mut Numbers, inputs: u64) -> Term {
    let mut question = condition(terms, numbers, inputs);
    while numbers.below(3) == 0 {
        let other = condition(terms, numbers, inputs);
        question = match numbers.below(2) {
            0 => terms.and(question, other),
            _ => terms.or(question, other),
        };
    }
    question
}

/// The number of models that the outermost layer refuted.
fn refuted(solver: &dyn Solver) -> u64 {
    let mut statistics = Vec::new();
    solver.statistics(&mut statistics);
    statistics.iter().find(|layer| layer.name == "check").expect("every stack checks").answered
}

fn holds(terms: &Terms, conditions: &[Term], model: &Model) -> bool {
    let mut evaluation = Evaluation::new(model.clone());
    conditions.iter().all(|&condition| evaluation.holds(terms, condition))
}

/// Follows random paths and queries the negated branch at each step.
fn compare(stack: &SolverStack, seed: u64, paths: usize) {
    let mut terms = Terms::new();
    let mut numbers = Numbers(seed);
    let (mut layered, mut bare) = (stack.build(), SolverStack::bare().build());
    let (mut models, mut none) = (0, 0);
    for _ in 0..paths {
        let inputs = 1 + numbers.below(5);
        let bytes: Vec<u8> = (0..inputs).map(|_| numbers.below(256) as u8).collect();
        let known = Model::from_bytes(&bytes);
        let mut conditions = Vec::new();
        for _ in 0..12 {
            let condition = question(&mut terms, &mut numbers, inputs);
            let taken = holds(&terms, &[condition], &known);
            let other = terms.not(condition);
            let (side, opposite) = if taken { (condition, other) } else { (other, condition) };
            conditions.push(opposite);
            // With and without the known model of the path.
            let known = (numbers.below(2) == 0).then_some(&known);
            let query = Query { conditions: &conditions, known };
            let ours = layered.check(&mut terms, query, &QueryLimits::default());
            let theirs = bare.check(&mut terms, query, &QueryLimits::default());
            match (&ours, &theirs) {
                (Answer::Sat(model), Answer::Sat(_)) => {
                    assert!(holds(&terms, &conditions, model), "{stack:?}: a model that does not satisfy");
                    models += 1;
                }
                (Answer::Unsat(core), Answer::Unsat(_)) => {
                    none += 1;
                    assert!(core.iter().all(|part| conditions.contains(part)), "{core:?} of {conditions:?}");
                    let again = Query { conditions: core, known: None };
                    let core = bare.check(&mut terms, again, &QueryLimits::default());
                    assert!(matches!(core, Answer::Unsat(_)), "{stack:?}: a core that has a model");
                }
                _ => panic!("{stack:?}: {ours:?}, but the bare backend says {theirs:?}"),
            }
            conditions.pop();
            conditions.push(side);
        }
    }
    assert!(models > 100 && none > 100, "{models} with a model, {none} without: too few of a kind");
    assert_eq!(refuted(&*layered), 0, "{stack:?}: a layer gave a model that had to be refuted");
}

#[test]
fn all_layers() {
    compare(&SolverStack::default(), 1, 120);
}

#[test]
fn each_layer_alone() {
    let bare = SolverStack::bare();
    let stacks = [
        SolverStack { constant: true, ..bare.clone() },
        SolverStack { slice: true, ..bare.clone() },
        SolverStack { guess: true, ..bare.clone() },
        SolverStack { cache: true, ..bare.clone() },
        SolverStack { enumerate: true, ..bare.clone() },
        SolverStack { adjust: true, ..bare.clone() },
        SolverStack { relate: true, ..bare.clone() },
        SolverStack { narrow: true, ..bare.clone() },
        SolverStack { invert: true, ..bare.clone() },
        SolverStack { linear: true, ..bare.clone() },
        SolverStack { polish: true, ..bare.clone() },
    ];
    for (number, stack) in stacks.iter().enumerate() {
        compare(stack, 100 + number as u64, 40);
    }
}

/// `x == 17 & y == 18`, with a known model under which one, the other, or neither holds, and conditions before it.
#[test]
fn a_conjunction_over_inputs_that_have_nothing_in_common() {
    let mut terms = Terms::new();
    let is = |terms: &mut Terms, input, value| {
        let (byte, value) = (terms.input(Input(input)), terms.constant_u64(value, Width::W8));
        terms.eq(byte, value)
    };
    let (first, second) = (is(&mut terms, 0, 17), is(&mut terms, 1, 18));
    let (elsewhere, not_zero) = (is(&mut terms, 2, 5), is(&mut terms, 0, 0));
    let before = terms.not(not_zero);
    let both = terms.and(first, second);
    for stack in [SolverStack::default(), SolverStack { constant: true, slice: true, ..SolverStack::bare() }]
    {
        for bytes in [[1, 0, 5], [17, 0, 5], [1, 18, 5], [17, 18, 5], [0, 0, 0]] {
            for conditions in [vec![both], vec![elsewhere, before, both], vec![both, elsewhere, before]] {
                let known = Model::from_bytes(&bytes);
                let mut solver = stack.build();
                let query = Query { conditions: &conditions, known: Some(&known) };
                let answer = solver.check(&mut terms, query, &QueryLimits::default());
                let Answer::Sat(model) = answer else { panic!("{stack:?}: {answer:?}") };
                assert!(holds(&terms, &conditions, &model), "{stack:?} from {known:?}: {model:?}");
                assert_eq!(refuted(&*solver), 0, "{stack:?} from {known:?}");
            }
        }
    }
}

/// A faulty solver: answers every query with the all-zero model.
struct AlwaysZero;

impl Solver for AlwaysZero {
    fn check(&mut self, _: &mut Terms, _: Query<'_>, _: &QueryLimits) -> Answer {
        Answer::Sat(Model::new())
    }

    fn statistics(&self, list: &mut Vec<Statistics>) {
        list.push(Statistics { name: "always zero", ..Statistics::default() });
    }
}

/// Only correct models leave the check, with and without a known model, near it and far from it.
#[test]
fn a_wrong_model_never_leaves_the_check() {
    let mut terms = Terms::new();
    let mut numbers = Numbers(77);
    let (mut checked, mut bare) = (Check::new(Box::new(AlwaysZero)), SolverStack::bare().build());
    let mut wrong = 0;
    for _ in 0..500 {
        let conditions: Vec<Term> = (0..3).map(|_| question(&mut terms, &mut numbers, 12)).collect();
        let bytes: Vec<u8> = (0..numbers.below(13)).map(|_| numbers.below(3) as u8).collect();
        let known = Model::from_bytes(&bytes);
        let known = (numbers.below(2) == 0).then_some(&known);
        let query = Query { conditions: &conditions, known };
        wrong += u64::from(!holds(&terms, &conditions, &Model::new()));
        match checked.check(&mut terms, query, &QueryLimits::default()) {
            Answer::Sat(model) => assert!(holds(&terms, &conditions, &model), "from {known:?}: {model:?}"),
            Answer::Unsat(_) => {
                let expected = bare.check(&mut terms, query, &QueryLimits::default());
                assert!(matches!(expected, Answer::Unsat(_)), "there is a model");
            }
            Answer::Unknown(reason) => panic!("{reason}"),
        }
    }
    assert!(wrong > 100, "too few models were wrong: {wrong}");
    assert_eq!(refuted(&checked), wrong);
}

#[test]
fn the_same_questions_get_the_same_answers() {
    let answers = || {
        let mut terms = Terms::new();
        let mut numbers = Numbers(5);
        let mut solver = SolverStack::default().build();
        let ask = |_| {
            let conditions: Vec<Term> = (0..4).map(|_| condition(&mut terms, &mut numbers, 4)).collect();
            solver.check(&mut terms, Query { conditions: &conditions, known: None }, &QueryLimits::default())
        };
        (0..200).map(ask).collect::<Vec<Answer>>()
    };
    assert_eq!(answers(), answers());
}

/// Values that start at zero and differ from the previous one by at most four.
fn slow_changes(terms: &mut Terms, count: u32) -> (Vec<Term>, Term) {
    let four = terms.constant_u64(4, Width::W32);
    let mut last = terms.constant_u64(0, Width::W32);
    let mut conditions = Vec::new();
    for number in 0..count {
        let byte = terms.input(Input(number));
        let value = terms.apply(Op::Sext, Width::W32, &[byte]);
        for (first, second) in [(value, last), (last, value)] {
            let change = terms.apply(Op::Sub, Width::W32, &[first, second]);
            conditions.push(terms.apply(Op::Sle, Width::W1, &[change, four]));
        }
        last = value;
    }
    (conditions, last)
}

#[test]
fn ranges_close_what_slow_changes_cannot_reach() {
    let mut terms = Terms::new();
    let (conditions, last) = slow_changes(&mut terms, 14);
    for (goal, reachable) in [(56, true), (57, false)] {
        let goal = terms.constant_u64(goal, Width::W32);
        let mut conditions = conditions.clone();
        conditions.push(terms.apply(Op::Sle, Width::W1, &[goal, last]));
        let query = Query { conditions: &conditions, known: None };
        let mut solver = SolverStack { narrow: true, ..SolverStack::bare() }.build();
        let answer = solver.check(&mut terms, query, &QueryLimits::default());
        assert_eq!(matches!(answer, Answer::Sat(_)), reachable, "{answer:?}");
        let mut statistics = Vec::new();
        solver.statistics(&mut statistics);
        let asked = statistics.last().expect("a backend").asked;
        assert_eq!(asked, u64::from(reachable), "no backend is asked about what ranges close");
    }
}

/// Free bytes are zero; bytes that cannot be zero are printable if possible.
#[test]
fn models_have_values_that_a_person_likes() {
    let mut terms = Terms::new();
    let [first, second, third] = [0, 1, 2].map(|number| terms.input(Input(number)));
    let number = |terms: &mut Terms, value| terms.constant_u64(value, Width::W8);
    let sum = terms.apply(Op::Add, Width::W8, &[first, second]);
    let product = terms.apply(Op::Mul, Width::W8, &[third, third]);
    let (five, twenty, high) = (number(&mut terms, 5), number(&mut terms, 20), number(&mut terms, 200));
    let conditions = [
        terms.apply(Op::Ult, Width::W1, &[sum, high]),
        terms.apply(Op::Ult, Width::W1, &[five, first]),
        terms.apply(Op::Ult, Width::W1, &[twenty, product]),
    ];
    let mut solver = SolverStack { polish: true, ..SolverStack::bare() }.build();
    let answer =
        solver.check(&mut terms, Query { conditions: &conditions, known: None }, &QueryLimits::default());
    let Answer::Sat(model) = answer else { panic!("there is a model: {answer:?}") };
    assert!(holds(&terms, &conditions, &model));
    assert_eq!(model.get(Input(1)), 0, "{model:?}");
    let readable = |value: u8| value == 0 || (b' '..=b'~').contains(&value);
    assert!((0..3).all(|input| readable(model.get(Input(input)))), "{model:?}");
}

/// If all rows and all columns but one of a square have the same sum, the last column has it too, and so do multiples
/// of it. The backend is not queried.
#[test]
fn sums_that_follow_from_others() {
    let mut terms = Terms::new();
    let cells: Vec<Term> = (0..16)
        .map(|cell| {
            let byte = terms.input(Input(cell));
            terms.apply(Op::Zext, Width::W32, &[byte])
        })
        .collect();
    let line = |terms: &mut Terms, places: [usize; 4]| {
        let sum = |sum, place: usize| terms.apply(Op::Add, Width::W32, &[sum, cells[place]]);
        places[1..].iter().copied().fold(cells[places[0]], sum)
    };
    let magic = terms.constant_u64(34, Width::W32);
    let mut conditions = Vec::new();
    for row in 0..4 {
        let sum = line(&mut terms, [0, 1, 2, 3].map(|place| 4 * row + place));
        conditions.push(terms.eq(sum, magic));
    }
    for column in 0..3 {
        let sum = line(&mut terms, [0, 1, 2, 3].map(|place| 4 * place + column));
        conditions.push(terms.eq(sum, magic));
    }
    let last = line(&mut terms, [3, 7, 11, 15]);
    let (three, hundred) = (terms.constant_u64(3, Width::W32), terms.constant_u64(102, Width::W32));
    let times = terms.apply(Op::Mul, Width::W32, &[last, three]);
    let (same, scaled) = (terms.eq(last, magic), terms.eq(times, hundred));
    let questions = [(same, true), (scaled, true), (terms.not(same), false), (terms.not(scaled), false)];
    for (question, possible) in questions {
        conditions.push(question);
        let mut solver = SolverStack { linear: true, ..SolverStack::bare() }.build();
        // Too few conflicts to find it by search.
        let limits = QueryLimits { conflicts: Some(2_000), ..QueryLimits::default() };
        let answer = solver.check(&mut terms, Query { conditions: &conditions, known: None }, &limits);
        match answer {
            Answer::Unsat(core) => {
                assert!(!possible, "there is a model");
                assert_eq!(core, conditions, "all of them are needed");
            }
            answer => assert!(possible, "{answer:?}"),
        }
        conditions.pop();
    }
}
