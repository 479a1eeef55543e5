//! Functions that no test and no trace executes, although the control-flow graph has them.

use std::collections::BTreeSet;

use everypath_record::{Address, CodeRange, ListedFunction, UnreachedFunction, Verdict};

use super::ReportData;

/// A function that is in the graph and that nothing executes.
pub(super) struct UnexecutedFunction<'r> {
    /// The function.
    pub(super) function: &'r ListedFunction,
    /// Its record, if no control flow from an entry leads there: code or data holds its address.
    pub(super) referenced: Option<&'r UnreachedFunction>,
}

impl UnexecutedFunction<'_> {
    /// Number of bytes of its instructions.
    pub(super) fn size(&self) -> u64 {
        match self.referenced {
            Some(record) => record.size,
            None => self.function.instructions().map(|one| u64::from(one.length)).sum(),
        }
    }
}

/// The functions of the graph that nothing executes, in the order of their addresses. Those that no entry reaches are not among them.
pub(super) fn unexecuted_functions<'r>(data: &ReportData<'r>) -> Vec<UnexecutedFunction<'r>> {
    let summary = &data.suite.summary;
    let mut executed: BTreeSet<Address> =
        data.executed.iter().flat_map(|code| &code.instructions).map(|(address, _)| *address).collect();
    // Older results do not have the code that traces execute, but the branches that they take.
    let covered =
        summary.directions.iter().filter(|judged| matches!(judged.verdict, Verdict::Covered { .. }));
    executed.extend(covered.flat_map(|judged| [judged.direction.branch, judged.direction.target]));
    let unreached = summary.unreached.as_ref();
    let is_unreached = |function: &ListedFunction| {
        unreached.is_some_and(|code| code.functions.iter().any(|one| one.address == function.address))
    };
    let is_traced = |address: Address| CodeRange::any_contains(&summary.traced_code, address);
    let is_executed = |function: &ListedFunction| {
        function.instructions().any(|one| executed.contains(&one.address) || is_traced(one.address))
    };
    let functions = data.listing.all_functions();
    let unexecuted = functions.filter(|function| !is_executed(function) && !is_unreached(function));
    let mut list: Vec<UnexecutedFunction<'_>> = unexecuted
        .map(|function| {
            let mut referenced = unreached.iter().flat_map(|code| &code.referenced);
            let referenced = referenced.find(|one| one.address == function.address);
            UnexecutedFunction { function, referenced }
        })
        .collect();
    list.sort_by_key(|one| one.function.address);
    list
}
