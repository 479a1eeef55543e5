//! The progress of paths towards targets: for each target, the number of its points that a path has passed. Few combinations
//! occur, so that they are numbered.

use std::collections::HashMap;

/// A combination of passed points, by its number. That of a path at the entry is zero.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TargetProgress(u32);

/// The combinations that have occurred.
pub(crate) struct ProgressTable {
    combinations: Vec<Vec<u16>>,
    numbers: HashMap<Vec<u16>, TargetProgress>,
}

impl ProgressTable {
    /// A table for so many targets, with the progress of a path at the entry.
    pub(crate) fn new(targets: usize) -> ProgressTable {
        let none = vec![0; targets];
        let numbers = HashMap::from([(none.clone(), TargetProgress::default())]);
        ProgressTable { combinations: vec![none], numbers }
    }

    /// Number of points of a target that are passed.
    pub(crate) fn passed(&self, progress: TargetProgress, target: usize) -> usize {
        usize::from(self.combinations[progress.0 as usize][target])
    }

    /// The progress when the next point of a target is passed.
    pub(crate) fn pass(&mut self, progress: TargetProgress, target: usize) -> TargetProgress {
        let mut next = self.combinations[progress.0 as usize].clone();
        next[target] += 1;
        if let Some(known) = self.numbers.get(&next) {
            return *known;
        }
        let number = TargetProgress(self.combinations.len() as u32);
        self.combinations.push(next.clone());
        self.numbers.insert(next, number);
        number
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_order_of_points_of_different_targets_does_not_matter() {
        let mut table = ProgressTable::new(2);
        let start = TargetProgress::default();
        let (first, second) = (table.pass(start, 0), table.pass(start, 1));
        assert_ne!(first, second);
        assert_eq!(table.pass(first, 1), table.pass(second, 0));
        assert_eq!((table.passed(first, 0), table.passed(first, 1)), (1, 0));
    }
}
