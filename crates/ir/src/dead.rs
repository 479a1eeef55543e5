//! Drops what has no effect: flags that nobody reads are most of what instructions compute.

use crate::{
    Block, Exit, Layout, Location, Operand, Place, SpaceId, SpaceKind, Statement, Target, Width, canonical,
};

/// Who sees registers before the end of a block.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Observers {
    /// Every access to memory may fault, and then all registers are to be right at that point: a register written
    /// before an access stays written, even if it is overwritten after it.
    Precise,
    /// Only the end of the block, and user operations, see registers: whatever is overwritten before goes. After a
    /// fault in the middle of the block some registers have older values than on the processor.
    Overwritten,
}

/// Drops computations and reads of registers whose result nobody uses, and writes of registers that are overwritten
/// before anybody sees them; then renumbers.
///
/// Accesses to spaces of kind [`SpaceKind::Memory`] always stay, as do user operations. A space of kind
/// [`SpaceKind::Temporary`] is not seen after its instruction, unless an exit leads to another part of that.
/// The block must be one that [`crate::verify`] accepts.
pub fn eliminate_dead(block: &mut Block, layout: &Layout, observers: Observers) {
    eliminate_dead_and_plain(block, layout, observers, &|_, _| false);
}

/// The same, with fixed places in memory of which `is_plain` says so treated like registers.
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

/// What is seen of the state at one point of the block, going backwards.
struct Sight<'a> {
    layout: &'a Layout,
    observers: Observers,
    /// Whether nothing but accesses of the block reaches these bytes of memory.
    is_plain: &'a dyn Fn(Location, Width) -> bool,
    /// The temporaries that are used later.
    used: Vec<bool>,
    /// Bytes of registers that are written later and not seen before that.
    unseen: Vec<Range>,
}

/// Bytes of one space, from the first to before the last.
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
        // What is unknown is treated with the greatest care.
        self.layout.space(space).map_or(SpaceKind::Memory, |space| space.kind)
    }

    /// Whether an access to a fixed place has no effect but its value.
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

    /// Whether all these bytes are unseen.
    fn is_unseen(&self, range: Range) -> bool {
        // The unseen ranges are disjoint, so that their shares add up.
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

    /// Takes account of an access somewhere in a space; what is read may be anywhere in it.
    fn access(&mut self, space: SpaceId, reads: bool) {
        let memory = self.kind(space) == SpaceKind::Memory;
        if reads || !memory {
            self.unseen.retain(|unseen| unseen.space != space);
        }
        if memory && self.observers == Observers::Precise {
            self.see_registers();
        }
    }

    /// Takes account of a statement that stays.
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
