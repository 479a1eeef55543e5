//! Questions one after the other, most of which share conditions with one before.

use everypath_term::{Evaluation, Model, Term, Terms};
use rustc_hash::FxHashSet;

use super::Translator;
use super::instance::Instance;
use super::search::{Condition, Search};
use super::shelf::Shelf;
use crate::circuit::Literal;
use crate::limits::Budget;
use crate::{Answer, Limits, Reason};

/// A circuit with more gates than this, and four times as many as the first question needed, is dropped.
const GATES_KEPT: usize = 1 << 18;

/// Answers questions about the terms of one pool; it stays in the thread that made it.
///
/// Any questions can be asked in any order. They are answered fastest when each has most conditions in common with one
/// of the last few, as along a path. What the session remembers of terms it forgets by itself when the pool collects;
/// no term has to be kept alive for it. Its memory stays bounded however many questions are asked.
///
/// ```
/// use everypath_solve::backend::bitblast::Session;
/// use everypath_solve::{Answer, Limits};
/// use everypath_ir::{Op, Width};
/// use everypath_term::{Input, Terms};
///
/// let mut terms = Terms::new();
/// let (byte, limit) = (terms.input(Input(0)), terms.constant_u64(10, Width::W8));
/// let small = terms.apply(Op::Ult, Width::W1, &[byte, limit]);
/// let large = terms.apply(Op::Ult, Width::W1, &[limit, byte]);
/// let mut session = Session::new();
/// assert!(matches!(session.check(&terms, &[large], Limits::default()), Answer::Model(_)));
/// assert_eq!(session.check(&terms, &[large, small], Limits::default()), Answer::None(vec![large, small]));
/// ```
#[derive(Debug)]
pub struct Session {
    translator: Translator,
    shelf: Shelf,
    evaluation: Evaluation,
    /// At so many gates the circuit is dropped.
    gates_kept: usize,
    conflicts: u64,
}

/// The conditions of a question, after what can be seen without a solver.
enum Seen {
    /// These exclude each other.
    Core(Vec<Term>),
    /// Those that are not always true.
    Conditions(Vec<Condition>),
}

impl Default for Session {
    fn default() -> Session {
        Session::new()
    }
}

impl Session {
    /// A session that has seen no terms.
    #[must_use]
    pub fn new() -> Session {
        Session {
            translator: Translator::new(),
            shelf: Shelf::default(),
            evaluation: Evaluation::new(Model::new()),
            gates_kept: GATES_KEPT,
            conflicts: 0,
        }
    }

    /// The conflicts of all searches so far, a measure of work that does not depend on the machine.
    #[must_use]
    pub fn conflicts(&self) -> u64 {
        self.conflicts
    }

    /// The gates of the circuit that is kept, a measure of memory: about 100 bytes each.
    #[must_use]
    pub fn gates(&self) -> usize {
        self.translator.circuit.len()
    }

    /// Whether some input makes all these conditions, terms of one bit, true.
    ///
    /// The core of a "none" may be larger than need be: along a path, what earlier questions had too is taken for
    /// granted, and all of it counts as needed. [`Session::small_core`] looks closer.
    pub fn check(&mut self, terms: &Terms, conditions: &[Term], limits: Limits) -> Answer {
        let answer = self.within(limits, |session, budget| session.decide(terms, conditions, budget));
        answer.unwrap_or_else(Answer::Unknown)
    }

    /// Few conditions that exclude each other; `None` if there is a model, or no answer within the
    /// limits.
    ///
    /// This takes a solver of its own, about as long as the first question of a path.
    pub fn small_core(&mut self, terms: &Terms, conditions: &[Term], limits: Limits) -> Option<Vec<Term>> {
        self.within(limits, |session, budget| session.find_core(terms, conditions, budget)).ok().flatten()
    }

