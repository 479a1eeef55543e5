//! Solver queries of an exploration, counted by their answers.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use everypath_record::Counts;
use everypath_solve::{Answer, Query, QueryLimits, Solver, Statistics, UnknownReason};
use everypath_term::Terms;

/// The conflict limit of queries whose "unknown" answer is harmless.
const CHEAP_CONFLICTS: u32 = 500;
/// The gate limit of such queries, of which each takes about 100 bytes.
const CHEAP_GATES: usize = 2_000_000;

/// The work of a query that a layer of the solver answers, in executed instructions.
const QUERY: u64 = 1_000;
/// The work of each of its conditions.
const CONDITION: u64 = 10;
/// The additional work of a query that reaches the backend.
const BACKEND_QUERY: u64 = 20_000;

/// The solver of an exploration, with the resource limits of a query.
pub(crate) struct Queries {
    solver: Box<dyn Solver>,
    limits: QueryLimits,
    counts: Counts,
    /// Number of conditions of all queries.
    conditions: u64,
}

impl Queries {
    pub(crate) fn new(solver: Box<dyn Solver>, limits: QueryLimits) -> Queries {
        Queries { solver, limits, counts: Counts::default(), conditions: 0 }
    }

    /// The resource limits of one query, with a flag that cancels it.
    pub(crate) fn limits(&self, stop: &Arc<AtomicBool>) -> QueryLimits {
        QueryLimits { stop: Some(stop.clone()), ..self.limits.clone() }
    }

    /// Asks the solver. A query that is cancelled counts as asked only.
    pub(crate) fn ask(&mut self, terms: &mut Terms, query: Query<'_>, stop: &Arc<AtomicBool>) -> Answer {
        let limits = self.limits(stop);
        self.ask_within(terms, query, &limits)
    }

    /// Asks the solver a query whose "unknown" answer is harmless: it gives up early.
    pub(crate) fn ask_cheaply(
        &mut self,
        terms: &mut Terms,
        query: Query<'_>,
        stop: &Arc<AtomicBool>,
    ) -> Answer {
        self.ask_with_conflicts(terms, query, CHEAP_CONFLICTS, stop)
    }

    /// Asks the solver a query that has so many conflicts at the most.
    pub(crate) fn ask_with_conflicts(
        &mut self,
        terms: &mut Terms,
        query: Query<'_>,
        most: u32,
        stop: &Arc<AtomicBool>,
    ) -> Answer {
        let most = self.limits.conflicts.unwrap_or(most).min(most);
        let limits = self.limits(stop);
        let gates = limits.gates.unwrap_or(CHEAP_GATES).min(CHEAP_GATES);
        let limits = QueryLimits { conflicts: Some(most), gates: Some(gates), ..limits };
        self.ask_within(terms, query, &limits)
    }

    fn ask_within(&mut self, terms: &mut Terms, query: Query<'_>, limits: &QueryLimits) -> Answer {
        self.counts.total += 1;
        self.conditions += query.conditions.len() as u64;
        let answer = self.solver.check(terms, query, limits);
        match &answer {
            Answer::Unknown(UnknownReason::Stopped) => {}
            Answer::Unknown(_) => self.counts.unknown += 1,
            Answer::Unsat(_) => self.counts.unsat += 1,
            Answer::Sat(_) => self.counts.sat += 1,
        }
        answer
    }

    /// Number of queries so far.
    pub(crate) fn asked(&self) -> u64 {
        self.counts.total
    }

    /// The work of the queries so far, in executed instructions.
    pub(crate) fn work(&self) -> u64 {
        QUERY * self.counts.total + CONDITION * self.conditions + BACKEND_QUERY * self.counts().backend
    }

    /// The statistics of the solver's layers, from the outermost to the backend.
    pub(crate) fn statistics(&self) -> Vec<Statistics> {
        let mut statistics = Vec::new();
        self.solver.statistics(&mut statistics);
        statistics
    }

    /// The queries by answer, and those that reached the backend.
    pub(crate) fn counts(&self) -> Counts {
        let backend = self.statistics().last().map_or(0, |last| last.asked);
        Counts { backend, ..self.counts }
    }

    /// Number of models of the solver's layers that were refuted.
    pub(crate) fn refuted(&self) -> u64 {
        self.statistics().iter().filter(|layer| layer.name == "check").map(|layer| layer.answered).sum()
    }
}
