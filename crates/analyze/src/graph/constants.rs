//! The constants that a block computes, by itself.

use crate::program::Program;
use everypath_ir::{Bits, Block, Location, Operand, Statement, Width};
use rustc_hash::FxHashMap;

/// What temporaries and places hold in one block, as far as it is the same at every run.
pub(super) struct Constants<'b> {
    program: &'b Program<'b>,
    block: &'b Block,
    temps: FxHashMap<usize, Bits>,
    places: Vec<(Location, Bits)>,
}

impl<'b> Constants<'b> {
    pub(super) fn new(program: &'b Program<'b>, block: &'b Block) -> Self {
        Self { program, block, temps: FxHashMap::default(), places: Vec::new() }
    }

    /// The constant that an operand is.
    pub(super) fn value(&self, operand: Operand) -> Option<Bits> {
        match operand.as_temp() {
            Some(temp) => self.temps.get(&temp.index()).cloned(),
            None => self.block.value(operand).cloned(),
        }
    }

    /// Takes in a statement.
    pub(super) fn pass(&mut self, statement: &Statement) {
        match *statement {
            Statement::Compute { result, op, arguments } => {
                let values: Option<Vec<Bits>> =
                    arguments[..op.arity()].iter().map(|argument| self.value(*argument)).collect();
                if let Some(values) = values {
                    self.temps.insert(result.index(), op.apply(self.block.temps[result.index()], &values));
                }
            }
            Statement::Get { result, location } => {
                let width = self.block.temps[result.index()];
                let held = self.places.iter().find(|(at, bits)| *at == location && bits.width() == width);
                let held = held.map(|(_, bits)| bits.clone()).or_else(|| self.read(location, width));
                self.temps.extend(held.map(|bits| (result.index(), bits)));
            }
            Statement::Put { location, value } => {
                let size = self.block.width(value).bytes() as u64;
                self.places.retain(|(at, bits)| {
                    let other = bits.width().bytes() as u64;
                    at.space != location.space
                        || (at.offset.wrapping_sub(location.offset) >= size
                            && location.offset.wrapping_sub(at.offset) >= other)
                });
                self.places.extend(self.value(value).map(|bits| (location, bits)));
            }
            Statement::Load { result, space, address, guard: None } => {
                let width = self.block.temps[result.index()];
                let offset = self.value(address).and_then(|bits| bits.to_u64());
                let read = offset.and_then(|offset| self.read(Location { space, offset }, width));
                self.temps.extend(read.map(|bits| (result.index(), bits)));
            }
            _ => {}
        }
    }

    /// What lies at a place that never changes.
    fn read(&self, location: Location, width: Width) -> Option<Bits> {
        if location.space != self.program.code_space() {
            return None;
        }
        self.program.fixed(location.offset, width).map(|number| Bits::from_u64(number, width))
    }
}
