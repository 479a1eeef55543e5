//! A reference interpreter of IR blocks.

use super::state::{PcodeEvent, PcodeState};
use everypath_ir::{
    Bits, Block, ExitKind, Layout, Location, Operand, OperandKind, Place, SpaceId, SpaceKind, Statement,
    Target, Width,
};

/// The exit by which a block was left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Leaving {
    /// The kind of the exit.
    pub kind: ExitKind,
    /// Its target.
    pub place: Place,
    /// Whether the target is indirect, so that registers may determine its modes.
    pub computed: bool,
}

/// Runs a block that [`everypath_ir::verify`] accepts.
///
/// # Panics
/// If the block is not well formed.
pub fn run_block(layout: &Layout, block: &Block, state: &mut PcodeState) -> Leaving {
    let mut run = Run { layout, block, state, temps: Vec::with_capacity(block.temps.len()) };
    for statement in &block.statements {
        run.step(statement);
    }
    let exit = block.exits.iter().find(|exit| run.holds(exit.guard)).expect("the last exit has no guard");
    let (place, computed) = match exit.target {
        Target::Place(place) => (place, false),
        Target::Computed { address, context } => (Place::new(run.address(address), context), true),
    };
    Leaving { kind: exit.kind, place, computed }
}

struct Run<'a> {
    layout: &'a Layout,
    block: &'a Block,
    state: &'a mut PcodeState,
    temps: Vec<Bits>,
}

impl Run<'_> {
    fn value(&self, operand: Operand) -> Bits {
        match operand.kind() {
            OperandKind::Temp(temp) => self.temps[temp.index()].clone(),
            OperandKind::Constant(index) => self.block.constants[index].clone(),
        }
    }

    fn address(&self, operand: Operand) -> u64 {
        self.value(operand).to_u64().expect("an address has at most 64 bits")
    }

    fn holds(&self, guard: Option<Operand>) -> bool {
        guard.is_none_or(|guard| !self.value(guard).is_zero())
    }

    /// The offsets of the bytes of a value; memory wraps around at its end.
    fn offsets(&self, location: Location, size: usize) -> Vec<u64> {
        let space = self.layout.space(location.space).expect("the space is there");
        (0..size).map(|index| ((u128::from(location.offset) + index as u128) % space.size()) as u64).collect()
    }

    fn read(&mut self, location: Location, width: Width) -> Bits {
        let Location { space, offset } = location;
        let definition = self.layout.space(space).expect("the space is there");
        let offsets = self.offsets(location, width.bytes());
        if definition.kind == SpaceKind::Memory {
            self.state.note(PcodeEvent::Read { space, offset, size: width.bytes() });
        }
        Bits::from_bytes_le(&self.state.read(space, &offsets, definition.endian), width)
    }

    fn write(&mut self, location: Location, value: &Bits) {
        let Location { space, offset } = location;
        let definition = self.layout.space(space).expect("the space is there");
        let bytes = value.to_bytes_le();
        let offsets = self.offsets(location, bytes.len());
        if definition.kind == SpaceKind::Memory {
            self.state.note(PcodeEvent::Write { space, offset, size: bytes.len() });
        }
        self.state.write(space, &offsets, definition.endian, bytes);
    }

    fn at(&self, space: SpaceId, address: Operand) -> Location {
        Location { space, offset: self.address(address) }
    }

    fn step(&mut self, statement: &Statement) {
        let result = match *statement {
            Statement::Instruction { .. } => None,
            Statement::Compute { result, op, .. } => {
                let arguments: Vec<Bits> =
                    statement.arguments().iter().map(|&value| self.value(value)).collect();
                Some(op.apply(self.block.temps[result.index()], &arguments))
            }
            Statement::Get { result, location } => {
                Some(self.read(location, self.block.temps[result.index()]))
            }
            Statement::Put { location, value } => {
                self.write(location, &self.value(value));
                None
            }
            Statement::Load { result, space, address, guard } => {
                let width = self.block.temps[result.index()];
                let holds = self.holds(guard);
                Some(if holds { self.read(self.at(space, address), width) } else { Bits::zero(width) })
            }
            Statement::Store { space, address, value, guard } => {
                if self.holds(guard) {
                    self.write(self.at(space, address), &self.value(value));
                }
                None
            }
            Statement::User { result, operation, arguments, guard } => {
                let width = result.map(|result| self.block.temps[result.index()]);
                let arguments = self.block.pooled(arguments).iter().map(|&value| self.value(value)).collect();
                if self.holds(guard) {
                    self.state.call(operation, arguments, width)
                } else {
                    width.map(Bits::zero)
                }
            }
        };
        self.temps.extend(result);
    }
}
