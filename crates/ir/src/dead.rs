//! Dead-code elimination by backward liveness (Aho et al., *Compilers*, 2nd ed., 9.2.5), for temporaries and for bytes
//! of registers.
//!
//! Most of what a lifted instruction computes are flags that no later instruction reads.

use crate::{
    Block, Exit, Layout, Location, Operand, Place, SpaceId, SpaceKind, Statement, Target, Width, canonical,
};

/// The points inside a block at which registers are observable.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Observers {
    /// Precise exceptions: every memory access may fault, and all registers must be right at that point. A register
    /// that is written before an access stays written, even if it is overwritten after it.
    Precise,
    /// Registers are observable at the end of the block and at user operations only; overwritten values are removed.
    /// After a fault inside the block, some registers have older values than on the processor.
    Overwritten,
}

/// Removes computations and register reads whose result is unused, and register writes that are overwritten before they
/// are observable; then renumbers.
///
/// Accesses to spaces of kind [`SpaceKind::Memory`] and user operations are always kept. A space of kind
/// [`SpaceKind::Temporary`] is dead after its instruction, unless an exit leads to another part of that instruction.
/// [`crate::verify`] must accept the block.
pub fn eliminate_dead(block: &mut Block, layout: &Layout, observers: Observers) {
    eliminate_dead_and_plain(block, layout, observers, &|_, _| false);
}

/// The same, but fixed memory locations for which `is_plain` holds are treated like registers.
pub(crate) fn eliminate_dead_and_plain(
    block: &mut Block,
    layout: &Layout,
    observers: Observers,
    is_plain: &dyn Fn(Location, Width) -> bool,
) {
    let (used, unseen) = (vec![false; block.temps.len()], Vec::new());
    let mut sight = Sight { layout, observers, is_plain, used, unseen };
    for exit in &mut block.exits {
        exit.for_each_operand(|operand| sight.mark(*operand));
    }
    let goes_on_inside = |exit: &Exit| matches!(exit.target, Target::Place(Place { part: 1.., .. }));
    if !block.exits.iter().any(goes_on_inside) {
        sight.lose_temporaries();
    }
    let mut keep = vec![false; block.statements.len()];
    for (index, statement) in block.statements.iter().enumerate().rev() {
        keep[index] = sight.is_needed(block, statement);
        if keep[index] {
            sight.go_before(block, *statement);
        }
    }
    canonical::rebuild(block, |index| keep[index]);
}

/// The liveness facts at one point of the block; the analysis proceeds backwards.
struct Sight<'a> {
    layout: &'a Layout,
    observers: Observers,
    /// Returns true if these bytes of memory have no side effects and only this block accesses them.
    is_plain: &'a dyn Fn(Location, Width) -> bool,
    /// The live temporaries.
    used: Vec<bool>,
    /// Dead bytes: overwritten later and not observable before that. The ranges are disjoint.
    unseen: Vec<Range>,
}

/// A half-open range of bytes in one space.
#[derive(Clone, Copy)]
struct Range {
    space: SpaceId,
    start: u128,
    end: u128,
}

impl Range {
    fn new(location: Location, width: Width) -> Range {
        let start = u128::from(location.offset);
        Range { space: location.space, start, end: start + width.bytes() as u128 }
    }

    fn overlaps(&self, other: &Range) -> bool {
        self.space == other.space && self.start < other.end && other.start < self.end
    }
}

impl Sight<'_> {
    fn kind(&self, space: SpaceId) -> SpaceKind {
        // An unknown space is treated as memory, the conservative choice.
        self.layout.space(space).map_or(SpaceKind::Memory, |space| space.kind)
    }

    /// Whether an access to a fixed location has no side effect.
    fn is_quiet(&self, location: Location, width: Width) -> bool {
        self.kind(location.space) != SpaceKind::Memory || (self.is_plain)(location, width)
    }

    fn mark(&mut self, operand: Operand) {
        if let Some(temp) = operand.as_temp() {
            self.used[temp.index()] = true;
        }
    }

    fn is_needed(&self, block: &Block, statement: &Statement) -> bool {
        match *statement {
            Statement::Instruction { .. } | Statement::Store { .. } | Statement::User { .. } => true,
            Statement::Compute { result, .. } => self.used[result.index()],
            Statement::Get { result, location } => {
                self.used[result.index()] || !self.is_quiet(location, block.temps[result.index()])
            }
            Statement::Load { result, space, .. } => {
                self.used[result.index()] || self.kind(space) == SpaceKind::Memory
            }
            Statement::Put { location, value } => {
                let width = block.width(value);
                !self.is_quiet(location, width)
                    || self.layout.watched.contains(&location)
                    || !self.is_unseen(Range::new(location, width))
            }
        }
    }

    /// Whether all these bytes are dead.
    fn is_unseen(&self, range: Range) -> bool {
        // The dead ranges are disjoint, so the lengths of their overlaps add up.
        let share = |unseen: &Range| unseen.end.min(range.end) - unseen.start.max(range.start);
        let shares = self.unseen.iter().filter(|unseen| unseen.overlaps(&range)).map(share);
        shares.sum::<u128>() == range.end - range.start
    }

    fn see(&mut self, seen: Range) {
        let mut pieces = Vec::new();
        self.unseen.retain(|unseen| {
            if !unseen.overlaps(&seen) {
                return true;
            }
            pieces.push(Range { end: seen.start, ..*unseen });
            pieces.push(Range { start: seen.end, ..*unseen });
            false
        });
        self.unseen.extend(pieces.into_iter().filter(|piece| piece.start < piece.end));
    }

    fn overwrite(&mut self, range: Range) {
        self.see(range);
        self.unseen.push(range);
    }

    fn see_registers(&mut self) {
        let layout = self.layout;
        self.unseen.retain(|unseen| {
            layout.space(unseen.space).is_some_and(|space| space.kind == SpaceKind::Temporary)
        });
    }

    fn lose_temporaries(&mut self) {
        for (index, space) in self.layout.spaces.iter().enumerate() {
            if space.kind == SpaceKind::Temporary
                && let Ok(index) = u8::try_from(index)
            {
                self.overwrite(Range { space: SpaceId(index), start: 0, end: 1 << 64 });
            }
        }
    }

    /// Transfer function of an access at an unknown address in a space: a read may observe every byte of it.
    fn access(&mut self, space: SpaceId, reads: bool) {
        let memory = self.kind(space) == SpaceKind::Memory;
        if reads || !memory {
            self.unseen.retain(|unseen| unseen.space != space);
        }
        if memory && self.observers == Observers::Precise {
            self.see_registers();
        }
    }

    /// Transfer function of a statement that is kept.
    fn go_before(&mut self, block: &Block, mut statement: Statement) {
        match statement {
            Statement::Instruction { .. } => self.lose_temporaries(),
            Statement::Compute { .. } => {}
            Statement::Get { result, location } => {
                let width = block.temps[result.index()];
                if self.is_quiet(location, width) {
                    self.see(Range::new(location, width));
                } else {
                    self.access(location.space, true);
                }
            }
            Statement::Put { location, value } => {
                let width = block.width(value);
                if self.is_quiet(location, width) {
                    self.overwrite(Range::new(location, width));
                } else {
                    self.access(location.space, false);
                }
            }
            Statement::Load { space, .. } => self.access(space, true),
            Statement::Store { space, .. } => self.access(space, false),
            Statement::User { arguments, .. } => {
                self.unseen.clear();
                for &argument in block.pooled(arguments) {
                    self.mark(argument);
                }
            }
        }
        statement.for_each_operand(|operand| self.mark(*operand));
    }
}
