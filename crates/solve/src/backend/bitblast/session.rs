//! Incremental SAT solving under assumptions (Eén and Sörensson 2003): most queries share conditions with an earlier
//! one.

use everypath_term::{Evaluation, Model, Term, Terms};
use rustc_hash::FxHashSet;

use super::Translator;
use super::instance::Instance;
use super::search::{Condition, Search};
use super::shelf::Shelf;
use crate::circuit::Literal;
use crate::limits::Budget;
use crate::{Answer, QueryLimits, UnknownReason};

/// A circuit with more gates than this, and four times as many as the first query needed, is dropped.
const GATES_KEPT: usize = 1 << 18;

/// Answers queries about the terms of one pool; it stays in the thread that made it.
///
/// Queries may come in any order. They are answered fastest when each shares most conditions with one of the last few,
/// as along a path. The session drops what it stores about terms when the pool collects garbage, so no term has to be
/// kept alive for it. Its memory stays bounded for any number of queries.
///
/// ```
/// use everypath_solve::backend::bitblast::BitBlastSession;
/// use everypath_solve::{Answer, QueryLimits};
/// use everypath_ir::{Op, Width};
/// use everypath_term::{Input, Terms};
///
/// let mut terms = Terms::new();
/// let (byte, limit) = (terms.input(Input(0)), terms.constant_u64(10, Width::W8));
/// let small = terms.apply(Op::Ult, Width::W1, &[byte, limit]);
/// let large = terms.apply(Op::Ult, Width::W1, &[limit, byte]);
/// let mut session = BitBlastSession::new();
/// assert!(matches!(session.check(&terms, &[large], QueryLimits::default()), Answer::Sat(_)));
/// assert_eq!(session.check(&terms, &[large, small], QueryLimits::default()), Answer::Unsat(vec![large, small]));
/// ```
#[derive(Debug)]
pub struct BitBlastSession {
    translator: Translator,
    shelf: Shelf,
    evaluation: Evaluation,
    /// The circuit is dropped when it has more gates than this.
    gates_kept: usize,
    conflicts: u64,
}

/// The conditions of a query after constant folding, without a solver call.
enum Seen {
    /// An unsat core.
    Core(Vec<Term>),
    /// The conditions that are not constant true, without duplicates.
    Conditions(Vec<Condition>),
}

impl Default for BitBlastSession {
    fn default() -> BitBlastSession {
        BitBlastSession::new()
    }
}

impl BitBlastSession {
    /// An empty session.
    #[must_use]
    pub fn new() -> BitBlastSession {
        BitBlastSession {
            translator: Translator::new(),
            shelf: Shelf::default(),
            evaluation: Evaluation::new(Model::new()),
            gates_kept: GATES_KEPT,
            conflicts: 0,
        }
    }

    /// The conflicts of all queries so far: a measure of work that does not depend on the machine.
    #[must_use]
    pub fn conflicts(&self) -> u64 {
        self.conflicts
    }

    /// The gates of the current circuit: a measure of memory, about 100 bytes each.
    #[must_use]
    pub fn gates(&self) -> usize {
        self.translator.circuit.len()
    }

    /// Decides whether some input satisfies all these conditions, terms of one bit.
    ///
    /// The unsat core may be larger than necessary: committed conditions that earlier queries shared always belong to
    /// it. [`BitBlastSession::small_core`] computes a smaller one.
    pub fn check(&mut self, terms: &Terms, conditions: &[Term], limits: QueryLimits) -> Answer {
        let answer = self.within(limits, |session, budget| session.decide(terms, conditions, budget));
        answer.unwrap_or_else(Answer::Unknown)
    }

    /// A small unsat core; `None` if the conditions are satisfiable or undecided within the limits.
    ///
    /// It uses a fresh solver and takes about as long as the first query of a path.
    pub fn small_core(
        &mut self,
        terms: &Terms,
        conditions: &[Term],
        limits: QueryLimits,
    ) -> Option<Vec<Term>> {
        self.within(limits, |session, budget| session.find_core(terms, conditions, budget)).ok().flatten()
    }

    #[allow(
        clippy::needless_pass_by_value,
        reason = "limits are cheap to clone, and callers build them in place"
    )]
    fn within<T>(
        &mut self,
        limits: QueryLimits,
        work: impl FnOnce(&mut BitBlastSession, &mut Budget) -> Result<T, UnknownReason>,
    ) -> Result<T, UnknownReason> {
        let mut budget = Budget::new(&limits);
        let first = self.translator.circuit.is_empty();
        let result = work(self, &mut budget);
        self.conflicts += budget.conflicts_taken();
        let gates = self.translator.circuit.len();
        if first {
            self.gates_kept = GATES_KEPT.max(gates * 4);
        }
        // The next query must not start with a circuit that exhausted the memory.
        if gates > self.gates_kept || matches!(result, Err(UnknownReason::Memory)) {
            self.translator = Translator::new();
            self.shelf = Shelf::default();
        }
        result
    }

    fn decide(
        &mut self,
        terms: &Terms,
        conditions: &[Term],
        budget: &mut Budget,
    ) -> Result<Answer, UnknownReason> {
        let conditions = match self.look(terms, conditions, budget)? {
            Seen::Core(core) => return Ok(Answer::Unsat(core)),
            Seen::Conditions(conditions) => conditions,
        };
        let instance = self.shelf.choose(&literals(&conditions).collect());
        let open = instance.prepare(&self.translator.circuit, &conditions);
        let (translator, evaluation) = (&mut self.translator, &mut self.evaluation);
        let mut search = Search { terms, translator, evaluation, budget };
        if let Some(model) = search.run(instance, &conditions, &open)? {
            return Ok(Answer::Sat(model));
        }
        let needed = conditions.iter().filter(|condition| {
            instance.committed.contains(&condition.literal) || instance.failed(condition.literal)
        });
        Ok(Answer::Unsat(needed.map(|condition| condition.term).collect()))
    }

    fn find_core(
        &mut self,
        terms: &Terms,
        conditions: &[Term],
        budget: &mut Budget,
    ) -> Result<Option<Vec<Term>>, UnknownReason> {
        let all = match self.look(terms, conditions, budget)? {
            Seen::Core(core) => return Ok(Some(core)),
            Seen::Conditions(conditions) => conditions,
        };
        // Along a path the last condition causes the conflict, mostly with conditions on the same inputs.
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

    /// Bit-blasts the conditions, and detects constant and complementary ones.
    fn look(&mut self, terms: &Terms, conditions: &[Term], budget: &Budget) -> Result<Seen, UnknownReason> {
        if self.translator.follow(terms) {
            // Reads get new numbers.
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
