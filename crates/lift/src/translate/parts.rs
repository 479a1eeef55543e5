//! Splitting of an instruction with internal back edges into several acyclic blocks, its parts.

use everypath_sleigh::{Opcode, Operation};

/// The starts of the parts of an instruction's p-code. Part 0 starts at operation 0.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Parts {
    starts: Vec<usize>,
}

/// The target operation of a branch within the instruction; the number of operations for its end.
pub(crate) fn branch_target(
    operation: &Operation<'_>,
    position: usize,
    count: usize,
) -> Option<Result<usize, ()>> {
    if !matches!(operation.opcode, Opcode::Branch | Opcode::ConditionalBranch) {
        return None;
    }
    let target = operation.inputs.first().filter(|input| input.is_constant())?;
    let unused = 64 - 8 * target.size.clamp(1, 8);
    let distance = (target.offset << unused) as i64 >> unused;
    let place = (position as i64).checked_add(distance).and_then(|place| usize::try_from(place).ok());
    Some(place.filter(|place| *place <= count).ok_or(()))
}

impl Parts {
    /// Splits p-code at the targets of backward branches, then at every target of a branch from one part into another.
    /// `None` if a relative branch leaves the instruction.
    pub(crate) fn split<'i>(operations: impl ExactSizeIterator<Item = Operation<'i>>) -> Option<Self> {
        let count = operations.len();
        let mut branches = Vec::new();
        for (position, operation) in operations.enumerate() {
            if let Some(target) = branch_target(&operation, position, count) {
                branches.push((position, target.ok()?));
            }
        }
        let mut parts = Self { starts: vec![0] };
        for (position, target) in &branches {
            if target <= position {
                parts.add(*target);
            }
        }
        // Each round adds a start, and there are at most as many starts as operations.
        while let Some((_, target)) = branches.iter().find(|(position, target)| {
            *target != count
                && parts.number(*target) != parts.number(*position)
                && !parts.starts.contains(target)
        }) {
            parts.add(*target);
        }
        Some(parts)
    }

    fn add(&mut self, start: usize) {
        if let Err(place) = self.starts.binary_search(&start) {
            self.starts.insert(place, start);
        }
    }

    /// The part that an operation belongs to.
    pub(crate) fn number(&self, operation: usize) -> usize {
        self.starts.partition_point(|start| *start <= operation) - 1
    }

    /// The number of parts.
    pub(crate) fn count(&self) -> usize {
        self.starts.len()
    }

    /// The operations of a part, of `count` in all.
    pub(crate) fn range(&self, part: usize, count: usize) -> Option<std::ops::Range<usize>> {
        let start = *self.starts.get(part)?;
        Some(start..self.starts.get(part + 1).copied().unwrap_or(count))
    }
}
