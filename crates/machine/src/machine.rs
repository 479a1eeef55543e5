//! The machine: runs block after block until something ends the run.

use crate::access::{AccessFault, Denied};
use crate::domain::Domain;
use crate::end::{Bound, End, Fault, FaultReason, Missing};
use crate::run::{Interrupted, Next, run_block};
use crate::step::ReadyBlock;
use crate::watch::Watch;
use everypath_ir::{
    Block, Context, Exit, Layout, Location, Place, SpaceId, Target, Width, treat_as_registers,
};
use rustc_hash::FxHashMap;
use std::collections::HashSet;
use std::sync::Arc;

/// Where blocks come from.
pub trait BlockSource {
    /// The spaces of the blocks.
    fn layout(&self) -> &Layout;

    /// The space of instructions.
    fn code_space(&self) -> SpaceId;

    /// The block at a place, made from the bytes that `fetch` gives. With `single` it has one instruction only.
    ///
    /// # Errors
    /// Why there is no instruction.
    fn block(
        &mut self,
        place: Place,
        single: bool,
        fetch: &mut dyn FnMut(u64, &mut [u8]) -> usize,
    ) -> Result<SourceBlock, String>;

    /// The context of the target of a computed jump, given what flows there; `read` reads registers.
    fn computed_context(&self, flowing: Context, read: &mut dyn FnMut(Location, Width) -> u64) -> Context;
}

/// A block as its source gives it.
#[derive(Clone, Debug)]
pub struct SourceBlock {
    /// The block.
    pub block: Block,
    /// The instructions in it that may branch by themselves, whatever those before them fold.
    pub branching: Vec<Place>,
}

/// When a run ends at the latest.
#[derive(Clone, Debug, Default)]
pub struct Limits {
    /// Addresses that are not run any more.
    pub stops: HashSet<u64>,
    /// How many instructions are run.
    pub instructions: u64,
}

/// Where a run is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct At {
    /// The place.
    pub place: Place,
    /// The number of the block there, if it is known.
    chained: Option<usize>,
}

impl At {
    /// At a place.
    pub fn new(place: Place) -> At {
        At { place, chained: None }
    }
}

/// A block that was run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stepped {
    /// Where it led to.
    pub to: At,
    /// By which of its exits.
    pub exit: usize,
    /// How many instructions were run.
    pub instructions: u64,
}

/// A run that ended in a block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ended {
    /// How.
    pub end: End,
    /// How many instructions of the block were begun.
    pub instructions: u64,
}

/// No instruction, with its delay slots, has more bytes.
const LONGEST: u64 = 64;

/// A block that was run before.
struct Known<V> {
    ready: ReadyBlock<V>,
    instructions: u64,
    /// For each exit that leads to a known place, the number of the block there once it is known.
    chain: Vec<Option<usize>>,
    /// Its bytes, if they may be written: they are compared each time, so that changed code is never run as it was.
    bytes: Option<Vec<u8>>,
    /// The instructions in it that may branch by themselves.
    branching: Vec<Place>,
}

/// Runs blocks of one source in one domain. The blocks it knows serve every state that is run.
pub struct Machine<B, V> {
    source: B,
    known: Vec<Known<V>>,
    places: FxHashMap<Place, usize>,
}

impl<B: BlockSource, V: Clone> Machine<B, V> {
    /// A machine that knows no block yet.
    pub fn new(source: B) -> Self {
        Self { source, known: Vec::new(), places: FxHashMap::default() }
    }

    /// Where its blocks come from.
    pub fn source(&self) -> &B {
        &self.source
    }

    /// Forgets every block: the memory map has changed.
    pub fn forget(&mut self) {
        self.known.clear();
        self.places.clear();
    }

