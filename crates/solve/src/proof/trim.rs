//! Leaving out of a proof what its end does not need.

use std::collections::HashMap;

use super::{Proof, Step};

/// The proof with only the steps that the empty clause depends on, numbered without gaps behind the `originals`
/// clauses to begin with, and each derived clause deleted after its last use.
///
/// A hint that names no clause stays away; the checker will then refuse the step.
pub(super) fn trim(originals: usize, steps: Vec<Derived>) -> Proof {
    let Some(end) = steps.iter().position(|step| step.literals.is_empty()) else { return Proof::default() };
    let places: HashMap<u64, usize> =
        steps[..=end].iter().enumerate().map(|(place, step)| (step.id, place)).collect();
    // Counted from the end: where each step is needed for the last time.
    let mut last_use = vec![None; end + 1];
    last_use[end] = Some(end);
    for place in (0..=end).rev() {
        if last_use[place].is_none() {
            continue;
        }
        for antecedent in &steps[place].antecedents {
            if let Antecedent::Derived(id) = antecedent
                && let Some(&used) = places.get(id)
            {
                last_use[used].get_or_insert(place);
            }
        }
    }
    let mut dying: Vec<Vec<u64>> = vec![Vec::new(); end + 1];
    let mut numbers: HashMap<u64, u64> = HashMap::new();
    let mut next = originals as u64 + 1;
    let mut proof = Proof::default();
    for (place, step) in steps.into_iter().enumerate().take(end + 1) {
        let Some(last) = last_use[place] else { continue };
        let hints = step.antecedents.iter().filter_map(|antecedent| match antecedent {
            Antecedent::Original(number) => Some(*number),
            Antecedent::Derived(id) => numbers.get(id).copied(),
        });
        proof.steps.push(Step::Add { id: next, literals: step.literals, hints: hints.collect() });
        numbers.insert(step.id, next);
        if last > place {
            dying[last].push(next);
        }
        next += 1;
        let ids = std::mem::take(&mut dying[place]);
        if place < end && !ids.is_empty() {
            proof.steps.push(Step::Delete { ids });
        }
    }
    proof
}

/// A derived clause as the solver states it.
pub(super) struct Derived {
    pub(super) id: u64,
    pub(super) literals: Vec<i32>,
    pub(super) antecedents: Vec<Antecedent>,
}

/// A clause from which another follows.
pub(super) enum Antecedent {
    /// One of the clauses to begin with, counted from one.
    Original(u64),
    /// A derived one, by the solver's number.
    Derived(u64),
}
