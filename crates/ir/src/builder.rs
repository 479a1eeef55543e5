//! Block construction with constant folding, algebraic simplification and local value numbering (Cocke and Schwartz
//! 1970).

use rustc_hash::FxHashMap;

use crate::statement::padded;
use crate::{
    Algebra, ArgumentRange, Bits, Block, Exit, ExitKind, Location, Op, Operand, Place, SpaceId, Statement,
    Target, Temp, Width, canonical, identity::without_masked, simplified,
};

/// Builds a [`Block`].
///
/// Every computation is constant-folded if its arguments are constants, simplified by the identities of
/// [`crate::simplified`], and value-numbered, so that a repeated computation yields the earlier temporary. The builder
/// does not check widths: it keeps a computation with wrong widths as given, for [`crate::verify`] to report.
///
/// ```
/// use everypath_ir::{Bits, BlockBuilder, Context, ExitKind, Location, Op, Place, SpaceId, Target, Width};
/// let (code, registers) = (SpaceId(0), SpaceId(1));
/// let start = Place::new(0x1000, Context::default());
/// let mut builder = BlockBuilder::new(start, code);
/// builder.instruction(0x1000, 2);
/// let counter = Location { space: registers, offset: 4 };
/// let old = builder.get(counter, Width::W8);
/// let one = builder.constant(Bits::from_u64(1, Width::W8));
/// let new = builder.compute(Op::Add, Width::W8, &[old, one]);
/// builder.put(counter, new);
/// builder.exit(None, ExitKind::Jump, Target::Place(start));
/// assert_eq!(builder.finish(0x1002).statements.len(), 4);
/// ```
pub struct BlockBuilder {
    block: Block,
    simplify: bool,
    /// Also apply the known-bits identities, which are worth their cost for blocks that are built once and run often.
    by_masks: bool,
    interned: FxHashMap<Bits, Operand>,
    /// The computation that defines each temporary; `None` for other definitions.
    definitions: Vec<Option<(Op, [Operand; 3])>>,
    numbered: FxHashMap<(Op, Width, [Operand; 3]), Operand>,
}

impl BlockBuilder {
    /// Starts a block of code in the given space.
    #[must_use]
    pub fn new(place: Place, space: SpaceId) -> BlockBuilder {
        BlockBuilder {
            block: Block {
                place,
                end: place.address,
                space,
                temps: Vec::new(),
                constants: Vec::new(),
                argument_pool: Vec::new(),
                statements: Vec::new(),
                exits: Vec::new(),
            },
            simplify: true,
            by_masks: false,
            interned: FxHashMap::default(),
            definitions: Vec::new(),
            numbered: FxHashMap::default(),
        }
    }

    /// Starts a block that keeps every statement as given, for the text parser and for comparisons.
    #[must_use]
    pub fn plain(place: Place, space: SpaceId) -> BlockBuilder {
        BlockBuilder { simplify: false, ..BlockBuilder::new(place, space) }
    }

    /// Starts a block that will run often: simplification also uses known bits.
    pub(crate) fn thorough(place: Place, space: SpaceId) -> BlockBuilder {
        BlockBuilder { by_masks: true, ..BlockBuilder::new(place, space) }
    }

    /// The operand of a constant; equal constants share one operand.
    pub fn constant(&mut self, value: Bits) -> Operand {
        if let Some(&operand) = self.interned.get(&value) {
            return operand;
        }
        let operand = Operand::constant(self.block.constants.len());
        self.block.constants.push(value.clone());
        self.interned.insert(value, operand);
        operand
    }

    /// The width of an operand of this block.
    #[must_use]
    pub fn width(&self, operand: Operand) -> Width {
        self.block.width(operand)
    }

    /// The value of a constant operand.
    #[must_use]
    pub fn value(&self, operand: Operand) -> Option<&Bits> {
        self.block.value(operand)
    }

    /// The block as built so far.
    #[must_use]
    pub fn block(&self) -> &Block {
        &self.block
    }

    fn define(&mut self, width: Width) -> Temp {
        let temp = Temp::new(self.block.temps.len() as u32);
        self.block.temps.push(width);
        self.definitions.push(None);
        temp
    }

    /// Adds a computation, or returns an operand that is known to equal it.
    ///
    /// # Panics
    /// If the number of arguments is not that of the operator.
    pub fn compute(&mut self, op: Op, result: Width, arguments: &[Operand]) -> Operand {
        let mut arguments = padded(op, arguments);
        if !self.simplify {
            return self.compute_as_it_is(op, result, arguments);
        }
        let mut widths = [Width::W1; 3];
        for (width, &argument) in widths.iter_mut().zip(&arguments[..op.arity()]) {
            *width = self.width(argument);
        }
        if op.check(result, &widths[..op.arity()]).is_err() {
            return self.compute_as_it_is(op, result, arguments);
        }
        // Canonical argument order for commutative operators, constants last, where the identities expect them.
        let rank = |operand: Operand| (operand.is_constant(), operand);
        if op.is_commutative() && rank(arguments[0]) > rank(arguments[1]) {
            arguments.swap(0, 1);
        }
        if let Some(value) = self.fold(op, result, &arguments[..op.arity()]) {
            return self.constant(value);
        }
        if let Some(simpler) = simplified(self, op, result, arguments) {
            return simpler;
        }
        if self.by_masks
            && let Some(simpler) = without_masked(self, op, result, arguments[0], arguments[1])
        {
            return simpler;
        }
        if let Some(&known) = self.numbered.get(&(op, result, arguments)) {
            return known;
        }
        let operand = self.compute_as_it_is(op, result, arguments);
        self.numbered.insert((op, result, arguments), operand);
        operand
    }

