//! Registers that lie in memory: fixed places which nothing but the block reaches are treated as what they are.
//!
//! A specification that puts registers into a memory makes each access to them count, as if a device were there. Whoever
//! runs a block knows the memory map, and so whether one is.

use crate::dead::eliminate_dead_and_plain;
use crate::demand::stand_ins;
use crate::near::NearPlaces;
use crate::{
    Block, BlockBuilder, Endian, KnownPlaces, Layout, Location, Observers, Operand, SpaceId, SpaceKind,
    Statement, Temp, Width,
};

/// Makes the block do without accesses to memory of which `is_plain` says that it is there, may be read and written, and
/// has no other effect: what the block has written or read there is not read again, and what it overwrites is not written.
///
/// All other accesses stay in their order, as do exits and marks of instructions. Only the end of the block, accesses at
/// computed addresses and user operations see plain memory; see [`Observers::Overwritten`]. The block must be one that
/// [`crate::verify`] accepts.
#[must_use]
pub fn treat_as_registers(
    block: Block,
    layout: &Layout,
    is_plain: &dyn Fn(Location, Width) -> bool,
) -> Block {
    let in_memory = |space: SpaceId| layout.space(space).is_some_and(|space| space.kind == SpaceKind::Memory);
    let has_any = block.statements.iter().any(|statement| match statement {
        Statement::Get { location, .. } | Statement::Put { location, .. } => in_memory(location.space),
        _ => false,
    });
    if !has_any {
        return block;
    }
    // What is known at its place shows what nobody looks at; without that, more may be known.
    let block = rewritten(&block, layout, is_plain, vec![None; block.temps.len()]);
    rewritten(&block, layout, is_plain, stand_ins(&block))
}

/// Makes the block anew. In the place of some temporaries stands another operand of the block.
fn rewritten(
    block: &Block,
    layout: &Layout,
    is_plain: &dyn Fn(Location, Width) -> bool,
    stand_ins: Vec<Option<Operand>>,
) -> Block {
    let mut rewriting = Rewriting {
        layout,
        is_plain,
        builder: BlockBuilder::thorough(block.place, block.space),
        known: KnownPlaces::default(),
        near: NearPlaces::default(),
        stand_ins,
        values: Vec::with_capacity(block.temps.len()),
        block,
    };
    for statement in &block.statements {
        rewriting.statement(statement);
    }
    for exit in &block.exits {
        let mut exit = *exit;
        exit.for_each_operand(|operand| *operand = rewriting.value(*operand));
        rewriting.builder.exit_as_it_is(exit);
    }
    let mut rewritten = rewriting.builder.finish(block.end);
    eliminate_dead_and_plain(&mut rewritten, layout, Observers::Overwritten, is_plain);
    rewritten
}

struct Rewriting<'b> {
    layout: &'b Layout,
    is_plain: &'b dyn Fn(Location, Width) -> bool,
    block: &'b Block,
    builder: BlockBuilder,
    /// What plain memory holds.
    known: KnownPlaces,
    /// What it holds at computed addresses.
    near: NearPlaces,
    /// What stands in the place of temporaries of the block.
    stand_ins: Vec<Option<Operand>>,
    /// What the temporaries of the block have become.
    values: Vec<Operand>,
}

