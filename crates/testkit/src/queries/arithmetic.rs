//! Arithmetic queries: hashes and polynomials to invert, identities that need rewriting, products to factor.

use everypath_ir::{Op, Width};
use everypath_term::{Input, Term};

use super::Question;

pub(super) fn questions() -> Vec<Question> {
    let mut questions = Vec::new();
    for bytes in [4, 6, 8] {
        questions.push(hash("hash h*31+b", bytes, 31, 7, false));
        questions.push(hash("hash (h^b)*16777619", bytes, 16_777_619, 0x811c_9dc5, true));
    }
    for (name, coefficients, bytes) in [
        ("linear", &[3, 0x9e37_79b1][..], 4),
        ("quadratic", &[7, 11, 3], 2),
        ("cubic", &[5, 17, 0, 1], 2),
        ("linear", &[5, 0x5851_f42d_4c95_7f2d], 8),
    ] {
        questions.push(polynomial(name, coefficients, bytes));
    }
    for rounds in [1, 2, 3] {
        questions.push(cipher(rounds));
    }
    for bits in [16, 20, 24] {
        questions.push(product(bits));
    }
    for bits in [8, 16, 32, 64] {
        questions.extend(identities(bits));
    }
    questions.push(division(8));
    questions.push(division(16));
    questions
}

/// Inverts a hash of bytes, for a value that some input has.
fn hash(name: &str, bytes: u32, factor: u64, start: u64, exclusive: bool) -> Question {
    let mut question = Question::new(format!("{name}, {bytes} bytes"), true);
    let factor_term = question.constant(factor, 32);
    let mut state = question.constant(start, 32);
    let mut target = start as u32;
    for byte in 0..bytes {
        let input = question.terms.input(Input(byte));
        let input = question.extend(input, 32);
        let value = 0x61 + byte * 3;
        if exclusive {
            state = question.same(Op::Xor, state, input);
            state = question.same(Op::Mul, state, factor_term);
            target = (target ^ value).wrapping_mul(factor as u32);
        } else {
            state = question.same(Op::Mul, state, factor_term);
            state = question.same(Op::Add, state, input);
            target = target.wrapping_mul(factor as u32).wrapping_add(value);
        }
    }
    let target = question.constant(u64::from(target), 32);
    let right = question.terms.eq(state, target);
    question.require(right);
    question
}

/// Finds an argument for which a polynomial has a given value; coefficients begin with the constant term.
fn polynomial(name: &str, coefficients: &[u64], bytes: u32) -> Question {
    let bits = bytes * 8;
    let mut question = Question::new(format!("{name} polynomial of {bits} bits"), true);
    let x = question.number(0, bytes);
    let secret = 0x1234_5678_9abc_def1_u64 >> (64 - bits);
    let mut sum = question.constant(0, bits);
    let mut target = 0_u64;
    for &coefficient in coefficients.iter().rev() {
        sum = question.same(Op::Mul, sum, x);
        let coefficient_term = question.constant(coefficient, bits);
        sum = question.same(Op::Add, sum, coefficient_term);
        target = target.wrapping_mul(secret).wrapping_add(coefficient);
    }
    let target = question.constant(target, bits);
    let right = question.terms.eq(sum, target);
    question.require(right);
    question
}

/// Rounds of the Tiny Encryption Algorithm (Wheeler and Needham 1994) with a known key: finds the plain text of a
/// cipher text.
fn cipher(rounds: u32) -> Question {
    let mut question = Question::new(format!("cipher of {rounds} rounds"), true);
    let key = [0x0123_4567_u32, 0x89ab_cdef, 0xfedc_ba98, 0x7654_3210];
    let mut halves = [question.number(0, 4), question.number(4, 4)];
    let mut known = [0x6576_6572_u32, 0x7970_6174];
    let mut sum = 0_u32;
    for _ in 0..rounds {
        sum = sum.wrapping_add(0x9e37_79b9);
        for (half, keys) in [(0, [key[0], key[1]]), (1, [key[2], key[3]])] {
            let other = known[1 - half];
            let mixed = (other << 4).wrapping_add(keys[0])
                ^ other.wrapping_add(sum)
                ^ (other >> 5).wrapping_add(keys[1]);
            known[half] = known[half].wrapping_add(mixed);
            let other = halves[1 - half];
            let [four, five] = [4, 5].map(|amount| question.constant(amount, 32));
            let [first, second] = keys.map(|key| question.constant(u64::from(key), 32));
            let sum = question.constant(u64::from(sum), 32);
            let up = question.same(Op::Shl, other, four);
            let up = question.same(Op::Add, up, first);
            let middle = question.same(Op::Add, other, sum);
            let down = question.same(Op::Lshr, other, five);
            let down = question.same(Op::Add, down, second);
            let mixed = question.same(Op::Xor, up, middle);
            let mixed = question.same(Op::Xor, mixed, down);
            halves[half] = question.same(Op::Add, halves[half], mixed);
        }
    }
    for (half, known) in halves.into_iter().zip(known) {
        let target = question.constant(u64::from(known), 32);
        let right = question.terms.eq(half, target);
        question.require(right);
    }
    question
}

