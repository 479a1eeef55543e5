//! Distinguishes the predicate of a predicated instruction from branches that are part of its computation.
//!
//! If-conversion executes all computations of an instruction, reached or not. A predicated division would then divide
//! by zero where the processor does not (`udivne`), so under a predicate the divisor is one unless the predicate holds.
//! A branch on the divisor itself is not a predicate: it defines the quotient by zero, and an oracle for divisions by
//! zero must still see the division.

use super::flow::Reach;
use everypath_ir::BlockBuilder;
use everypath_sleigh::{Opcode, Operation, Varnode};

/// Whether an operation divides; its second input is the divisor.
pub(super) fn divides(opcode: Opcode) -> bool {
    matches!(
        opcode,
        Opcode::IntDivide | Opcode::IntSignedDivide | Opcode::IntRemainder | Opcode::IntSignedRemainder
    )
}

/// The conditional branches of an instruction so far: the position of each, and the condition under which it is
/// reached.
#[derive(Debug, Default)]
pub(super) struct Branches {
    met: Vec<(usize, Reach)>,
}

impl Branches {
    pub(super) fn add(&mut self, position: usize, reach: Reach) {
        self.met.push((position, reach));
    }

    /// The condition under which a division is reached, weakened to the predicates among its branches: it is implied by
    /// `reach`.
    pub(super) fn predicate(
        &self,
        builder: &mut BlockBuilder,
        operations: &[Operation<'_>],
        position: usize,
        reach: Reach,
    ) -> Reach {
        let divisor = sources(operations, position, operations[position].inputs[1]);
        let on_divisor = |branch: usize| {
            let condition = sources(operations, branch, operations[branch].inputs[1]);
            condition.iter().any(|source| divisor.iter().any(|other| overlap(*source, *other)))
        };
        match self.met.iter().find(|(branch, _)| on_divisor(*branch)) {
            Some((_, before)) => reach.or(builder, *before),
            None => reach,
        }
    }
}

/// The backward slice of a varnode at an operation: the varnodes that it depends on and that no earlier operation of
/// the instruction writes.
pub(super) fn sources(operations: &[Operation<'_>], position: usize, varnode: Varnode) -> Vec<Varnode> {
    let (mut sources, mut passed) = (Vec::new(), Vec::new());
    let mut wanted = vec![(position, varnode)];
    while let Some((before, varnode)) = wanted.pop() {
        if varnode.is_constant() {
            continue;
        }
        let writes =
            |operation: &Operation<'_>| operation.output.is_some_and(|output| overlap(output, varnode));
        match operations[..before].iter().rposition(writes) {
            Some(writer) if passed.contains(&writer) => {}
            Some(writer) => {
                passed.push(writer);
                wanted.extend(operations[writer].inputs.iter().map(|input| (writer, *input)));
            }
            None => sources.push(varnode),
        }
    }
    sources
}

fn overlap(one: Varnode, two: Varnode) -> bool {
    let end = |varnode: Varnode| varnode.offset.saturating_add(u64::from(varnode.size));
    one.space == two.space && one.offset < end(two) && two.offset < end(one)
}
