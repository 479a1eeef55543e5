//! Compiles a condition to a basic block, so that each value domain evaluates it by the operators of the intermediate
//! representation: concolic execution, which gives its term, and the concrete machine, which confirms it.
//!
//! Types and conversions are those of C with an `int` of 32 bits. A register is a signed number of its width, as a debugger
//! shows it, unless it has 8 bits; memory is an unsigned number.

use std::sync::Arc;

use everypath_ir::{
    Bits, Block, BlockBuilder, Context, ExitKind, Location, Op, Operand, Place, Target, Width,
};

use super::condition::{BinaryOperator, ConditionExpression, ExpressionKind, UnaryOperator};
use super::{TargetError, TargetText};
use crate::guest::Guest;

/// A condition as a basic block, whose first exit is guarded by it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CompiledCondition {
    /// The block. It reads registers and memory, and writes nothing.
    pub block: Arc<Block>,
    /// The value of the condition, if it depends on nothing.
    pub constant: Option<bool>,
}

/// A value with its type.
#[derive(Clone, Copy)]
struct Typed {
    operand: Operand,
    signed: bool,
}

/// Compiles a condition of a target.
pub(super) fn compile(
    guest: &Guest,
    target: &TargetText,
    condition: &ConditionExpression,
) -> Result<CompiledCondition, TargetError> {
    let place = Place::new(0, Context::default());
    let builder = BlockBuilder::new(place, guest.code_space());
    let mut compiler = Compiler { guest, target, builder };
    let holds = compiler.truth(condition, None)?;
    let Compiler { mut builder, .. } = compiler;
    let constant = builder.value(holds).map(|value| !value.is_zero());
    builder.exit(Some(holds), ExitKind::Jump, Target::Place(place));
    builder.exit(None, ExitKind::Fall, Target::Place(place));
    Ok(CompiledCondition { block: Arc::new(builder.finish(0)), constant })
}

struct Compiler<'g> {
    guest: &'g Guest,
    target: &'g TargetText,
    builder: BlockBuilder,
}

