//! Demanded-bits analysis (LLVM's `DemandedBits`): removes bitwise operations that change only bits that no later
//! statement uses.
//!
//! Instructions set flags that share a register, and later instructions mostly set them again before any is read.

use crate::identity::possible_result;
use crate::{Block, Op, Operand, Statement, Width, Word};

/// For each temporary, an operand that equals it in all demanded bits and can replace it.
///
/// The replacements are valid only together; apply them all, from the first statement to the last.
pub(crate) fn stand_ins(block: &Block) -> Vec<Option<Operand>> {
    let demanded = demanded(block);
    let mut found = StandIns { block, stand_ins: vec![None; demanded.len()], possible: demanded.clone() };
    for statement in &block.statements {
        let Some(result) = statement.result().map(crate::Temp::index) else { continue };
        let width = block.temps[result];
        // Nothing is tracked for values wider than 64 bits.
        found.possible[result] = if width <= Width::W64 { u64::mask(width) } else { u64::MAX };
        if let Statement::Compute { op, .. } = *statement
            && width <= Width::W64
        {
            let arguments = statement.arguments();
            let of = |place: usize| found.possible(arguments[place]);
            let constant = |place: usize| found.constant(arguments[place]);
            let widths = |place: usize| block.width(arguments[place]);
            let stand_in = match op {
                Op::Or | Op::Xor if of(1) & demanded[result] == 0 => Some(arguments[0]),
                Op::Or | Op::Xor if of(0) & demanded[result] == 0 => Some(arguments[1]),
                Op::And if constant(1).is_some_and(|mask| of(0) & !mask & demanded[result] == 0) => {
                    Some(arguments[0])
                }
                _ => None,
            };
            found.possible[result] = match stand_in {
                Some(operand) => found.possible(operand),
                None => possible_result(op, width, widths, constant, of),
            };
            found.stand_ins[result] = stand_in;
        }
    }
    found.stand_ins
}

/// State of the forward pass over the statements.
struct StandIns<'b> {
    block: &'b Block,
    stand_ins: Vec<Option<Operand>>,
    /// The bits of each temporary that may be one, after replacement.
    possible: Vec<u64>,
}

impl StandIns<'_> {
    fn constant(&self, operand: Operand) -> Option<u64> {
        self.block.value(operand)?.to_u64()
    }

    fn possible(&self, operand: Operand) -> u64 {
        match operand.as_temp() {
            Some(temp) => self.possible[temp.index()],
            None => self.constant(operand).unwrap_or(u64::MAX),
        }
    }
}

/// The demanded bits of each temporary, by a backward pass. For values wider than 64 bits: all or none.
fn demanded(block: &Block) -> Vec<u64> {
    let mut demanded = vec![0_u64; block.temps.len()];
    let mut demand = |operand: Operand, bits: u64| {
        if let Some(temp) = operand.as_temp() {
            demanded[temp.index()] |= bits;
        }
        operand.as_temp().map_or(0, |temp| demanded[temp.index()])
    };
    for exit in &block.exits {
        let mut exit = *exit;
        exit.for_each_operand(|operand| {
            demand(*operand, u64::MAX);
        });
    }
    for statement in block.statements.iter().rev() {
        if let Some(arguments) = statement.pooled() {
            for operand in block.pooled(arguments) {
                demand(*operand, u64::MAX);
            }
        }
        if let Statement::Compute { result, op, .. } = *statement {
            let wanted = demand(result.into(), 0);
            for (place, argument) in statement.arguments().iter().enumerate() {
                demand(*argument, demanded_of(block, op, statement.arguments(), place, wanted));
            }
        } else {
            let mut statement = *statement;
            statement.for_each_operand(|operand| {
                demand(*operand, u64::MAX);
            });
        }
    }
    demanded
}

/// The bits of one argument that the `wanted` bits of the result depend on.
fn demanded_of(block: &Block, op: Op, arguments: &[Operand], place: usize, wanted: u64) -> u64 {
    let width = |place: usize| block.width(arguments[place]);
    let constant = |place: usize| block.value(arguments[place]).and_then(crate::Bits::to_u64);
    demanded_bits(op, place, wanted, &width, &constant)
}

/// The bits of the argument at a place that the `wanted` bits of an operator's result depend on, at most, given the widths of its
/// arguments and the values of those that are constants. Of a value wider than 64 bits, all bits or none are wanted.
#[must_use]
pub fn demanded_bits(
    op: Op,
    place: usize,
    wanted: u64,
    width: &dyn Fn(usize) -> Width,
    constant: &dyn Fn(usize) -> Option<u64>,
) -> u64 {
    let narrow = |place: usize| width(place) <= Width::W64;
    if wanted == 0 {
        return 0;
    }
    let amount = || {
        let bits = u64::from(width(0).bits());
        constant(1).filter(|amount| *amount < bits && narrow(0))
    };
    match (op, place) {
        (Op::And, _) if narrow(0) => wanted & constant(1 - place).unwrap_or(u64::MAX),
        (Op::Or, _) if narrow(0) => wanted & !constant(1 - place).unwrap_or(0),
        (Op::Xor | Op::Not, _) | (Op::Select, 1 | 2) if narrow(place) => wanted,
        // Carries propagate upwards only: a result bit depends on argument bits at or below it.
        (Op::Add | Op::Sub | Op::Mul, _) if narrow(0) => u64::MAX >> wanted.leading_zeros(),
        // For a result wider than 64 bits, `wanted` is all bits or none.
        (Op::Zext, 0) if narrow(0) && wanted != u64::MAX => wanted & u64::mask(width(0)),
        (Op::Concat, _) if width(0).bits() + width(1).bits() <= 64 => match place {
            0 => wanted >> width(1).bits(),
            _ => wanted & u64::mask(width(1)),
        },
        (Op::Extract(low), 0) if narrow(0) => wanted << low,
        (Op::Shl, 0) => amount().map_or(u64::MAX, |amount| wanted >> amount),
        (Op::Lshr, 0) => amount().map_or(u64::MAX, |amount| wanted << amount),
        _ => u64::MAX,
    }
}
