//! What values say of computed exits: which are saturated.

use super::program::{Trust, Values};
use super::rooted::addresses;
use super::state::State;
use super::symbol::{Symbol, Value};
use crate::graph::{
    BlockId, Doubt, Edge, EdgeKind, Evidence, Finding, FunctionId, Graph, Origin, Reason, Saturation,
};
use crate::program::Program;
use everypath_ir::{ExitKind, Place, Word};
use rustc_hash::{FxHashMap, FxHashSet};

impl Graph {
    /// Takes in what values say of computed exits: targets of jumps and calls that are one of few numbers, and returns that
    /// lead to where the function was called from. Says whether there are new targets: then the values do not hold of the
    /// whole graph any more, and are to be found again.
    ///
    /// A return is saturated if its target is, in every state, what the function's callers left as return address, each left
    /// the address behind its call, and all callers are known: no other computed exit may lead to the function.
    pub fn take_values(&mut self, program: &Program<'_>, values: &Values) -> bool {
        if values.is_rooted() {
            return self.take_rooted(program, values);
        }
        let sure = values.is_complete() && values.bounds().trust == Trust::Nothing;
        let mut findings = Vec::new();
        let mut states = Vec::new();
        let jumps = self.dynamics().filter(|dynamic| dynamic.kind != ExitKind::Return);
        for dynamic in jumps.filter(|dynamic| !dynamic.state.is_saturated()) {
            let targets = values.target(dynamic.block, dynamic.exit);
            let few = targets.iter().map(|(_, target)| target.number.few().filter(|_| target.base.is_none()));
            let Some(few) = few.collect::<Option<Vec<&[u64]>>>().filter(|few| !few.is_empty()) else {
                continue;
            };
            let from = self.block(dynamic.block).place;
            let is_outside = |address: &&u64| program.image().segment_at(**address).is_none();
            let is_outside = few.iter().copied().flatten().any(|address| is_outside(&address));
            for address in few.into_iter().flatten().filter(|address| program.is_code(**address)) {
                let to = Place::new(*address, dynamic.context);
                findings.push(Finding { from, exit: dynamic.exit, to, origin: Origin::Static });
            }
            let state = match sure {
                _ if is_outside => Saturation::Unsaturated(Doubt::Outside),
                true => Saturation::Saturated(Reason::Values),
                false => Saturation::Unsaturated(Doubt::Convention),
            };
            states.push((dynamic.block, dynamic.exit, state));
        }
        let is_new = self.learn(program, &findings);
        if is_new {
            return true;
        }
        self.set_states(states);
        let open =
            self.dynamics().any(|dynamic| dynamic.kind != ExitKind::Return && !dynamic.state.is_saturated());
        let mut callers =
            Callers { program, values, calls: FxHashMap::default(), left: FxHashMap::default() };
        for (_, from, to, state) in values.calls() {
            callers.calls.entry(*to).or_default().push((*from, state));
        }
        let returns = self.dynamics().filter(|dynamic| dynamic.kind == ExitKind::Return);
        let states = returns.map(|dynamic| {
            let targets = values.target(dynamic.block, dynamic.exit);
            let doubt = self.doubt_of_return(targets, &mut callers, open);
            let state = match doubt {
                Some(doubt) => Saturation::Unsaturated(doubt),
                None if sure => Saturation::Saturated(Reason::Callers),
                None => Saturation::Unsaturated(Doubt::Convention),
            };
            (dynamic.block, dynamic.exit, state)
        });
        let states = states.collect();
        self.set_states(states);
        false
    }

