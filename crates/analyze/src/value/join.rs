//! Join and widening of abstract states.

use super::cells::{Cells, Change};
use super::region::Region;
use super::state::AbstractState;
use super::symbol::Value;
use everypath_ir::{Layout, SpaceId, Width};

impl AbstractState {
    /// Joins another state into this one, widening if thresholds are given. Returns true if this state changed.
    pub(super) fn join(&mut self, other: &AbstractState, layout: &Layout, widen: Option<&[u64]>) -> bool {
        let merge = |a: &Value, b: &Value| match widen {
            _ if a == b => a.clone(),
            Some(thresholds) => a.widen(b, thresholds),
            None => a.join(b),
        };
        let mut result = self.clone();
        let mut changed = result.havoc.join(&other.havoc);
        let spaces = (0..layout.spaces.len() as u8).map(SpaceId);
        for region in spaces.flat_map(|space| [Region::Fixed(space), Region::Stack(space)]) {
            let read = |state: &AbstractState, offset, width| state.read(layout, region, offset, width);
            let is_dropped = |first, last| result.havoc.covers(region, first, last);
            let sides = [self.cells.get(region), other.cells.get(region)];
            if let Some(cells) = join_cells(sides, [self, other], read, merge, is_dropped) {
                result.cells.insert(region, cells);
                changed = true;
            }
        }
        if changed && widen.is_some_and(<[u64]>::is_empty) {
            result.widen_shape(self);
            changed = result != *self;
        }
        if changed {
            *self = result;
        }
        changed
    }

    /// Sets every value that differs from an earlier state to unknown.
    pub(super) fn havoc_changed(&mut self, before: &AbstractState) {
        for (region, cells) in self.cells.iter_mut() {
            let before = before.cells.get(region);
            let is_as_before =
                |offset, value: &Value| before.and_then(|before| before.starting_at(offset)) == Some(value);
            cells.change(|offset, value| match is_as_before(offset, value) {
                true => Change::Keep,
                false => Change::Havoc,
            });
        }
    }

    /// Widens the shape of a state: havocs a whole region if it has new cells or larger havocked ranges than before.
    fn widen_shape(&mut self, before: &AbstractState) {
        for (region, cells) in self.cells.iter_mut() {
            let known = before.cells.get(region);
            let is_new = |offset: u64| known.is_none_or(|known| known.starting_at(offset).is_none());
            if cells.iter().any(|(offset, _)| is_new(offset)) {
                self.havoc.insert_region(region);
                cells.change(|offset, _| if is_new(offset) { Change::Remove } else { Change::Keep });
            }
        }
        self.havoc.widen(&before.havoc);
    }
}

/// Joins the cells of two states, split at the boundaries of either. Returns `None` if the result equals the first.
///
/// Drops unknown values where `is_dropped` (first and last byte) tells that the location is unknown without an entry.
fn join_cells(
    cells: [Option<&Cells>; 2],
    [first, second]: [&AbstractState; 2],
    read: impl Fn(&AbstractState, u64, Width) -> Value,
    merge: impl Fn(&Value, &Value) -> Value,
    is_dropped: impl Fn(u64, u64) -> bool,
) -> Option<Cells> {
    if let [Some(a), Some(b)] = cells
        && a.is_shared(b)
    {
        return None;
    }
    let end = |(start, value): &(u64, &Value)| start.saturating_add(value.width().bytes() as u64);
    let [mut a, mut b] = cells.map(|cells| cells.into_iter().flat_map(Cells::iter).peekable());
    let mut joined = Vec::new();
    let mut changed = false;
    let mut from = 0;
    loop {
        while a.next_if(|cell| end(cell) <= from).is_some() {}
        while b.next_if(|cell| end(cell) <= from).is_some() {}
        let sides = [a.peek().copied(), b.peek().copied()];
        let Some(first_start) = sides.iter().flatten().map(|(start, _)| *start).min() else { break };
        from = first_start.max(from);
        let edge = |cell: &(u64, &Value)| if cell.0 > from { cell.0 } else { end(cell) };
        let until = sides.iter().flatten().map(edge).min().unwrap_or(from);
        let Some(width) = until.checked_sub(from).and_then(|size| Width::of_bytes(size as usize)) else {
            break;
        };
        let [one, other] = sides.map(|cell| cell.filter(|cell| cell.0 == from && end(cell) == until));
        let held = one.map_or_else(|| read(first, from, width), |(_, value)| value.clone());
        let value = match other {
            Some((_, other)) => merge(&held, other),
            None => merge(&held, &read(second, from, width)),
        };
        let is_unknown = value.is_unknown() && is_dropped(from, until - 1);
        // If the first state has no entry here, its implicit value is exact, unless an entry covers only part of the
        // bytes.
        let is_absent = sides[0].is_none_or(|(start, _)| start > from);
        let is_kept = one.is_some() || (is_absent && (!value.is_unknown() || is_unknown));
        changed |= value != held || !is_kept;
        if !is_unknown {
            joined.push((from, value));
        }
        from = until;
    }
    changed.then(|| joined.into_iter().collect())
}

#[cfg(test)]
mod checks {
    use super::*;
    use crate::domain::Number;
    use everypath_lift::Library;

    /// A cell that reaches from a dead frame into a live one is unknown in both. A join may drop it only if all its
    /// bytes are havocked, or the live part would count as unchanged since the entry.
    #[test]
    fn a_join_keeps_an_unknown_cell_that_reaches_above_dead_frames() {
        let architecture = Library::built_in().load("x86-64").expect("an architecture");
        let layout = architecture.layout();
        let space =
            SpaceId(layout.spaces.iter().position(|space| space.name == "ram").expect("memory") as u8);
        let mut state = AbstractState::default();
        state.set_stack(layout, space, -4, Value::plain(Number::one(Width::W64, 7)));
        state.havoc_below(0);
        let mut other = state.clone();
        other.set_stack(layout, space, 16, Value::plain(Number::one(Width::W64, 1)));
        assert!(state.join(&other, layout, None));
        assert!(state.stack(layout, space, 0, Width::W32).is_unknown());
        assert!(state.stack(layout, space, -4, Width::W32).is_unknown());
        assert!(state.stack(layout, space, 4, Width::W32).is_entry().is_some());
    }
}
