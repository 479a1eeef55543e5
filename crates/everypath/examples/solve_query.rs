//! Asks the solver for two bytes with a given sum and product, and for two that cannot exist.

use everypath::ir::{Op, Width};
use everypath::solve::{Answer, Input, Query, QueryLimits, SolverStack, Terms};

fn main() {
    let mut terms = Terms::new();
    let (x, y) = (terms.input(Input(0)), terms.input(Input(1)));
    let sum = terms.apply(Op::Add, Width::W8, &[x, y]);
    let product = terms.apply(Op::Mul, Width::W8, &[x, y]);
    let [ten, sixteen, twenty_one] = [10, 16, 21].map(|value| terms.constant_u64(value, Width::W8));
    let conditions = [
        terms.eq(sum, ten),
        terms.eq(product, twenty_one),
        terms.apply(Op::Ult, Width::W1, &[x, y]),
        terms.apply(Op::Ult, Width::W1, &[y, sixteen]),
    ];
    let mut solver = SolverStack::default().build();
    let limits = QueryLimits::default();
    let query = Query { conditions: &conditions, known: None };
    match solver.check(&mut terms, query, &limits) {
        Answer::Sat(model) => println!("sat: {} + {} = 10", model.get(Input(0)), model.get(Input(1))),
        Answer::Unsat(core) => println!("unsat: {} conditions contradict each other", core.len()),
        Answer::Unknown(reason) => println!("unknown: {reason}"),
    }
    let greater = terms.apply(Op::Ult, Width::W1, &[y, x]);
    let query = Query { conditions: &[conditions[2], greater], known: None };
    let answer = solver.check(&mut terms, query, &limits);
    println!("x < y < x: {}", if matches!(answer, Answer::Unsat(_)) { "unsat" } else { "not refuted" });
}
