//! The stack pointer in a basic block: constant propagation of its difference from the block's start.

use crate::program::Program;
use everypath_ir::{Block, Location, Op, Operand, Statement};
use rustc_hash::FxHashMap;

/// The stack pointer while a block runs, relative to its start.
pub(super) struct StackPointer {
    location: Location,
    /// The difference, if constant.
    delta: Option<i64>,
    /// Temporaries that hold the initial stack pointer plus a constant.
    sums: FxHashMap<usize, i64>,
}

impl StackPointer {
    /// The stack pointer at the start of a block; `None` if the architecture has none.
    pub(super) fn new(program: &Program<'_>) -> Option<StackPointer> {
        let (location, _) = program.architecture().stack_pointer()?;
        Some(StackPointer { location, delta: Some(0), sums: FxHashMap::default() })
    }

    /// The difference of an operand from the initial stack pointer, if constant.
    pub(super) fn offset(&self, operand: Operand) -> Option<i64> {
        self.sums.get(&operand.as_temp()?.index()).copied()
    }

    /// Runs one statement.
    pub(super) fn step(&mut self, block: &Block, statement: &Statement) {
        let constant = |operand| block.value(operand).and_then(everypath_ir::Bits::to_u64);
        match *statement {
            Statement::Get { result, location } if location == self.location => {
                self.sums.extend(self.delta.map(|delta| (result.index(), delta)));
            }
            Statement::Put { location, value } if location == self.location => {
                self.delta = self.offset(value);
            }
            Statement::Compute { result, op: op @ (Op::Add | Op::Sub), arguments } => {
                let width = block.temps[result.index()].bits();
                let [sum, number] = [arguments[0], arguments[1]];
                if let Some((sum, number)) = self.offset(sum).zip(constant(number)) {
                    // Sign-extend from the operand's width.
                    let number = if width < 64 {
                        (number << (64 - width)) as i64 >> (64 - width)
                    } else {
                        number as i64
                    };
                    let number = if op == Op::Add { number } else { number.wrapping_neg() };
                    self.sums.insert(result.index(), sum.wrapping_add(number));
                }
            }
            _ => {}
        }
    }
}

/// The stack delta of a block, if constant: an epilogue frees what the prologue allocated, so its delta is positive.
pub(super) fn stack_delta(program: &Program<'_>, block: &Block) -> Option<i32> {
    let mut stack = StackPointer::new(program)?;
    block.statements.iter().for_each(|statement| stack.step(block, statement));
    stack.delta.and_then(|delta| i32::try_from(delta).ok())
}
