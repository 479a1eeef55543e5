//! The builder's identities preserve the semantics of blocks, and each simplifies its example.

use everypath_ir::{
    Bits, BlockBuilder, Context, ExitKind, Listing, Location, Observers, Op, Operand, Place, Printer,
    SpaceId, Target, Width, eliminate_dead, verify,
};

use crate::evaluate::run;
use crate::random_block::{layout, random_block, simplified};
use everypath_testkit::random::Random;

#[test]
fn simplified_blocks_do_the_same() {
    let mut random = Random::new(9);
    let layout = layout();
    let (mut before, mut after) = (0, 0);
    for _ in 0..6000 {
        let length = random.below(60) + 5;
        let plain = random_block(&mut random, length);
        let simple = simplified(&plain);
        let printer = Printer::new(&layout);
        let both = || format!("{}\n{}", printer.block(&plain), printer.block(&simple));
        assert_eq!(verify(&layout, &simple), Ok(()), "{}", both());
        for _ in 0..4 {
            let seed = random.number();
            assert_eq!(run(&layout, &plain, seed), run(&layout, &simple, seed), "{}", both());
        }
        assert_eq!(simplified(&simple).statements.len(), simple.statements.len(), "{}", both());
        before += plain.statements.len();
        after += simple.statements.len();
    }
    assert!(after * 10 < before * 9, "{before} statements became {after}");
}

/// Generates computations over few narrow values, so that identities apply, or nearly apply, often.
struct Expressions<'a> {
    random: &'a mut Random,
    builder: BlockBuilder,
    values: Vec<Operand>,
}

impl Expressions<'_> {
    fn compute(&mut self, op: Op, width: Width, arguments: &[Operand]) -> Operand {
        let value = self.builder.compute(op, width, arguments);
        self.values.push(value);
        value
    }

    fn operand(&mut self, width: Width) -> Operand {
        let fitting: Vec<Operand> =
            self.values.iter().copied().filter(|&value| self.builder.width(value) == width).collect();
        if fitting.is_empty() || self.random.chance(5) {
            let value = self.random.bits(width);
            return self.builder.constant(value);
        }
        self.random.pick(&fitting)
    }

    /// Two operands, mostly the given ones.
    fn again(&mut self, width: Width, x: Operand, y: Operand) -> (Operand, Operand) {
        match self.random.below(4) {
            0 => (self.operand(width), y),
            1 => (y, x),
            _ => (x, y),
        }
    }

    /// The computations from which compilers and processors make comparison flags.
    fn flags(&mut self, width: Width) {
        let (x, y) = (self.operand(width), self.operand(width));
        let overflow = self.random.pick(&[Op::Sborrow, Op::Sborrow, Op::Scarry]);
        let overflow = self.compute(overflow, Width::W1, &[x, y]);
        let (a, b) = self.again(width, x, y);
        let difference = self.random.pick(&[Op::Sub, Op::Sub, Op::Sub, Op::Xor]);
        let difference = self.compute(difference, width, &[a, b]);
        let zero = self.random.pick(&[0, 0, 0, 1]);
        let zero = self.builder.constant(Bits::from_u64(zero, width));
        let sign = self.random.pick(&[Op::Slt, Op::Slt, Op::Ult, Op::Eq]);
        let sign = self.compute(sign, Width::W1, &[difference, zero]);
        let flags = self.random.pick(&[[overflow, sign], [sign, overflow]]);
        let op = self.random.pick(&[Op::Eq, Op::Ne, Op::Xor]);
        self.compute(op, Width::W1, &flags);
    }

    /// Extractions and concatenations.
    fn pieces(&mut self, width: Width) {
        let (x, y) = (self.operand(width), self.operand(width));
        let (x, y) = if self.random.chance(3) { (x, y) } else { (x, x) };
        let bits = width.bits() as usize;
        let (low, middle) = (self.random.below(bits), self.random.below(bits));
        let high = self.random.below(bits - middle) + 1;
        let length = self.random.pick(&[middle.saturating_sub(low), 1]).clamp(1, bits - low);
        let widths = [high, length].map(|bits| Width::new(bits as u32).expect("a width"));
        let top = self.compute(Op::Extract(middle as u16), widths[0], &[x]);
        let bottom = self.compute(Op::Extract(low as u16), widths[1], &[y]);
        let result = Width::new((high + length) as u32).expect("a width");
        let joined = self.compute(Op::Concat, result, &[top, bottom]);
        let from = self.random.below(high + length);
        let part = Width::new((self.random.below(high + length - from) + 1) as u32).expect("a width");
        self.compute(Op::Extract(from as u16), part, &[joined]);
    }

    fn computation(&mut self, width: Width) {
        let ops: Vec<Op> = Op::ALL.iter().copied().filter(|op| !op.is_float()).collect();
        let op = self.random.pick(&ops);
        match op {
            Op::Extract(_) | Op::Concat => self.pieces(width),
            Op::Sborrow | Op::Slt => self.flags(width),
            Op::Zext | Op::Sext => {
                let argument = self.operand(width);
                let result = Width::new(width.bits() + self.random.below(3) as u32).expect("a width");
                let wider = self.compute(op, result, &[argument]);
                let other = self.operand(result);
                let op = self.random.pick(&[Op::And, Op::Or, Op::Xor, Op::Add]);
                self.compute(op, result, &[wider, other]);
                let op = self.random.pick(&[Op::Eq, Op::Ne, Op::Ult, Op::Ule, Op::Sle]);
                self.compute(op, Width::W1, &[wider, other]);
            }
            Op::Select => {
                let arguments = [self.operand(Width::W1), self.operand(width), self.operand(width)];
                self.compute(op, width, &arguments);
            }
            _ => {
                let arguments: Vec<Operand> = (0..op.arity()).map(|_| self.operand(width)).collect();
                let allowed = |&result: &Width| op.check(result, &vec![width; op.arity()]).is_ok();
                let result = [width, Width::W1].into_iter().find(allowed).expect("a width of a result");
                self.compute(op, result, &arguments);
            }
        }
    }
}

