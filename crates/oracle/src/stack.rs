//! Stack overflow: a stack pointer that leaves the stack or enters the program's data.
//!
//! *What*: a stack pointer that leaves the stack, or enters the program's data.
//! *How*: by each value that it gets. The configuration's `[stack]` says where the stack is; without it, all that the
//! file says to be data is forbidden ground once the pointer was elsewhere.
//! *False positives*: several stacks, of tasks, if the configuration names one only.
//! *False negatives*: a pointer that is set byte by byte, until something is pushed; without `[stack]`: files that do
//! not say where data are, and stacks that lie among the data, such as those of tasks that the return of a handler begins.

use crate::definition::{Definition, Oracle, OracleReport, OracleSetup};
use crate::observation::{BlockObservation, ObservedValue};
use everypath_machine::{Step, lies_in};
use everypath_term::{Term, Terms};
use std::rc::Rc;

pub(crate) const DEFINITION: Definition = Definition {
    name: "stack",
    about: "the stack runs out of its place",
    make: |setup: &OracleSetup| {
        Box::new(Stack {
            bounds: setup.stack,
            data: setup.data.as_slice().into(),
            switches: setup.handler_returns,
            armed: false,
        })
    },
};

#[derive(Clone)]
struct Stack {
    bounds: Option<(u64, u64)>,
    data: Rc<[(u64, u64)]>,
    /// First and last addresses of instructions that may switch to the stack of a task, which lies among the data.
    switches: Option<(u64, u64)>,
    /// Whether the pointer has had an allowed value: before a program has set it, it may be anything.
    armed: bool,
}

impl Stack {
    fn is_allowed(&self, pointer: u64) -> bool {
        match self.bounds {
            Some((first, last)) => (first..=last).contains(&pointer),
            None => {
                // An empty stack that grows downwards may begin right behind the data.
                pointer != 0 && !self.data.iter().any(|(first, last)| (*first..=*last).contains(&pointer))
            }
        }
    }

    /// The condition that a pointer that depends on input has a forbidden value.
    fn elsewhere(&self, terms: &mut Terms, pointer: Term) -> Option<Term> {
        match self.bounds {
            Some(bounds) => {
                let inside = lies_in(terms, pointer, 1, &[bounds])?;
                Some(terms.not(inside))
            }
            None => lies_in(terms, pointer, 1, &self.data),
        }
    }
}

impl Oracle for Stack {
    fn fork(&self) -> Box<dyn Oracle> {
        Box::new(self.clone())
    }

    fn fingerprint(&self) -> Option<Vec<u64>> {
        Some(vec![u64::from(self.armed)])
    }

    fn observe(&mut self, observation: &mut BlockObservation<'_>, statements: &mut Vec<OracleReport>) {
        for step in observation.facts.stack_moves.iter().copied().take_while(|step| *step < observation.run) {
            let Step::Put(place) = &observation.steps[step] else { continue };
            let ObservedValue { bits, term } = (observation.value)(place.slot);
            let (address, value) = (observation.instruction(step), bits.narrow());
            if self.bounds.is_none()
                && self.switches.is_some_and(|(first, last)| (first..=last).contains(&address))
            {
                self.armed = self.is_allowed(value);
            } else if self.is_allowed(value) {
                self.armed = true;
                // An instruction may store at the new pointer and concretise that address: query before its first step.
                let step = observation.first_step(step);
                let terms = observation.terms.as_deref_mut();
                if let (Some(terms), Some(term)) = (terms, term)
                    && let Some(condition) = self.elsewhere(terms, term)
                {
                    let what = "the stack leaves its place".to_owned();
                    statements.push(OracleReport::Suspect {
                        step,
                        address,
                        condition,
                        unwritten: None,
                        what,
                    });
                }
            } else if self.armed {
                self.armed = false;
                let what = match self.bounds {
                    Some((first, last)) => {
                        format!("the stack pointer is {value:#x}, and the stack is {first:#x} to {last:#x}")
                    }
                    None => format!("the stack pointer is {value:#x}, where the program's data are"),
                };
                statements.push(OracleReport::Violation { address, what, astray: false });
            }
        }
    }
}