    /// Takes in values that are as seen from the start of the program: then each computed exit leads to one of few numbers.
    fn take_rooted(&mut self, program: &Program<'_>, values: &Values) -> bool {
        let mut findings = Vec::new();
        let mut states = Vec::new();
        for dynamic in self.dynamics() {
            let from = self.block(dynamic.block).place;
            for (_, target) in values.target(dynamic.block, dynamic.exit) {
                for address in addresses(target).unwrap_or_default() {
                    let to = Place::new(address, dynamic.context);
                    // A return to behind a call is the call's own edge.
                    let resumes = dynamic.kind == ExitKind::Return
                        && self.find_anyhow(to).is_some_and(|block| {
                            self.predecessors(block).any(|edge| edge.kind == EdgeKind::Resume)
                        });
                    if program.is_code(address) && !resumes {
                        findings.push(Finding { from, exit: dynamic.exit, to, origin: Origin::Static });
                    }
                }
            }
            if !dynamic.state.is_saturated() {
                states.push((dynamic.block, dynamic.exit, Saturation::Saturated(Reason::Values)));
            }
        }
        let is_new = self.learn(program, &findings);
        if !is_new {
            self.set_states(states);
        }
        is_new
    }

    /// Where a return leads to, if it is saturated: what its target can be, or the addresses behind the calls of its function.
    pub fn return_targets(&self, values: &Values, block: BlockId, exit: u8) -> Vec<u64> {
        let behind = |edge: &Edge| self.block(edge.from).end;
        let of = |(function, target): &(FunctionId, Value)| {
            addresses(target).unwrap_or_else(|| self.callers(*function).map(behind).collect())
        };
        values.target(block, exit).iter().flat_map(of).collect()
    }

    fn set_states(&mut self, states: Vec<(BlockId, u8, Saturation)>) {
        for (block, exit, state) in states {
            if let Some(dynamic) = self.dynamic_mut(block, exit) {
                dynamic.state = state;
            }
        }
    }

    /// Why it is not sure that a return leads to the callers of its function, all of which are known.
    fn doubt_of_return(
        &self,
        targets: &[(FunctionId, Value)],
        callers: &mut Callers<'_>,
        open: bool,
    ) -> Option<Doubt> {
        if targets.is_empty() {
            return Some(Doubt::Bound);
        }
        for (function, target) in targets {
            let Some(symbol) = target.is_entry() else { return Some(Doubt::Unbounded) };
            let called = matches!(self.function(*function).evidence, Evidence::Called | Evidence::Unwind);
            if open || !called || !callers.leave_address(self, *function, symbol) {
                return Some(Doubt::UnknownCallers);
            }
        }
        None
    }
}

/// What the callers of functions leave.
struct Callers<'v> {
    program: &'v Program<'v>,
    values: &'v Values,
    /// The calls of each function, by its first block: from which block, and in which state.
    calls: FxHashMap<BlockId, Vec<(BlockId, &'v State)>>,
    /// What was found: a function with many returns is asked once.
    left: FxHashMap<(FunctionId, Symbol), bool>,
}

impl Callers<'_> {
    /// Whether every caller of a function leaves the address behind its call where the function takes it from.
    fn leave_address(&mut self, graph: &Graph, function: FunctionId, symbol: Symbol) -> bool {
        if let Some(known) = self.left.get(&(function, symbol)) {
            return *known;
        }
        let entry = graph.function(function).entry;
        let left = self.calls.get(&entry).is_some_and(|into| {
            // The analysis must have seen every way into the function that the graph has.
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

/// The number that a state has where a called function finds a symbol.
fn held(program: &Program<'_>, values: &Values, state: &State, symbol: Symbol) -> Option<u64> {
    let layout = program.architecture().layout();
    let value = match symbol {
        Symbol::Register(location, width) => state.place(layout, location, width),
        Symbol::Cell { space, distance, width } => {
            let (location, pointer) = values.bounds().stack_pointer?;
            let here = state.place(layout, location, pointer);
            let at =
                here.number.single().filter(|_| here.base == Some(Symbol::Register(location, pointer)))?;
            let at = (at.sign_extend(pointer) as i64).wrapping_add(distance);
            state.stack(layout, space, at, width)
        }
    };
    value.number.single().filter(|_| value.base.is_none())
}
