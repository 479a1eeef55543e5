//! Unreached code: functions and bytes of executable sections outside of the code that the entries of a program reach.

use serde::{Deserialize, Serialize};

use crate::{Address, SourcePosition};

/// The code that no entry reaches, by the recovered control-flow graph. It is about the program and not about its tests: code that is
/// reached and that no test executes is not in it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct UnreachedCode {
    /// The functions that nothing reaches, in the order of their addresses: neither control flow from an entry or an interrupt
    /// vector, nor an address that code or data holds, nor an execution.
    pub functions: Vec<UnreachedFunction>,
    /// The functions that are reached by their address alone, which code or data holds: no known control flow from an entry leads
    /// there, and an indirect call may.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub referenced: Vec<UnreachedFunction>,
    /// Number of bytes of executable sections in no function and no basic block: padding, constants, or code that nothing names.
    #[serde(default)]
    pub unassigned_bytes: u64,
    /// The ranges of such bytes that are too long for padding between functions, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unassigned: Vec<CodeRange>,
}

/// A function that no control flow from an entry reaches.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct UnreachedFunction {
    /// Its name: that of its symbol, or one made from its address.
    pub name: String,
    /// The address of its entry.
    pub address: Address,
    /// Its size in bytes.
    pub size: u64,
    /// The source line of its entry, from debug information.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<SourcePosition>,
    /// The evidence for it: `symbol`, `unwind` (tables), `pointer` (in code) or `data-pointer`.
    pub evidence: String,
}

/// A range of code addresses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct CodeRange {
    /// The first address.
    pub start: Address,
    /// Number of bytes.
    pub size: u64,
}

impl UnreachedCode {
    /// Number of bytes of the functions that nothing reaches.
    #[must_use]
    pub fn function_bytes(&self) -> u64 {
        self.functions.iter().map(|function| function.size).sum()
    }

    /// The code that neither this run nor another one of the same program reaches: an execution of either reaches code.
    #[must_use]
    pub fn in_both(mut self, other: &UnreachedCode) -> UnreachedCode {
        let has = |list: &[UnreachedFunction], one: &UnreachedFunction| {
            list.iter().any(|known| known.address == one.address)
        };
        self.functions.retain(|function| has(&other.functions, function));
        self.referenced.retain(|function| has(&other.referenced, function));
        if (other.unassigned_bytes, other.unassigned.len()) < (self.unassigned_bytes, self.unassigned.len()) {
            (self.unassigned_bytes, self.unassigned) = (other.unassigned_bytes, other.unassigned.clone());
        }
        self
    }
}

impl CodeRange {
    /// The ranges that some ranges cover together, in order.
    #[must_use]
    pub fn union(ranges: impl IntoIterator<Item = CodeRange>) -> Vec<CodeRange> {
        let mut all: Vec<CodeRange> = ranges.into_iter().collect();
        all.sort_unstable();
        let mut merged: Vec<CodeRange> = Vec::new();
        for range in all {
            match merged.last_mut() {
                Some(last) if range.start.0 - last.start.0 <= last.size => {
                    last.size = last.size.max(range.start.0 - last.start.0 + range.size);
                }
                _ => merged.push(range),
            }
        }
        merged
    }

    /// Whether one of some ranges, which are in order and apart from each other, has an address.
    #[must_use]
    pub fn any_contains(ranges: &[CodeRange], address: Address) -> bool {
        let after = ranges.partition_point(|range| range.start <= address);
        after.checked_sub(1).is_some_and(|index| ranges[index].contains(address))
    }

    /// Whether an address is in it.
    #[must_use]
    pub fn contains(&self, address: Address) -> bool {
        address.0.wrapping_sub(self.start.0) < self.size
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn function(address: u64) -> UnreachedFunction {
        let (name, evidence) = (format!("sub_{address:x}"), "symbol".to_owned());
        UnreachedFunction { name, address: Address(address), size: 4, source: None, evidence }
    }

    #[test]
    fn what_one_run_executes_is_reached_in_both() {
        let one = UnreachedCode { functions: vec![function(1), function(2)], ..UnreachedCode::default() };
        let other = UnreachedCode { functions: vec![function(2), function(3)], ..UnreachedCode::default() };
        let both = one.in_both(&other);
        assert_eq!(both.functions, [function(2)]);
        assert_eq!(both.function_bytes(), 4);
    }

    #[test]
    fn a_range_has_its_first_address_and_not_its_end() {
        let range = CodeRange { start: Address(8), size: 2 };
        assert_eq!([7, 8, 9, 10].map(|at| range.contains(Address(at))), [false, true, true, false]);
    }

    #[test]
    fn ranges_that_touch_become_one() {
        let ranges = [(8, 2), (20, 4), (10, 2), (22, 1)];
        let ranges = ranges.map(|(start, size)| CodeRange { start: Address(start), size });
        let merged = CodeRange::union(ranges);
        let expected = [(8, 4), (20, 4)].map(|(start, size)| CodeRange { start: Address(start), size });
        assert_eq!(merged, expected);
        let inside = |at: u64| CodeRange::any_contains(&merged, Address(at));
        assert_eq!([7, 8, 11, 12, 23, 24].map(inside), [false, true, true, false, true, false]);
    }
}
