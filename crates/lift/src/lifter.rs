//! The lifter: shared state of one architecture, and a session for each thread.

use crate::architecture::Architecture;
use crate::code::Code;
use crate::translate::{
    After, InstructionView, NotLifted, Parts, Translator, Unsupported, branch_target, check,
};
use everypath_ir::{Block, Context, Observers, Place, eliminate_dead};
use everypath_sleigh::{self as sleigh, BadInstruction, Decoder, Opcode, Operation};
use std::sync::Arc;

/// The number of bytes fetched for one instruction: itself, its delay slots, and the instruction after it.
pub(crate) const FETCH: usize = 64;

/// Options of the lifter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// The maximum number of instructions in a block.
    pub instructions: usize,
    /// The observation points that dead-code elimination must respect; `None` disables it.
    pub observers: Option<Observers>,
}

impl Default for Options {
    fn default() -> Self {
        Self { instructions: 64, observers: Some(Observers::Overwritten) }
    }
}

/// Lifts the instructions of one architecture. Cheap to clone; share it between threads.
#[derive(Clone, Debug)]
pub struct Lifter {
    architecture: Arc<Architecture>,
    options: Options,
}

impl Lifter {
    /// A lifter with the default options.
    pub fn new(architecture: Arc<Architecture>) -> Self {
        Self { architecture, options: Options::default() }
    }

    /// A lifter with other options.
    #[must_use]
    pub fn with_options(self, options: Options) -> Self {
        Self { options, ..self }
    }

    /// The options.
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// The architecture.
    pub fn architecture(&self) -> &Arc<Architecture> {
        &self.architecture
    }

    /// A session, which holds the scratch memory of one thread.
    pub fn session(&self) -> LiftSession<'_> {
        let default = sleigh::DecodingContext(self.architecture.default_context().0);
        LiftSession { lifter: self, decoder: self.architecture.specification().decoder_from(default) }
    }
}

/// One thread's use of a [`Lifter`].
#[derive(Debug)]
pub struct LiftSession<'l> {
    lifter: &'l Lifter,
    decoder: Decoder<'l>,
}

