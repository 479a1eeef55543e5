//! CaDiCaL in this process: clauses, assumptions, cores, limits that hold inside one call.

use std::cell::RefCell;
use std::fmt;
use std::rc::Rc;

use cadical_sys::{CaDiCal, ProofTracer, Status, Terminator};

use super::ClauseSink;
use crate::Until;

/// What came of one call.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// There is an assignment; [`Solver::value`] tells it.
    Satisfiable,
    /// There is none; [`Solver::failed`] tells which assumptions that takes.
    Unsatisfiable,
    /// The limit of conflicts was reached.
    Conflicts,
    /// The limit of time was reached, or somebody stopped the call.
    Time,
}

/// What ends a call in time; the solver polls it.
struct Clock(Rc<RefCell<Until>>);

impl Terminator for Clock {
    fn terminated(&mut self) -> bool {
        self.0.borrow().is_over()
    }
}

/// One SAT solver with its clauses. It stays in the thread that made it.
///
/// ```
/// use everypath_solve::Until;
/// use everypath_solve::sat::{ClauseSink, Outcome, Solver};
/// let mut solver = Solver::new();
/// let (a, b) = (solver.variable(), solver.variable());
/// solver.clause(&[a, b]);
/// assert_eq!(solver.solve(&[-a], None, &Until::default()), Outcome::Satisfiable);
/// assert!(solver.value(b));
/// assert_eq!(solver.solve(&[-b, -a], None, &Until::default()), Outcome::Unsatisfiable);
/// assert!(solver.failed(-a) && solver.failed(-b));
/// ```
pub struct Solver {
    solver: CaDiCal,
    until: Rc<RefCell<Until>>,
    variables: i32,
    clauses: usize,
}

/// What differs from CaDiCaL's own choice. All else stays as it ships, and nothing depends on time or chance.
const OPTIONS: &[(&str, i32)] = &[
    // Free bits become zero: values that a person would write.
    ("phase", 0),
    // The first variables are decided first: inputs before what is computed from them. Questions about memory, where
    // the values of reads are guessed from those of inputs, are answered many times faster.
    ("reverse", 1),
];

impl Default for Solver {
    fn default() -> Solver {
        Solver::new()
    }
}

impl Solver {
    /// A solver without clauses.
    #[must_use]
    pub fn new() -> Solver {
        Solver::configured(CaDiCal::new(), &[])
    }

    /// A solver with these options beside its usual ones, and someone who is told each clause that it derives.
    pub(crate) fn with_tracer(options: &[(&str, i32)], tracer: impl ProofTracer + 'static) -> Solver {
        let mut solver = CaDiCal::new();
        // A derived clause comes with those it follows from, but is not told again when it lives to the end.
        solver.connect_proof_tracer1(tracer, true, false);
        Solver::configured(solver, options)
    }

    fn configured(mut solver: CaDiCal, options: &[(&str, i32)]) -> Solver {
        for &(name, value) in OPTIONS.iter().chain(options) {
            assert!(solver.set(name, value), "CaDiCaL has the option {name}");
        }
        let until = Rc::new(RefCell::new(Until::default()));
        solver.connect_terminator(Clock(Rc::clone(&until)));
        Solver { solver, until, variables: 0, clauses: 0 }
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

    /// The value that a free variable gets first.
    pub fn prefer(&mut self, literal: i32) {
        self.solver.phase(literal);
    }

    /// Looks for an assignment that satisfies all clauses and these assumptions.
    ///
    /// At most so many conflicts are allowed; and the call ends soon after its time is over or it is stopped.
    pub fn solve(&mut self, assumptions: &[i32], conflicts: Option<u32>, until: &Until) -> Outcome {
        for &assumption in assumptions {
            self.solver.assume(assumption);
        }
        if let Some(conflicts) = conflicts {
            let conflicts = i32::try_from(conflicts).unwrap_or(i32::MAX);
            assert!(self.solver.limit("conflicts", conflicts), "CaDiCaL has a limit of conflicts");
        }
        self.until.replace(until.clone());
        let status = self.solver.solve();
        self.until.replace(Until::default());
        match status {
            Status::SATISFIABLE => Outcome::Satisfiable,
            Status::UNSATISFIABLE => Outcome::Unsatisfiable,
            Status::UNKNOWN if until.is_over() => Outcome::Time,
            Status::UNKNOWN => Outcome::Conflicts,
        }
    }

    /// The value of a literal in the assignment found last.
    ///
    /// # Panics
    /// If the last call found none, or a clause was added since.
    pub fn value(&mut self, literal: i32) -> bool {
        self.solver.val(literal) == literal
    }

    /// Whether the last call, which found that there is no assignment, needed this assumption for it.
    ///
    /// # Panics
    /// If the last call was not such a one, or a clause was added since.
    pub fn failed(&mut self, assumption: i32) -> bool {
        self.solver.failed(assumption)
    }

    /// The number of conflicts since the solver was made.
    #[must_use]
    pub fn conflicts(&self) -> u64 {
        self.solver.get_statistic_value("conflicts").unsigned_abs()
    }
}

impl ClauseSink for Solver {
    fn variable(&mut self) -> i32 {
        self.variables = self.variables.checked_add(1).expect("fewer than 2^31 variables");
        self.variables
    }

    fn clause(&mut self, literals: &[i32]) {
        self.solver.clause6(literals);
        self.clauses += 1;
    }
}

impl fmt::Debug for Solver {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Solver({} variables, {} clauses)", self.variables, self.clauses)
    }
}
