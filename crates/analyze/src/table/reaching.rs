//! Reaching constants: a demand-driven backward search for the definitions that reach a register or stack slot.
//!
//! Compilers compute a table's address once, far before the jumps that use it, and keep it in a register.

use super::evaluation::Evaluation;
use super::expression::{Expression, Form, PARTS};
use super::resolver::JumpTableResolver;
use super::storage::{Reaching, StorageLocation};
use super::walk::{Stored, Walk, wrapped};
use crate::graph::{BlockId, Edge, EdgeKind, Evidence};
use everypath_ir::{Block, Location, Statement, Width};
use rustc_hash::FxHashSet;
use std::collections::BTreeSet;

/// Maximum number of constants that may reach a location.
const VALUES: usize = 16;
/// Maximum number of blocks to visit backward.
const BLOCKS: usize = 4096;
/// Maximum length of a chain of definitions.
const DEPTH: u32 = 8;

impl<'p> JumpTableResolver<'_, 'p> {
    /// Assignments of reaching constants to the initial values that a target depends on. Correlations are unknown, so
    /// at most one of them may have several constants.
    pub(super) fn variants(
        &mut self,
        walk: &Walk<'p>,
        target: Expression,
        head: BlockId,
    ) -> (Vec<Vec<(Expression, u64)>>, bool) {
        let mut variants = vec![Vec::new()];
        let mut by_convention = false;
        for (part, holder) in self.holders(walk, target, head, 0) {
            let Some(values) = holder.and_then(|holder| self.reaching(head, holder, 0)) else { continue };
            if values.values.is_empty() || (values.values.len() > 1 && variants.len() > 1) {
                continue;
            }
            if let Some(longer) = with_each(&variants, part, &values.values) {
                variants = longer;
                by_convention |= values.by_convention;
            }
        }
        (variants, by_convention)
    }

    /// The initial values that an expression depends on, each with the location that held it; `None` if that cannot be
    /// determined.
    pub(super) fn holders(
        &mut self,
        walk: &Walk<'p>,
        whole: Expression,
        head: BlockId,
        depth: u32,
    ) -> Vec<(Expression, Option<StorageLocation>)> {
        let store = &walk.store;
        let mut seen = vec![whole];
        let mut next = 0;
        let mut found = Vec::new();
        while let Some(part) = seen.get(next).copied() {
            next += 1;
            match store.form(part) {
                Form::Initial { location, width, epoch: 0 } => {
                    let holder = StorageLocation {
                        register: *location,
                        register_width: *width,
                        offset: None,
                        width: *width,
                    };
                    found.push((part, Some(holder).filter(|_| *width <= Width::W64)));
                }
                Form::Initial { .. } | Form::Unknown(..) => found.push((part, None)),
                form => {
                    // Memory relative to a constant base is not a stack slot.
                    if let Some(holder) = self.slot(walk, form)
                        && self.reaching(head, holder.register(), depth + 1).is_none()
                    {
                        found.push((part, Some(holder)));
                        continue;
                    }
                    for inner in store.parts(part) {
                        if seen.len() < PARTS && store.number(inner).is_none() && !seen.contains(&inner) {
                            seen.push(inner);
                        }
                    }
                }
            }
        }
        found
    }

    /// The stack slot that a load reads, if no store of the path changed it.
    fn slot(&self, walk: &Walk<'p>, form: &Form) -> Option<StorageLocation> {
        let Form::Loaded { space, address, width, version } = form else { return None };
        if *space != self.program.code_space() || version >> 16 != 0 || *width > Width::W64 {
            return None;
        }
        let (Some(base), offset) = walk.store.split(*address) else { return None };
        let Form::Initial { location, width: whole, epoch: 0 } = walk.store.form(base) else { return None };
        let is_kept = self.program.is_preserved(*location, *whole);
        (is_kept && walk.stored(*location, offset, *width) == Stored::Nothing).then_some(StorageLocation {
            register: *location,
            register_width: *whole,
            offset: Some(offset),
            width: *width,
        })
    }

    /// The constants that a location can hold at the start of a block; `None` if anything else reaches it.
    pub(super) fn reaching(
        &mut self,
        head: BlockId,
        holder: StorageLocation,
        depth: u32,
    ) -> Option<Reaching> {
        let key = (head, holder);
        if let Some(known) = self.reached.get(&key) {
            return known.clone();
        }
        // A definition that depends on itself is unknown.
        self.reached.insert(key, None);
        let found = if depth > DEPTH { None } else { self.definitions(head, holder, depth) };
        self.reached.insert(key, found.clone());
        found
    }

    /// Searches backward through blocks that preserve a location for those that define it.
    fn definitions(&mut self, head: BlockId, holder: StorageLocation, depth: u32) -> Option<Reaching> {
        let mut found = Reaching { values: BTreeSet::new(), by_convention: holder.offset.is_some() };
        let mut passed: FxHashSet<(BlockId, Option<u64>)> = FxHashSet::default();
        let mut open = vec![(head, holder.offset)];
        while let Some((block, offset)) = open.pop() {
            if !passed.insert((block, offset)) {
                continue;
            }
            if passed.len() > BLOCKS {
                return None;
            }
            let is_entry = self.is_entry(block);
            let is_part = is_entry && self.is_outlined(block);
            if is_entry && !is_part {
                // By convention, a function may receive its own address.
                let is_given = offset.is_none() && self.holds_function(holder);
                found.values.insert(Some(self.graph.block(block).place.address).filter(|_| is_given)?);
                found.by_convention = true;
                continue;
            }
            if self.may_be_entered(block) {
                return None;
            }
            let graph = self.graph;
            let mut reached = false;
            let leads_here =
                |edge: &&Edge| edge.kind.is_inside() || (is_part && edge.kind == EdgeKind::TailCall);
            for edge in graph.predecessors(block).filter(leads_here) {
                reached = true;
                found.by_convention |= is_part;
                if edge.kind.is_call_continuation() {
                    if !self.program.is_preserved(holder.register, holder.register_width) {
                        return None;
                    }
                    found.by_convention = true;
                }
                let offset = if edge.kind.is_call_continuation() {
                    self.before_return(holder, offset)
                } else {
                    offset
                };
                match self.before(edge.from, StorageLocation { offset, ..holder }, depth)? {
                    Before::Held { offset, by_convention } => {
                        found.by_convention |= by_convention;
                        open.push((edge.from, offset));
                    }
                    Before::Put(values) => {
                        found.by_convention |= values.by_convention;
                        found.values.extend(values.values);
                    }
                }
                if found.values.len() > VALUES {
                    return None;
                }
            }
            if !reached {
                return None;
            }
        }
        Some(found)
    }

    /// The offset of a stack slot before a return, if the return pops its address off the stack.
    fn before_return(&self, holder: StorageLocation, offset: Option<u64>) -> Option<u64> {
        let base = (holder.register, holder.register_width);
        match self.program.return_pop() {
            Some((stack, whole, popped)) if (stack, whole) == base => {
                offset.map(|offset| wrapped(offset.wrapping_add(popped), whole))
            }
            _ => offset,
        }
    }

    /// Returns true if a block seems to start a cold part that the compiler split off a function: the unwind tables
    /// list it as a function, but it is reached only by jumps.
    fn is_outlined(&self, block: BlockId) -> bool {
        let evidence = self.entries.get(&self.graph.block(block).place);
        let mut before = self.graph.predecessors(block).peekable();
        evidence == Some(&Evidence::Unwind)
            && before.peek().is_some()
            && before.all(|edge| matches!(edge.kind, EdgeKind::TailCall | EdgeKind::Jump))
    }

    /// The definition of a location's value at the end of a block.
    fn before(&mut self, block: BlockId, holder: StorageLocation, depth: u32) -> Option<Before> {
        let lifted = self.block(block)?;
        let stores = lifted.statements.iter().any(|statement| matches!(statement, Statement::Store { .. }));
        let has_effects = lifted.statements.iter().any(|statement| self.program.has_side_effects(statement));
        let StorageLocation { register, register_width, offset, width } = holder;
        let is_kept = !changes(&lifted, register, register_width)
            && (!has_effects || self.program.is_preserved(register, register_width));
        if is_kept && (offset.is_none() || !stores && !has_effects) {
            return Some(Before::Held { offset, by_convention: has_effects });
        }
        let mut walk = match self.effects.remove(&block) {
            Some(walk) => walk,
            None => {
                let mut walk = Walk::start(self.program);
                self.pass(&mut walk, block)?;
                walk
            }
        };
        let endian = self.program.architecture().layout()[register.space].endian;
        let held = walk.get_place(register, register_width, endian);
        let before = match offset {
            None => self.constants(&walk, block, held, depth).map(Before::Put),
            Some(offset) => match walk.store.split(held) {
                (Some(base), distance)
                    if !walk.has_havocked()
                        && walk.store.form(base) == &walk.initial_form(register, register_width) =>
                {
                    let offset = wrapped(offset.wrapping_add(distance), register_width);
                    match walk.stored(register, offset, width) {
                        Stored::Nothing => {
                            Some(Before::Held { offset: Some(offset), by_convention: walk.by_convention })
                        }
                        Stored::Value(value) => self.constants(&walk, block, value, depth).map(Before::Put),
                        Stored::Unclear => None,
                    }
                }
                _ => None,
            },
        };
        self.effects.insert(block, walk);
        before
    }

    /// The constants that an expression over the initial values of a block can have.
    fn constants(
        &mut self,
        walk: &Walk<'p>,
        block: BlockId,
        whole: Expression,
        depth: u32,
    ) -> Option<Reaching> {
        let mut found = Reaching { values: BTreeSet::new(), by_convention: walk.by_convention };
        let mut variants: Vec<Vec<(Expression, u64)>> = vec![Vec::new()];
        for (leaf, holder) in self.holders(walk, whole, block, depth) {
            let values = self.reaching(block, holder?, depth + 1)?;
            found.by_convention |= values.by_convention;
            variants = with_each(&variants, leaf, &values.values)?;
        }
        for variant in variants {
            let mut evaluation = Evaluation::new(self.program, &walk.store);
            for (leaf, value) in variant {
                evaluation.set(leaf, value);
            }
            found.values.insert(evaluation.number(whole, 0)?);
            found.by_convention |= evaluation.by_convention;
        }
        Some(found)
    }

    /// Returns true if, by convention, the register holds the function's own address at its entry.
    fn holds_function(&self, holder: StorageLocation) -> bool {
        let architecture = self.program.architecture();
        let name = architecture.description().call.as_ref().and_then(|call| call.function_address.as_deref());
        name.and_then(|name| architecture.register(name)) == Some((holder.register, holder.register_width))
    }
}

