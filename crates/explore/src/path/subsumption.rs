//! Subsumption (as in TracerX: Jaffar, Murali, Navas and Santosa 2012) of a path by an earlier state of its own: whether that state *includes* the one that the path has come to.
//!
//! A program that polls a status register, or that never ends, comes back to the head of its loop with the same state but
//! for what it has read since. Whatever such a path can show, it can show from the earlier state in fewer steps, so that a
//! shortest path to anything never comes back like this, and the path ends here. Nothing is lost by that, except if every
//! path is wanted.
//!
//! Reads are numbered, so both states name different inputs. `renaming` maps reads before the earlier state to reads after
//! it, by the number of reads between both states. The earlier state includes the later one if, for this renaming,
//! - every byte of the later state is the renamed byte of the earlier one, and
//! - every condition of the earlier path, renamed, is one of the later path.
//!
//! Then each model of the later path gives one of the earlier path: a renamed input takes the value of its image, any other
//! its own, and the reads after the earlier state, which nothing constrains, take the values of those after the later one.
//! In a directed search, both must also have passed the same points of targets.
//! So the program continues in the same manner, and what it shows is shown in fewer steps; by induction on their number,
//! nothing is shown only after states that were dropped.

use std::ops::ControlFlow;
use std::rc::Rc;

use everypath_environment::World;
use everypath_ir::{Location, Width};
use everypath_machine::{State, TermByte};
use everypath_term::{Input, Term};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::path::ancestors::{Ancestor, Visit};
use crate::path::inputs::SymbolicInputs;
use crate::path::task::Task;

/// The terms of symbolic bytes in which two states differ, in the earlier and in the later one.
type DifferingTerms = FxHashMap<Location, (Term, Term)>;

/// How a path repeats itself, and what it waits for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Repetition {
    pub(crate) kind: RepetitionKind,
    /// The memory that something besides the program may write, and which the path has read since its earlier state.
    pub(crate) awaited: Vec<Location>,
}

/// How a path repeats itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RepetitionKind {
    /// It has read input since its earlier state.
    Polls,
    /// It has read nothing: it waits for what no input does, or does the same forever.
    Waits,
    /// It was interrupted, and is back where it was.
    Returns,
}

/// A path at the head of a loop.
pub(crate) enum AtHead {
    /// It repeats itself.
    Repeats(Repetition),
    /// It has gone round for long, in ever new states, and has decided on input since its last visit: it polls, and counts
    /// meanwhile.
    PollsAndCounts,
    /// It does something else.
    Progresses,
}

/// Number of visits of a head in a row at which a path that polls and counts is noticed for the first time. It is again at
/// each doubling. Loops over the bytes of a message, which are to be explored as they are, are shorter.
const MANY_VISITS: u64 = 64;

/// Classifies a path at the head of a loop by its earlier visits, and keeps its state to compare later visits with.
pub(crate) fn visit_head(inputs: &mut SymbolicInputs<'_>, task: &mut Task) -> AtHead {
    if task.is_merged() {
        // Its conditions are not those of its earlier states, and more.
        return AtHead::Progresses;
    }
    let visit = task.ancestors.visit(task.at.place);
    for left in task.ancestors.left(task.at.place) {
        if differing_terms(left, task).is_some_and(|differing| includes(inputs, left, task, &differing)) {
            return AtHead::Repeats(Repetition { kind: RepetitionKind::Returns, awaited: Vec::new() });
        }
    }
    let Visit { ancestor, last, is_compared, is_kept, in_a_row } = visit;
    let has_read_since = |earlier: &Rc<Ancestor>| earlier.progress != task.progress;
    let before = last.as_ref().or(ancestor.as_ref().map(|(ancestor, _)| ancestor));
    let has_read = before.is_some_and(has_read_since);
    let has_decided = before.is_some_and(|before| before.path_condition.len() < task.path_condition.len());
    // A loop that reads nothing does the same each time.
    let ancestor = ancestor.filter(|(ancestor, is_next)| *is_next || has_read_since(ancestor));
    let last = last.filter(has_read_since);
    for earlier in ancestor.map(|(ancestor, _)| ancestor).into_iter().chain(last).filter(|_| is_compared) {
        let Some(differing) = differing_terms(&earlier, task) else { continue };
        if includes(inputs, &earlier, task, &differing) {
            let has_read = earlier.progress.reads != task.progress.reads;
            let kind = if has_read { RepetitionKind::Polls } else { RepetitionKind::Waits };
            let awaited = task.progress.changing_since(&earlier.progress).collect();
            return AtHead::Repeats(Repetition { kind, awaited });
        }
        task.ancestors.compared_in_vain();
    }
    if is_kept {
        let ancestor = state_of(task);
        task.ancestors.keep(task.at.place, ancestor);
    } else if has_read {
        let last = state_of(task);
        task.ancestors.keep_last(last);
    }
    let is_long = in_a_row >= MANY_VISITS && in_a_row.is_power_of_two();
    if is_long && has_read && has_decided { AtHead::PollsAndCounts } else { AtHead::Progresses }
}

