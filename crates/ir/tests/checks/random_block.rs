//! Random well-formed blocks, rich in opportunities for identities and dead-code elimination.

use everypath_ir::{
    Bits, Block, BlockBuilder, Context, Endian, ExitKind, Layout, Location, Op, Operand, Place, Space,
    SpaceId, SpaceKind, Statement, Target, Width,
};

use everypath_testkit::random::Random;

const WIDTHS: [u32; 8] = [1, 1, 8, 8, 16, 32, 64, 128];

pub(crate) fn layout() -> Layout {
    let space = |name: &str, kind, endian, bits, unit| Space {
        name: name.to_owned(),
        kind,
        endian,
        address: Width::new(bits).expect("a width"),
        unit,
    };
    Layout {
        spaces: vec![
            space("ram", SpaceKind::Memory, Endian::Little, 64, 1),
            space("register", SpaceKind::Register, Endian::Little, 32, 1),
            space("unique", SpaceKind::Temporary, Endian::Big, 32, 1),
            space("code", SpaceKind::Memory, Endian::Big, 24, 2),
            space("window", SpaceKind::Register, Endian::Big, 8, 1),
        ],
        user_operations: vec!["cpuid".to_owned(), "sync.x".to_owned(), "_halt$".to_owned()],
        watched: Vec::new(),
    }
}

struct Making<'a> {
    random: &'a mut Random,
    builder: BlockBuilder,
    values: Vec<Operand>,
}

/// A block of about this many statements, not simplified.
pub(crate) fn random_block(random: &mut Random, statements: usize) -> Block {
    let context = Context(random.pick(&[0, 5, u128::MAX]));
    let part = random.pick(&[0, 0, 1, 2]);
    let place = Place { address: random.number() >> random.below(64), part, context };
    let mut making = Making { random, builder: BlockBuilder::plain(place, SpaceId(0)), values: Vec::new() };
    for _ in 0..statements {
        making.statement();
    }
    for _ in 0..making.random.below(3) {
        making.exit(true);
    }
    making.exit(false);
    making.builder.finish(place.address.wrapping_add(4))
}

/// The same block rebuilt by a simplifying builder.
pub(crate) fn simplified(block: &Block) -> Block {
    let mut builder = BlockBuilder::new(block.place, block.space);
    let mut values: Vec<Operand> = Vec::new();
    for statement in &block.statements {
        let of = |builder: &mut BlockBuilder, operand: Operand| match operand.as_temp() {
            Some(temp) => values[temp.index()],
            None => builder.constant(block.value(operand).expect("a constant").clone()),
        };
        let width = statement.result().map(|temp| block.temps[temp.index()]);
        let value = match *statement {
            Statement::Instruction { address, length, alignment } => {
                builder.aligned_instruction(address, length, alignment);
                None
            }
            Statement::Compute { op, .. } => {
                let arguments: Vec<Operand> =
                    statement.arguments().iter().map(|&argument| of(&mut builder, argument)).collect();
                width.map(|width| builder.compute(op, width, &arguments))
            }
            Statement::Get { location, .. } => width.map(|width| builder.get(location, width)),
            Statement::Put { location, value } => {
                let value = of(&mut builder, value);
                builder.put(location, value);
                None
            }
            Statement::Load { space, address, guard, .. } => {
                let address = of(&mut builder, address);
                let guard = guard.map(|guard| of(&mut builder, guard));
                width.map(|width| builder.load(space, address, width, guard))
            }
            Statement::Store { space, address, value, guard } => {
                let (address, value) = (of(&mut builder, address), of(&mut builder, value));
                let guard = guard.map(|guard| of(&mut builder, guard));
                builder.store(space, address, value, guard);
                None
            }
            Statement::User { operation, arguments, guard, .. } => {
                let arguments: Vec<Operand> =
                    block.pooled(arguments).iter().map(|&argument| of(&mut builder, argument)).collect();
                let guard = guard.map(|guard| of(&mut builder, guard));
                builder.user(width, operation, &arguments, guard)
            }
        };
        values.extend(value);
    }
    for exit in &block.exits {
        let mut exit = *exit;
        exit.for_each_operand(|operand| {
            *operand = match operand.as_temp() {
                Some(temp) => values[temp.index()],
                None => builder.constant(block.value(*operand).expect("a constant").clone()),
            }
        });
        builder.exit(exit.guard, exit.kind, exit.target);
    }
    builder.finish(block.end)
}

