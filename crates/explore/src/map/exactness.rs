//! Exactness of the static analysis: the conditions under which what the control-flow graph and the value sets exclude is a proof.

use std::collections::{BTreeMap, BTreeSet};

use everypath_analyze::{BlockId, EdgeKind, FunctionId, Program, ValueSets};
use everypath_environment::Guest;
use everypath_ir::ExitKind;

use crate::map::static_map::ProgramMap;

impl ProgramMap {
    /// The value sets, if they and the graph hold for every execution: every indirect exit is resolved, because an unknown edge
    /// could bring other values; no limit was reached, of the graph or of the analysis of a function, and nothing is missing in the
    /// graph; the program does not write its code, and nothing else its memory. Execution is taken to end at a trap that other code
    /// surrounds.
    pub(super) fn exact_values(&self, guest: &Guest, program: &Program<'_>) -> Option<&ValueSets> {
        let is_resolved = self.graph.indirect_exits().all(|exit| exit.state.is_resolved());
        let values = self.values.as_ref().filter(|values| values.is_complete())?;
        let is_code_constant = self.is_code_constant(program, values.is_context_sensitive());
        let is_exact = is_resolved && !self.distrusted && is_code_constant && self.is_whole(guest);
        is_exact.then_some(values)
    }

    /// Whether the graph is exact, and every execution is one of its paths with matched calls and returns.
    pub(crate) fn is_exact_and_matched(&self, guest: &Guest) -> bool {
        let Some(program) = Program::new(guest.shared_architecture(), guest.image()) else { return false };
        let Some(values) = self.exact_values(guest, &program) else { return false };
        let mut callers = BTreeMap::new();
        self.reached().into_iter().all(|block| {
            let mut exits = self.graph.indirect_exits_of(block).iter();
            exits.all(|exit| {
                exit.kind != ExitKind::Return || self.is_matched(values, (block, exit.exit), &mut callers)
            })
        })
    }

    /// Whether a return leads only to the addresses after the calls of its function, or of functions that end in a tail call of it.
    fn is_matched(
        &self,
        values: &ValueSets,
        (block, exit): (BlockId, u8),
        callers: &mut BTreeMap<FunctionId, BTreeSet<u64>>,
    ) -> bool {
        let Some(function) = self.graph.function_of(block) else { return false };
        let behind = callers.entry(function).or_insert_with(|| self.behind_calls(function));
        self.graph.return_targets(values, block, exit).iter().all(|target| behind.contains(target))
    }

    /// The addresses after the calls of a function, and of functions that end in a tail call of it.
    fn behind_calls(&self, function: FunctionId) -> BTreeSet<u64> {
        let (mut open, mut seen) = (vec![function], BTreeSet::new());
        let mut behind = BTreeSet::new();
        while let Some(function) = open.pop() {
            if !seen.insert(function) {
                continue;
            }
            for edge in self.graph.callers(function) {
                if edge.kind == EdgeKind::TailCall {
                    open.extend(self.graph.function_of(edge.from));
                    continue;
                }
                let falls = self.graph.successors(edge.from);
                let falls = falls.filter(|edge| edge.kind == EdgeKind::CallFallThrough);
                behind.extend(falls.map(|edge| self.graph.block(edge.to).place.address));
            }
        }
        behind
    }
}
