//! The stack as it is used: which layers stand above which backends.

use crate::Solver;
use crate::backend::{BitBlast, Pipe, Portfolio, Program};
use crate::layer::{
    Adjust, Attempting, Cache, Check, Constant, Enumerate, Guess, Invert, Linear, Narrow, Polish, Relate,
    Slice,
};

/// Which layers a stack has. All but the check can be left out without changing what is answered.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Stack {
    /// Constants and ranges.
    pub constant: bool,
    /// Independent parts.
    pub slice: bool,
    /// Earlier models.
    pub guess: bool,
    /// Earlier answers.
    pub cache: bool,
    /// Single bytes by trying.
    pub enumerate: bool,
    /// Relations between two bytes.
    pub relate: bool,
    /// Ranges narrowed by each other.
    pub narrow: bool,
    /// The known model with one byte changed.
    pub adjust: bool,
    /// Operators run backwards.
    pub invert: bool,
    /// Sums that contradict each other.
    pub linear: bool,
    /// Values that a person likes.
    pub polish: bool,
    /// A second solver for what the first backend leaves open.
    pub second: Option<Program>,
    /// Whether the second solver is asked about every "none", too.
    pub agree: bool,
}

impl Default for Stack {
    fn default() -> Stack {
        Stack {
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

impl Stack {
    /// Only the backend and the check.
    #[must_use]
    pub fn bare() -> Stack {
        Stack {
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

    /// Builds it.
    #[must_use]
    pub fn build(&self) -> Box<dyn Solver> {
        let first: Box<dyn Solver> = Box::new(BitBlast::new());
        let pipe = |program: &Program| -> Box<dyn Solver> { Box::new(Pipe::new(program.clone())) };
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
        // Outermost: no answer leaves the stack around it.
        match (self.agree, &self.second) {
            (true, Some(program)) => Box::new(Check::new(stack).with_second(pipe(program))),
            _ => Box::new(Check::new(stack)),
        }
    }
}
