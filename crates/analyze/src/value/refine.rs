//! Refines a state by branch conditions: constraint propagation backward, then forward, through the steps of a block,
//! as in HC4 (Benhamou et al. 1999).

use super::slot_aliases::{AbstractLocation, SlotAliases};
use super::state::AbstractState;
use super::symbol::Value;
use crate::domain::Number;
use everypath_ir::{Layout, Op, Width};
use everypath_machine::{Computation, ReadyBlock, Step};
use rustc_hash::FxHashMap;

/// Maximum number of conditions up to which disjunctions are split into cases.
const CONDITIONS: usize = 6;

/// Refined values of slots.
type Known = FxHashMap<u32, Number>;

/// Refines the state after a block by conditions that hold or fail as given. Returns `None` if they are unsatisfiable.
pub(super) fn refine(
    state: &AbstractState,
    layout: &Layout,
    ready: &ReadyBlock<Value>,
    held: &SlotAliases,
    conditions: &[(u32, bool)],
) -> Option<AbstractState> {
    let mut known = Known::default();
    for (slot, holds) in conditions {
        if !learn(&mut known, &ready.values, *slot, &Number::one(Width::W1, u64::from(*holds))) {
            return None;
        }
    }
    for step in ready.steps.iter().rev() {
        if let Step::Compute(computation) = step
            && let Some(result) = known.get(&computation.result).cloned()
            && !backward(computation, &result, &ready.values, &mut known)
        {
            return None;
        }
    }
    if let Some([first, second]) = cases(ready, &known).filter(|_| conditions.len() < CONDITIONS) {
        let either = [&[first][..], &[(first.0, !first.1), second]].map(|more| {
            let conditions: Vec<(u32, bool)> = conditions.iter().chain(more).copied().collect();
            refine(state, layout, ready, held, &conditions)
        });
        return match either {
            [Some(mut one), Some(other)] => {
                one.join(&other, layout, None);
                Some(one)
            }
            [one, other] => one.or(other),
        };
    }
    // Forward pass: recompute results of refined arguments.
    for step in &ready.steps {
        if let Step::Compute(computation) = step
            && let Some(result) = forward(computation, &ready.values, &known)
            && !learn(&mut known, &ready.values, computation.result, &result)
        {
            return None;
        }
    }
    let mut state = state.clone();
    for (location, slot) in held.iter() {
        let Some(number) = known.get(&slot) else { continue };
        let width = number.width();
        let before = match location {
            AbstractLocation::Place(location) => state.place(layout, location, width),
            AbstractLocation::Stack(space, at) => state.stack(layout, space, at, width),
        };
        if before.width() != width {
            continue;
        }
        // Keep a symbolic entry value: it tells a caller more than a set of numbers.
        if before.base.is_some() {
            continue;
        }
        let value = Value::plain(before.number.meet(number)?);
        match location {
            AbstractLocation::Place(location) => state.set_place(layout, location, value),
            AbstractLocation::Stack(space, at) => state.set_stack(layout, space, at, value),
        }
    }
    Some(state)
}

/// The two cases of the first undecided disjunction, such as "below or equal".
fn cases(ready: &ReadyBlock<Value>, known: &Known) -> Option<[(u32, bool); 2]> {
    let open = |slot: u32| number(known, &ready.values, slot).is_some_and(|number| number.single().is_none());
    ready.steps.iter().find_map(|step| {
        let Step::Compute(computation) = step else { return None };
        let holds = known.get(&computation.result)?.single()? == 1;
        let [a, b, _] = computation.arguments;
        let is_choice = matches!((computation.op, holds), (Op::Or, true) | (Op::And, false));
        let is_one_bit = computation.result_width == Width::W1;
        (is_choice && is_one_bit && open(a) && open(b)).then_some([(a, holds), (b, holds)])
    })
}

/// The refined number of a slot; `None` if its value is relative to a symbol and not refined.
fn number<'n>(known: &'n Known, values: &'n [Value], slot: u32) -> Option<&'n Number> {
    let value = &values[slot as usize];
    known.get(&slot).or_else(|| value.base.is_none().then_some(&value.number))
}

/// Intersects a slot's number with `new`. Returns false if the result is empty.
fn learn(known: &mut Known, values: &[Value], slot: u32, new: &Number) -> bool {
    let Some(before) = number(known, values, slot) else {
        known.insert(slot, new.clone());
        return true;
    };
    match before.meet(new) {
        None => false,
        Some(both) if both == *before => true,
        Some(both) => {
            known.insert(slot, both);
            true
        }
    }
}

/// Refines the arguments of a computation by its result. Returns false if no arguments give that result.
fn backward(computation: &Computation, result: &Number, values: &[Value], known: &mut Known) -> bool {
    let slots = &computation.arguments[..computation.op.arity()];
    let arguments: Option<Vec<Number>> =
        slots.iter().map(|slot| number(known, values, *slot).cloned()).collect();
    let Some(arguments) = arguments else {
        return relative(computation, result, values, known);
    };
    match Number::arguments(computation.op, computation.result_width, result, &arguments) {
        None => false,
        Some(refined) => {
            slots.iter().zip(&refined).all(|(slot, refined)| learn(known, values, *slot, refined))
        }
    }
}

/// The same with symbolic arguments: only an equality refines them.
fn relative(computation: &Computation, result: &Number, values: &[Value], known: &mut Known) -> bool {
    let equal = matches!((computation.op, result.single()), (Op::Eq, Some(1)) | (Op::Ne, Some(0)));
    if !equal {
        return true;
    }
    let [a, b, _] = computation.arguments;
    let (first, second) = (number(known, values, a).cloned(), number(known, values, b).cloned());
    match (first, second) {
        (Some(number), None) => learn(known, values, b, &number),
        (None, Some(number)) => learn(known, values, a, &number),
        _ => true,
    }
}

/// Recomputes the result of a computation if an argument was refined.
fn forward(computation: &Computation, values: &[Value], known: &Known) -> Option<Number> {
    let slots = &computation.arguments[..computation.op.arity()];
    if !slots.iter().any(|slot| known.contains_key(slot)) {
        return None;
    }
    let arguments: Vec<Number> =
        slots.iter().map(|slot| number(known, values, *slot).cloned()).collect::<Option<_>>()?;
    Some(Number::apply(computation.op, computation.result_width, &arguments))
}