impl Making<'_> {
    fn width(&mut self) -> Width {
        Width::new(self.random.pick(&WIDTHS)).expect("a width")
    }

    fn whole(&mut self) -> Width {
        Width::new(self.random.pick(&[8, 8, 16, 32, 64, 128])).expect("a width")
    }

    /// An operand of this width: mostly a recent one, extended or truncated if necessary.
    fn operand(&mut self, width: Width) -> Operand {
        if self.random.chance(4) {
            let value = if self.random.chance(3) { Bits::from(true) } else { self.random.bits(width) };
            let value = Bits::from_bytes_le(&value.to_bytes_le(), width);
            return self.builder.constant(value);
        }
        let fitting: Vec<Operand> =
            self.values.iter().copied().filter(|&v| self.builder.width(v) == width).collect();
        let recent = &fitting[fitting.len().saturating_sub(6)..];
        if !recent.is_empty() && !self.random.chance(6) {
            return self.random.pick(recent);
        }
        let Some(&any) = self.values.last() else {
            let value = self.random.bits(width);
            return self.builder.constant(value);
        };
        let found = self.builder.width(any);
        let op = if found.bits() < width.bits() {
            self.random.pick(&[Op::Zext, Op::Zext, Op::Sext])
        } else {
            let low = self.random.below((found.bits() - width.bits()) as usize + 1);
            Op::Extract(if self.random.chance(2) { 0 } else { low as u16 })
        };
        self.compute(op, width, &[any])
    }

    fn compute(&mut self, op: Op, width: Width, arguments: &[Operand]) -> Operand {
        let value = self.builder.compute(op, width, arguments);
        self.values.push(value);
        value
    }

    fn computation(&mut self) {
        let op = self.random.pick(Op::ALL);
        let main = if op.is_float() {
            Width::new(self.random.pick(&[16, 32, 64, 80, 128])).expect("a width")
        } else {
            self.width()
        };
        match op {
            Op::Zext | Op::Sext => {
                let argument = self.width().min(main);
                let argument = self.operand(argument);
                self.compute(op, main, &[argument]);
            }
            Op::Extract(_) => {
                let result = self.width().min(main);
                let low = self.random.below((main.bits() - result.bits()) as usize + 1) as u16;
                let argument = self.operand(main);
                self.compute(Op::Extract(low), result, &[argument]);
            }
            Op::Concat => {
                let low = self.width();
                let arguments = [self.operand(main), self.operand(low)];
                let result = Width::new(main.bits() + low.bits()).expect("a width");
                self.compute(op, result, &arguments);
            }
            Op::Select => {
                let arguments = [self.operand(Width::W1), self.operand(main), self.operand(main)];
                self.compute(op, main, &arguments);
            }
            Op::Shl | Op::Lshr | Op::Ashr => {
                let amount = self.width();
                let arguments = [self.operand(main), self.operand(amount)];
                self.compute(op, main, &arguments);
            }
            _ => {
                let arguments: Vec<Operand> = (0..op.arity()).map(|_| self.operand(main)).collect();
                let allowed = |&width: &Width| op.check(width, &vec![main; op.arity()]).is_ok();
                let result = [main, Width::W1].into_iter().find(allowed);
                self.compute(op, result.expect("a width of a result"), &arguments);
            }
        }
    }

    fn guard(&mut self) -> Option<Operand> {
        if self.random.chance(2) { Some(self.operand(Width::W1)) } else { None }
    }

    /// A location that is likely to overlap others.
    fn location(&mut self) -> Location {
        Location { space: SpaceId(self.random.below(5) as u8), offset: self.random.below(24) as u64 }
    }

    /// An address in one of the spaces, likely to collide with other accesses.
    fn address(&mut self) -> (SpaceId, Operand) {
        let space = SpaceId(self.random.pick(&[0, 0, 0, 3, 4]));
        let address = if self.random.chance(2) || space == SpaceId(4) {
            let offset = self.random.below(24) as u64;
            self.builder.constant(Bits::from_u64(offset, Width::W8))
        } else {
            self.operand(Width::W16)
        };
        (space, address)
    }

    fn statement(&mut self) {
        match self.random.below(20) {
            0 => {
                let (address, length) = (self.random.number(), self.random.number() as u8);
                self.builder.instruction(address, length);
            }
            1..5 => {
                let (location, width) = (self.location(), self.whole());
                let value = self.builder.get(location, width);
                self.values.push(value);
            }
            5..9 => {
                let (location, width) = (self.location(), self.whole());
                let value = self.operand(width);
                self.builder.put(location, value);
            }
            9 => {
                let ((space, address), width, guard) = (self.address(), self.whole(), self.guard());
                let value = self.builder.load(space, address, width, guard);
                self.values.push(value);
            }
            10 => {
                let ((space, address), width, guard) = (self.address(), self.whole(), self.guard());
                let value = self.operand(width);
                self.builder.store(space, address, value, guard);
            }
            11 if self.random.chance(2) => {
                let result = if self.random.chance(2) { Some(self.width()) } else { None };
                let arguments: Vec<Operand> = (0..self.random.below(4))
                    .map(|_| {
                        let width = self.width();
                        self.operand(width)
                    })
                    .collect();
                let (operation, guard) = (self.random.below(3) as u32, self.guard());
                let value = self.builder.user(result, operation, &arguments, guard);
                self.values.extend(value);
            }
            _ => self.computation(),
        }
    }

    fn exit(&mut self, guarded: bool) {
        let guard = guarded.then(|| self.operand(Width::W1));
        let context = Context(self.random.pick(&[0, 5, 6]));
        let kind = self.random.pick(&ExitKind::ALL);
        let target = if kind != ExitKind::Fall && self.random.chance(3) {
            Target::Computed { address: self.operand(Width::W64), context }
        } else {
            Target::Place(Place {
                address: self.random.number(),
                part: self.random.pick(&[0, 0, 0, 3]),
                context,
            })
        };
        self.builder.exit(guard, kind, target);
    }
}