/// Factors a product into two numbers above one.
fn product(bits: u32) -> Question {
    let mut question = Question::new(format!("factors of {bits} bits"), true);
    let (p, q) = match bits {
        16 => (251, 241),
        20 => (1021, 1019),
        _ => (4093, 4091),
    };
    let bytes = bits.div_ceil(16);
    let factors: Vec<Term> = (0..2)
        .map(|factor| {
            let number = question.number(factor * bytes, bytes);
            question.extend(number, bits + 8)
        })
        .collect();
    let product = question.same(Op::Mul, factors[0], factors[1]);
    let target = question.constant(p * q, bits + 8);
    let right = question.terms.eq(product, target);
    question.require(right);
    let one = question.constant(1, bits + 8);
    for factor in factors {
        let above = question.compare(Op::Ult, one, factor);
        question.require(above);
    }
    question
}

/// The two sides of an identity of three numbers.
type Sides = fn(&mut Question, Term, Term, Term) -> (Term, Term);

/// Algebraic identities; each query asks for a counterexample.
fn identities(bits: u32) -> Vec<Question> {
    let bytes = bits / 8;
    let mut questions = Vec::new();
    let mut identity = |name: &str, sides: Sides| {
        let mut question = Question::new(format!("{name} of {bits} bits"), false);
        let [x, y, z] = [0, 1, 2].map(|number| question.number(number * bytes, bytes));
        let (left, right) = sides(&mut question, x, y, z);
        let differ = question.terms.ne(left, right);
        question.require(differ);
        questions.push(question);
    };
    identity("x*(y+z) = x*y+x*z", |question, x, y, z| {
        let sum = question.same(Op::Add, y, z);
        let left = question.same(Op::Mul, x, sum);
        let (xy, xz) = (question.same(Op::Mul, x, y), question.same(Op::Mul, x, z));
        (left, question.same(Op::Add, xy, xz))
    });
    identity("x^y = (x|y)-(x&y)", |question, x, y, _| {
        let (either, both) = (question.same(Op::Or, x, y), question.same(Op::And, x, y));
        (question.same(Op::Xor, x, y), question.same(Op::Sub, either, both))
    });
    identity("x-y = ~(~x+y)", |question, x, y, _| {
        let complement = question.terms.not(x);
        let sum = question.same(Op::Add, complement, y);
        (question.same(Op::Sub, x, y), question.terms.not(sum))
    });
    identity("(x&y)+(x|y) = x+y", |question, x, y, _| {
        let (either, both) = (question.same(Op::Or, x, y), question.same(Op::And, x, y));
        (question.same(Op::Add, both, either), question.same(Op::Add, x, y))
    });
    questions
}

/// Quotient and remainder determine the dividend.
fn division(bits: u32) -> Question {
    let bytes = bits / 8;
    let mut question = Question::new(format!("(x/y)*y+x%y = x of {bits} bits"), false);
    let [x, y] = [0, 1].map(|number| question.number(number * bytes, bytes));
    let (quotient, remainder) = (question.same(Op::Udiv, x, y), question.same(Op::Urem, x, y));
    let product = question.same(Op::Mul, quotient, y);
    let back = question.same(Op::Add, product, remainder);
    let differ = question.terms.apply(Op::Ne, Width::W1, &[back, x]);
    question.require(differ);
    question
}
