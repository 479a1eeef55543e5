//! CaDiCaL in process: incremental clauses, assumptions, failed assumptions, and limits enforced within one call.

use std::cell::RefCell;
use std::fmt;
use std::rc::Rc;

use cadical_sys::{CaDiCal, ProofTracer, Status, Terminator};

use super::ClauseSink;
use crate::QueryDeadline;

/// The result of one solver call.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SatOutcome {
    /// Satisfiable; [`SatSolver::value`] reads the assignment.
    Satisfiable,
    /// Unsatisfiable; [`SatSolver::failed`] tells which assumptions the final conflict involves.
    Unsatisfiable,
    /// The conflict limit was reached.
    Conflicts,
    /// The deadline passed, or the call was stopped.
    Time,
}

/// Terminator callback for the deadline; the solver polls it.
struct Clock(Rc<RefCell<QueryDeadline>>);

impl Terminator for Clock {
    fn terminated(&mut self) -> bool {
        self.0.borrow().is_over()
    }
}

/// One SAT solver with its clauses. It stays in the thread that made it.
///
/// ```
/// use everypath_solve::QueryDeadline;
/// use everypath_solve::sat::{ClauseSink, SatOutcome, SatSolver};
/// let mut solver = SatSolver::new();
/// let (a, b) = (solver.variable(), solver.variable());
/// solver.clause(&[a, b]);
/// assert_eq!(solver.solve(&[-a], None, &QueryDeadline::default()), SatOutcome::Satisfiable);
/// assert!(solver.value(b));
/// assert_eq!(solver.solve(&[-b, -a], None, &QueryDeadline::default()), SatOutcome::Unsatisfiable);
/// assert!(solver.failed(-a) && solver.failed(-b));
/// ```
pub struct SatSolver {
    solver: CaDiCal,
    until: Rc<RefCell<QueryDeadline>>,
    variables: i32,
    clauses: usize,
}

/// Options that differ from CaDiCaL's defaults. The search is deterministic: nothing depends on time or random seeds.
const OPTIONS: &[(&str, i32)] = &[
    // Free bits become zero, which gives readable models.
    ("phase", 0),
    // Decide the first variables first: inputs before the gates computed from them. Queries with lazy reads, whose
    // values are predicted from those of inputs, are answered many times faster.
    ("reverse", 1),
];

impl Default for SatSolver {
    fn default() -> SatSolver {
        SatSolver::new()
    }
}

impl SatSolver {
    /// A solver without clauses.
    #[must_use]
    pub fn new() -> SatSolver {
        SatSolver::configured(CaDiCal::new(), &[])
    }

    /// A solver with additional options, and a proof tracer that receives each derived clause.
    pub(crate) fn with_tracer(options: &[(&str, i32)], tracer: impl ProofTracer + 'static) -> SatSolver {
        let mut solver = CaDiCal::new();
        // Derived clauses come with their antecedents; clauses alive at the end are not reported again.
        solver.connect_proof_tracer1(tracer, true, false);
        SatSolver::configured(solver, options)
    }

    fn configured(mut solver: CaDiCal, options: &[(&str, i32)]) -> SatSolver {
        for &(name, value) in OPTIONS.iter().chain(options) {
            assert!(solver.set(name, value), "CaDiCaL has the option {name}");
        }
        let until = Rc::new(RefCell::new(QueryDeadline::default()));
        solver.connect_terminator(Clock(Rc::clone(&until)));
        SatSolver { solver, until, variables: 0, clauses: 0 }
    }

    /// The name and version of the solver.
    #[must_use]
    pub fn name() -> String {
        CaDiCal::signature().replace('-', " ")
    }

    /// The number of clauses that were added.
    #[must_use]
    pub fn clauses(&self) -> usize {
        self.clauses
    }

    /// Sets the preferred decision phase of a variable.
    pub fn prefer(&mut self, literal: i32) {
        self.solver.phase(literal);
    }

    /// Searches for an assignment that satisfies all clauses and assumptions.
    ///
    /// The call ends at the conflict limit, or soon after its deadline or stop flag.
    pub fn solve(
        &mut self,
        assumptions: &[i32],
        conflicts: Option<u32>,
        until: &QueryDeadline,
    ) -> SatOutcome {
        for &assumption in assumptions {
            self.solver.assume(assumption);
        }
        if let Some(conflicts) = conflicts {
            let conflicts = i32::try_from(conflicts).unwrap_or(i32::MAX);
            assert!(self.solver.limit("conflicts", conflicts), "CaDiCaL has a limit of conflicts");
        }
        self.until.replace(until.clone());
        let status = self.solver.solve();
        self.until.replace(QueryDeadline::default());
        match status {
            Status::SATISFIABLE => SatOutcome::Satisfiable,
            Status::UNSATISFIABLE => SatOutcome::Unsatisfiable,
            Status::UNKNOWN if until.is_over() => SatOutcome::Time,
            Status::UNKNOWN => SatOutcome::Conflicts,
        }
    }

    /// The value of a literal in the last satisfying assignment.
    ///
    /// # Panics
    /// If the last call was not satisfiable, or a clause was added since.
    pub fn value(&mut self, literal: i32) -> bool {
        self.solver.val(literal) == literal
    }

    /// Returns true if the final conflict of the last call, which was unsatisfiable, involves this assumption.
    ///
    /// # Panics
    /// If the last call was not unsatisfiable, or a clause was added since.
    pub fn failed(&mut self, assumption: i32) -> bool {
        self.solver.failed(assumption)
    }

    /// The number of conflicts since the solver was made.
    #[must_use]
    pub fn conflicts(&self) -> u64 {
        self.solver.get_statistic_value("conflicts").unsigned_abs()
    }
}

impl ClauseSink for SatSolver {
    fn variable(&mut self) -> i32 {
        self.variables = self.variables.checked_add(1).expect("fewer than 2^31 variables");
        self.variables
    }

    fn clause(&mut self, literals: &[i32]) {
        self.solver.clause6(literals);
        self.clauses += 1;
    }
}

impl fmt::Debug for SatSolver {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Solver({} variables, {} clauses)", self.variables, self.clauses)
    }
}
