//! The oracles that watch a path, in the concolic and in the concrete domain.

use std::rc::Rc;
use std::sync::Arc;

use everypath_environment::{Configuration, Guest, GuestError};
use everypath_ir::{Block, Location, Place, Width};
use everypath_machine::{End, FaultReason, ReadyBlock, RunLimits, State, Step, Stepped};
use everypath_oracle::{BlockFacts, BlockObservation, Growth, Oracle, OracleReport, OracleSetup, TakenExit};
use everypath_term::Term;
use rustc_hash::FxHashMap;

use crate::extensions::Extensions;

/// The oracle for uses of uninitialised memory. It watches every exploration, because the contents assumed for such
/// memory are an assumption of the verdicts; if the plan leaves it out, it reports no findings.
pub(crate) const NEVER_WRITTEN: &str = "never-written";

/// A violation that an oracle reports.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Violation {
    /// The oracle's name.
    pub(crate) oracle: &'static str,
    /// The instruction.
    pub(crate) address: u64,
    /// The violation, in words.
    pub(crate) what: String,
}

impl Violation {
    /// Whether both name the same oracle and instruction.
    pub(crate) fn is_same(&self, other: &Violation) -> bool {
        (self.oracle, self.address) == (other.oracle, other.address)
    }
}

/// The oracles on one path.
pub(crate) struct Oracles {
    each: Vec<(&'static str, Box<dyn Oracle>)>,
}

impl Oracles {
    /// Creates the named oracles at the start of a path.
    pub(crate) fn new(names: &[String], setup: &OracleSetup) -> Result<Oracles, GuestError> {
        Self::with_extensions(names, &Extensions::default(), setup)
    }

    /// Creates the named oracles, built-in or of `extensions`, at the start of a path.
    pub(crate) fn with_extensions(
        names: &[String],
        extensions: &Extensions,
        setup: &OracleSetup,
    ) -> Result<Oracles, GuestError> {
        let all = extensions.all_oracles();
        if let Some(unknown) = names.iter().find(|name| all.clone().all(|oracle| oracle.name != **name)) {
            let known: Vec<&str> = all.map(|oracle| oracle.name).collect();
            let known = known.join(", ");
            return Err(GuestError::new(format!("unknown oracle `{unknown}`; available: {known}")));
        }
        let wanted = all.filter(|oracle| names.iter().any(|name| name == oracle.name));
        Ok(Oracles { each: wanted.map(|oracle| (oracle.name, (oracle.make)(setup))).collect() })
    }

    pub(crate) fn fork(&self) -> Oracles {
        Oracles { each: self.each.iter().map(|(name, oracle)| (*name, oracle.fork())).collect() }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.each.is_empty()
    }

    /// The terms that oracles keep between blocks.
    pub(crate) fn terms(&self) -> impl Iterator<Item = Term> + '_ {
        self.each.iter().flat_map(|(_, oracle)| oracle.terms())
    }

    /// The state of all of them as numbers; `None` if an oracle cannot tell its own.
    pub(crate) fn fingerprint(&self) -> Option<Vec<u64>> {
        let each: Option<Vec<Vec<u64>>> = self.each.iter().map(|(_, oracle)| oracle.fingerprint()).collect();
        Some(each?.concat())
    }

    /// Whether the oracle of this name is among them.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.each.iter().any(|(own, _)| *own == name)
    }

    /// Tells the oracles that an interrupt is taken before the instruction at this address.
    pub(crate) fn interrupt(&mut self, address: u64, state: &mut State) {
        self.each.iter_mut().for_each(|(_, oracle)| oracle.interrupt(address, state));
    }

    /// Tells the oracles by which exit the path leaves the block they observed last.
    pub(crate) fn leave(&mut self, exit: &TakenExit, state: &mut State) {
        self.each.iter_mut().for_each(|(_, oracle)| oracle.leave(exit, state));
    }

    /// Lets the oracles observe an executed block, and passes on their statements.
    pub(crate) fn observe(
        &mut self,
        observation: &mut BlockObservation<'_>,
        mut state: impl FnMut(&'static str, OracleReport),
    ) {
        let mut statements = Vec::new();
        for (name, watcher) in &mut self.each {
            watcher.observe(observation, &mut statements);
            if !statements.is_empty() {
                statements.drain(..).for_each(|statement| state(name, statement));
            }
        }
    }
}

