//! The control flow of instructions, from their p-code: which have branch directions.
//!
//! A direction is a transition out of an instruction that is conditional or has an indirect target; an unconditional
//! return has none. A delay slot belongs to its branch.

use everypath_ir::Context;
use everypath_lift::Architecture;
use everypath_machine::Memory;
use everypath_sleigh::{self as sleigh, Opcode, Operation};
use std::collections::HashMap;

/// The control flow of an instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Shape {
    /// It transfers control conditionally.
    pub(super) conditional: bool,
    /// It is an indirect jump or call.
    pub(super) indirect: bool,
    /// It transfers control elsewhere than to the next instruction, or may.
    pub(super) leaves: bool,
    /// The address after it and its delay slots.
    pub(super) next: u64,
    /// Its delay slots.
    pub(super) slots: Vec<u64>,
    /// Its disassembly.
    pub(super) text: String,
}

/// Decodes instructions, each once.
pub(super) struct Shapes<'s> {
    architecture: &'s Architecture,
    memory: &'s Memory,
    context: Context,
    known: HashMap<u64, Option<Shape>>,
}

/// The longest instruction with its delay slots.
const WINDOW: u64 = 32;
/// The maximum distance to an earlier instruction that changes the decoding of this one.
const BACK: u64 = 16;

impl<'s> Shapes<'s> {
    pub(super) fn new(architecture: &'s Architecture, memory: &'s Memory, context: Context) -> Self {
        Self { architecture, memory, context, known: HashMap::new() }
    }

    /// The instruction at an address, if there is one.
    pub(super) fn at(&mut self, address: u64) -> Option<&Shape> {
        if !self.known.contains_key(&address) {
            let context = self.context_at(address);
            let shape = self.decode(address, context).map(|(shape, ..)| shape);
            self.known.insert(address, shape);
        }
        self.known.get(&address).and_then(Option::as_ref)
    }

    /// The branch whose delay slot is at an address.
    pub(super) fn branch_of(&mut self, slot: u64) -> Option<u64> {
        let before = slot.checked_sub(4)?;
        self.at(before).is_some_and(|shape| shape.slots.contains(&slot)).then_some(before)
    }

    /// The decoding context, which a preceding instruction may have changed (one that predicates the following ones).
    fn context_at(&self, address: u64) -> Context {
        let step = u64::from(self.architecture.specification().alignment()).max(1);
        for distance in (1..=BACK / step).rev() {
            let Some(mut place) = address.checked_sub(distance * step) else { continue };
            let mut context = self.context;
            let mut changed = false;
            while place < address {
                let Some((_, length, following)) = self.decode(place, context) else { break };
                if place == address - distance * step && following == self.context {
                    break;
                }
                changed = true;
                context = following;
                place += length;
            }
            if changed && place == address && context != self.context {
                return context;
            }
        }
        self.context
    }

    /// The instruction with its length and the context of the next one.
    fn decode(&self, address: u64, context: Context) -> Option<(Shape, u64, Context)> {
        let bytes: Vec<u8> =
            (0..WINDOW).map(|distance| self.memory.peek(address.wrapping_add(distance))).collect();
        let given = sleigh::DecodingContext(context.0);
        let mut decoder = self.architecture.specification().decoder_from(given);
        let instruction = decoder.decode(&bytes, address, given).ok()?;
        let next = address.wrapping_add(u64::from(instruction.full_length()));
        let has = |opcode: Opcode| instruction.operations().any(|operation| operation.opcode == opcode);
        let indirect = has(Opcode::BranchIndirect) || has(Opcode::CallIndirect);
        let operations: Vec<_> = instruction.operations().collect();
        let conditional = (0..operations.len()).any(|position| is_condition(&operations, position, next));
        let shape = Shape {
            conditional,
            leaves: indirect
                || conditional
                || [Opcode::Return, Opcode::Branch, Opcode::Call].into_iter().any(has),
            indirect,
            next,
            slots: instruction.delay_slots().map(|(slot, _)| slot).collect(),
            text: instruction.text(),
        };
        let following = self.architecture.successor_context(context, instruction.commits(), next);
        Some((shape, u64::from(instruction.length()), following))
    }
}

/// Whether the operation decides the successor of the instruction: it jumps elsewhere, or skips the rest of an
/// instruction that transfers control. Conditions inside an instruction with a fixed successor do not count.
fn is_condition(operations: &[Operation<'_>], position: usize, next: u64) -> bool {
    let Operation { opcode: Opcode::ConditionalBranch, inputs, .. } = operations[position] else {
        return false;
    };
    let Some(to) = inputs.first() else { return false };
    if !to.is_constant() && to.offset != next {
        return true;
    }
    let end = if to.is_constant() { position.saturating_add(to.offset as usize) } else { operations.len() };
    let leaves = |operation: &Operation<'_>| match operation.opcode {
        Opcode::BranchIndirect | Opcode::CallIndirect | Opcode::Return | Opcode::Call => true,
        Opcode::Branch => operation.inputs.first().is_some_and(|to| !to.is_constant()),
        _ => false,
    };
    operations.get(position + 1..end.min(operations.len())).is_some_and(|skipped| skipped.iter().any(leaves))
}