/// The state of a path where it is, to compare later ones with.
pub(crate) fn state_of(task: &mut Task) -> Ancestor {
    Ancestor {
        state: task.state.fork(),
        progress: task.progress.clone(),
        path_condition: task.path_condition.clone(),
        oracles: task.oracles.fork(),
        objects: task.used.objects.clone(),
        target_progress: task.target_progress,
    }
}

/// Whether an earlier state of a path includes its current one, which differs from it in these bytes.
fn includes(
    inputs: &mut SymbolicInputs<'_>,
    earlier: &Ancestor,
    task: &Task,
    differing: &DifferingTerms,
) -> bool {
    if !task.progress.remembers_same(&earlier.progress)
        || scripts_differ(&inputs.world, earlier, task)
        || task.used.objects != earlier.objects
        || task.target_progress != earlier.target_progress
        || task.derailed_for().is_some()
        || task.oracles.fingerprint().is_none_or(|ours| Some(ours) != earlier.oracles.fingerprint())
        || task.oracles.terms().ne(earlier.oracles.terms())
    {
        return false;
    }
    debug_assert!(
        task.path_condition.conditions().starts_with(&earlier.path_condition.conditions()),
        "the conditions of a path are those of its earlier state, and more"
    );
    let pairs: Vec<(Term, Term)> = differing.values().copied().collect();
    if pairs.is_empty() {
        return true;
    }
    let conditions = earlier.path_condition.conditions();
    let renaming = renaming(inputs, earlier, task, (&pairs, &conditions));
    if renaming.is_empty() {
        return false;
    }
    let touches = |term: Term| inputs.terms.inputs(term).iter().any(|input| renaming.contains_key(&input));
    let keeps =
        |(location, byte): (Location, TermByte)| differing.contains_key(&location) || !touches(byte.term);
    // What is renamed must not occur where both states hold the same.
    if !earlier.state.symbolic_bytes().all(keeps) || earlier.oracles.terms().any(touches) {
        return false;
    }
    let mut before: Vec<Term> = pairs.iter().map(|(ours, _)| *ours).collect();
    before.extend(conditions.into_iter().filter(|condition| touches(*condition)));
    let images: FxHashMap<Input, Term> =
        renaming.into_iter().map(|(input, image)| (input, inputs.terms.input(image))).collect();
    let renamed = inputs.terms.substitute(&before, |input| images.get(&input).copied());
    let (states, conditions) = renamed.split_at(pairs.len());
    let known: FxHashSet<Term> = task.path_condition.conditions().into_iter().collect();
    let holds = inputs.terms.constant_u64(1, Width::W1);
    let is_known = |condition: &Term| {
        // The simplifier may give a double negation another form.
        let stated = inputs.sides(*condition, true).0;
        [*condition, stated].iter().any(|one| *one == holds || known.contains(one))
    };
    states.iter().zip(&pairs).all(|(renamed, (_, now))| renamed == now) && conditions.iter().all(is_known)
}

/// The terms of the bytes in which both states differ, in the earlier and in the current one; `None` if a byte differs that
/// is not symbolic in both.
fn differing_terms(earlier: &Ancestor, task: &Task) -> Option<DifferingTerms> {
    let mut differing = DifferingTerms::default();
    let (before, now) = (&earlier.state, &task.state);
    let compared = before.try_for_each_difference(now, |location| {
        let byte = |state: &State| state.shadow(location.space).get(location.offset);
        let (Some(ours), Some(theirs)) = (byte(before), byte(now)) else { return ControlFlow::Break(()) };
        if ours.byte != theirs.byte
            || before.is_written(location) != now.is_written(location)
            || before.is_assumed(location) != now.is_assumed(location)
        {
            return ControlFlow::Break(());
        }
        // The same term may have another value: the model of the path has changed.
        if ours.term != theirs.term {
            differing.insert(location, (ours.term, theirs.term));
        }
        ControlFlow::Continue(())
    });
    compared.is_continue().then_some(differing)
}

/// Whether a cell whose next values depend on the number of reads was read meanwhile.
fn scripts_differ(world: &World, earlier: &Ancestor, task: &Task) -> bool {
    let reads = task.progress.reads.iter().zip(&earlier.progress.reads);
    reads.enumerate().any(|(cell, (now, before))| now != before && world.is_scripted(cell))
}

/// The inputs that occur in the bytes that differ, and those that conditions relate to them, each with its image.
fn renaming(
    inputs: &SymbolicInputs<'_>,
    earlier: &Ancestor,
    task: &Task,
    (pairs, conditions): (&[(Term, Term)], &[Term]),
) -> FxHashMap<Input, Input> {
    let of = |term: Term| inputs.terms.inputs(term).iter();
    let with_image =
        |input: Input| Some((input, task.progress.image(&earlier.progress, &inputs.table, input)?));
    let mut renaming: FxHashMap<Input, Input> =
        pairs.iter().flat_map(|(before, _)| of(*before)).filter_map(with_image).collect();
    let mut known = 0;
    while known < renaming.len() {
        known = renaming.len();
        for condition in conditions {
            if of(*condition).any(|input| renaming.contains_key(&input)) {
                renaming.extend(of(*condition).filter_map(with_image));
            }
        }
    }
    renaming
}
