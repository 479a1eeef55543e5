//! Enumerates the targets of an indirect exit along one path: chooses the table index among the parts of the target
//! expression, and evaluates the target for each of its values.

use super::bounds::IndexBounds;
use super::evaluation::Evaluation;
use super::expression::{Expression, Form, Store};
use super::resolver::{BY_WIDTH, BoundHeuristic, JumpTableResolver, PathTargets};
use super::walk::Walk;
use crate::graph::{BlockId, UnresolvedReason};
use everypath_ir::{Algebra, Context, Location, Place, Width};

/// Assignments to leaves of an expression.
type Assignment = Vec<(Expression, u64)>;

/// The part of a target expression whose values select the targets.
#[derive(Clone, Copy)]
struct TableIndex {
    part: Expression,
    bounds: IndexBounds,
    /// Number of values within the bounds.
    count: u64,
}

/// The target expression of a jump along one path, with the path's conditions and constants; the index is chosen later.
struct Premises<'e> {
    target: Expression,
    conditions: &'e [(Expression, bool)],
    /// Constants that conditions depend on.
    given: Assignment,
    given_by_convention: bool,
    /// Alternative constants that reach the path's first block.
    variants: Vec<Assignment>,
    /// Registers that select the decoding context of the target.
    modes: Vec<(Location, Expression)>,
    flowing: Context,
    jump: BlockId,
}

/// The targets for all values of an index.
#[derive(Default)]
struct Enumerated {
    found: Vec<Place>,
    /// An address outside the file may belong to another file or to the operating system.
    outside: Vec<Place>,
    /// True if values were left out by a heuristic.
    is_cut: bool,
    /// True if the calling convention was needed.
    by_convention: bool,
}

