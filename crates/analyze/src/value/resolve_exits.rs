//! Resolves indirect exits of the graph with the results of the value-set analysis.

use super::context_sensitive::addresses;
use super::options::Trust;
use super::program::ValueSets;
use super::state::AbstractState;
use super::symbol::{EntrySymbol, Value};
use crate::graph::{
    BlockId, Edge, EdgeKind, EdgeOrigin, Evidence, FunctionId, Graph, Resolution, ResolutionEvidence,
    UnresolvedReason,
};
use crate::program::Program;
use crate::recover::ObservedTarget;
use everypath_ir::{ExitKind, Place, Word};
use rustc_hash::{FxHashMap, FxHashSet};

impl Graph {
    /// Resolves indirect exits: jumps and calls whose target is a finite set, and returns to known callers. Returns
    /// true if that added targets: the value sets are then outdated, and the caller must compute them again.
    ///
    /// A return is resolved if its target is, in every state, the return address that the callers passed, each caller
    /// passed the address after its call, and all callers are known: no unresolved exit may lead to the function.
    pub fn take_values(&mut self, program: &Program<'_>, values: &ValueSets) -> bool {
        if values.is_context_sensitive() {
            return self.take_context_sensitive(program, values);
        }
        let sure = values.is_complete() && values.options().trust == Trust::Nothing;
        let mut findings = Vec::new();
        let mut states = Vec::new();
        let jumps = self.indirect_exits().filter(|exit| exit.kind != ExitKind::Return);
        for exit in jumps.filter(|exit| !exit.state.is_resolved()) {
            let targets = values.target(exit.block, exit.exit);
            let few = targets
                .iter()
                .map(|(_, target)| target.number.as_finite_set().filter(|_| target.base.is_none()));
            let Some(few) = few.collect::<Option<Vec<&[u64]>>>().filter(|few| !few.is_empty()) else {
                continue;
            };
            let from = self.block(exit.block).place;
            let is_outside =
                few.iter().copied().flatten().any(|address| program.may_execute_elsewhere(*address));
            for address in few.into_iter().flatten().filter(|address| program.is_code(**address)) {
                let to = Place::new(*address, exit.context);
                findings.push(ObservedTarget { from, exit: exit.exit, to, origin: EdgeOrigin::Static });
            }
            let state = match sure {
                _ if is_outside => Resolution::Unresolved(UnresolvedReason::Outside),
                true => Resolution::Resolved(ResolutionEvidence::Values),
                false => Resolution::Unresolved(UnresolvedReason::Convention),
            };
            states.push((exit.block, exit.exit, state));
        }
        let is_new = self.learn(program, &findings);
        if is_new {
            return true;
        }
        self.set_states(states);
        let open =
            self.indirect_exits().any(|exit| exit.kind != ExitKind::Return && !exit.state.is_resolved());
        let mut callers =
            Callers { program, values, calls: FxHashMap::default(), left: FxHashMap::default() };
        for (_, from, to, state) in values.calls() {
            callers.calls.entry(*to).or_default().push((*from, state));
        }
        let returns = self.indirect_exits().filter(|exit| exit.kind == ExitKind::Return);
        let states = returns.map(|exit| {
            let targets = values.target(exit.block, exit.exit);
            let doubt = self.doubt_of_return(targets, &mut callers, open);
            let state = match doubt {
                Some(doubt) => Resolution::Unresolved(doubt),
                None if sure => Resolution::Resolved(ResolutionEvidence::Callers),
                None => Resolution::Unresolved(UnresolvedReason::Convention),
            };
            (exit.block, exit.exit, state)
        });
        let states = states.collect();
        self.set_states(states);
        false
    }

    /// The same with the context-sensitive results, in which every indirect exit has a finite set of targets.
    fn take_context_sensitive(&mut self, program: &Program<'_>, values: &ValueSets) -> bool {
        let mut findings = Vec::new();
        let mut states = Vec::new();
        for exit in self.indirect_exits() {
            let from = self.block(exit.block).place;
            for (_, target) in values.target(exit.block, exit.exit) {
                for address in addresses(target).unwrap_or_default() {
                    let to = Place::new(address, exit.context);
                    // The call fall-through edge already represents this return.
                    let resumes = exit.kind == ExitKind::Return
                        && self.find_anyhow(to).is_some_and(|block| {
                            self.predecessors(block).any(|edge| edge.kind == EdgeKind::CallFallThrough)
                        });
                    if program.is_code(address) && !resumes {
                        findings.push(ObservedTarget {
                            from,
                            exit: exit.exit,
                            to,
                            origin: EdgeOrigin::Static,
                        });
                    }
                }
            }
            if !exit.state.is_resolved() {
                states.push((exit.block, exit.exit, Resolution::Resolved(ResolutionEvidence::Values)));
            }
        }
        let is_new = self.learn(program, &findings);
        if !is_new {
            self.set_states(states);
        }
        is_new
    }