    /// Adds a computation that stays even if an identity makes it a constant.
    ///
    /// # Panics
    /// If the number of arguments is not that of the operator.
    pub fn compute_unfolded(&mut self, op: Op, result: Width, arguments: &[Operand]) -> Operand {
        self.compute_as_it_is(op, result, padded(op, arguments))
    }

    fn fold(&self, op: Op, result: Width, arguments: &[Operand]) -> Option<Bits> {
        if !arguments.iter().all(|argument| argument.is_constant()) {
            return None;
        }
        let values: Option<Vec<Bits>> =
            arguments.iter().map(|&argument| self.value(argument).cloned()).collect();
        Some(op.apply(result, &values?))
    }

    fn compute_as_it_is(&mut self, op: Op, result: Width, arguments: [Operand; 3]) -> Operand {
        let temp = self.define(result);
        self.definitions[temp.index()] = Some((op, arguments));
        self.block.statements.push(Statement::Compute { result: temp, op, arguments });
        temp.into()
    }

    /// Marks the beginning of an instruction whose accesses need not be aligned.
    pub fn instruction(&mut self, address: u64, length: u8) {
        self.aligned_instruction(address, length, 1);
    }

    /// Marks the beginning of an instruction whose accesses must be aligned: see [`Statement::Instruction`].
    pub fn aligned_instruction(&mut self, address: u64, length: u8, alignment: u8) {
        self.block.statements.push(Statement::Instruction { address, length, alignment });
    }

    /// Reads a fixed location.
    pub fn get(&mut self, location: Location, width: Width) -> Operand {
        let result = self.define(width);
        self.block.statements.push(Statement::Get { result, location });
        result.into()
    }

    /// Writes a fixed location.
    pub fn put(&mut self, location: Location, value: Operand) {
        self.block.statements.push(Statement::Put { location, value });
    }

    /// Returns `Err` with the value of a guard that is constant, otherwise the guard to emit.
    fn known_guard(&self, guard: Option<Operand>) -> Result<Option<Operand>, bool> {
        match guard.filter(|_| self.simplify).and_then(|guard| self.value(guard)) {
            Some(value) if value.width() == Width::W1 => Err(!value.is_zero()),
            _ => Ok(guard),
        }
    }

    /// Reads memory at a computed address.
    pub fn load(
        &mut self,
        space: SpaceId,
        address: Operand,
        width: Width,
        guard: Option<Operand>,
    ) -> Operand {
        let guard = match self.known_guard(guard) {
            Err(false) => return self.constant(Bits::zero(width)),
            Err(true) => None,
            Ok(guard) => guard,
        };
        let result = self.define(width);
        self.block.statements.push(Statement::Load { result, space, address, guard });
        result.into()
    }

    /// Writes memory at a computed address.
    pub fn store(&mut self, space: SpaceId, address: Operand, value: Operand, guard: Option<Operand>) {
        let guard = match self.known_guard(guard) {
            Err(false) => return,
            Err(true) => None,
            Ok(guard) => guard,
        };
        self.block.statements.push(Statement::Store { space, address, value, guard });
    }

    /// Invokes a user operation; there is a result if a width is given for it.
    pub fn user(
        &mut self,
        result: Option<Width>,
        operation: u32,
        arguments: &[Operand],
        guard: Option<Operand>,
    ) -> Option<Operand> {
        let guard = match self.known_guard(guard) {
            Err(false) => return result.map(|width| self.constant(Bits::zero(width))),
            Err(true) => None,
            Ok(guard) => guard,
        };
        let start = self.block.argument_pool.len() as u32;
        self.block.argument_pool.extend_from_slice(arguments);
        let arguments = ArgumentRange { start, count: arguments.len() as u32 };
        let result = result.map(|width| self.define(width));
        self.block.statements.push(Statement::User { result, operation, arguments, guard });
        result.map(Operand::temp)
    }

    /// Adds an exit, tried after the earlier ones. An exit that can never be taken is omitted.
    pub fn exit(&mut self, guard: Option<Operand>, kind: ExitKind, target: Target) {
        let decided = self.block.exits.last().is_some_and(|last| last.guard.is_none());
        let guard = match self.known_guard(guard) {
            Err(false) => return,
            Err(true) => None,
            Ok(guard) => guard,
        };
        if !(self.simplify && decided) {
            self.block.exits.push(Exit { guard, kind, target });
        }
    }

    /// Adds an exit even if it can never be taken, so that the indices of exits stay valid.
    pub(crate) fn exit_as_it_is(&mut self, exit: Exit) {
        self.block.exits.push(exit);
    }

    /// Finishes the block; its last instruction ends before the address `end`.
    #[must_use]
    pub fn finish(mut self, end: u64) -> Block {
        self.block.end = end;
        canonical::rebuild(&mut self.block, |_| true);
        self.block
    }
}

impl Algebra for BlockBuilder {
    type Value = Operand;

    fn width(&self, value: Operand) -> Width {
        BlockBuilder::width(self, value)
    }

    fn value(&self, value: Operand) -> Option<Bits> {
        BlockBuilder::value(self, value).cloned()
    }

    fn definition(&self, value: Operand) -> Option<(Op, [Operand; 3])> {
        self.definitions[value.as_temp()?.index()]
    }

    fn constant(&mut self, bits: Bits) -> Operand {
        BlockBuilder::constant(self, bits)
    }

    fn compute(&mut self, op: Op, width: Width, arguments: &[Operand]) -> Operand {
        BlockBuilder::compute(self, op, width, arguments)
    }
}