#[test]
fn few_narrow_values_keep_their_meaning() {
    let mut random = Random::new(11);
    let layout = layout();
    for _ in 0..12_000 {
        let widths =
            random.pick(&[[1, 1], [1, 3], [4, 4], [1, 8]]).map(|bits| Width::new(bits).expect("a width"));
        let place = Place::new(0, Context::default());
        let mut made = Expressions {
            random: &mut random,
            builder: BlockBuilder::plain(place, SpaceId(0)),
            values: Vec::new(),
        };
        for offset in 0..3 {
            let byte = made.builder.get(Location { space: SpaceId(1), offset }, Width::W8);
            for width in widths {
                made.compute(Op::Extract(0), width, &[byte]);
            }
        }
        for _ in 0..8 {
            let width = made.random.pick(&widths);
            made.computation(width);
        }
        // Every value is stored at the end, so that it is observable.
        for (index, value) in made.values.clone().into_iter().enumerate() {
            let whole = made.builder.width(value).bits().next_multiple_of(8);
            let whole = made.compute(Op::Zext, Width::new(whole).expect("a width"), &[value]);
            made.builder.put(Location { space: SpaceId(1), offset: 0x100 + 8 * index as u64 }, whole);
        }
        made.builder.exit(None, ExitKind::Fall, Target::Place(place));
        let plain = made.builder.finish(0);
        let simple = simplified(&plain);
        let printer = Printer::new(&layout);
        let both = || format!("{}\n{}", printer.block(&plain), printer.block(&simple));
        assert_eq!(verify(&layout, &plain), Ok(()), "{}", both());
        assert_eq!(verify(&layout, &simple), Ok(()), "{}", both());
        for _ in 0..6 {
            let seed = random.number();
            assert_eq!(run(&layout, &plain, seed), run(&layout, &simple, seed), "{}", both());
        }
    }
}

/// The prologue of each case: two bytes, two bits, two words.
const PROLOGUE: &str = "t0:8 = get r[0x0]; t1:8 = get r[0x1]; t2:1 = extract.0 t0; t3:1 = extract.0 t1; \
    t4:32 = get r[0x4]; t5:32 = get r[0x8]";