    #[allow(
        clippy::needless_pass_by_value,
        reason = "limits are cheap to clone, and callers build them in place"
    )]
    fn within<T>(
        &mut self,
        limits: Limits,
        work: impl FnOnce(&mut Session, &mut Budget) -> Result<T, Reason>,
    ) -> Result<T, Reason> {
        let mut budget = Budget::new(&limits);
        let first = self.translator.circuit.is_empty();
        let result = work(self, &mut budget);
        self.conflicts += budget.conflicts_taken();
        let gates = self.translator.circuit.len();
        if first {
            self.gates_kept = GATES_KEPT.max(gates * 4);
        }
        // What filled the memory must not stay in the way of the next question.
        if gates > self.gates_kept || matches!(result, Err(Reason::Memory)) {
            self.translator = Translator::new();
            self.shelf = Shelf::default();
        }
        result
    }

    fn decide(&mut self, terms: &Terms, conditions: &[Term], budget: &mut Budget) -> Result<Answer, Reason> {
        let conditions = match self.look(terms, conditions, budget)? {
            Seen::Core(core) => return Ok(Answer::None(core)),
            Seen::Conditions(conditions) => conditions,
        };
        let instance = self.shelf.choose(&literals(&conditions).collect());
        let open = instance.prepare(&self.translator.circuit, &conditions);
        let (translator, evaluation) = (&mut self.translator, &mut self.evaluation);
        let mut search = Search { terms, translator, evaluation, budget };
        if let Some(model) = search.run(instance, &conditions, &open)? {
            return Ok(Answer::Model(model));
        }
        let needed = conditions.iter().filter(|condition| {
            instance.committed.contains(&condition.literal) || instance.failed(condition.literal)
        });
        Ok(Answer::None(needed.map(|condition| condition.term).collect()))
    }

    fn find_core(
        &mut self,
        terms: &Terms,
        conditions: &[Term],
        budget: &mut Budget,
    ) -> Result<Option<Vec<Term>>, Reason> {
        let all = match self.look(terms, conditions, budget)? {
            Seen::Core(core) => return Ok(Some(core)),
            Seen::Conditions(conditions) => conditions,
        };
        // Along a path it is the last condition that does not fit, mostly to those about the same inputs.
        let Some(last) = all.last().map(|last| terms.inputs(last.term)) else { return Ok(None) };
        let near: Vec<Condition> =
            all.iter().filter(|condition| terms.inputs(condition.term).intersects(last)).copied().collect();
        let attempts = if near.len() < all.len() { vec![near, all] } else { vec![all] };
        let (translator, evaluation) = (&mut self.translator, &mut self.evaluation);
        let mut search = Search { terms, translator, evaluation, budget };
        for conditions in attempts {
            let mut instance = Instance::default();
            let open: Vec<Literal> = literals(&conditions).collect();
            if search.run(&mut instance, &conditions, &open)?.is_none() {
                let needed = conditions.iter().filter(|condition| instance.failed(condition.literal));
                return Ok(Some(needed.map(|condition| condition.term).collect()));
            }
        }
        Ok(None)
    }

    /// Translates the conditions.
    fn look(&mut self, terms: &Terms, conditions: &[Term], budget: &Budget) -> Result<Seen, Reason> {
        if self.translator.follow(terms) {
            // Reads are numbered anew.
            self.shelf.iter_mut().for_each(|instance| instance.lemmas.clear());
        }
        let mut seen: Vec<Condition> = Vec::with_capacity(conditions.len());
        let mut literals: FxHashSet<Literal> = FxHashSet::default();
        for &term in conditions {
            let literal = self.translator.bits(terms, term, budget)?[0];
            match literal.as_constant() {
                Some(true) => continue,
                Some(false) => return Ok(Seen::Core(vec![term])),
                None => {}
            }
            if literals.contains(&!literal) {
                let opposite = seen.iter().filter(|condition| condition.literal == !literal);
                return Ok(Seen::Core(opposite.map(|condition| condition.term).chain([term]).collect()));
            }
            if literals.insert(literal) {
                seen.push(Condition { term, literal });
            }
        }
        Ok(Seen::Conditions(seen))
    }
}

fn literals(conditions: &[Condition]) -> impl Iterator<Item = Literal> {
    conditions.iter().map(|condition| condition.literal)
}
