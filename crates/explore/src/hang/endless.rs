//! Proof of non-termination by a lasso or a recurrent set: a path, with the input of its model, never leaves the loop that it is in.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use everypath_ir::{Location, Place};
use everypath_machine::State;
use everypath_term::Evaluation;

use crate::hang::candidate::{Description, candidates};
use crate::hang::iteration::{LoopContext, differing_bytes, iterate, make_concrete};
use crate::hang::recurrent::{Prover, Transition};
use crate::hang::variables::{LoopWord, Variables, name_of};
use crate::path::task::Task;
use crate::queries::Queries;

/// Maximum number of bytes that an iteration changes.
const VARIABLES: usize = 96;
/// Maximum number of times that variables are added: those that depend on variables change with them.
const ROUNDS: usize = 6;
/// Maximum number of iterations after which a lasso comes back to its state, and of their instructions.
const PERIOD: usize = 256;
const PERIOD_INSTRUCTIONS: u64 = 20_000;
/// Maximum number of invariants in a message.
const SHOWN: usize = 3;

/// A proof that a loop is never left.
pub(crate) struct NonTerminationProof {
    /// The concrete state at its head of which that was shown.
    pub(crate) start: State,
    /// Number of instructions of an iteration.
    pub(crate) instructions: u64,
    /// The invariants at its head; none if each iteration leads back to the same state.
    invariants: Vec<String>,
    is_lasso: bool,
}

impl NonTerminationProof {
    /// The proof in one sentence.
    pub(crate) fn explain(&self) -> String {
        let count = self.instructions;
        let instructions = if count == 1 { "instruction" } else { "instructions" };
        let mut text = format!("the program never ends: the loop of {count} {instructions} ");
        if self.is_lasso {
            text.push_str("comes back to the same state, and reads nothing");
            return text;
        }
        text.push_str("that begins here is never left");
        let (shown, others) = self.invariants.split_at(self.invariants.len().min(SHOWN));
        if !shown.is_empty() {
            text.push_str(&format!(", because at its head always {}", shown.join(", ")));
        }
        if !others.is_empty() {
            text.push_str(&format!(" and {} more", others.len()));
        }
        text
    }
}

/// Why a loop was not proved endless.
pub(crate) struct NoProof {
    /// The bytes that its iterations change, as far as they are known.
    pub(crate) changed: BTreeSet<Location>,
}

/// Proves that a path, which is at the head of a loop, stays in it for ever with the input of its model.
pub(crate) fn prove_nontermination(
    context: &mut LoopContext<'_, '_>,
    queries: &mut Queries,
    stop: &Arc<AtomicBool>,
    task: &mut Task,
) -> Result<NonTerminationProof, NoProof> {
    let mut changed = BTreeSet::new();
    let proof = prove(context, queries, stop, task, &mut changed);
    proof.ok_or(NoProof { changed })
}

fn prove(
    context: &mut LoopContext<'_, '_>,
    queries: &mut Queries,
    stop: &Arc<AtomicBool>,
    task: &mut Task,
    changed: &mut BTreeSet<Location>,
) -> Option<NonTerminationProof> {
    let head = task.at.place;
    let mut start = task.fork();
    make_concrete(&mut start.state);
    let mut first = start.fork();
    iterate(context, &mut first, head)?;
    let instructions = first.instructions - start.instructions;
    *changed = differing_bytes(&start.state, &first.state, VARIABLES)?;
    if changed.is_empty() {
        let (start, invariants) = (start.state.fork(), Vec::new());
        return Some(NonTerminationProof { start, instructions, invariants, is_lasso: true });
    }
    let mut second = first.fork();
    iterate(context, &mut second, head)?;
    changed.extend(differing_bytes(&first.state, &second.state, VARIABLES)?);
    if let Some(instructions) = period(context, &start, second, head) {
        let (start, invariants) = (start.state.fork(), Vec::new());
        return Some(NonTerminationProof { start, instructions, invariants, is_lasso: true });
    }
    for _ in 0..ROUNDS {
        let mut symbolic = start.fork();
        let variables = Variables::put(context.inputs, &mut symbolic, head, changed);
        let mut next = symbolic.fork();
        let guards = iterate(context, &mut next, head)?;
        let differing = differing_bytes(&symbolic.state, &next.state, VARIABLES)?;
        let known = changed.len();
        changed.extend(differing);
        if changed.len() > VARIABLES {
            return None;
        }
        if changed.len() > known {
            continue;
        }
        let after = variables.after(context.inputs, &next);
        let words = variables.words(context.inputs);
        let mut evaluation = Evaluation::new(variables.model);
        let possible = candidates(&mut context.inputs.terms, &mut evaluation, &words, &guards);
        let mut prover = Prover { terms: &mut context.inputs.terms, queries, stop };
        let needed = prover.recurrent_set(&Transition { guards, after }, possible)?;
        let invariants = texts(context, &words, &needed);
        return Some(NonTerminationProof {
            start: start.state.fork(),
            instructions,
            invariants,
            is_lasso: false,
        });
    }
    None
}

/// The number of instructions after which a path that has continued from a concrete state at the head is in that state again, if it
/// comes there soon.
fn period(context: &mut LoopContext<'_, '_>, start: &Task, mut task: Task, head: Place) -> Option<u64> {
    for _ in 0..PERIOD {
        if differing_bytes(&start.state, &task.state, 0).is_some() {
            return Some(task.instructions - start.instructions);
        }
        if task.instructions - start.instructions > PERIOD_INSTRUCTIONS {
            return None;
        }
        iterate(context, &mut task, head)?;
    }
    None
}

/// The invariants in words.
fn texts(context: &LoopContext<'_, '_>, words: &[LoopWord], needed: &[Description]) -> Vec<String> {
    let names: Vec<String> = words.iter().map(|word| name_of(context.inputs, word)).collect();
    needed.iter().filter_map(|what| what.text(&names)).collect()
}
