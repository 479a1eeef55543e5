//! Memory queries: stores and loads at symbolic addresses.

use everypath_ir::Op;
use everypath_term::Input;

use super::Question;
use super::question::width;
use crate::random::Random;

pub(super) fn questions() -> Vec<Question> {
    let mut questions = Vec::new();
    for steps in [30, 100, 300] {
        questions.push(chain(steps, true));
        questions.push(chain(steps, false));
        questions.push(counters(steps));
    }
    questions
}

/// A window of 64 bytes in which each step stores, at a symbolic address, a value loaded from another. In the end, a
/// byte must equal an initial one (satisfiable), or a value that no byte can have (unsatisfiable).
fn chain(steps: u32, possible: bool) -> Question {
    let kind = if possible { "possible" } else { "impossible" };
    let mut question = Question::new(format!("{steps} stores and loads, {kind}"), possible);
    let mut random = Random::new(u64::from(steps));
    // All even, so sums of them are even.
    let bytes: Vec<u8> = (0..64).map(|place| place * 2).collect();
    let mut memory = question.terms.table(&bytes, width(6));
    for step in 0..steps {
        let [to, from] = [0, 1].map(|which| {
            let input = question.terms.input(Input((step * 2 + which) % 32));
            question.terms.extract(input, random.below(3) as u32, width(6))
        });
        let loaded = question.terms.read(memory, from);
        let two = question.constant(2, 8);
        let value = question.same(Op::Add, loaded, two);
        memory = question.terms.store(memory, to, value);
    }
    let at = question.terms.input(Input(0));
    let at = question.terms.extract(at, 2, width(6));
    let last = question.terms.read(memory, at);
    let wanted = question.constant(if possible { 20 } else { 21 }, 8);
    let right = question.terms.eq(last, wanted);
    question.require(right);
    question
}

/// Counts the occurrences of 16 values among the inputs, and requires a number of occurrences of one.
fn counters(steps: u32) -> Question {
    let mut question = Question::new(format!("{steps} counted inputs"), true);
    let mut memory = question.terms.table(&[0; 16], width(4));
    let one = question.constant(1, 8);
    for step in 0..steps {
        let input = question.terms.input(Input(step));
        let slot = question.terms.extract(input, 0, width(4));
        let count = question.terms.read(memory, slot);
        let count = question.same(Op::Add, count, one);
        memory = question.terms.store(memory, slot, count);
    }
    for (slot, wanted) in [(3, 5), (7, 4)] {
        let slot = question.constant(slot, 4);
        let count = question.terms.read(memory, slot);
        let wanted = question.constant(wanted, 8);
        let right = question.terms.eq(count, wanted);
        question.require(right);
    }
    question
}
