//! Backward proof trimming, as in DRAT-trim (Wetzler, Heule and Hunt 2014): keeps only the steps that the empty clause
//! depends on.

use std::collections::HashMap;

use super::{Proof, ProofStep};

/// The trimmed proof, numbered without gaps after the `originals` original clauses, with each derived clause deleted
/// after its last use.
///
/// A hint that names no clause is dropped; the checker will then reject the step.
pub(super) fn trim(originals: usize, steps: Vec<Derived>) -> Proof {
    let Some(end) = steps.iter().position(|step| step.literals.is_empty()) else { return Proof::default() };
    let places: HashMap<u64, usize> =
        steps[..=end].iter().enumerate().map(|(place, step)| (step.id, place)).collect();
    // Backwards from the empty clause: the last use of each step.
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
        proof.steps.push(ProofStep::Add { id: next, literals: step.literals, hints: hints.collect() });
        numbers.insert(step.id, next);
        if last > place {
            dying[last].push(next);
        }
        next += 1;
        let ids = std::mem::take(&mut dying[place]);
        if place < end && !ids.is_empty() {
            proof.steps.push(ProofStep::Delete { ids });
        }
    }
    proof
}

/// A derived clause as the solver reports it.
pub(super) struct Derived {
    pub(super) id: u64,
    pub(super) literals: Vec<i32>,
    pub(super) antecedents: Vec<Antecedent>,
}

/// An antecedent of a derived clause.
pub(super) enum Antecedent {
    /// An original clause, counted from one.
    Original(u64),
    /// A derived clause, by the solver's number.
    Derived(u64),
}