/// Statements after the prologue, and those that remain; the last one is used.
const CASES: &[(&str, &str)] = &[
    ("t6:8 = add t0 0x0:8", "t0"),
    ("t6:8 = add 0x5:8 0x6:8", "0xb:8"),
    ("t6:8 = add 0x0:8 t0", "t0"),
    ("t6:8 = sub t0 t0", "0x0:8"),
    ("t6:8 = sub 0x0:8 t0", "t6:8 = neg t0"),
    ("t6:8 = add t0 0x3:8; t7:8 = sub t6 0x5:8", "t6:8 = sub t0 0x2:8"),
    ("t6:8 = sub t0 0x8:8; t7:8 = sub t6 0x8:8", "t6:8 = sub t0 0x10:8"),
    ("t6:8 = sub t0 0x8:8; t7:8 = add t6 0x8:8", "t0"),
    ("t6:8 = mul t0 0x0:8", "0x0:8"),
    ("t6:8 = mul t0 0x1:8", "t0"),
    ("t6:8 = udiv t0 0x1:8", "t0"),
    ("t6:8 = srem t0 0x1:8", "0x0:8"),
    ("t6:8 = neg t0; t7:8 = neg t6", "t0"),
    ("t6:8 = sub t0 t1; t7:8 = neg t6", "t6:8 = sub t1 t0"),
    ("t6:8 = shl t0 0x0:32", "t0"),
    ("t6:8 = shl t0 0x8:32", "0x0:8"),
    ("t6:8 = ashr t0 0x8:32", "t6:8 = ashr t0 0x8:32"),
    ("t6:8 = and t0 t0", "t0"),
    ("t6:8 = and t0 0xff:8", "t0"),
    ("t6:8 = and t0 0x0:8", "0x0:8"),
    ("t6:8 = and t0 0x3:8; t7:8 = and t6 0x6:8", "t6:8 = and t0 0x2:8"),
    ("t6:8 = or t0 0xff:8", "0xff:8"),
    ("t6:8 = or t0 t0", "t0"),
    ("t6:8 = xor t0 t0", "0x0:8"),
    ("t6:8 = xor t0 0xff:8", "t6:8 = not t0"),
    ("t6:8 = not t0; t7:8 = not t6", "t0"),
    ("t6:8 = not t0; t7:8 = and t0 t6", "0x0:8"),
    ("t6:8 = not t0; t7:8 = or t0 t6", "0xff:8"),
    ("t6:1 = ult t0 t1; t7:1 = not t6", "t6:1 = ule t1 t0"),
    ("t6:1 = eq t0 t1; t7:1 = not t6", "t6:1 = ne t0 t1"),
    ("t6:1 = flt t4 t5; t7:1 = not t6", "t6:1 = flt t4 t5; t7:1 = not t6"),
    ("t6:8 = zext t2; t7:1 = ne t6 0x0:8", "t2"),
    ("t6:8 = zext t2; t7:1 = eq t6 0x0:8", "t6:1 = not t2"),
    ("t6:8 = zext t2; t7:1 = eq t6 0x2:8", "0x0:1"),
    ("t6:8 = zext t2; t7:8 = xor t6 0x1:8", "t6:1 = not t2; t7:8 = zext t6"),
    ("t6:8 = zext t2; t7:8 = zext t3; t8:8 = and t6 t7", "t6:1 = and t2 t3; t7:8 = zext t6"),
    ("t6:8 = zext t2; t7:8 = zext t3; t8:8 = or t6 t7; t9:1 = ne t8 0x0:8", "t6:1 = or t2 t3"),
    ("t6:8 = zext t2; t7:8 = or t6 0x2:8", "t6:8 = zext t2; t7:8 = or t6 0x2:8"),
    ("t6:8 = zext t2; t7:8 = and t6 0xfe:8", "0x0:8"),
    ("t6:32 = zext t0; t7:1 = ult t6 0x20:32", "t6:1 = ult t0 0x20:8"),
    ("t6:1 = eq t2 0x1:1", "t2"),
    ("t6:1 = ne t2 0x1:1", "t6:1 = not t2"),
    ("t6:8 = sub t0 t1; t7:1 = eq t6 0x0:8", "t6:1 = eq t0 t1"),
    ("t6:8 = add t0 0x1:8; t7:1 = eq t6 0x0:8", "t6:1 = eq t0 0xff:8"),
    ("t6:8 = select t2 0x3:8 0x4:8; t7:1 = eq t6 0x4:8", "t6:1 = not t2"),
    ("t6:1 = ult t0 0x0:8", "0x0:1"),
    ("t6:1 = ult t0 0x1:8", "t6:1 = eq t0 0x0:8"),
    ("t6:1 = ule t0 0xff:8", "0x1:1"),
    ("t6:1 = carry t0 0x0:8", "0x0:1"),
    ("t6:1 = sborrow t0 t0", "0x0:1"),
    ("t6:1 = sborrow t0 t1; t7:8 = sub t0 t1; t8:1 = slt t7 0x0:8; t9:1 = ne t6 t8", "t6:1 = slt t0 t1"),
    ("t6:1 = sborrow t0 t1; t7:8 = sub t0 t1; t8:1 = slt t7 0x0:8; t9:1 = eq t8 t6", "t6:1 = sle t1 t0"),
    ("t6:16 = zext t0; t7:32 = zext t6", "t6:32 = zext t0"),
    ("t6:16 = zext t0; t7:32 = sext t6", "t6:32 = zext t0"),
    ("t6:16 = zext t0; t7:8 = extract.0 t6", "t0"),
    ("t6:16 = zext t0; t7:8 = extract.8 t6", "0x0:8"),
    ("t6:16 = zext t0; t7:8 = extract.4 t6", "t6:4 = extract.4 t0; t7:8 = zext t6"),
    ("t6:16 = concat t0 t1; t7:8 = extract.8 t6", "t0"),
    ("t6:16 = concat t0 t1; t7:4 = extract.2 t6", "t6:4 = extract.2 t1"),
    ("t6:16 = extract.8 t4; t7:8 = extract.4 t6", "t6:8 = extract.12 t4"),
    ("t6:32 = lshr t4 0x8:8; t7:16 = extract.0 t6", "t6:16 = extract.8 t4"),
    ("t6:16 = concat 0x0:8 t0", "t6:16 = zext t0"),
    ("t6:8 = extract.8 t4; t7:8 = extract.0 t4; t8:16 = concat t6 t7", "t6:16 = extract.0 t4"),
    ("t6:8 = select 0x1:1 t0 t1", "t0"),
    ("t6:8 = select t2 t0 t0", "t0"),
    ("t6:8 = select t2 0x1:8 0x0:8", "t6:8 = zext t2"),
    ("t6:1 = not t2; t7:8 = select t6 t0 t1", "t6:8 = select t2 t1 t0"),
    ("t6:1 = select t2 t3 0x0:1", "t6:1 = and t2 t3"),
    ("t6:32 = fneg t4; t7:32 = fneg t6", "t4"),
    ("t6:32 = fneg t4; t7:32 = fabs t6", "t6:32 = fabs t4"),
    ("t6:8 = add t0 t1; t7:8 = add t1 t0; t8:1 = eq t6 t7", "0x1:1"),
];

