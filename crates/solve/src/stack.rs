//! The configuration of the solver stack: which layers are above which backends.

use crate::Solver;
use crate::backend::{BitBlast, Pipe, Portfolio, SolverProgram};
use crate::layer::{
    Adjust, Attempting, Cache, Check, Constant, Enumerate, Guess, Invert, Linear, Narrow, Polish, Relate,
    Slice,
};

/// The layers of a stack. All but the check can be left out without changing any sat or unsat verdict.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SolverStack {
    /// Constant conditions and ranges.
    pub constant: bool,
    /// Independent-constraint slicing.
    pub slice: bool,
    /// Reuse of earlier models.
    pub guess: bool,
    /// Counterexample cache.
    pub cache: bool,
    /// Enumeration of single bytes.
    pub enumerate: bool,
    /// Binary constraint satisfaction over bytes.
    pub relate: bool,
    /// Interval constraint propagation.
    pub narrow: bool,
    /// Repair of the known model by one byte.
    pub adjust: bool,
    /// Down-propagation of target values.
    pub invert: bool,
    /// Gaussian elimination modulo 2^n.
    pub linear: bool,
    /// Model minimisation for readability.
    pub polish: bool,
    /// A second solver for queries that the first backend leaves undecided.
    pub second: Option<SolverProgram>,
    /// If true, the second solver also confirms every unsat.
    pub agree: bool,
}

impl Default for SolverStack {
    fn default() -> SolverStack {
        SolverStack {
            constant: true,
            slice: true,
            guess: true,
            cache: true,
            enumerate: true,
            relate: true,
            narrow: true,
            adjust: true,
            invert: true,
            linear: true,
            polish: true,
            second: None,
            agree: false,
        }
    }
}

impl SolverStack {
    /// The backend and the check only.
    #[must_use]
    pub fn bare() -> SolverStack {
        SolverStack {
            constant: false,
            slice: false,
            guess: false,
            cache: false,
            enumerate: false,
            relate: false,
            narrow: false,
            adjust: false,
            invert: false,
            linear: false,
            polish: false,
            second: None,
            agree: false,
        }
    }

    /// Builds the stack.
    #[must_use]
    pub fn build(&self) -> Box<dyn Solver> {
        let first: Box<dyn Solver> = Box::new(BitBlast::new());
        let pipe = |program: &SolverProgram| -> Box<dyn Solver> { Box::new(Pipe::new(program.clone())) };
        let backend: Box<dyn Solver> = match &self.second {
            Some(program) => Box::new(Portfolio::new(first, pipe(program))),
            None => first,
        };
        let mut stack: Box<dyn Solver> = backend;
        // From the backend outwards.
        if self.polish {
            stack = Box::new(Polish::new(stack));
        }
        if self.linear {
            stack = Box::new(Attempting::<Linear>::new(stack));
        }
        if self.narrow {
            stack = Box::new(Attempting::<Narrow>::new(stack));
        }
        if self.adjust {
            stack = Box::new(Attempting::<Adjust>::new(stack));
        }
        if self.invert {
            stack = Box::new(Attempting::<Invert>::new(stack));
        }
        if self.relate {
            stack = Box::new(Attempting::<Relate>::new(stack));
        }
        if self.enumerate {
            stack = Box::new(Attempting::<Enumerate>::new(stack));
        }
        if self.cache {
            stack = Box::new(Cache::new(stack));
        }
        if self.guess {
            stack = Box::new(Guess::new(stack));
        }
        if self.slice {
            stack = Box::new(Slice::new(stack));
        }
        if self.constant {
            stack = Box::new(Constant::new(stack));
        }
        // Outermost: no answer bypasses it.
        match (self.agree, &self.second) {
            (true, Some(program)) => Box::new(Check::new(stack).with_second(pipe(program))),
            _ => Box::new(Check::new(stack)),
        }
    }
}
