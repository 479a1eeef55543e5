//! Register promotion (Cooper and Lu 1997) of memory-mapped registers: memory locations without side effects that only
//! the block accesses are optimised like registers.
//!
//! A SLEIGH specification that maps registers into a memory space makes every access observable, as if to a device.
//! Whoever runs a block knows the memory map, and so which locations are plain memory.

use crate::dead::eliminate_dead_and_plain;
use crate::demand::stand_ins;
use crate::near::NearPlaces;
use crate::{
    Block, BlockBuilder, Endian, KnownPlaces, Layout, Location, Observers, Operand, SpaceId, SpaceKind,
    Statement, Temp, Width,
};

/// Removes redundant accesses to plain memory, which `is_plain` must recognise as mapped, readable, writable and free
/// of side effects: a location that the block has written or read is not read again, and overwritten values are not
/// written.
///
/// All other accesses keep their order, as do exits and instruction marks. Plain memory is observable only at the end
/// of the block, by accesses at computed addresses and by user operations; see [`Observers::Overwritten`].
/// [`crate::verify`] must accept the block.
#[must_use]
pub fn promote_registers(block: Block, layout: &Layout, is_plain: &dyn Fn(Location, Width) -> bool) -> Block {
    let in_memory = |space: SpaceId| layout.space(space).is_some_and(|space| space.kind == SpaceKind::Memory);
    let has_any = block.statements.iter().any(|statement| match statement {
        Statement::Get { location, .. } | Statement::Put { location, .. } => in_memory(location.space),
        _ => false,
    });
    if !has_any {
        return block;
    }
    // The first pass forwards values, which exposes bits that are never used; the second removes their computation and
    // can then forward more.
    let block = rewritten(&block, layout, is_plain, vec![None; block.temps.len()]);
    rewritten(&block, layout, is_plain, stand_ins(&block))
}

/// Rebuilds the block with the given replacements of temporaries.
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
    /// The known contents of plain memory at fixed locations.
    known: KnownPlaces,
    /// Its known contents at computed addresses.
    near: NearPlaces,
    /// Replacements of temporaries of the original block.
    stand_ins: Vec<Option<Operand>>,
    /// The operand of the new block for each temporary of the original.
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

    /// The fixed location of an unguarded access, if its address is constant.
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
            // The access may extend into plain memory.
            self.forget(location.space);
        }
    }

    fn forget(&mut self, space: SpaceId) {
        self.known.forget(space);
        self.near.forget(space);
    }

    /// The size of the region from the start of the space that an unguarded access can touch, if all of it is plain.
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
                // Its model may change anything.
                (self.known, self.near) = (KnownPlaces::default(), NearPlaces::default());
                self.builder.user(result.map(|_| width), operation, &arguments, guard)
            }
        };
        self.values.extend(result);
    }
}