#[test]
fn each_identity_simplifies() {
    for (given, expected) in CASES {
        let last =
            given.rsplit(';').next().and_then(|line| line.split(':').next()).expect("a statement").trim();
        let text = format!(
            "space c memory little 16 space r register little 16 user use\n\
             block c 0x0 end 0x0 {{ {PROLOGUE}; {given}; user use({last}) exit fall 0x0 }}"
        );
        let listing: Listing = text.replace(';', "\n").parse().expect("a listing");
        assert_eq!(verify(&listing.layout, &listing.blocks[0]), Ok(()));
        let block = simplified(&listing.blocks[0]);
        // A user operation uses the prologue, so that its numbering stays, and the last statement.
        let mut text = Listing { blocks: vec![block], ..listing }.to_string();
        text = text.replace("    user use(", "    user use(t0, t1, t2, t3, t4, t5, ");
        let mut listing: Listing = text.parse().expect("a listing");
        eliminate_dead(&mut listing.blocks[0], &listing.layout, Observers::Overwritten);
        let printer = Printer::new(&listing.layout);
        let block = &listing.blocks[0];
        let lines: Vec<String> = block
            .statements
            .iter()
            .map(|line| printer.statement(block, line).to_string().trim().to_owned())
            .collect();
        let (used, computed) = lines[6..].split_last().expect("a use");
        let operand = used.rsplit(", ").next().expect("an operand").trim_end_matches(')');
        let found = if computed.is_empty() { operand.to_owned() } else { computed.join("; ") };
        assert_eq!(&found, expected, "{given}");
    }
}