impl Rewriting<'_> {
    fn value(&mut self, operand: Operand) -> Operand {
        match (operand.as_temp(), self.block.value(operand)) {
            (Some(temp), _) => self.values[temp.index()],
            (None, Some(constant)) => self.builder.constant(constant.clone()),
            (None, None) => operand,
        }
    }

    fn is_memory(&self, space: SpaceId) -> bool {
        self.layout.space(space).is_some_and(|space| space.kind == SpaceKind::Memory)
    }

    fn is_plain(&self, location: Location, width: Width) -> bool {
        self.is_memory(location.space) && (self.is_plain)(location, width)
    }

    fn endian(&self, space: SpaceId) -> Endian {
        self.layout.space(space).map_or(Endian::Little, |space| space.endian)
    }

    /// The place of an access without a guard, if its address is constant.
    fn fixed(&self, space: SpaceId, address: Operand, guard: Option<Operand>) -> Option<Location> {
        let offset = self.builder.value(address).filter(|_| guard.is_none())?.to_u64()?;
        Some(Location { space, offset })
    }

    fn get(&mut self, location: Location, width: Width) -> Operand {
        if !self.is_plain(location, width) {
            return self.builder.get(location, width);
        }
        let endian = self.endian(location.space);
        self.known.read(&mut self.builder, location, width.bytes() as u32, endian)
    }

    fn put(&mut self, location: Location, value: Operand) {
        let width = self.builder.width(value);
        self.builder.put(location, value);
        if self.is_plain(location, width) {
            self.known.write(&mut self.builder, location, width.bytes() as u32, value, true);
            self.near.forget_from(location);
        } else {
            // It may reach into what is plain.
            self.forget(location.space);
        }
    }

    fn forget(&mut self, space: SpaceId) {
        self.known.forget(space);
        self.near.forget(space);
    }

    /// How far an access without a guard reaches from the start of its space, if all up to there is plain.
    fn reach(&self, space: SpaceId, address: Operand, width: Width, guard: Option<Operand>) -> Option<Width> {
        let reach = NearPlaces::reach(&self.builder, address, width).filter(|_| guard.is_none())?;
        self.is_plain(Location { space, offset: 0 }, reach).then_some(reach)
    }

    fn load(&mut self, space: SpaceId, address: Operand, width: Width, guard: Option<Operand>) -> Operand {
        let fixed = self.fixed(space, address, guard);
        if let Some(location) = fixed.filter(|location| self.is_plain(*location, width)) {
            return self.get(location, width);
        }
        let reach = self.reach(space, address, width, guard);
        if let Some(known) = self.near.find(space, address, width).filter(|_| reach.is_some()) {
            return known;
        }
        let value = self.builder.load(space, address, width, guard);
        if let Some(reach) = reach {
            self.near.note(&self.builder, (space, address), value, reach);
        }
        value
    }

    fn store(&mut self, space: SpaceId, address: Operand, value: Operand, guard: Option<Operand>) {
        let width = self.builder.width(value);
        let fixed = self.fixed(space, address, guard);
        if let Some(location) = fixed.filter(|location| self.is_plain(*location, width)) {
            return self.put(location, value);
        }
        self.builder.store(space, address, value, guard);
        match self.reach(space, address, width, guard) {
            Some(reach) => {
                self.known.forget_before(Location { space, offset: reach.bytes() as u64 });
                self.near.write(&self.builder, (space, address), value, reach);
            }
            None => self.forget(space),
        }
    }

    fn statement(&mut self, statement: &Statement) {
        let width = statement.result().map_or(Width::W1, |temp: Temp| self.block.temps[temp.index()]);
        let result = match *statement {
            Statement::Instruction { address, length, alignment } => {
                self.builder.aligned_instruction(address, length, alignment);
                None
            }
            Statement::Compute { result, op, .. } => {
                if let Some(stand_in) = self.stand_ins[result.index()] {
                    let value = self.value(stand_in);
                    self.values.push(value);
                    return;
                }
                let arguments: Vec<Operand> =
                    statement.arguments().iter().map(|argument| self.value(*argument)).collect();
                Some(self.builder.compute(op, width, &arguments))
            }
            Statement::Get { location, .. } => Some(self.get(location, width)),
            Statement::Put { location, value } => {
                let value = self.value(value);
                self.put(location, value);
                None
            }
            Statement::Load { space, address, guard, .. } => {
                let (address, guard) = (self.value(address), guard.map(|guard| self.value(guard)));
                Some(self.load(space, address, width, guard))
            }
            Statement::Store { space, address, value, guard } => {
                let (address, value) = (self.value(address), self.value(value));
                let guard = guard.map(|guard| self.value(guard));
                self.store(space, address, value, guard);
                None
            }
            Statement::User { result, operation, arguments, guard } => {
                let pooled = self.block.pooled(arguments);
                let arguments: Vec<Operand> = pooled.iter().map(|argument| self.value(*argument)).collect();
                let guard = guard.map(|guard| self.value(guard));
                // Whoever gives it a meaning may change anything.
                (self.known, self.near) = (KnownPlaces::default(), NearPlaces::default());
                self.builder.user(result.map(|_| width), operation, &arguments, guard)
            }
        };
        self.values.extend(result);
    }
}
