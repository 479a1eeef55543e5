//! Terms of millions of nodes: no stack overflow, and the documented memory per node.

use std::time::Instant;

use everypath_ir::{Op, Width};
use everypath_term::{Evaluation, Input, Model, Term, Terms};

/// A chain in which each step depends on the previous one and cannot be simplified away.
fn chain(terms: &mut Terms, length: u32) -> Term {
    let input = terms.input(Input(0));
    let mut value = terms.apply(Op::Zext, Width::W32, &[input]);
    for step in 0..length {
        let constant = terms.constant_u64(u64::from(step % 1000) * 4 + 3, Width::W32);
        let op = if step % 2 == 0 { Op::Mul } else { Op::Xor };
        value = terms.apply(op, Width::W32, &[value, constant]);
    }
    value
}

#[test]
fn a_deep_term_is_built_evaluated_printed_and_collected() {
    let length = 5_000_000;
    let mut terms = Terms::new();
    let start = Instant::now();
    let value = chain(&mut terms, length);
    let built = start.elapsed();
    let live = terms.live();
    assert!(live > length as usize, "nothing was lost: {live}");
    let bytes = terms.bytes() / live;
    // Vectors and hash tables that have just grown are half empty.
    assert!(bytes <= 2 * (28 + 32 + 10), "{bytes} bytes for each term");
    let mut evaluation = Evaluation::new(Model::from_bytes(&[3]));
    let start = Instant::now();
    let found = evaluation.word(&terms, value);
    let evaluated = start.elapsed();
    let mut expected = 3_u32;
    for step in 0..length {
        let constant = step % 1000 * 4 + 3;
        expected = if step % 2 == 0 { expected.wrapping_mul(constant) } else { expected ^ constant };
    }
    assert_eq!(found, Some(u64::from(expected)));
    // Another model costs nothing until something is evaluated.
    let start = Instant::now();
    for byte in 0..100 {
        evaluation.set_model(Model::from_bytes(&[byte]));
        let input = terms.input(Input(0));
        assert_eq!(evaluation.word(&terms, input), Some(u64::from(byte)));
    }
    let models = start.elapsed();
    let start = Instant::now();
    terms.collect([value], []);
    assert_eq!(terms.live(), live);
    terms.collect([], []);
    let collected = start.elapsed();
    assert_eq!(terms.live(), 0);
    println!(
        "apply {} ns, evaluate {} ns, collect {} ns a term; {bytes} bytes a term; 100 models {models:?}",
        built.as_nanos() / live as u128,
        evaluated.as_nanos() / live as u128,
        collected.as_nanos() / 2 / live as u128,
    );
}

#[test]
fn a_deep_term_is_printed_and_read() {
    let mut terms = Terms::new();
    let value = chain(&mut terms, 100_000);
    let text = terms.text(value).to_string();
    assert_eq!(terms.parse(&text), Ok(vec![value]));
}

/// One round of a hash like SHA-256, on words that all depend on one input byte.
fn hash_round(terms: &mut Terms, state: &mut [Term; 8], word: Term) {
    fn rotated(terms: &mut Terms, x: Term, by: u64) -> Term {
        let right = terms.constant_u64(by, Width::W8);
        let left = terms.constant_u64(32 - by, Width::W8);
        let low = terms.apply(Op::Lshr, Width::W32, &[x, right]);
        let high = terms.apply(Op::Shl, Width::W32, &[x, left]);
        terms.apply(Op::Or, Width::W32, &[low, high])
    }
    let mut mixed = |x: Term, [a, b, c]: [u64; 3]| {
        let (a, b, c) = (rotated(terms, x, a), rotated(terms, x, b), rotated(terms, x, c));
        let two = terms.apply(Op::Xor, Width::W32, &[a, b]);
        terms.apply(Op::Xor, Width::W32, &[two, c])
    };
    let [a, b, c, d, e, f, g, h] = *state;
    let (first, second) = (mixed(e, [6, 11, 25]), mixed(a, [2, 13, 22]));
    let mut apply = |op: Op, x: Term, y: Term| terms.apply(op, Width::W32, &[x, y]);
    let both = apply(Op::And, e, f);
    let none = apply(Op::Xor, e, g);
    let choice = apply(Op::Xor, both, none);
    let majority = apply(Op::And, a, b);
    let majority = apply(Op::Or, majority, c);
    let sum = apply(Op::Add, h, first);
    let sum = apply(Op::Add, sum, choice);
    let sum = apply(Op::Add, sum, word);
    let other = apply(Op::Add, second, majority);
    *state = [apply(Op::Add, sum, other), a, b, c, apply(Op::Add, d, sum), e, f, g];
}

fn hash(rounds: u32, collect_at: usize) -> (usize, usize) {
    let mut terms = Terms::new();
    let byte = terms.input(Input(0));
    let byte = terms.apply(Op::Zext, Width::W32, &[byte]);
    let mut state = [0_u64; 8].map(|_| byte);
    for (index, word) in state.iter_mut().enumerate() {
        let constant = terms.constant_u64(0x9e37_79b9 * (index as u64 + 1), Width::W32);
        *word = terms.apply(Op::Mul, Width::W32, &[byte, constant]);
    }
    let (mut peak, mut made) = (0, 0);
    let mut limit = collect_at;
    for round in 0..rounds {
        let constant = terms.constant_u64(u64::from(round) * 0x1234_5677, Width::W32);
        let word = terms.apply(Op::Add, Width::W32, &[byte, constant]);
        hash_round(&mut terms, &mut state, word);
        if round % 64 == 63 {
            // A program writes the state to memory and reads it again, byte by byte.
            for value in &mut state {
                let bytes = [0, 1, 2, 3].map(|number| terms.byte(*value, number));
                let high = terms.concat(bytes[3], bytes[2]);
                let low = terms.concat(bytes[1], bytes[0]);
                let whole = terms.concat(high, low);
                assert_eq!(whole, *value, "bytes put together are the word again");
            }
        }
        if terms.live() > limit {
            peak = peak.max(terms.bytes());
            made += terms.collect(state, []).freed;
            limit = collect_at.max(terms.live() * 2);
        }
    }
    (peak.max(terms.bytes()), made + terms.live())
}

/// The state of a hash depends on all previous rounds, so a collection frees only intermediate terms.
#[test]
fn a_hash_of_a_few_rounds() {
    let (peak, made) = hash(2_000, 10_000);
    assert!(peak < made * 150, "{peak} bytes for {made} terms");
}

/// Ten million operations, as in a hash of 64 KB, take less than 1 GB.
#[test]
#[ignore = "takes half a minute"]
fn a_hash_of_ten_million_operations() {
    let start = Instant::now();
    // 36 operations per round.
    let rounds = 10_000_000 / 36;
    let (peak, made) = hash(rounds, 1_000_000);
    let each = start.elapsed().as_nanos() / u128::from(rounds * 36);
    println!("{made} terms made, {} MB at most, {each} ns an operation", peak >> 20);
    assert!(peak < 1 << 30, "{peak} bytes");
}