impl<'p> JumpTableResolver<'_, 'p> {
    /// The targets that an expression denotes under a path condition.
    pub(super) fn targets(
        &mut self,
        walk: &mut Walk<'p>,
        target: Expression,
        conditions: &[(Expression, bool)],
        flowing: Context,
        (head, jump): (BlockId, BlockId),
    ) -> Result<PathTargets, UnresolvedReason> {
        let modes = self.modes(walk, conditions);
        let parts = walk.store.all_parts(target);
        let (variants, by_convention) = self.variants(walk, target, head);
        let known: Vec<Expression> = variants[0].iter().map(|(leaf, _)| *leaf).collect();
        let Some(index) = self.index(&walk.store, target, &parts, conditions, &known) else {
            // The table index may be loaded again on a longer path, where it is compared.
            let is_looked_up = parts.iter().any(|part| self.is_table(&walk.store, *part));
            let is_final = !is_looked_up && self.is_variable(&walk.store, target);
            return Err(if is_final { UnresolvedReason::Writable } else { UnresolvedReason::Unbounded });
        };
        let (given, given_by_convention) = self.given(walk, conditions, head);
        let is_self_contained = known.is_empty() && given.is_empty();
        let store = &walk.store;
        let premises =
            Premises { target, conditions, given, given_by_convention, variants, modes, flowing, jump };
        let tables = innermost_tables(store, &parts, index.part);
        let mut enumerated = self.enumerate(store, &premises, index, &tables)?;
        let by_convention =
            by_convention || walk.by_convention || enumerated.is_cut || enumerated.by_convention;
        let by_convention = by_convention.then_some(UnresolvedReason::Convention);
        let is_read = self.is_variable(store, index.part).then_some(UnresolvedReason::Writable);
        let is_outside = (!enumerated.outside.is_empty()).then_some(UnresolvedReason::Outside);
        if enumerated.found.is_empty() && enumerated.outside.len() == 1 {
            enumerated.found = enumerated.outside;
        }
        let reason = by_convention.or(is_read).or(is_outside);
        Ok(PathTargets { targets: enumerated.found, reason, is_self_contained })
    }

    /// The registers that select the decoding context of the target, with their expressions at the jump.
    fn modes(&self, walk: &mut Walk<'p>, conditions: &[(Expression, bool)]) -> Vec<(Location, Expression)> {
        let architecture = self.program.architecture();
        let registers = architecture.description().modes.iter();
        let registers = registers.filter_map(|mode| architecture.register(mode.source.register.as_ref()?));
        registers
            .filter_map(|(location, width)| {
                let held = walk.held(location, width)?;
                Some((location, walk.store.assuming(held, conditions)))
            })
            .collect()
    }

    /// The part with the fewest values on which the target depends, besides known constants.
    fn index(
        &self,
        store: &Store,
        target: Expression,
        parts: &[Expression],
        conditions: &[(Expression, bool)],
        known: &[Expression],
    ) -> Option<TableIndex> {
        // A target that known constants determine needs no index.
        if !known.is_empty() && self.depends_only(store, target, None, known) {
            let bounds = store.range(store.fixed_part(), 0);
            return Some(TableIndex { count: 1, part: store.fixed_part(), bounds });
        }
        let mut best: Option<TableIndex> = None;
        for part in parts.iter().copied() {
            if store.width(part) > Width::W64 || !self.depends_only(store, target, Some(part), known) {
                continue;
            }
            let range = store.range(part, 0);
            let implied =
                conditions.iter().map(|(condition, holds)| store.bounds(*condition, *holds, part, 0));
            let bounds = implied.fold(range, IndexBounds::and);
            let Some(count) = bounds.count() else { continue };
            // A part that only its own form bounds is an index only if it is masked or, as a last resort, narrow.
            let by_form = bounds == range && count > 1;
            let choices = 1_u64.checked_shl(store.mask(part).count_ones()).unwrap_or(count).min(count);
            let is_masked = store.is_masked(part) && choices < BY_WIDTH;
            let by_width =
                self.heuristic == BoundHeuristic::Width && count <= BY_WIDTH && !self.is_table(store, part);
            if by_form && !is_masked && !by_width {
                continue;
            }
            if count <= self.max_targets && best.is_none_or(|best| count < best.count) {
                best = Some(TableIndex { count, part, bounds });
            }
        }
        best
    }

    /// Evaluates the target for each value of the index.
    fn enumerate(
        &self,
        store: &Store,
        premises: &Premises<'_>,
        index: TableIndex,
        tables: &[(Expression, u64)],
    ) -> Result<Enumerated, UnresolvedReason> {
        let Premises { target, conditions, jump, .. } = *premises;
        let TableIndex { part, bounds, count } = index;
        let mut all = Enumerated::default();
        let mask = store.mask(part);
        let numbers = (0..count).map(|distance| bounds.low + distance).filter(|number| number & !mask == 0);
        let is_compared = bounds != store.range(part, 0);
        // Number of targets before what seems to be the next table.
        let mut before = None;
        let variants = &premises.variants;
        for (number, variant) in
            numbers.flat_map(|number| variants.iter().map(move |variant| (number, variant)))
        {
            let mut evaluation = Evaluation::new(self.program, store);
            premises.given.iter().chain(variant).for_each(|(leaf, value)| evaluation.set(*leaf, *value));
            evaluation.set(part, number);
            // A table ends where another begins, even if its bound is larger; no entry is before its base.
            let places = tables.iter().filter_map(|(address, size)| {
                let at = evaluation.number(*address, 0)?;
                Some((at, self.base(store, *address, (*size, 1), variant)?))
            });
            let places: Vec<(u64, u64)> = places.collect();
            if places.iter().any(|(at, base)| at < base) {
                all.is_cut = true;
                continue;
            }
            let begins = |(at, base): &(u64, u64)| base != at && self.anchors.contains(at);
            if number > bounds.low && before.is_none() && places.iter().any(begins) {
                if !is_compared {
                    all.is_cut = true;
                    break;
                }
                before = Some(all.found.len());
            }
            let impossible = |(condition, holds): &(Expression, bool)| {
                evaluation.number(*condition, 0).is_some_and(|number| (number == 1) != *holds)
            };
            // An index excluded only by convention may still occur.
            if conditions.iter().any(impossible) {
                all.by_convention |= evaluation.by_convention || premises.given_by_convention;
                continue;
            }
            let Some(address) = evaluation.number(target, 0) else { return Err(UnresolvedReason::Unbounded) };
            all.by_convention |= evaluation.by_convention;
            let context = self.context(&mut evaluation, premises);
            // A mask often allows more than the table has: stop where entries leave the function.
            let leaves = |first: &Place| self.is_home(jump, first.address) && !self.is_near(jump, address);
            if !is_compared && all.found.first().is_some_and(leaves) {
                all.is_cut = true;
                break;
            }
            if self.program.is_code(address) {
                all.found.push(Place::new(address, context));
            } else if self.program.may_execute_elsewhere(address) {
                all.outside.push(Place::new(address, context));
            }
        }
        // Other code may name an address inside this table: cut there only if later entries leave the function.
        if let Some(before) = before.filter(|before| !self.are_home(jump, &all.found[*before..])) {
            all.found.truncate(before);
            all.is_cut = true;
        }
        Ok(all)
    }

    /// The decoding context of a target, by the registers that select it.
    fn context(&self, evaluation: &mut Evaluation<'_>, premises: &Premises<'_>) -> Context {
        let modes = premises.modes.iter();
        let read: Option<Vec<(Location, u64)>> =
            modes.map(|(at, mode)| Some((*at, evaluation.number(*mode, 0)?))).collect();
        match read {
            Some(read) if !read.is_empty() => {
                self.program.architecture().computed_context(premises.flowing, |location, _| {
                    read.iter().find(|(at, _)| *at == location).map_or(0, |(_, number)| *number)
                })
            }
            _ => premises.flowing,
        }
    }

    /// Constants at the start of a path that its conditions depend on: a loop over constants ends somewhere.
    fn given(
        &mut self,
        walk: &Walk<'p>,
        conditions: &[(Expression, bool)],
        head: BlockId,
    ) -> (Vec<(Expression, u64)>, bool) {
        let mut given = Vec::new();
        let mut by_convention = false;
        for (condition, _) in conditions {
            for (part, holder) in self.holders(walk, *condition, head, 0) {
                let values = holder.and_then(|holder| self.reaching(head, holder, 0));
                if let Some(values) = values.filter(|values| values.values.len() == 1) {
                    by_convention |= values.by_convention;
                    given.extend(values.values.first().map(|value| (part, *value)));
                }
            }
        }
        (given, by_convention)
    }
}

/// The load addresses that use an index directly, not through another load, with the size of each entry.
fn innermost_tables(store: &Store, parts: &[Expression], index: Expression) -> Vec<(Expression, u64)> {
    let is_loaded = |part: &Expression| *part != index && matches!(store.form(*part), Form::Loaded { .. });
    let addresses = parts.iter().filter_map(|part| match store.form(*part) {
        Form::Loaded { address, width, .. } if *part != index => Some((*address, width.bytes() as u64)),
        _ => None,
    });
    addresses
        .filter(|(address, _)| {
            let inner = store.all_parts(*address);
            inner.contains(&index)
                && !inner.iter().any(|part| is_loaded(part) && store.all_parts(*part).contains(&index))
        })
        .collect()
}
