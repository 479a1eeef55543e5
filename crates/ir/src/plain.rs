//! Registers that lie in memory: fixed places which nothing but the block reaches are treated as what they are.
//!
//! A specification that puts registers into a memory makes each access to them count, as if a device were there. Whoever
//! runs a block knows the memory map, and so whether one is.

use crate::dead::eliminate_dead_and_plain;
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
    let mut rewriting = Rewriting {
        layout,
        is_plain,
        builder: BlockBuilder::thorough(block.place, block.space),
        known: KnownPlaces::default(),
        values: Vec::with_capacity(block.temps.len()),
        block: &block,
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
        } else {
            // It may reach into what is plain.
            self.known.forget(location.space);
        }
    }

    fn statement(&mut self, statement: &Statement) {
        let width = statement.result().map_or(Width::W1, |temp: Temp| self.block.temps[temp.index()]);
        let result = match *statement {
            Statement::Instruction { address, length } => {
                self.builder.instruction(address, length);
                None
            }
            Statement::Compute { op, .. } => {
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
                let fixed = self.fixed(space, address, guard);
                Some(match fixed.filter(|location| self.is_plain(*location, width)) {
                    Some(location) => self.get(location, width),
                    None => self.builder.load(space, address, width, guard),
                })
            }
            Statement::Store { space, address, value, guard } => {
                let (address, value) = (self.value(address), self.value(value));
                let guard = guard.map(|guard| self.value(guard));
                let fixed = self.fixed(space, address, guard);
                let width = self.builder.width(value);
                match fixed.filter(|location| self.is_plain(*location, width)) {
                    Some(location) => self.put(location, value),
                    None => {
                        self.builder.store(space, address, value, guard);
                        self.known.forget(space);
                    }
                }
                None
            }
            Statement::User { result, operation, arguments, guard } => {
                let pooled = self.block.pooled(arguments);
                let arguments: Vec<Operand> = pooled.iter().map(|argument| self.value(*argument)).collect();
                let guard = guard.map(|guard| self.value(guard));
                // Whoever gives it a meaning may change anything.
                self.known = KnownPlaces::default();
                self.builder.user(result.map(|_| width), operation, &arguments, guard)
            }
        };
        self.values.extend(result);
    }
}
