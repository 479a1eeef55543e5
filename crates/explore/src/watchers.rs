//! The oracles on a path: what each states about a block that was run, in either domain.

use std::rc::Rc;
use std::sync::Arc;

use everypath_environment::{Configuration, Guest, GuestError};
use everypath_ir::{Block, Location, Place, Width};
use everypath_machine::{End, FaultReason, Limits, ReadyBlock, State, Step, Stepped};
use everypath_oracle::{ALL, BlockFacts, Growth, Look, Setup, Statement, Watcher, Way};
use everypath_term::Term;
use rustc_hash::FxHashMap;

/// Something wrong on a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Wrong {
    /// The oracle.
    pub(crate) oracle: &'static str,
    /// The instruction.
    pub(crate) address: u64,
    /// What is wrong.
    pub(crate) what: String,
}

impl Wrong {
    /// Whether both have the same cause.
    pub(crate) fn is_same(&self, other: &Wrong) -> bool {
        (self.oracle, self.address) == (other.oracle, other.address)
    }
}

/// The oracles on one path.
pub(crate) struct Watchers {
    each: Vec<(&'static str, Box<dyn Watcher>)>,
}

impl Watchers {
    /// Those that a plan names, at the start of a path.
    pub(crate) fn new(names: &[String], setup: &Setup) -> Result<Watchers, GuestError> {
        if let Some(unknown) = names.iter().find(|name| ALL.iter().all(|oracle| oracle.name != **name)) {
            let known: Vec<&str> = ALL.iter().map(|oracle| oracle.name).collect();
            let known = known.join(", ");
            return Err(GuestError::new(format!("there is no oracle `{unknown}`; there are: {known}")));
        }
        let wanted = ALL.iter().filter(|oracle| names.iter().any(|name| name == oracle.name));
        Ok(Watchers { each: wanted.map(|oracle| (oracle.name, (oracle.make)(setup))).collect() })
    }

    pub(crate) fn fork(&self) -> Watchers {
        Watchers { each: self.each.iter().map(|(name, watcher)| (*name, watcher.fork())).collect() }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.each.is_empty()
    }

    /// Whether an oracle is among them.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.each.iter().any(|(own, _)| *own == name)
    }

    /// Lets the path go on by an exit of the block they have looked at last.
    pub(crate) fn leave(&mut self, way: &Way, state: &mut State) {
        self.each.iter_mut().for_each(|(_, watcher)| watcher.leave(way, state));
    }

    /// What they state about a block.
    pub(crate) fn look(&mut self, look: &mut Look<'_>, mut state: impl FnMut(&'static str, Statement)) {
        let mut statements = Vec::new();
        for (name, watcher) in &mut self.each {
            watcher.look(look, &mut statements);
            if !statements.is_empty() {
                statements.drain(..).for_each(|statement| state(name, statement));
            }
        }
    }
}

/// What oracles know of a guest beforehand.
pub(crate) fn setup(guest: &Guest, configuration: &Configuration, limits: &Limits) -> Setup {
    let data = guest.image().segments().iter().filter(|segment| {
        let permissions = segment.permissions();
        // A file that says nothing of permissions does not say where its data are.
        permissions.write && !permissions.execute && segment.space().is_none()
    });
    let description = guest.architecture().description();
    Setup {
        stack: configuration.stack.map(|stack| (stack.start, stack.start.saturating_add(stack.size))),
        data: data.map(|segment| (segment.address(), segment.last())).collect(),
        stops: limits.stops.iter().copied().collect(),
        stack_pointer: stack_pointer(guest),
        stack_at_start: stack_pointer(guest).and_then(|(location, width)| {
            let mut state = guest.state(configuration).ok()?;
            state.read(location.space, location.offset, width.bytes().min(8)).ok()
        }),
        stack_growth: if description.registers.stack_grows_up { Growth::Up } else { Growth::Down },
        return_address_on_stack: description.call.as_ref().is_none_or(|call| call.return_address.is_none()),
        traps: guest.traps(),
    }
}

/// The place and width of a guest's stack pointer.
fn stack_pointer(guest: &Guest) -> Option<(Location, Width)> {
    let architecture = guest.architecture();
    let name = architecture.description().registers.stack_pointer.as_deref();
    name.and_then(|name| architecture.register(name))
}

/// What oracles look at in each block, worked out once.
pub(crate) struct Facts {
    stack_pointer: Option<(Location, Width)>,
    known: FxHashMap<Place, (Arc<Block>, Rc<BlockFacts>)>,
}

impl Facts {
    /// Of a guest's blocks.
    pub(crate) fn new(guest: &Guest) -> Facts {
        Facts { stack_pointer: stack_pointer(guest), known: FxHashMap::default() }
    }

    /// Those of a block.
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

/// How many steps of a block were certainly run, and how it was left: maybe for an address that is this term.
pub(crate) fn left<V>(
    block: &ReadyBlock<V>,
    stepped: Result<&Stepped, &End>,
    term: Option<Term>,
) -> (usize, Option<Way>) {
    match stepped {
        Ok(stepped) => {
            let kind = block.block.exits[stepped.exit].kind;
            let (target, behind) = (stepped.to.place.address, block.block.end);
            (block.steps.len(), Some(Way { kind, target, term, behind }))
        }
        Err(end) => (steps_before(block, end), None),
    }
}

/// How many steps of a block were certainly run before a run ended in it.
fn steps_before<V>(block: &ReadyBlock<V>, end: &End) -> usize {
    let (End::Faulted { address, .. } | End::Unmodelled { address, .. } | End::Exited { address, .. }) = end
    else {
        return 0;
    };
    let mark = block.marks.iter().find(|(_, mark)| mark == address);
    let first = mark.map_or(0, |(step, _)| *step as usize);
    if !matches!(end, End::Faulted { reason: FaultReason::Trap(_), .. }) {
        return first;
    }
    // What an instruction computes before it traps was computed.
    let traps = |step: &Step| matches!(step, Step::User(_));
    block.steps[first..].iter().position(traps).map_or(first, |steps| first + steps)
}