/// The facts about a guest that oracles get before a run.
pub(crate) fn setup(guest: &Guest, configuration: &Configuration, limits: &RunLimits) -> OracleSetup {
    let data = guest.image().segments().iter().filter(|segment| {
        let permissions = segment.permissions();
        // A file without permissions does not tell where its data are.
        permissions.write && !permissions.execute && segment.space().is_none()
    });
    let description = guest.architecture().description();
    let stack_pointer = guest.architecture().stack_pointer();
    OracleSetup {
        stack: configuration.stack.map(|stack| (stack.start, stack.start.saturating_add(stack.size))),
        data: data.map(|segment| (segment.address(), segment.last())).collect(),
        handler_returns: guest.handler_returns(),
        stops: limits.stops.iter().copied().collect(),
        stack_pointer,
        stack_at_start: stack_pointer.and_then(|(location, width)| {
            let mut state = guest.state(configuration).ok()?;
            state.read(location.space, location.offset, width.bytes().min(8)).ok()
        }),
        stack_growth: if description.registers.stack_grows_up { Growth::Up } else { Growth::Down },
        return_address_on_stack: description.call.as_ref().is_none_or(|call| call.return_address.is_none()),
        traps: guest.traps(),
    }
}

/// Cache of the facts that oracles need about each block.
pub(crate) struct BlockFactsCache {
    stack_pointer: Option<(Location, Width)>,
    known: FxHashMap<Place, (Arc<Block>, Rc<BlockFacts>)>,
}

impl BlockFactsCache {
    /// An empty cache for a guest's blocks.
    pub(crate) fn new(guest: &Guest) -> BlockFactsCache {
        BlockFactsCache { stack_pointer: guest.architecture().stack_pointer(), known: FxHashMap::default() }
    }

    /// The facts about a block.
    pub(crate) fn of<V>(&mut self, place: Place, block: &ReadyBlock<V>) -> Rc<BlockFacts> {
        if let Some((of, facts)) = self.known.get(&place)
            && Arc::ptr_eq(of, &block.block)
        {
            return facts.clone();
        }
        let facts = Rc::new(BlockFacts::of(block, self.stack_pointer));
        self.known.insert(place, (block.block.clone(), facts.clone()));
        facts
    }
}

/// The number of certainly executed steps of a block, and the exit it took; `term` is its target, if that depends on
/// input.
pub(crate) fn left<V>(
    block: &ReadyBlock<V>,
    stepped: Result<&Stepped, &End>,
    term: Option<Term>,
) -> (usize, Option<TakenExit>) {
    match stepped {
        Ok(stepped) => {
            let kind = block.block.exits[stepped.exit].kind;
            let (target, behind) = (stepped.to.place.address, block.block.end);
            (block.steps.len(), Some(TakenExit { kind, target, term, behind }))
        }
        Err(end) => (steps_before(block, end), None),
    }
}

/// The number of steps of a block that were certainly executed before a run ended in it.
fn steps_before<V>(block: &ReadyBlock<V>, end: &End) -> usize {
    let (End::Faulted { address, .. } | End::Unmodelled { address, .. } | End::Exited { address, .. }) = end
    else {
        return 0;
    };
    let mark = block.instruction_starts.iter().find(|(_, mark)| mark == address);
    let first = mark.map_or(0, |(step, _)| *step as usize);
    if !matches!(end, End::Faulted { reason: FaultReason::Trap(_) | FaultReason::Signal(_), .. }) {
        return first;
    }
    // A trapping instruction has executed its steps before the trap.
    let traps = |step: &Step| matches!(step, Step::User(_));
    block.steps[first..].iter().position(traps).map_or(first, |steps| first + steps)
}
