//! The predicate of a predicated instruction, told apart from branches that are part of what the instruction computes.
//!
//! Branches within an instruction become selects, and its computations are done whether or not they are reached. For a
//! division that would be a division by zero which the processor does not make (`udivne`). Under a predicate the divisor is
//! therefore one unless the predicate holds. A branch on the divisor itself is no predicate: it says what the quotient by
//! zero is, and the division is still one by zero for who looks for those.

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

/// The conditional branches of an instruction that were met: where each is, and when it is reached.
#[derive(Debug, Default)]
pub(super) struct Branches {
    met: Vec<(usize, Reach)>,
}

impl Branches {
    pub(super) fn add(&mut self, position: usize, reach: Reach) {
        self.met.push((position, reach));
    }

    /// When a division is reached as far as predicates say: a superset of `reach`, when it is reached at all.
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

/// What the value of a varnode before an operation is made of: varnodes that no earlier operation of the instruction writes.
fn sources(operations: &[Operation<'_>], position: usize, varnode: Varnode) -> Vec<Varnode> {
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
