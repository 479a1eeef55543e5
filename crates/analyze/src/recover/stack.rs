//! Stack delta of a basic block.

use crate::program::Program;
use everypath_ir::{Block, Op, Statement};
use rustc_hash::FxHashMap;

/// The stack delta of a block, if constant: an epilogue frees what the prologue allocated, so its delta is positive.
pub(super) fn stack_delta(program: &Program<'_>, block: &Block) -> Option<i32> {
    let (stack, _) = program.architecture().stack_pointer()?;
    let constant = |operand| block.value(operand).and_then(everypath_ir::Bits::to_u64);
    // Temporaries that hold the initial stack pointer plus a constant.
    let mut sums: FxHashMap<usize, i64> = FxHashMap::default();
    let mut held = Some(0_i64);
    for statement in &block.statements {
        match *statement {
            Statement::Get { result, location } if location == stack => {
                sums.extend(held.map(|held| (result.index(), held)));
            }
            Statement::Put { location, value } if location == stack => {
                held = value.as_temp().and_then(|temp| sums.get(&temp.index()).copied());
            }
            Statement::Compute { result, op: op @ (Op::Add | Op::Sub), arguments } => {
                let width = block.temps[result.index()].bits();
                let [sum, number] = [arguments[0], arguments[1]];
                let pair = sum.as_temp().and_then(|temp| sums.get(&temp.index()).copied());
                if let Some((sum, number)) = pair.zip(constant(number)) {
                    // Sign-extend from the operand's width.
                    let number = if width < 64 {
                        (number << (64 - width)) as i64 >> (64 - width)
                    } else {
                        number as i64
                    };
                    let number = if op == Op::Add { number } else { number.wrapping_neg() };
                    sums.insert(result.index(), sum.wrapping_add(number));
                }
            }
            _ => {}
        }
    }
    held.and_then(|held| i32::try_from(held).ok())
}
