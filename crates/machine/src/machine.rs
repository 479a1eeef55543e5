//! The machine: executes block after block until the run ends, with a block cache and block chaining.

use crate::access::{AccessFault, Denied};
use crate::domain::MachineDomain;
use crate::end::{Bound, End, Fault, FaultReason, Missing};
use crate::run::{Interrupted, Next, run_block};
use crate::step::ReadyBlock;
use crate::watch::Watch;
use everypath_ir::{
    Block, Context, Exit, Layout, Location, Place, SpaceId, Target, Width, promote_registers,
};
use rustc_hash::FxHashMap;
use std::collections::HashSet;
use std::sync::Arc;

/// A source of lifted blocks.
pub trait BlockSource {
    /// The address spaces of the blocks.
    fn layout(&self) -> &Layout;

    /// The code space.
    fn code_space(&self) -> SpaceId;

    /// Lifts the block at a place from the bytes that `fetch` gives; with `single`, one instruction only.
    ///
    /// # Errors
    /// The reason why there is no instruction.
    fn block(
        &mut self,
        place: Place,
        single: bool,
        fetch: &mut dyn FnMut(u64, &mut [u8]) -> usize,
    ) -> Result<SourceBlock, String>;

    /// The decoder context at the target of an indirect jump, given the flowing context; `read` reads registers.
    fn computed_context(&self, flowing: Context, read: &mut dyn FnMut(Location, Width) -> u64) -> Context;
}

/// A lifted block with its branching instructions.
#[derive(Clone, Debug)]
pub struct SourceBlock {
    /// The block.
    pub block: Block,
    /// The instructions that may branch when lifted alone, without constants folded from earlier ones.
    pub branching: Vec<Place>,
}

/// The limits of a run.
#[derive(Clone, Debug, Default)]
pub struct RunLimits {
    /// Stop addresses; they are not executed.
    pub stops: HashSet<u64>,
    /// The maximum number of instructions.
    pub instructions: u64,
}

impl RunLimits {
    /// The limits of a single step: one instruction, or one part of an instruction that loops internally.
    pub fn one_instruction() -> RunLimits {
        RunLimits { instructions: 1, ..RunLimits::default() }
    }

    /// Whether a run stops before it executes what is at a place.
    pub fn stops_at(&self, place: Place) -> bool {
        place.part == 0 && self.stops.contains(&place.address)
    }
}

/// The position of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct At {
    /// The place.
    pub place: Place,
    /// The block number there, if block chaining found it.
    chained: Option<usize>,
}

impl At {
    /// A position without a chained block.
    pub fn new(place: Place) -> At {
        At { place, chained: None }
    }
}

/// The result of executing a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stepped {
    /// The successor.
    pub to: At,
    /// The index of the exit taken.
    pub exit: usize,
    /// The number of instructions executed.
    pub instructions: u64,
}

/// The end of a run within a block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ended {
    /// The outcome.
    pub end: End,
    /// The number of instructions started in the block.
    pub instructions: u64,
}

/// The maximum size of an instruction with its delay slots, in bytes.
const LONGEST: u64 = 64;

/// A cached block.
struct Known<V> {
    ready: ReadyBlock<V>,
    instructions: u64,
    /// Block chaining: for each exit, the number of its target block once it is cached.
    chain: Vec<Option<usize>>,
    /// Its bytes, if they are writable: they are compared on every execution, so that self-modifying code is lifted
    /// again.
    bytes: Option<Vec<u8>>,
    /// The instructions that may branch when lifted alone.
    branching: Vec<Place>,
}

/// Executes blocks of one source in one domain. All states share its block cache.
pub struct Machine<B, V> {
    source: B,
    known: Vec<Known<V>>,
    places: FxHashMap<Place, usize>,
    /// Addresses that no block may contain behind its first instruction, because runs stop there.
    stops: HashSet<u64>,
}

impl<B: BlockSource, V: Clone> Machine<B, V> {
    /// A machine with an empty block cache.
    pub fn new(source: B) -> Self {
        Self { source, known: Vec::new(), places: FxHashMap::default(), stops: HashSet::new() }
    }

    /// The source of its blocks.
    pub fn source(&self) -> &B {
        &self.source
    }

    /// Clears the block cache, after a change of the memory map.
    pub fn forget(&mut self) {
        self.known.clear();
        self.places.clear();
    }

    /// Makes blocks end before these addresses, so that a run can stop there.
    pub fn stop_before(&mut self, stops: &HashSet<u64>) {
        if self.stops != *stops {
            self.stops.clone_from(stops);
            self.forget();
        }
    }