    /// Runs from a place on. Returns how it ended and how many instructions were begun.
    pub fn run<D: Domain<Value = V>, W: Watch>(
        &mut self,
        domain: &mut D,
        start: Place,
        limits: &Limits,
        watch: &mut W,
    ) -> (End, u64) {
        let mut at = At::new(start);
        let mut done = 0;
        loop {
            if limits.stops.contains(&at.place.address) && at.place.part == 0 {
                return (End::Exited { address: at.place.address, status: 0 }, done);
            }
            if done >= limits.instructions {
                return (End::Exhausted { place: at.place, bound: Bound::Instructions }, done);
            }
            match self.step(domain, at, limits.instructions - done, watch) {
                Ok(step) => {
                    done += step.instructions;
                    at = step.to;
                }
                Err(Ended { end, instructions }) => return (end, done + instructions),
            }
        }
    }

    /// Runs the block at a place, or only its first instruction if it has more than `budget`.
    ///
    /// # Errors
    /// If the run ends in it.
    #[inline]
    pub fn step<D: Domain<Value = V>, W: Watch>(
        &mut self,
        domain: &mut D,
        at: At,
        budget: u64,
        watch: &mut W,
    ) -> Result<Stepped, Ended> {
        let place = at.place;
        let no_code =
            |reason| Ended { end: End::Faulted { address: place.address, reason }, instructions: 0 };
        let number = self.current(domain, place, at.chained).map_err(|reason| {
            if matches!(reason, FaultReason::NoInstruction(_)) {
                domain.executes(self.source.code_space(), place.address, LONGEST as usize);
            }
            no_code(reason)
        })?;
        if let Some(bytes) = &self.known[number].bytes {
            domain.executes(self.source.code_space(), place.address, bytes.len());
        }
        watch.block(place);
        // A block that would go beyond the budget is run one instruction at a time.
        let mut last;
        let known = if self.known[number].instructions > budget {
            last = self.lift(domain, place, true).map_err(no_code)?;
            &mut last
        } else {
            &mut self.known[number]
        };
        let next = run_block(domain, &mut known.ready, watch);
        let instructions = known.instructions;
        match next {
            Ok(Next::Place(exit, target)) => {
                watch.exit(place, &known.ready.block.exits[exit], target.address);
                let mut chained = known.chain[exit];
                if chained.is_none()
                    && let Some(target) = self.places.get(&target)
                {
                    known.chain[exit] = Some(*target);
                    chained = Some(*target);
                }
                Ok(Stepped { to: At { place: target, chained }, exit, instructions })
            }
            Ok(Next::Address(exit, address)) => {
                let way = known.ready.block.exits[exit];
                watch.exit(place, &way, address);
                let to = At::new(self.computed_place(domain, &way, address));
                Ok(Stepped { to, exit, instructions })
            }
            Err(Interrupted { step, fault }) => {
                let address = known.ready.instruction_at(step);
                Err(Ended { end: end(Place::new(address, place.context), fault), instructions })
            }
        }
    }

    /// The place that a computed exit leads to, if the address is this.
    pub fn computed_place<D: Domain<Value = V>>(&self, domain: &mut D, exit: &Exit, address: u64) -> Place {
        let flowing = match exit.target {
            Target::Computed { context, .. } => context,
            Target::Place(place) => place.context,
        };
        let mut read = |location, width| domain.register(location, width);
        Place::new(address, self.source.computed_context(flowing, &mut read))
    }

    /// The block at a place, if it was run before.
    pub fn known(&self, place: Place) -> Option<&ReadyBlock<V>> {
        self.known_at(At::new(place)).map(|(_, block)| block)
    }

    /// The block where a run is, if it was run before, and its number, which stays: from zero on, in the order in which
    /// blocks were first run.
    #[inline]
    pub fn known_at(&self, at: At) -> Option<(usize, &ReadyBlock<V>)> {
        let number = at.chained.or_else(|| self.places.get(&at.place).copied())?;
        Some((number, &self.known[number].ready))
    }

    /// The instructions of a block that was run which may branch by themselves, whatever those before them fold.
    pub fn branching(&self, place: Place) -> &[Place] {
        self.places.get(&place).map_or(&[], |number| &self.known[*number].branching)
    }

    /// The instruction at a place lifted by itself: no constant that an earlier instruction leaves is folded into its exits.
    pub fn instruction<D: Domain<Value = V>>(&mut self, domain: &mut D, place: Place) -> Option<Arc<Block>> {
        self.lift(domain, place, true).ok().map(|known| known.ready.block)
    }

