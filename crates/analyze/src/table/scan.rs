//! Heuristic scan of jump tables with an unbounded index: reads entries as long as they lead into the jump's own
//! function.
//!
//! Its targets are possible, but the jump stays unresolved.

use super::evaluation::Evaluation;
use super::expression::{Expression, Form, Store};
use super::resolver::{JumpTableResolver, Step};
use super::walk::Walk;
use crate::graph::{BlockId, Evidence};
use everypath_ir::{Algebra, Context, Op, Place, Width};

/// Maximum number of entries in a table.
const ENTRIES: u64 = 1024;
/// Maximum number of entries by which a constant added to the index may have shifted the table address.
const SURPLUS: u64 = 64;
/// Maximum number of paths to try.
const MAX_PATHS: usize = 8;

impl<'p> JumpTableResolver<'_, 'p> {
    /// The targets in the table of a jump.
    pub(super) fn scan(&mut self, block: BlockId) -> Vec<Place> {
        let mut open = vec![vec![Step { block, edge: None }]];
        let mut tried = 0;
        while let Some(path) = open.pop() {
            tried += 1;
            if tried > MAX_PATHS {
                break;
            }
            let Some((walk, target, _)) = self.run(&path) else { continue };
            let flowing = self.flowing(block);
            let found = self.entries(&walk, target, flowing, path[0].block, block);
            if !found.is_empty() {
                return found;
            }
            if !self.is_entry(path[0].block) {
                open.extend(self.longer(&path));
            }
        }
        Vec::new()
    }

    /// Reads the entries of the table that a target is computed from.
    fn entries(
        &mut self,
        walk: &Walk<'p>,
        target: Expression,
        flowing: Context,
        head: BlockId,
        jump: BlockId,
    ) -> Vec<Place> {
        let store = &walk.store;
        let parts = store.all_parts(target);
        let (variants, _) = self.variants(walk, target, head);
        let [known] = variants.as_slice() else { return Vec::new() };
        let leaves: Vec<Expression> = known.iter().map(|(leaf, _)| *leaf).collect();
        for part in parts.iter().copied() {
            let Form::Loaded { address, space, width, .. } = store.form(part) else { continue };
            if *space != self.program.code_space()
                || *width < Width::W16
                || !self.depends_only(store, target, Some(part), &leaves)
            {
                continue;
            }
            let size = width.bytes() as u64;
            let (sum, is_linked) = self.sum(store, *address, known);
            let named = self.base(store, *address, (size, SURPLUS), known);
            // No instruction names a base that comes from a linker-made table: use it, corrected by the constant added
            // to the index.
            let Some(base) = named.or(Some(sum).filter(|_| is_linked)) else { continue };
            let mut skipped = if named.is_some() { 0 } else { SURPLUS };
            let mut found = Vec::new();
            for number in 0..ENTRIES {
                let at = base.wrapping_add(number * size);
                if number > 0 && self.anchors.contains(&at) {
                    break;
                }
                let fixed = self.program.fixed(at, *width).or_else(|| self.program.linked(at, *width));
                let Some(value) = fixed else { break };
                let mut evaluation = Evaluation::new(self.program, store);
                known.iter().for_each(|(leaf, value)| evaluation.set(*leaf, *value));
                evaluation.set(part, value);
                let Some(address) = evaluation.number(target, 0) else { break };
                if !self.program.is_code(address) || !self.is_likely_home(jump, address) {
                    if found.is_empty() && skipped > 0 {
                        skipped -= 1;
                        continue;
                    }
                    break;
                }
                found.push(Place::new(address, flowing));
            }
            // A single entry is not a table.
            if found.len() > 1 {
                return found;
            }
        }
        Vec::new()
    }

    /// The table base: the constant part of an address, or up to `surplus` entries before it, that instructions name.
    pub(super) fn base(
        &self,
        store: &Store,
        address: Expression,
        (size, surplus): (u64, u64),
        known: &[(Expression, u64)],
    ) -> Option<u64> {
        let (sum, _) = self.sum(store, address, known);
        (0..surplus).map(|entry| sum.wrapping_sub(entry * size)).find(|at| self.anchors.contains(at))
    }

    /// The constant part of a sum, and whether it includes a value from a linker-made table.
    fn sum(&self, store: &Store, address: Expression, known: &[(Expression, u64)]) -> (u64, bool) {
        let mut is_linked = false;
        let mut sum = 0_u64;
        let mut stack = vec![address];
        while let Some(term) = stack.pop() {
            if let Some(number) = store.number(term) {
                sum = sum.wrapping_add(number);
            } else if let Some((_, number)) = known.iter().find(|(leaf, _)| *leaf == term) {
                sum = sum.wrapping_add(*number);
            } else if let Form::Computed { op: Op::Add, arguments, .. } = store.form(term) {
                stack.extend(&arguments[..2]);
            } else {
                let mut evaluation = Evaluation::new(self.program, store);
                known.iter().for_each(|(leaf, value)| evaluation.set(*leaf, *value));
                sum = sum.wrapping_add(evaluation.number(term, 0).unwrap_or(0));
                is_linked |= evaluation.by_convention;
            }
        }
        let width = store.width(address);
        let sum = if width < Width::W64 { sum & ((1 << width.bits()) - 1) } else { sum };
        (sum, is_linked)
    }

    /// Returns true if all places seem to be in the function of a block: by the unwind tables or, without them, because
    /// no other function starts between them.
    pub(super) fn are_home(&self, block: BlockId, places: &[Place]) -> bool {
        let jump = self.graph.block(block).place.address;
        if self.program.unwind_range(jump).is_some() {
            return places.iter().all(|place| self.is_home(block, place.address));
        }
        let addresses = || places.iter().map(|place| place.address).chain([jump]);
        let (Some(first), Some(last)) = (addresses().min(), addresses().max()) else { return false };
        let context = Context::default();
        let between = Place::new(first + 1, context)..Place::new(last + 1, context);
        self.entries.range(between).next().is_none()
    }

    /// The labels inside the function of a block: possible targets of a jump about which nothing else is known.
    pub(super) fn labels_at_home(&self, block: BlockId, labels: &[u64]) -> Vec<Place> {
        let Some((start, end)) = self.likely_home(block).filter(|_| self.is_late) else { return Vec::new() };
        let first = labels.partition_point(|label| *label <= start);
        let last = labels.partition_point(|label| *label < end);
        let context = self.flowing(block);
        let labels = labels.get(first..last).unwrap_or_default();
        // A single label is not a table.
        let labels = if labels.len() > 1 { labels } else { &[] };
        let place = |label: &u64| Place::new(self.program.code_place(*label).address, context);
        labels.iter().map(place).collect()
    }

    /// The probable range of a block's function: by the unwind tables or, late in recovery, from one known entry to the
    /// next.
    fn likely_home(&self, block: BlockId) -> Option<(u64, u64)> {
        let address = self.graph.block(block).place.address;
        self.program.likely_range(address).or_else(|| {
            let last = Place { address, part: u16::MAX, context: Context(u128::MAX) };
            let (start, _) = self.entries.range(..=last).next_back().filter(|_| self.is_late)?;
            let (end, _) = self.entries.range(last..).next()?;
            Some((start.address, end.address))
        })
    }

    fn is_likely_home(&self, block: BlockId, address: u64) -> bool {
        if self.program.unwind_range(self.graph.block(block).place.address).is_some() {
            return self.is_home(block, address);
        }
        self.likely_home(block).is_some_and(|(start, end)| (start..end).contains(&address))
    }

    /// Returns true if places seem to be in the function of a block, even if the compiler moved a few of them
    /// elsewhere.
    pub(super) fn are_near(&self, block: BlockId, places: &[Place]) -> bool {
        let home = places.iter().filter(|place| self.is_home(block, place.address)).count();
        self.are_home(block, places)
            || (2 * home >= places.len() && places.iter().all(|place| self.is_near(block, place.address)))
    }

    /// Returns true if an address may be in the function of a block: no function starts there except by the unwind
    /// tables, which also list cold parts of functions.
    pub(super) fn is_near(&self, block: BlockId, address: u64) -> bool {
        let context = self.graph.block(block).place.context;
        self.is_home(block, address)
            || self.program.unwind_range(address).is_some_and(|(start, _)| {
                let evidence = self.entries.get(&Place::new(start, context));
                start != address || evidence.is_none_or(|evidence| *evidence == Evidence::Unwind)
            })
    }

    /// Returns true if the unwind tables place an address in the function of a block.
    pub(super) fn is_home(&self, block: BlockId, address: u64) -> bool {
        let home = self.program.unwind_range(self.graph.block(block).place.address);
        home.is_some() && self.program.unwind_range(address) == home
    }
}
