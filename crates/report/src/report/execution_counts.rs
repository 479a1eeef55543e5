//! Executions of each instruction, summed over tests.

use std::collections::BTreeMap;

use everypath_record::{Address, ExecutedCode};

/// The number of times that the tests execute each instruction; those that none executes are absent.
pub(super) fn execution_counts(executed: &[ExecutedCode]) -> BTreeMap<Address, u64> {
    let mut counts = BTreeMap::new();
    for &(address, count) in executed.iter().flat_map(|code| &code.instructions) {
        if count > 0 {
            let sum: &mut u64 = counts.entry(address).or_default();
            *sum = sum.saturating_add(count);
        }
    }
    counts
}
