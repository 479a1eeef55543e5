//! Global dead-store elimination of flags, by backward live-variable analysis over the blocks of a region.
//!
//! Within one block `eliminate_dead` does this. Across blocks it needs the control-flow graph: a comparison sets six
//! flags, the branch behind it reads one, and both successors set all six again.

use crate::region::LiftedRegion;
use everypath_ir::{Block, Layout, Location, Observers, SpaceKind, Statement, Target, eliminate_dead};
use std::collections::BTreeMap;

/// The maximum number of flags: the width of the bit set. No known processor has as many.
const LIMIT: usize = 128;

/// The one-byte registers that some block writes, each with its bit in a set.
struct Flags {
    bits: BTreeMap<Location, u128>,
}

impl Flags {
    fn of(region: &LiftedRegion, layout: &Layout) -> Self {
        let mut bits = BTreeMap::new();
        for block in region.blocks.values() {
            for statement in &block.statements {
                if let Statement::Put { location, value } = statement
                    && layout[location.space].kind == SpaceKind::Register
                    && block.width(*value).bytes() == 1
                    && bits.len() < LIMIT
                {
                    let next = 1 << bits.len();
                    bits.entry(*location).or_insert(next);
                }
            }
        }
        Self { bits }
    }

    /// The flags within a range of bytes.
    fn within(&self, location: Location, size: u64) -> u128 {
        let end = Location { space: location.space, offset: location.offset.saturating_add(size) };
        self.bits.range(location..end).fold(0, |flags, (_, bit)| flags | bit)
    }

    /// Transfer function: the flags that are live at the start of a block if those in `after` are live at its end.
    /// Calls `unread` with the index of each dead write.
    fn before(&self, block: &Block, after: u128, layout: &Layout, mut unread: impl FnMut(usize)) -> u128 {
        let mut read = after;
        for (index, statement) in block.statements.iter().enumerate().rev() {
            match *statement {
                Statement::Put { location, value } => {
                    let size = block.width(value).bytes() as u64;
                    let flags = self.within(location, size);
                    if size == 1 && flags != 0 && read & flags == 0 {
                        unread(index);
                    }
                    read &= !flags;
                }
                Statement::Get { result, location } => {
                    read |= self.within(location, block.temps[result.index()].bytes() as u64);
                }
                // The model of a user operation may read any register.
                Statement::User { .. } => read = u128::MAX,
                Statement::Load { space, .. } if layout[space].kind == SpaceKind::Register => {
                    read = u128::MAX;
                }
                _ => {}
            }
        }
        read
    }
}

impl LiftedRegion {
    /// Removes writes of flags that every successor path overwrites before anything reads them.
    ///
    /// At an exit that leaves the region or is indirect, all flags are live.
    pub(crate) fn drop_unread_flags(&mut self, layout: &Layout) {
        let flags = Flags::of(self, layout);
        let places: Vec<_> = self.blocks.keys().copied().collect();
        let numbers: BTreeMap<_, usize> = places.iter().copied().zip(0..).collect();
        let mut before = vec![0_u128; places.len()];
        let after = |block: &Block, before: &[u128]| {
            block.exits.iter().fold(0, |read, exit| {
                let known = match exit.target {
                    Target::Place(place) => numbers.get(&place).map(|number| before[*number]),
                    Target::Computed { .. } => None,
                };
                read | known.unwrap_or(u128::MAX)
            })
        };
        // The live sets only grow, so the iteration terminates; blocks in reverse address order need few rounds.
        let mut changed = true;
        while changed {
            changed = false;
            for (number, block) in self.blocks.values().enumerate().rev() {
                let read = flags.before(block, after(block, &before), layout, |_| {});
                changed |= read != before[number];
                before[number] = read;
            }
        }
        for block in self.blocks.values_mut() {
            let mut dropped = Vec::new();
            flags.before(block, after(block, &before), layout, |index| dropped.push(index));
            if dropped.is_empty() {
                continue;
            }
            let mut index = 0;
            block.statements.retain(|_| {
                index += 1;
                !dropped.contains(&(index - 1))
            });
            eliminate_dead(block, layout, Observers::Overwritten);
        }
    }
}