impl<'l> LiftSession<'l> {
    /// The lifter that this is a session of.
    pub fn lifter(&self) -> &'l Lifter {
        self.lifter
    }

    /// Decodes one instruction, without lifting it.
    pub fn decode(
        &mut self,
        code: &dyn Code,
        address: u64,
        context: Context,
    ) -> Result<sleigh::Instruction<'_>, BadInstruction> {
        if !self.lifter.architecture.has_instructions(context) {
            return Err(BadInstruction::NoMatch);
        }
        let mut buffer = [0; FETCH];
        let available = code.read(address, &mut buffer);
        self.decoder.decode(&buffer[..available], address, sleigh::DecodingContext(context.0))
    }

    /// Lifts the block that starts at a place.
    ///
    /// # Errors
    /// If the first instruction cannot be lifted; a later instruction that cannot be lifted ends the block before it.
    pub fn block(&mut self, code: &dyn Code, place: Place) -> Result<Block, NotLifted> {
        self.block_until(code, place, |_| false)
    }

    /// Lifts the block that starts at a place and ends it before the first later instruction for which `stop` holds.
    ///
    /// # Errors
    /// As of [`LiftSession::block`].
    pub fn block_until(
        &mut self,
        code: &dyn Code,
        place: Place,
        stop: impl Fn(Place) -> bool,
    ) -> Result<Block, NotLifted> {
        self.lift(code, place, stop, &mut Vec::new())
    }

    /// Lifts a block as [`LiftSession::block`] does, and lists the instructions that may branch when lifted alone, even
    /// where constant folding in the block decides them: those with a conditional branch, an indirect jump or call, or
    /// a return.
    ///
    /// # Errors
    /// As of [`LiftSession::block`].
    pub fn block_and_branches(
        &mut self,
        code: &dyn Code,
        place: Place,
    ) -> Result<(Block, Vec<Place>), NotLifted> {
        let mut branches = Vec::new();
        let block = self.lift(code, place, |_| false, &mut branches)?;
        Ok((block, branches.into_iter().map(|branch| branch.place).collect()))
    }

    /// Lifts a block as [`LiftSession::block_until`] does, but ends it before a branch that constant folding decides:
    /// the other direction is possible where something jumps to that branch.
    ///
    /// # Errors
    /// As of [`LiftSession::block`].
    pub fn block_with_all_branches(
        &mut self,
        code: &dyn Code,
        place: Place,
        stop: impl Fn(Place) -> bool,
    ) -> Result<Block, NotLifted> {
        let mut branches = Vec::new();
        let block = self.lift(code, place, &stop, &mut branches)?;
        for branch in branches
            .into_iter()
            .filter(|branch| branch.kind == BranchKind::Conditional && branch.place != place)
        {
            // The last instruction has the exits of the block; any other one only falls through.
            let last = block.end == branch.end;
            let exits = if last { block.exits.len() } else { 1 };
            let alone = self.block_until(code, branch.place, |_| true)?;
            if alone.exits.len() > exits {
                return self.block_until(code, place, |next| next == branch.place || stop(next));
            }
        }
        Ok(block)
    }

    /// Lifts a block, and collects the instructions that may branch.
    fn lift(
        &mut self,
        code: &dyn Code,
        place: Place,
        stop: impl Fn(Place) -> bool,
        branches: &mut Vec<BranchAt>,
    ) -> Result<Block, NotLifted> {
        let Options { instructions, observers } = self.lifter.options;
        let architecture = &*self.lifter.architecture;
        let unsupported =
            Unsupported { opcode: Opcode::Branch, reason: "the code space is not one of memory" };
        let mut translator =
            Translator::new(architecture, place).ok_or(NotLifted::Unsupported(unsupported))?;
        let mut at = place;
        let mut block = None;
        for number in 0..instructions.max(1) {
            match self.add(&mut translator, code, at, number == 0) {
                Err(why) if number == 0 => return Err(why),
                Err(_) | Ok(None) => break,
                Ok(Some(Added { after, end, branch })) => {
                    branches.extend(branch.map(|kind| BranchAt { place: at, end, kind }));
                    match after {
                        After::End => {
                            block = Some(end);
                            break;
                        }
                        After::Next(next) => at = next,
                    }
                }
            }
            if stop(at) {
                break;
            }
        }
        let mut block = match block {
            Some(end) => translator.finish(end),
            None => translator.fall(at),
        };
        if let Some(observers) = observers {
            eliminate_dead(&mut block, architecture.layout(), observers);
        }
        Ok(block)
    }

    /// Adds the instruction at a place to a block; returns `None` if it must start its own block.
    fn add(
        &mut self,
        translator: &mut Translator<'_>,
        code: &dyn Code,
        place: Place,
        first: bool,
    ) -> Result<Option<Added>, NotLifted> {
        let architecture = &*self.lifter.architecture;
        let specification = architecture.specification();
        let instruction = self.decode(code, place.address, place.context)?;
        let operations: Vec<Operation<'_>> = instruction.operations().collect();
        for operation in &operations {
            check(specification, operation).map_err(NotLifted::Unsupported)?;
        }
        let Some(parts) = Parts::split(instruction.operations()) else {
            let reason = "it branches out of its instruction";
            return Err(NotLifted::Unsupported(Unsupported { opcode: Opcode::Branch, reason }));
        };
        if parts.count() > 1 && !first {
            return Ok(None);
        }
        if usize::from(place.part) >= parts.count() {
            return Err(NotLifted::NoSuchPart);
        }
        let marks: Vec<(u64, u32)> =
            std::iter::once((place.address, instruction.length())).chain(instruction.delay_slots()).collect();
        let end = place.address.wrapping_add(u64::from(instruction.full_length()));
        let is_access = |operation: &Operation<'_>| matches!(operation.opcode, Opcode::Load | Opcode::Store);
        let accesses = operations.iter().any(is_access);
        let view = InstructionView {
            address: place.address,
            end: specification.space(specification.default_space()).wrap(end),
            context: place.context,
            marks: &marks,
            alignment: if accesses { architecture.alignment_of(|| instruction.mnemonic()) } else { 1 },
            operations: &operations,
            commits: instruction.commits(),
            parts: &parts,
        };
        let branch = branch_of(&operations);
        // A later instruction is lifted alone where its branches count: the front of the block may have made them constants.
        let keeps_branches = first && branch == Some(BranchKind::Conditional);
        let after = translator.add(&view, usize::from(place.part), keeps_branches);
        Ok(Some(Added { after, end: view.end, branch }))
    }
}

/// The kind of branch that an instruction may have, before anything is folded.
#[derive(Clone, Copy, PartialEq, Eq)]
enum BranchKind {
    /// An indirect jump or call, or a return, without a condition.
    Indirect,
    /// A transfer of control under a condition.
    Conditional,
}

/// The branch of an instruction, if it may have one. A conditional branch to the next instruction is one, and so is one
/// back to the instruction's own start; a condition that only skips operations of the instruction is none.
fn branch_of(operations: &[Operation<'_>]) -> Option<BranchKind> {
    let has = |opcodes: &[Opcode]| operations.iter().any(|operation| opcodes.contains(&operation.opcode));
    let leaves = operations.iter().enumerate().any(|(position, operation)| {
        let is_direct = matches!(operation.opcode, Opcode::Branch | Opcode::ConditionalBranch);
        let target = branch_target(operation, position, operations.len());
        is_direct && !matches!(target, Some(Ok(target)) if target > position)
    });
    let indirect = has(&[Opcode::BranchIndirect, Opcode::CallIndirect, Opcode::Return]);
    if has(&[Opcode::ConditionalBranch]) && (leaves || indirect || has(&[Opcode::Call])) {
        return Some(BranchKind::Conditional);
    }
    indirect.then_some(BranchKind::Indirect)
}

/// An instruction that was added to a block.
struct Added {
    after: After,
    /// The address after it.
    end: u64,
    /// Its branch, if it may have one.
    branch: Option<BranchKind>,
}

/// An instruction that may branch.
struct BranchAt {
    place: Place,
    /// The address after it.
    end: u64,
    kind: BranchKind,
}
