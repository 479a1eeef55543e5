//! The verifier of blocks and layouts, which states the invariants of the intermediate representation.

use std::collections::HashSet;

use crate::{
    Block, ExitKind, InvalidBlock, Layout, Location, Operand, OperandKind, Position, Problem, Space, SpaceId,
    SpaceKind, Statement, Target, Width, is_plain_name,
};

/// Checks a block against its layout. Code that uses a verified block need not check widths and operands again.
///
/// - Temporaries are defined once, before their use, in the order of their numbers, and all of them are defined.
/// - The operators allow the widths; a guard has one bit; a value in a space has whole bytes.
/// - Spaces and user operations are in the layout. A fixed location begins within its space and, in registers, also
///   ends within it; an address is not wider than those of its space.
/// - There is at least one exit; the last exit has no guard, every other has one; a fall-through exit has a known
///   target.
///
/// # Errors
/// All violations.
pub fn verify(layout: &Layout, block: &Block) -> Result<(), Vec<InvalidBlock>> {
    let mut check = Check { layout, block, defined: 0, position: Position::Block, faults: Vec::new() };
    check.space(block.space);
    for (index, statement) in block.statements.iter().enumerate() {
        check.position = Position::Statement(index);
        check.statement(statement);
    }
    check.position = Position::Block;
    if check.defined < block.temps.len() {
        check.fault(Problem::Undefined { number: check.defined });
    }
    check.exits();
    if check.faults.is_empty() { Ok(()) } else { Err(check.faults) }
}

/// Checks a layout: names are plain and used once, and addresses have at most 64 bits.
///
/// # Errors
/// All violations.
pub fn verify_layout(layout: &Layout) -> Result<(), Vec<InvalidBlock>> {
    let mut faults = Vec::new();
    let mut names = HashSet::new();
    for (index, space) in layout.spaces.iter().enumerate() {
        let mut fault = |problem| faults.push(InvalidBlock { position: Position::Space(index), problem });
        if !is_plain_name(&space.name) || !names.insert(&space.name) {
            fault(Problem::Name(space.name.clone()));
        }
        if space.address > Width::W64 || space.unit == 0 {
            fault(Problem::SpaceShape);
        }
        if index == 256 {
            fault(Problem::TooManySpaces);
        }
    }
    let mut names = HashSet::new();
    for (index, name) in layout.user_operations.iter().enumerate() {
        if !is_plain_name(name) || !names.insert(name) {
            let problem = Problem::Name(name.clone());
            faults.push(InvalidBlock { position: Position::UserOperation(index), problem });
        }
    }
    if faults.is_empty() { Ok(()) } else { Err(faults) }
}

struct Check<'a> {
    layout: &'a Layout,
    block: &'a Block,
    /// The number of temporaries defined so far.
    defined: usize,
    position: Position,
    faults: Vec<InvalidBlock>,
}

impl<'a> Check<'a> {
    fn fault(&mut self, problem: Problem) {
        self.faults.push(InvalidBlock { position: self.position, problem });
    }

    fn space(&mut self, id: SpaceId) -> Option<&'a Space> {
        let space = self.layout.space(id);
        if space.is_none() {
            self.fault(Problem::UnknownSpace(id));
        }
        space
    }

    /// The width of an operand that is defined at this point; otherwise reports it.
    fn operand(&mut self, operand: Operand) -> Option<Width> {
        let width = match operand.kind() {
            OperandKind::Temp(temp) if temp.index() >= self.defined => None,
            _ => self.block.find_width(operand),
        };
        if width.is_none() {
            self.fault(Problem::Unknown(operand));
        }
        width
    }

    fn guard(&mut self, guard: Option<Operand>) {
        if let Some(width) = guard.and_then(|guard| self.operand(guard))
            && width != Width::W1
        {
            self.fault(Problem::Guard(width));
        }
    }

    fn whole_bytes(&mut self, width: Option<Width>) {
        if let Some(width) = width.filter(|width| !width.is_whole_bytes()) {
            self.fault(Problem::PartOfByte(width));
        }
    }

    fn location(&mut self, location: Location, width: Option<Width>) {
        self.whole_bytes(width);
        let Some(space) = self.space(location.space) else { return };
        // A memory access may wrap around the end of the space; a register access may not.
        let length = match space.kind {
            SpaceKind::Memory => 1,
            SpaceKind::Register | SpaceKind::Temporary => width.map_or(1, Width::bytes),
        };
        let size = space.size();
        if u128::from(location.offset) + length as u128 > size {
            self.fault(Problem::OutsideSpace { offset: location.offset, size });
        }
    }

    fn address(&mut self, space: SpaceId, address: Operand) {
        let (space, found) = (self.space(space), self.operand(address));
        let (Some(space), Some(found)) = (space, found) else { return };
        // Most operands have whole bytes, so the limit is rounded up.
        let limit = space.offset_width().bits().next_multiple_of(8);
        if found.bits() > limit {
            self.fault(Problem::Address { found, limit });
        }
    }

    fn statement(&mut self, statement: &Statement) {
        let block = self.block;
        let result = statement.result().and_then(|temp| block.temps.get(temp.index()).copied());
        match *statement {
            Statement::Instruction { .. } => {}
            Statement::Compute { op, arguments, .. } => {
                for &filler in &arguments[op.arity()..] {
                    if filler != Operand::FILLER {
                        self.fault(Problem::NotFiller(filler));
                    }
                }
                let arguments = &arguments[..op.arity()];
                let widths: Vec<Width> =
                    arguments.iter().filter_map(|&argument| self.operand(argument)).collect();
                // A missing width has already been reported.
                if let Some(result) = result.filter(|_| widths.len() == op.arity())
                    && let Err(error) = op.check(result, &widths)
                {
                    self.fault(Problem::Widths(error));
                }
            }
            Statement::Get { location, .. } => self.location(location, result),
            Statement::Put { location, value } => {
                let width = self.operand(value);
                self.location(location, width);
            }
            Statement::Load { space, address, guard, .. } => {
                self.whole_bytes(result);
                self.address(space, address);
                self.guard(guard);
            }
            Statement::Store { space, address, value, guard } => {
                self.address(space, address);
                let width = self.operand(value);
                self.whole_bytes(width);
                self.guard(guard);
            }
            Statement::User { operation, arguments, guard, .. } => {
                if operation as usize >= self.layout.user_operations.len() {
                    self.fault(Problem::UnknownUserOperation(operation));
                }
                let end = arguments.start as usize + arguments.count as usize;
                match block.argument_pool.get(arguments.start as usize..end) {
                    Some(arguments) => arguments.iter().for_each(|&argument| {
                        self.operand(argument);
                    }),
                    None => self.fault(Problem::OutsidePool),
                }
                self.guard(guard);
            }
        }
        if let Some(found) = statement.result() {
            if found.index() != self.defined || result.is_none() {
                self.fault(Problem::DefinedOutOfOrder { found, due: self.defined });
            }
            self.defined += 1;
        }
    }

    fn exits(&mut self) {
        let block = self.block;
        if block.exits.is_empty() {
            self.fault(Problem::NoExit);
        }
        for (index, exit) in block.exits.iter().enumerate() {
            self.position = Position::Exit(index);
            let last = index + 1 == block.exits.len();
            if exit.guard.is_none() != last {
                self.fault(Problem::ExitGuard { last });
            }
            self.guard(exit.guard);
            if let Target::Computed { address, .. } = exit.target {
                self.address(block.space, address);
                if exit.kind == ExitKind::Fall {
                    self.fault(Problem::ComputedTarget(exit.kind));
                }
            }
        }
    }
}
