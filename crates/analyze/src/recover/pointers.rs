//! Addresses that the instructions of a block compute with: code pointers, data addresses, and literals in code.

use super::constants::BlockConstants;
use crate::program::Program;
use everypath_ir::{Block, ExitKind, Op, Operand, Statement, Target};
use rustc_hash::FxHashSet;

/// Collects the code addresses that a block computes with: constants that it stores, and constants read from memory
/// that never changes. Data addresses go to `anchors`.
///
/// An address in code that instructions read as data goes to `literals`.
pub(super) fn pointers_in(
    program: &Program<'_>,
    block: &Block,
    found: &mut FxHashSet<u64>,
    anchors: &mut FxHashSet<u64>,
    literals: &mut FxHashSet<u64>,
) {
    // A call of the next instruction may be decoded as a jump that sets the link register.
    let calls = block.exits.iter().any(|exit| {
        exit.kind == ExitKind::Call
            || matches!(exit.target, Target::Place(place) if place.address == block.end)
    });
    let mut data: Vec<u64> = Vec::new();
    let is_data = |value: u64| program.image().segment_at(value).is_some() && !program.is_code(value);
    let mut take = |value: u64| {
        // Skip the return address that a call stores, which may include mode bits.
        if program.is_code(value) && !(calls && program.code_place(value).address == block.end) {
            found.insert(value);
        }
        data.extend(Some(value).filter(|value| is_data(*value)));
    };
    let mut constants = BlockConstants::by_convention(program, block);
    for statement in &block.statements {
        let constant = |operand: Operand| constants.value(operand).and_then(|bits| bits.to_u64());
        match *statement {
            // A flag, or a register that selects the instruction set, holds no address.
            Statement::Put { value, .. } | Statement::Store { value, .. }
                if block.width(value).bytes() >= program.pointer_size() && !constants.may_be_half(value) =>
            {
                constant(value).into_iter().for_each(&mut take);
            }
            // The address of a table is often only one operand of a sum.
            Statement::Compute { op, arguments, .. } => {
                // A conditional choice between two functions.
                if op == Op::Select {
                    arguments[1..].iter().filter_map(|argument| constant(*argument)).for_each(&mut take);
                }
                let numbers = arguments[..op.arity()].iter().filter_map(|argument| constant(*argument));
                anchors.extend(numbers.filter(|number| is_data(*number)));
            }
            Statement::Load { result, space, address, .. } if space == program.code_space() => {
                let width = block.temps[result.index()];
                let (near, far): (Vec<u64>, Vec<u64>) =
                    constant(address).into_iter().partition(|address| program.is_code(*address));
                literals.extend(near);
                // A constant read from code is often an offset: it counts once it is stored.
                if width.bytes() == program.pointer_size() {
                    far.into_iter().filter_map(|at| program.fixed(at, width)).for_each(&mut take);
                }
            }
            Statement::Get { result, location } if location.space == program.code_space() => {
                let width = block.temps[result.index()];
                let is_near = program.is_code(location.offset);
                literals.extend(Some(location.offset).filter(|_| is_near));
                if width.bytes() == program.pointer_size() && !is_near {
                    program.fixed(location.offset, width).into_iter().for_each(&mut take);
                }
            }
            _ => {}
        }
        constants.pass(statement);
    }
    anchors.extend(data);
}