impl Compiler<'_> {
    fn error(&self, message: impl Into<String>, at: &ConditionExpression) -> TargetError {
        TargetError::new(message, &self.target.text, at.span.clone())
    }

    fn number(&mut self, value: u64, width: Width) -> Operand {
        self.builder.constant(Bits::from_u64(value, width))
    }

    /// The bit that says whether an expression is not zero. Memory is read only where `guard` is one.
    fn truth(&mut self, at: &ConditionExpression, guard: Option<Operand>) -> Result<Operand, TargetError> {
        let Typed { operand, .. } = self.value(at, guard)?;
        let width = self.builder.width(operand);
        if width == Width::W1 {
            return Ok(operand);
        }
        let zero = self.number(0, width);
        Ok(self.builder.compute(Op::Ne, Width::W1, &[operand, zero]))
    }

    fn value(&mut self, at: &ConditionExpression, guard: Option<Operand>) -> Result<Typed, TargetError> {
        match &at.kind {
            ExpressionKind::Number(value) => Ok(self.literal(*value)),
            ExpressionKind::Name(name) => self.name(name, at),
            ExpressionKind::Memory { space, address, size } => {
                let id = self.space(space, at)?;
                let width = self.guest.architecture().layout()[id].offset_width();
                let whole = Width::of_bytes(width.bits().div_ceil(8) as usize).unwrap_or(Width::W64);
                let address = self.value(address, guard)?;
                let address = self.convert(address, whole);
                let width = Width::of_bytes(usize::from(*size)).unwrap_or(Width::W8);
                let operand = self.builder.load(id, address, width, guard);
                Ok(Typed { operand, signed: false })
            }
            ExpressionKind::Cast { bits, signed, value } => {
                let value = self.value(value, guard)?;
                let operand = self.convert(value, Width::new(*bits).unwrap_or(Width::W64));
                Ok(Typed { operand, signed: *signed })
            }
            ExpressionKind::Unary(UnaryOperator::Not, inner) => {
                let holds = self.truth(inner, guard)?;
                let operand = self.builder.compute(Op::Not, Width::W1, &[holds]);
                Ok(Typed { operand, signed: false })
            }
            ExpressionKind::Unary(operator, inner) => {
                let inner = self.promoted(inner, guard)?;
                let op = if *operator == UnaryOperator::Negate { Op::Neg } else { Op::Not };
                let width = self.builder.width(inner.operand);
                Ok(Typed { operand: self.builder.compute(op, width, &[inner.operand]), ..inner })
            }
            ExpressionKind::Binary(operator, left, right) => self.binary(*operator, (left, right), guard),
        }
    }

    fn binary(
        &mut self,
        operator: BinaryOperator,
        (left, right): (&ConditionExpression, &ConditionExpression),
        guard: Option<Operand>,
    ) -> Result<Typed, TargetError> {
        use BinaryOperator as B;
        if matches!(operator, B::LogicalAnd | B::LogicalOr) {
            // The right side counts only where the left side does not decide, and reads memory only there.
            let first = self.truth(left, guard)?;
            let open = match operator {
                B::LogicalAnd => first,
                _ => self.builder.compute(Op::Not, Width::W1, &[first]),
            };
            let behind = match guard {
                Some(guard) => self.builder.compute(Op::And, Width::W1, &[guard, open]),
                None => open,
            };
            let second = self.truth(right, Some(behind))?;
            let op = if operator == B::LogicalAnd { Op::And } else { Op::Or };
            let operand = self.builder.compute(op, Width::W1, &[first, second]);
            return Ok(Typed { operand, signed: false });
        }
        let (left, right) = (self.promoted(left, guard)?, self.promoted(right, guard)?);
        if matches!(operator, B::ShiftLeft | B::ShiftRight) {
            let op = match (operator, left.signed) {
                (B::ShiftLeft, _) => Op::Shl,
                (_, true) => Op::Ashr,
                (_, false) => Op::Lshr,
            };
            let width = self.builder.width(left.operand);
            let operand = self.builder.compute(op, width, &[left.operand, right.operand]);
            return Ok(Typed { operand, ..left });
        }
        // The usual arithmetic conversions.
        let widths = (self.builder.width(left.operand), self.builder.width(right.operand));
        let width = widths.0.max(widths.1);
        let is_unsigned = |side: Typed, own: Width| !side.signed && own == width;
        let signed = !is_unsigned(left, widths.0) && !is_unsigned(right, widths.1);
        let (left, right) = (self.convert(left, width), self.convert(right, width));
        let less = if signed { (Op::Slt, Op::Sle) } else { (Op::Ult, Op::Ule) };
        let (op, is_swapped) = match operator {
            B::Or => (Op::Or, false),
            B::Xor => (Op::Xor, false),
            B::And => (Op::And, false),
            B::Add => (Op::Add, false),
            B::Subtract => (Op::Sub, false),
            B::Multiply => (Op::Mul, false),
            B::Equal => (Op::Eq, false),
            B::NotEqual => (Op::Ne, false),
            B::Less => (less.0, false),
            B::LessEqual => (less.1, false),
            B::Greater => (less.0, true),
            B::GreaterEqual => (less.1, true),
            B::LogicalAnd | B::LogicalOr | B::ShiftLeft | B::ShiftRight => unreachable!("handled above"),
        };
        let operands = if is_swapped { [right, left] } else { [left, right] };
        let result = if operator.is_comparison() { Width::W1 } else { width };
        Ok(Typed { operand: self.builder.compute(op, result, &operands), signed })
    }

    /// A number has the first of these types that holds it: `i32`, `u32`, `i64`, `u64`.
    fn literal(&mut self, value: u64) -> Typed {
        let (width, signed) = match value {
            0..=0x7fff_ffff => (Width::W32, true),
            0x8000_0000..=0xffff_ffff => (Width::W32, false),
            _ => (Width::W64, value <= i64::MAX as u64),
        };
        Typed { operand: self.number(value, width), signed }
    }

    fn name(&mut self, name: &str, at: &ConditionExpression) -> Result<Typed, TargetError> {
        let architecture = self.guest.architecture();
        let argument = name.strip_prefix("arg").and_then(|number| number.parse::<usize>().ok());
        let register = match argument {
            Some(number) => {
                let call = architecture.description().call.as_ref();
                let registers = call.map_or(&[][..], |call| &call.arguments);
                let register = registers.get(number).ok_or_else(|| {
                    let first = registers.len();
                    self.error(format!("argument {number} is in no register: the first {first} are"), at)
                })?;
                Some(register.as_str())
            }
            None => {
                let mut registers = architecture.registers().map(|(name, ..)| name);
                let is_named = |register: &&str| register.eq_ignore_ascii_case(name);
                let exact = architecture.register(name).map(|_| name);
                exact.or_else(|| registers.find(is_named))
            }
        };
        if let Some((location, width)) = register.and_then(|register| architecture.register(register)) {
            return self.register(location, width, at);
        }
        match self.guest.symbol(name) {
            Ok((_, address, _)) => Ok(self.literal(address)),
            Err(_) => Err(self.error(
                format!("there is no register or symbol `{name}`, and it is no argument (`arg0`, `arg1`)"),
                at,
            )),
        }
    }

    fn register(
        &mut self,
        location: Location,
        width: Width,
        at: &ConditionExpression,
    ) -> Result<Typed, TargetError> {
        if width > Width::W64 {
            let bits = width.bits();
            return Err(self.error(format!("the register has {bits} bits, and at most 64 are compared"), at));
        }
        Ok(Typed { operand: self.builder.get(location, width), signed: width > Width::W8 })
    }

    fn space(&self, name: &str, at: &ConditionExpression) -> Result<everypath_ir::SpaceId, TargetError> {
        use everypath_ir::SpaceKind;
        let spaces = &self.guest.architecture().layout().spaces;
        let memory = || (0..).zip(spaces).filter(|(_, space)| space.kind == SpaceKind::Memory);
        let found = memory().find(|(_, space)| space.name.eq_ignore_ascii_case(name));
        found.map(|(number, _)| everypath_ir::SpaceId(number)).ok_or_else(|| {
            let names: Vec<&str> = memory().map(|(_, space)| space.name.as_str()).collect();
            self.error(format!("there is no memory `{name}`; there are: {}", names.join(", ")), at)
        })
    }

    /// The value of an expression, at least as wide as an `int`.
    fn promoted(&mut self, at: &ConditionExpression, guard: Option<Operand>) -> Result<Typed, TargetError> {
        let value = self.value(at, guard)?;
        Ok(match self.builder.width(value.operand) < Width::W32 {
            true => Typed { operand: self.convert(value, Width::W32), signed: true },
            false => value,
        })
    }

    fn convert(&mut self, value: Typed, width: Width) -> Operand {
        let own = self.builder.width(value.operand);
        if own == width {
            return value.operand;
        }
        let op = match (own < width, value.signed) {
            (true, true) => Op::Sext,
            (true, false) => Op::Zext,
            (false, _) => Op::Extract(0),
        };
        self.builder.compute(op, width, &[value.operand])
    }
}
