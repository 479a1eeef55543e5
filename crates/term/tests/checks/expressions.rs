//! Random terms, each built twice: without and with simplification.

use std::collections::VecDeque;

use everypath_ir::{Bits, Op, Width};
use everypath_term::{Array, Input, Model, Term, Terms};

use everypath_testkit::random::Random;

/// The same value, built without and with simplification.
#[derive(Clone, Copy)]
pub(crate) struct Pair {
    pub(crate) plain: Term,
    pub(crate) simple: Term,
    pub(crate) width: Width,
}

pub(crate) struct Expressions<'a> {
    pub(crate) random: &'a mut Random,
    pub(crate) terms: Terms,
    pub(crate) pairs: Vec<Pair>,
    pub(crate) arrays: Vec<(Array, Array)>,
    /// The arguments of the last applications; reuse creates the patterns that rewrite rules match.
    recent: VecDeque<Pair>,
    widths: Vec<Width>,
    inputs: u32,
    floats: bool,
}

pub(crate) fn width(bits: u32) -> Width {
    Width::new(bits).expect("a valid width")
}

impl<'a> Expressions<'a> {
    pub(crate) fn new(random: &'a mut Random, floats: bool) -> Expressions<'a> {
        // Few widths per run, so that terms of equal width combine.
        let mut widths = vec![Width::W1, Width::W8];
        // Narrow widths have few values, which exposes rules that are only almost sound.
        let few = random.chance(3);
        for _ in 0..3 {
            if few {
                widths.push(width(random.below(6) as u32 + 1));
                continue;
            }
            let common = random.pick(&[8, 16, 32, 64, 32, 64, 128, 256, 512]);
            let any = random.below(512) as u32 + 1;
            let narrow = random.below(64) as u32 + 1;
            widths.push(width(random.pick(&[common, common, any, narrow, narrow])));
        }
        let inputs = random.below(5) as u32 + 1;
        let mut made = Expressions {
            random,
            terms: Terms::new(),
            pairs: vec![],
            arrays: vec![],
            recent: VecDeque::new(),
            widths,
            inputs,
            floats,
        };
        for number in 0..inputs {
            let input = made.terms.input(Input(number));
            made.pairs.push(Pair { plain: input, simple: input, width: Width::W8 });
        }
        for _ in 0..2 {
            let length = made.random.below(300);
            let bytes: Vec<u8> =
                (0..length).map(|index| (index * 7) as u8 ^ made.random.number() as u8).collect();
            let index = made.random.pick(&[4, 8, 9, 32, 64]);
            let array = made.terms.table(&bytes, width(index));
            made.arrays.push((array, array));
        }
        made
    }

    fn constant(&mut self, width: Width) -> Pair {
        let value = match self.random.below(6) {
            0 => Bits::from_u64(self.random.below(70) as u64, width),
            1 => Bits::from_u64(1 << self.random.below(64), width),
            2 => Bits::from_u64((1 << self.random.below(64)) - 1, width),
            _ => self.random.bits(width),
        };
        let term = self.terms.constant(&value);
        Pair { plain: term, simple: term, width }
    }

    fn width(&mut self) -> Width {
        let at = self.random.below(self.widths.len());
        self.widths[at]
    }

    /// An operand of this width: an earlier one, a constant, or one converted from another width.
    fn operand(&mut self, width: Width) -> Pair {
        if self.random.chance(3) && !self.recent.is_empty() {
            let start = self.random.below(self.recent.len());
            let (before, after) = (self.recent.range(..start), self.recent.range(start..));
            if let Some(&pair) = after.chain(before).find(|pair| pair.width == width) {
                return pair;
            }
        }
        let fitting: Vec<usize> = (0..self.pairs.len()).filter(|&at| self.pairs[at].width == width).collect();
        if !fitting.is_empty() && !self.random.chance(4) {
            // Prefers recent ones, so that terms become deep.
            let from = if self.random.chance(2) { fitting.len().saturating_sub(6) } else { 0 };
            let at = from + self.random.below(fitting.len() - from);
            return self.pairs[fitting[at]];
        }
        if self.random.chance(3) {
            return self.constant(width);
        }
        let at = self.random.below(self.pairs.len());
        let other = self.pairs[at];
        let (have, want) = (other.width.bits(), width.bits());
        if have > want {
            let low = self.random.below((have - want) as usize + 1) as u16;
            return self.make(Op::Extract(low), width, &[other]);
        }
        if have == want {
            return other;
        }
        if self.random.chance(3) {
            let rest = Width::new(want - have).expect("less than the whole");
            let rest = self.constant(rest);
            let sides = if self.random.chance(2) { [other, rest] } else { [rest, other] };
            return self.make(Op::Concat, width, &sides);
        }
        let op = self.random.pick(&[Op::Zext, Op::Sext]);
        self.make(op, width, &[other])
    }

    fn make(&mut self, op: Op, width: Width, arguments: &[Pair]) -> Pair {
        let plain: Vec<Term> = arguments.iter().map(|pair| pair.plain).collect();
        let simple: Vec<Term> = arguments.iter().map(|pair| pair.simple).collect();
        let plain = self.terms.apply_plain(op, width, &plain);
        let simple = self.terms.apply(op, width, &simple);
        let pair = Pair { plain, simple, width };
        self.pairs.push(pair);
        self.recent.extend(arguments.iter().copied().chain([pair]));
        while self.recent.len() > 16 {
            self.recent.pop_front();
        }
        pair
    }

    /// Adds an application of any operator.
    pub(crate) fn step(&mut self) {
        match self.random.below(24) {
            0 | 1 => return self.array_step(),
            2 => return self.polynomials(),
            3 => return self.choices(),
            _ => {}
        }
        let op = loop {
            let op = self.random.pick(Op::ALL);
            // Fewer floating-point operators, which are rarely simplified.
            if !op.is_float() || self.floats && self.random.chance(4) {
                break op;
            }
        };
        let result = match op {
            Op::Extract(_) => {
                let from = self.width();
                let bits = self.random.below(from.bits() as usize) as u32 + 1;
                let usual = self.width();
                let bits = if usual <= from { usual.bits() } else { bits };
                let low = self.random.below((from.bits() - bits) as usize + 1) as u16;
                let low = if self.random.chance(2) { low / 8 * 8 } else { low };
                let argument = self.operand(from);
                self.make(Op::Extract(low), width(bits), &[argument]);
                return;
            }
            _ => self.width(),
        };
        self.apply(op, result);
    }

    fn apply(&mut self, op: Op, usual: Width) {
        let float = width(self.random.pick(&[16, 32, 64, 80, 128]));
        let (result, arguments): (Width, Vec<Width>) = match op {
            Op::Shl | Op::Lshr | Op::Ashr => (usual, vec![usual, self.width()]),
            Op::Zext | Op::Sext => {
                let other = self.width();
                (usual.max(other), vec![usual.min(other)])
            }
            Op::Concat => {
                let high = self.width();
                match Width::new(usual.bits() + high.bits()) {
                    Some(both) => (both, vec![high, usual]),
                    None => return,
                }
            }
            Op::Select => (usual, vec![Width::W1, usual, usual]),
            Op::Popcount | Op::Lzcount => (usual, vec![self.width()]),
            Op::Int2float => (float, vec![usual.min(Width::W128)]),
            Op::Float2int => (usual.min(Width::W128), vec![float]),
            Op::Float2float => (width(self.random.pick(&[16, 32, 64, 80, 128])), vec![float]),
            op if op.is_float() => {
                let compares = op.check(Width::W1, &vec![float; op.arity()]).is_ok();
                (if compares { Width::W1 } else { float }, vec![float; op.arity()])
            }
            op => {
                let compares = op.check(Width::W1, &vec![width(7); op.arity()]).is_ok();
                (if compares { Width::W1 } else { usual }, vec![usual; op.arity()])
            }
        };
        let mut operands: Vec<Pair> = arguments.iter().map(|&width| self.operand(width)).collect();
        if operands.len() == 2 && operands[0].width == operands[1].width && self.random.chance(8) {
            operands[1] = operands[0];
        }
        if operands.len() == 2 && operands[1].width == arguments[1] && self.random.chance(4) {
            operands[1] = self.constant(arguments[1]);
        }
        self.make(op, result, &operands);
    }

    /// Equality of two polynomials over the same few values.
    fn polynomials(&mut self) {
        let width = self.width();
        let values: Vec<Pair> = (0..3).map(|_| self.operand(width)).collect();
        let sides = [0, 1].map(|_| self.polynomial(width, &values, 3));
        let op = self.random.pick(&[Op::Eq, Op::Ne, Op::Ult, Op::Sub]);
        self.make(op, if op == Op::Sub { width } else { Width::W1 }, &sides);
    }

    fn polynomial(&mut self, width: Width, values: &[Pair], depth: u32) -> Pair {
        if depth == 0 || self.random.chance(4) {
            if !self.random.chance(4) {
                return self.random.pick(values);
            }
            let constant = self.random.below(5) as u64;
            let constant = self.terms.constant_u64(constant, width);
            return Pair { plain: constant, simple: constant, width };
        }
        let x = self.polynomial(width, values, depth - 1);
        let op = self.random.pick(&[Op::Add, Op::Add, Op::Sub, Op::Mul, Op::Mul, Op::Neg, Op::Not, Op::Shl]);
        let y = match op {
            Op::Neg | Op::Not => return self.make(op, width, &[x]),
            Op::Shl => {
                let amount = self.random.below(3) as u64;
                let amount = self.terms.constant_u64(amount, Width::W8);
                Pair { plain: amount, simple: amount, width: Width::W8 }
            }
            _ => self.polynomial(width, values, depth - 1),
        };
        self.make(op, width, &[x, y])
    }

    /// Selects between the same few values on the same few conditions.
    fn choices(&mut self) {
        let width = self.width();
        let values: Vec<Pair> = (0..2).map(|_| self.operand(width)).collect();
        let x = self.random.pick(&values);
        let (op, y) = (self.random.pick(&[Op::Eq, Op::Ult, Op::Sle]), self.random.pick(&values));
        let mut conditions = vec![self.operand(Width::W1), self.make(op, Width::W1, &[x, y])];
        conditions.push(self.make(Op::Not, Width::W1, &[conditions[1]]));
        let mut chosen = values.clone();
        for _ in 0..4 {
            let condition = self.random.pick(&conditions);
            let (then, otherwise) = (self.random.pick(&chosen), self.random.pick(&chosen));
            chosen.push(self.make(Op::Select, width, &[condition, then, otherwise]));
        }
    }

    fn array_step(&mut self) {
        let at = self.random.below(self.arrays.len());
        let (plain, simple) = self.arrays[at];
        let index = self.operand(self.terms.index_width(plain));
        if self.random.chance(2) {
            let value = self.operand(Width::W8);
            let plain = self.terms.store(plain, index.plain, value.plain);
            let simple = self.terms.store(simple, index.simple, value.simple);
            self.arrays.push((plain, simple));
        } else {
            let plain = self.terms.read_plain(plain, index.plain);
            let simple = self.terms.read(simple, index.simple);
            self.pairs.push(Pair { plain, simple, width: Width::W8 });
        }
    }

    pub(crate) fn model(&mut self) -> Model {
        let fill = self.random.pick(&[None, None, None, Some(0), Some(0xff), Some(0x80)]);
        (0..self.inputs).map(|number| (Input(number), fill.unwrap_or(self.random.number() as u8))).collect()
    }

    /// Adds an application of this operator with arguments of these widths.
    pub(crate) fn apply_plainly(&mut self, op: Op, result: Width, arguments: &[Width]) {
        let operands: Vec<Pair> = arguments.iter().map(|&width| self.operand(width)).collect();
        self.make(op, result, &operands);
    }

    /// Keeps only these: all others were collected or are about to be.
    pub(crate) fn keep(&mut self, pairs: Vec<Pair>, arrays: Vec<(Array, Array)>) {
        self.pairs = pairs;
        self.arrays = arrays;
        self.recent.clear();
    }
}