    /// Runs from a place. Returns the outcome and the number of instructions started.
    pub fn run<D: MachineDomain<Value = V>, W: Watch>(
        &mut self,
        domain: &mut D,
        start: Place,
        limits: &RunLimits,
        watch: &mut W,
    ) -> (End, u64) {
        self.stop_before(&limits.stops);
        let mut at = At::new(start);
        let mut done = 0;
        loop {
            if limits.stops_at(at.place) {
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

    /// Executes the block at a place, or only its first instruction if the block exceeds `budget`.
    ///
    /// # Errors
    /// If the run ends in the block.
    #[inline]
    pub fn step<D: MachineDomain<Value = V>, W: Watch>(
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
        // A block that exceeds the budget is executed one instruction at a time.
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
                let taken = known.ready.block.exits[exit];
                watch.exit(place, &taken, address);
                let to = At::new(self.computed_place(domain, &taken, address));
                Ok(Stepped { to, exit, instructions })
            }
            Err(Interrupted { step, fault }) => {
                let address = known.ready.instruction_at(step);
                Err(Ended { end: end(Place::new(address, place.context), fault), instructions })
            }
        }
    }

    /// The place that an indirect exit leads to at this address.
    pub fn computed_place<D: MachineDomain<Value = V>>(
        &self,
        domain: &mut D,
        exit: &Exit,
        address: u64,
    ) -> Place {
        let flowing = match exit.target {
            Target::Computed { context, .. } => context,
            Target::Place(place) => place.context,
        };
        let mut read = |location, width| domain.register(location, width);
        Place::new(address, self.source.computed_context(flowing, &mut read))
    }

    /// The cached block at a place.
    pub fn known(&self, place: Place) -> Option<&ReadyBlock<V>> {
        self.known_at(At::new(place)).map(|(_, block)| block)
    }

    /// The cached block at a position, with its stable number: blocks are numbered from zero in the order in which they
    /// were first executed.
    #[inline]
    pub fn known_at(&self, at: At) -> Option<(usize, &ReadyBlock<V>)> {
        let number = at.chained.or_else(|| self.places.get(&at.place).copied())?;
        Some((number, &self.known[number].ready))
    }

    /// The instructions of a cached block that may branch when lifted alone, without constants folded from earlier
    /// ones.
    pub fn branching(&self, place: Place) -> &[Place] {
        self.places.get(&place).map_or(&[], |number| &self.known[*number].branching)
    }

    /// The instruction at a place lifted alone: no constant of an earlier instruction is folded into its exits.
    pub fn instruction<D: MachineDomain<Value = V>>(
        &mut self,
        domain: &mut D,
        place: Place,
    ) -> Option<Arc<Block>> {
        self.lift(domain, place, true).ok().map(|known| known.ready.block)
    }

    /// The number of the block at a place; lifts it if it is not cached or its bytes have changed.
    #[inline]
    fn current<D: MachineDomain<Value = V>>(
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

    /// Returns true if the bytes of a block are unchanged.
    fn is_unchanged<D: MachineDomain<Value = V>>(&self, domain: &mut D, number: usize) -> bool {
        let known = &self.known[number];
        let Some(bytes) = &known.bytes else { return true };
        // Every execution of writable code compares its bytes, so they are on the stack.
        let mut room = [0; LONGEST as usize];
        let now = &mut room[..bytes.len()];
        let fetched = domain.fetch(self.source.code_space(), known.ready.block.place.address, now);
        fetched.is_ok_and(|fetched| fetched.count == now.len()) && now == bytes.as_slice()
    }

    /// Whether a run must stop before an instruction of a block other than its first.
    fn has_stop_inside(&self, block: &Block) -> bool {
        let mut later = block.instructions().filter(|(address, _)| *address != block.place.address);
        !self.stops.is_empty() && later.any(|(address, _)| self.stops.contains(&address))
    }

    fn lift<D: MachineDomain<Value = V>>(
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
        // Writable code is lifted one instruction at a time: an instruction may modify the next one.
        let single = single || fetched.writable;
        let mut lifted = self.source.block(place, single, &mut fetch);
        if !single && lifted.as_ref().is_ok_and(|lifted| self.has_stop_inside(&lifted.block)) {
            lifted = self.source.block(place, true, &mut fetch);
        }
        let SourceBlock { block, branching } = lifted.map_err(FaultReason::NoInstruction)?;
        let block = Arc::new(promote_registers(block, self.source.layout(), &|location, width| {
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
        let instructions = (ready.instruction_starts.len() as u64).max(1);
        Ok(Known { ready, instructions, chain: vec![None; block.exits.len()], bytes, branching })
    }
}

/// The outcome of a run that faults in an instruction.
fn end(place: Place, fault: Fault) -> End {
    let address = place.address;
    match fault {
        Fault::Access { space, denied } => faulted(place, FaultReason::Access { space, denied }),
        Fault::Unmodelled { operation } => {
            End::Unmodelled { address, missing: Missing::Operation(operation) }
        }
        Fault::SystemCall(number) => End::Unmodelled { address, missing: Missing::SystemCall(number) },
        Fault::Signal(number) => faulted(place, FaultReason::Signal(number)),
        Fault::Trap(number) => faulted(place, FaultReason::Trap(number)),
        Fault::Stop(status) => End::Exited { address, status },
    }
}

/// The outcome of a fault: a fault of the processor, or the page limit.
fn faulted(place: Place, reason: FaultReason) -> End {
    match reason {
        FaultReason::Access { denied: Denied { fault: AccessFault::Exhausted, .. }, .. } => {
            End::Exhausted { place, bound: Bound::Memory }
        }
        reason => End::Faulted { address: place.address, reason },
    }
}