    /// The number of the block at a place, lifted now if it is not known or its bytes have changed.
    #[inline]
    fn current<D: Domain<Value = V>>(
        &mut self,
        domain: &mut D,
        place: Place,
        chained: Option<usize>,
    ) -> Result<usize, FaultReason> {
        let known = chained.or_else(|| self.places.get(&place).copied());
        match known {
            Some(number) if self.known[number].bytes.is_none() || self.is_unchanged(domain, number) => {
                Ok(number)
            }
            Some(number) => {
                self.known[number] = self.lift(domain, place, false)?;
                Ok(number)
            }
            None => {
                let lifted = self.lift(domain, place, false)?;
                self.known.push(lifted);
                self.places.insert(place, self.known.len() - 1);
                Ok(self.known.len() - 1)
            }
        }
    }

    /// Whether the bytes of a block are still what they were.
    fn is_unchanged<D: Domain<Value = V>>(&self, domain: &mut D, number: usize) -> bool {
        let known = &self.known[number];
        let Some(bytes) = &known.bytes else { return true };
        // Every run of code that may be written comes here, so the bytes go to the stack.
        let mut room = [0; LONGEST as usize];
        let now = &mut room[..bytes.len()];
        let fetched = domain.fetch(self.source.code_space(), known.ready.block.place.address, now);
        fetched.is_ok_and(|fetched| fetched.count == now.len()) && now == bytes.as_slice()
    }

    fn lift<D: Domain<Value = V>>(
        &mut self,
        domain: &mut D,
        place: Place,
        single: bool,
    ) -> Result<Known<V>, FaultReason> {
        let space = self.source.code_space();
        let fetched = domain.fetch(space, place.address, &mut [0]);
        let fetched = fetched.map_err(|denied| FaultReason::Access { space, denied })?;
        let mut fetch = |address: u64, buffer: &mut [u8]| {
            domain.fetch(space, address, buffer).map_or(0, |fetched| fetched.count)
        };
        // What may be written is lifted one instruction at a time: one may change the next.
        let block = self.source.block(place, single || fetched.writable, &mut fetch);
        let SourceBlock { block, branching } = block.map_err(FaultReason::NoInstruction)?;
        let block = Arc::new(treat_as_registers(block, self.source.layout(), &|location, width| {
            domain.is_plain(location, width)
        }));
        let bytes = fetched.writable.then(|| {
            let mut bytes = vec![0; block.end.wrapping_sub(place.address).min(LONGEST) as usize];
            let count = domain.fetch(space, place.address, &mut bytes).map_or(0, |fetched| fetched.count);
            bytes.truncate(count);
            bytes
        });
        let constant = |bits: &everypath_ir::Bits| domain.constant(bits);
        let ready = ReadyBlock::new(self.source.layout(), block.clone(), constant, || domain.nothing());
        let instructions = (ready.marks.len() as u64).max(1);
        Ok(Known { ready, instructions, chain: vec![None; block.exits.len()], bytes, branching })
    }
}

/// The end of a run at a fault in an instruction.
fn end(place: Place, fault: Fault) -> End {
    let address = place.address;
    match fault {
        Fault::Access { space, denied } => faulted(place, FaultReason::Access { space, denied }),
        Fault::Unmodelled { operation } => {
            End::Unmodelled { address, missing: Missing::Operation(operation) }
        }
        Fault::SystemCall(number) => End::Unmodelled { address, missing: Missing::SystemCall(number) },
        Fault::Trap(number) => faulted(place, FaultReason::Trap(number)),
        Fault::Stop(status) => End::Exited { address, status },
    }
}

/// The end of a run that the processor cannot go on with, or that may not touch more memory.
fn faulted(place: Place, reason: FaultReason) -> End {
    match reason {
        FaultReason::Access { denied: Denied { fault: AccessFault::Exhausted, .. }, .. } => {
            End::Exhausted { place, bound: Bound::Memory }
        }
        reason => End::Faulted { address: place.address, reason },
    }
}
