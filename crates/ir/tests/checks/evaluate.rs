//! A reference evaluator of straight-line blocks.

use std::collections::BTreeMap;

use everypath_ir::{
    Bits, Block, Context, Endian, ExitKind, Layout, Location, Operand, OperandKind, Place, SpaceId,
    SpaceKind, Statement, Target, Width,
};

use everypath_testkit::random::mix;

/// Written bytes, by location.
pub(crate) type Written = BTreeMap<(SpaceId, u64), u8>;

/// An observable event.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Event {
    Read(SpaceId, u64, Width),
    Write(SpaceId, u64, Bits),
    User(u32, Vec<Bits>),
}

/// The observable outcome of a run of a block.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Outcome {
    /// The events, each with the bytes that are observable at that point.
    pub(crate) events: Vec<(Event, Written)>,
    /// All written bytes at the end.
    pub(crate) written: Written,
    /// The exit taken.
    pub(crate) exit: (ExitKind, Where),
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Where {
    Place(Place),
    Computed(Bits, Context),
}

struct Run<'a> {
    layout: &'a Layout,
    block: &'a Block,
    /// Determines the initial contents of every location and the results of user operations.
    seed: u64,
    temps: Vec<Bits>,
    outcome: Outcome,
}

/// Runs a verified block.
pub(crate) fn run(layout: &Layout, block: &Block, seed: u64) -> Outcome {
    let exit = (ExitKind::Fall, Where::Place(block.place));
    let outcome = Outcome { events: Vec::new(), written: Written::new(), exit };
    let mut run = Run { layout, block, seed, temps: Vec::new(), outcome };
    for statement in &block.statements {
        run.step(statement);
    }
    let taken = block.exits.iter().find(|exit| run.holds(exit.guard)).expect("one exit is taken");
    let target = match taken.target {
        Target::Place(place) => Where::Place(place),
        Target::Computed { address, context } => Where::Computed(run.value(address), context),
    };
    run.outcome.exit = (taken.kind, target);
    run.outcome
}

impl Run<'_> {
    fn value(&self, operand: Operand) -> Bits {
        match operand.kind() {
            OperandKind::Temp(temp) => self.temps[temp.index()].clone(),
            OperandKind::Constant(index) => self.block.constants[index].clone(),
        }
    }

    fn holds(&self, guard: Option<Operand>) -> bool {
        guard.is_none_or(|guard| !self.value(guard).is_zero())
    }

    fn kind(&self, space: SpaceId) -> SpaceKind {
        self.layout.space(space).expect("verified").kind
    }

    fn event(&mut self, event: Event) {
        // A user operation may read memory, too.
        let last = if matches!(event, Event::User(..)) { SpaceKind::Memory } else { SpaceKind::Register };
        let is_seen = |space: SpaceId| [SpaceKind::Register, last].contains(&self.kind(space));
        let places = self.outcome.written.iter().filter(|((space, _), _)| is_seen(*space));
        let places = places.map(|(place, byte)| (*place, *byte)).collect();
        self.outcome.events.push((event, places));
    }

    fn read(&mut self, location: Location, width: Width) -> Bits {
        let Location { space, offset } = location;
        if self.kind(space) == SpaceKind::Memory {
            self.event(Event::Read(space, offset, width));
        }
        let byte = |index: usize| {
            let place = (space, offset.wrapping_add(index as u64));
            let initial = || mix(self.seed ^ mix(place.1 ^ u64::from(space.0) << 56)) as u8;
            self.outcome.written.get(&place).copied().unwrap_or_else(initial)
        };
        let mut bytes: Vec<u8> = (0..width.bytes()).map(byte).collect();
        if self.layout.space(space).expect("verified").endian == Endian::Big {
            bytes.reverse();
        }
        Bits::from_bytes_le(&bytes, width)
    }

    fn write(&mut self, location: Location, value: &Bits) {
        let Location { space, offset } = location;
        if self.kind(space) == SpaceKind::Memory {
            self.event(Event::Write(space, offset, value.clone()));
        }
        let mut bytes = value.to_bytes_le();
        if self.layout.space(space).expect("verified").endian == Endian::Big {
            bytes.reverse();
        }
        for (index, byte) in bytes.into_iter().enumerate() {
            self.outcome.written.insert((space, offset.wrapping_add(index as u64)), byte);
        }
    }

    fn computed(&self, space: SpaceId, address: Operand) -> Location {
        Location { space, offset: self.value(address).to_u64().expect("an address") }
    }

    fn step(&mut self, statement: &Statement) {
        let width = statement.result().map(|temp| self.block.temps[temp.index()]);
        let result = match (*statement, width) {
            (Statement::Compute { op, .. }, Some(width)) => {
                let arguments: Vec<Bits> = statement.arguments().iter().map(|&a| self.value(a)).collect();
                Some(op.apply(width, &arguments))
            }
            (Statement::Get { location, .. }, Some(width)) => Some(self.read(location, width)),
            (Statement::Load { space, address, guard, .. }, Some(width)) => {
                let holds = self.holds(guard);
                Some(if holds { self.read(self.computed(space, address), width) } else { Bits::zero(width) })
            }
            (Statement::Put { location, value }, _) => {
                self.write(location, &self.value(value));
                None
            }
            (Statement::Store { space, address, value, guard }, _) => {
                if self.holds(guard) {
                    self.write(self.computed(space, address), &self.value(value));
                }
                None
            }
            (Statement::User { operation, arguments, guard, .. }, width) => {
                let holds = self.holds(guard);
                let arguments: Vec<Bits> =
                    self.block.pooled(arguments).iter().map(|&a| self.value(a)).collect();
                let key = arguments
                    .iter()
                    .flat_map(Bits::to_bytes_le)
                    .fold(self.seed, |key, byte| mix(key ^ u64::from(byte)));
                if holds {
                    self.event(Event::User(operation, arguments));
                }
                width.map(|width| if holds { Bits::from_u64(key, width) } else { Bits::zero(width) })
            }
            _ => None,
        };
        self.temps.extend(result);
    }
}