/// Origin of a location's value at the end of a block.
enum Before {
    /// Preserved by the block; for a stack slot, the offset at the block's start. By convention, if an operation with side effects
    /// is in the block.
    Held { offset: Option<u64>, by_convention: bool },
    /// Defined by the block.
    Put(Reaching),
}

/// The product of some variants with the values of one more leaf; `None` if too large.
fn with_each(
    variants: &[Vec<(Expression, u64)>],
    leaf: Expression,
    values: &BTreeSet<u64>,
) -> Option<Vec<Vec<(Expression, u64)>>> {
    let all: Vec<_> = variants
        .iter()
        .flat_map(|variant| {
            values.iter().map(|value| {
                let mut longer = variant.clone();
                longer.push((leaf, *value));
                longer
            })
        })
        .collect();
    (all.len() <= VALUES).then_some(all)
}

/// Returns true if a block writes any byte of a location.
fn changes(block: &Block, location: Location, width: Width) -> bool {
    let size = width.bytes() as u64;
    block.statements.iter().any(|statement| match statement {
        Statement::Put { location: put, value } => {
            let written = block.width(*value).bytes() as u64;
            put.space == location.space
                && (location.offset.wrapping_sub(put.offset) < written
                    || put.offset.wrapping_sub(location.offset) < size)
        }
        Statement::Store { space, .. } => *space == location.space,
        _ => false,
    })
}
