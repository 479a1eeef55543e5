//! Synthetic path conditions: small queries that are nearly all of the load of an exploration.

use everypath_ir::{Op, Width};
use everypath_term::{Evaluation, Input, Model, Term, Terms};

use crate::random::Random;

/// Path conditions of a program that reads some bytes: the branch conditions of each path in order, all true for one
/// input.
#[derive(Debug)]
pub struct Paths {
    /// The pool of the conditions.
    pub terms: Terms,
    /// The conditions of each path; many share a prefix with an earlier one.
    pub paths: Vec<Vec<Term>>,
    /// For each path, the input that takes it.
    pub models: Vec<Model>,
}

impl Paths {
    /// The queries of a concolic exploration: for each branch of each path, the conditions before it and the negation
    /// of its own.
    pub fn questions(&mut self) -> Vec<Vec<Term>> {
        let mut questions = Vec::new();
        for path in &self.paths {
            for (branch, &condition) in path.iter().enumerate() {
                let mut question = path[..branch].to_vec();
                question.push(self.terms.not(condition));
                questions.push(question);
            }
        }
        questions
    }
}

/// Generates `count` paths of `branches` branches each, over `bytes` input bytes.
///
/// ```
/// use everypath_testkit::queries::paths;
/// let mut small = paths(1, 4, 5, 6);
/// assert_eq!(small.paths.len(), 4);
/// assert_eq!(small.questions().len(), 20);
/// ```
#[must_use]
pub fn paths(seed: u64, count: usize, branches: usize, bytes: u32) -> Paths {
    paths_within(Terms::new(), seed, count, branches, bytes)
}

/// The same in an existing pool of terms.
#[must_use]
pub fn paths_within(mut terms: Terms, seed: u64, count: usize, branches: usize, bytes: u32) -> Paths {
    let mut random = Random::new(seed);
    let mut paths: Vec<Vec<Term>> = Vec::new();
    let mut models: Vec<Model> = Vec::new();
    let mut evaluation = Evaluation::new(Model::new());
    for _ in 0..count {
        // A path diverges from an earlier one, with its input, at some branch. The input is unchanged, so the common
        // prefix stays true.
        let (mut path, model) = if paths.is_empty() || random.below(5) == 0 {
            let input: Model = (0..bytes).map(|byte| (Input(byte), random.number() as u8)).collect();
            (Vec::new(), input)
        } else {
            let parent = random.below(paths.len());
            let shared = random.below(branches);
            (paths[parent][..shared].to_vec(), models[parent].clone())
        };
        evaluation.set_model(model.clone());
        while path.len() < branches {
            let condition = condition(&mut terms, &mut random, &mut evaluation, bytes);
            if terms.is_constant(condition) {
                continue;
            }
            let holds = evaluation.holds(&terms, condition);
            path.push(if holds { condition } else { terms.not(condition) });
        }
        paths.push(path);
        models.push(model);
    }
    Paths { terms, paths, models }
}

/// A condition typical of compiled code, over some adjacent bytes; about half of the equalities hold.
fn condition(terms: &mut Terms, random: &mut Random, evaluation: &mut Evaluation, bytes: u32) -> Term {
    let size = random.pick(&[1, 1, 1, 2, 2, 4]).min(bytes);
    let first = random.below((bytes - size + 1) as usize) as u32;
    let mut number = terms.input(Input(first));
    for byte in first + 1..first + size {
        let high = terms.input(Input(byte));
        number = terms.concat(high, number);
    }
    let word = terms.apply(Op::Zext, Width::W32, &[number]);
    let other = terms.input(Input(random.below(bytes as usize) as u32));
    let other = terms.apply(Op::Zext, Width::W32, &[other]);
    let constant = terms.constant_u64(random.number() >> random.pick(&[32, 56, 60]), Width::W32);
    let small = terms.constant_u64(random.number() % 31 + 1, Width::W32);
    let value = match random.below(10) {
        0..=2 => word,
        3 => terms.apply(Op::Add, Width::W32, &[word, other]),
        4 => terms.apply(Op::Sub, Width::W32, &[word, other]),
        5 => terms.apply(Op::Xor, Width::W32, &[word, constant]),
        6 => terms.apply(Op::And, Width::W32, &[word, constant]),
        7 => {
            let product = terms.apply(Op::Mul, Width::W32, &[word, small]);
            terms.apply(Op::Add, Width::W32, &[product, other])
        }
        8 => terms.apply(Op::Lshr, Width::W32, &[word, small]),
        _ => {
            let scaled = terms.apply(Op::Shl, Width::W32, &[word, small]);
            terms.apply(Op::Or, Width::W32, &[scaled, other])
        }
    };
    let limit = if random.below(2) == 0 {
        let value = evaluation.word(terms, value).unwrap_or(0);
        terms.constant_u64(value.wrapping_add(random.below(2) as u64 * random.below(40) as u64), Width::W32)
    } else {
        constant
    };
    let op = random.pick(&[Op::Eq, Op::Eq, Op::Ult, Op::Ule, Op::Slt, Op::Sle]);
    terms.apply(op, Width::W1, &[value, limit])
}
