//! Random small queries over two input bytes, which exhaustive enumeration decides.

use everypath_ir::{Op, Width};
use everypath_term::{Evaluation, Input, Model, Term, Terms};

use everypath_testkit::random::Random;

/// Conditions over input byte 0 and the low half of input byte 1.
pub(crate) struct Query {
    pub(crate) terms: Terms,
    pub(crate) conditions: Vec<Term>,
}

const WIDTHS: [u32; 6] = [1, 4, 8, 9, 16, 32];

fn width(bits: u32) -> Width {
    Width::new(bits).expect("a width")
}

/// A random query; with `arrays` it reads memory.
pub(crate) fn query(random: &mut Random, arrays: bool) -> Query {
    let mut terms = Terms::new();
    let whole = terms.input(Input(1));
    let half = terms.extract(whole, 0, width(4));
    let mut pool: Vec<Term> = vec![terms.input(Input(0)), half];
    for _ in 0..3 {
        let width = width(random.pick(&WIDTHS));
        let bits = random.bits(width);
        pool.push(terms.constant(&bits));
    }
    let mut memory = terms.table(&[3, 1, 4, 1, 5, 9, 2, 6], width(8));
    for _ in 0..4 + random.below(14) {
        if arrays && random.below(5) < 3 {
            let index = fitted(&mut terms, random, &pool, 8);
            if random.below(2) == 0 {
                let value = fitted(&mut terms, random, &pool, 8);
                memory = terms.store(memory, index, value);
            } else {
                let read = terms.read(memory, index);
                pool.push(read);
            }
            continue;
        }
        let term = computation(&mut terms, random, &pool);
        pool.push(term);
    }
    let count = 2 + random.below(4);
    let conditions = (0..count).map(|_| condition(&mut terms, random, &pool)).collect();
    Query { terms, conditions }
}

/// One of the latest terms, extended or truncated to this width.
fn fitted(terms: &mut Terms, random: &mut Random, pool: &[Term], bits: u32) -> Term {
    let recent = pool.len().saturating_sub(6);
    let term = if random.below(3) == 0 {
        pool[random.below(pool.len())]
    } else {
        pool[recent + random.below(pool.len() - recent)]
    };
    match terms.width(term).bits() {
        have if have < bits => terms.apply(random.pick(&[Op::Zext, Op::Sext]), width(bits), &[term]),
        have if have > bits => {
            terms.extract(term, random.below((have - bits) as usize + 1) as u32, width(bits))
        }
        _ => term,
    }
}

fn computation(terms: &mut Terms, random: &mut Random, pool: &[Term]) -> Term {
    let integer: Vec<Op> = Op::ALL.iter().copied().filter(|op| !op.is_float()).collect();
    let op = random.pick(&integer);
    let bits = random.pick(&WIDTHS);
    let (result, arguments): (u32, Vec<u32>) = match op {
        Op::Extract(_) | Op::Zext | Op::Sext => return fitted(terms, random, pool, bits),
        Op::Concat => (bits + 8, vec![bits, 8]),
        Op::Select => (bits, vec![1, bits, bits]),
        Op::Shl | Op::Lshr | Op::Ashr => (bits, vec![bits, random.pick(&WIDTHS)]),
        Op::Not | Op::Neg => (bits, vec![bits]),
        Op::Popcount | Op::Lzcount => (bits, vec![random.pick(&WIDTHS)]),
        _ if op.check(Width::W1, &[Width::W8; 2]).is_ok() => (1, vec![bits, bits]),
        _ => (bits, vec![bits, bits]),
    };
    let arguments: Vec<Term> = arguments.iter().map(|&bits| fitted(terms, random, pool, bits)).collect();
    terms.apply(op, width(result), &arguments)
}

/// A comparison, rarely constant.
fn condition(terms: &mut Terms, random: &mut Random, pool: &[Term]) -> Term {
    let mut condition = terms.truth(true);
    for _ in 0..8 {
        let bits = random.pick(&WIDTHS);
        let op = random.pick(&[Op::Eq, Op::Eq, Op::Ne, Op::Ult, Op::Slt, Op::Sle]);
        let sides = [0, 1].map(|_| fitted(terms, random, pool, bits));
        condition = terms.apply(op, Width::W1, &sides);
        if !terms.is_constant(condition) {
            break;
        }
    }
    condition
}

/// Returns true if some input satisfies all conditions.
pub(crate) fn has_model(query: &Query, conditions: &[Term]) -> bool {
    let mut evaluation = Evaluation::new(Model::new());
    (0..1_u16 << 12).any(|input| {
        evaluation.set_model(Model::from_bytes(&input.to_le_bytes()));
        conditions.iter().all(|&condition| evaluation.holds(&query.terms, condition))
    })
}