    /// The targets of a resolved return: the values of its target, or the addresses after the calls of its function.
    pub fn return_targets(&self, values: &ValueSets, block: BlockId, exit: u8) -> Vec<u64> {
        let behind = |edge: &Edge| self.block(edge.from).end;
        let of = |(function, target): &(FunctionId, Value)| {
            addresses(target).unwrap_or_else(|| self.callers(*function).map(behind).collect())
        };
        values.target(block, exit).iter().flat_map(of).collect()
    }

    fn set_states(&mut self, states: Vec<(BlockId, u8, Resolution)>) {
        for (block, exit, state) in states {
            if let Some(indirect) = self.indirect_exit_mut(block, exit) {
                indirect.state = state;
            }
        }
    }

    /// Why a return may lead elsewhere than to known callers of its function; `None` if it cannot.
    fn doubt_of_return(
        &self,
        targets: &[(FunctionId, Value)],
        callers: &mut Callers<'_>,
        open: bool,
    ) -> Option<UnresolvedReason> {
        if targets.is_empty() {
            return Some(UnresolvedReason::Bound);
        }
        for (function, target) in targets {
            let Some(symbol) = target.is_entry() else { return Some(UnresolvedReason::Unbounded) };
            let called = matches!(self.function(*function).evidence, Evidence::Called | Evidence::Unwind);
            if open || !called || !callers.leave_address(self, *function, symbol) {
                return Some(UnresolvedReason::UnknownCallers);
            }
        }
        None
    }
}

/// Checks that callers pass the return address that a function uses.
struct Callers<'v> {
    program: &'v Program<'v>,
    values: &'v ValueSets,
    /// The calls of each function, keyed by its entry block: calling block and state.
    calls: FxHashMap<BlockId, Vec<(BlockId, &'v AbstractState)>>,
    /// Cached answers, since a function may have many returns.
    left: FxHashMap<(FunctionId, EntrySymbol), bool>,
}

impl Callers<'_> {
    /// Returns true if every caller passes the address after its call in the symbol that the function returns to.
    fn leave_address(&mut self, graph: &Graph, function: FunctionId, symbol: EntrySymbol) -> bool {
        if let Some(known) = self.left.get(&(function, symbol)) {
            return *known;
        }
        let entry = graph.function(function).entry;
        let left = self.calls.get(&entry).is_some_and(|into| {
            // The analysis must have reached every edge into the function that the graph has.
            let seen: FxHashSet<BlockId> = into.iter().map(|(from, _)| *from).collect();
            let elsewhere = |edge: &&Edge| graph.function_of(edge.from) != Some(function);
            graph.predecessors(entry).filter(elsewhere).all(|edge| seen.contains(&edge.from))
                && into.iter().all(|(from, state)| {
                    held(self.program, self.values, state, symbol) == Some(graph.block(*from).end)
                })
        });
        self.left.insert((function, symbol), left);
        left
    }
}

/// The constant that a caller's state holds where the callee finds a symbol at its entry.
fn held(
    program: &Program<'_>,
    values: &ValueSets,
    state: &AbstractState,
    symbol: EntrySymbol,
) -> Option<u64> {
    let layout = program.architecture().layout();
    let value = match symbol {
        EntrySymbol::Register(location, width) => state.place(layout, location, width),
        EntrySymbol::Cell { space, distance, width } => {
            let (location, pointer) = values.options().stack_pointer?;
            let here = state.place(layout, location, pointer);
            let at = here
                .number
                .single()
                .filter(|_| here.base == Some(EntrySymbol::Register(location, pointer)))?;
            let at = (at.sign_extend(pointer) as i64).wrapping_add(distance);
            state.stack(layout, space, at, width)
        }
    };
    value.number.single().filter(|_| value.base.is_none())
}
