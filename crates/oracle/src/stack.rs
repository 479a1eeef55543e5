//! The stack running out of its place, into data.
//!
//! *What*: a stack pointer that leaves the stack, or enters the program's data.
//! *How*: by its value after each block. The configuration's `[stack]` says where the stack is; without it, all that the
//! file says to be data is forbidden ground once the pointer was elsewhere.
//! *False positives*: several stacks, of tasks, if the configuration names one only.
//! *False negatives*: without `[stack]`: files that do not say where data are, and stacks that lie among the data.

use crate::look::Look;
use crate::watcher::{Definition, Setup, StackPointer, Statement, Watcher};
use everypath_term::Term;
use std::rc::Rc;

pub(crate) const DEFINITION: Definition = Definition {
    name: "stack",
    about: "the stack runs out of its place",
    make: |setup: &Setup| {
        Box::new(Stack {
            pointer: setup.stack_pointer,
            bounds: setup.stack,
            data: setup.data.as_slice().into(),
            armed: false,
        })
    },
};

#[derive(Clone)]
struct Stack {
    pointer: Option<StackPointer>,
    bounds: Option<(u64, u64)>,
    data: Rc<[(u64, u64)]>,
    /// Whether the pointer was where it may be: before a program has set it, it may be anything.
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

    /// The condition that the pointer, which input computes, is where it may not be.
    fn elsewhere(&self, look: &mut Look<'_>, pointer: StackPointer) -> Option<Term> {
        let terms = look.terms.as_deref_mut()?;
        if look.state.shadow(pointer.location.space).is_empty() {
            return None;
        }
        let bits = look.state.get(pointer.location, pointer.width, pointer.endian).ok()?;
        let shadow = look.state.shadow(pointer.location.space);
        let term = shadow.read(terms, pointer.location.offset, &bits, pointer.endian)?;
        match self.bounds {
            Some(bounds) => {
                let inside = everypath_machine::lies_in(terms, term, 1, &[bounds])?;
                Some(terms.not(inside))
            }
            None => everypath_machine::lies_in(terms, term, 1, &self.data),
        }
    }
}

impl Watcher for Stack {
    fn fork(&self) -> Box<dyn Watcher> {
        Box::new(self.clone())
    }

    fn look(&mut self, look: &mut Look<'_>, statements: &mut Vec<Statement>) {
        let Some(pointer) = self.pointer else { return };
        let size = pointer.width.bytes().min(8);
        let Ok(value) = look.state.read(pointer.location.space, pointer.location.offset, size) else {
            return;
        };
        let address = look.last_instruction();
        if self.is_allowed(value) {
            self.armed = true;
            if let Some(condition) = self.elsewhere(look, pointer) {
                let step = look.steps.len();
                let what = "the stack leaves its place".to_owned();
                statements.push(Statement::Suspect { step, address, condition, any_memory: false, what });
            }
        } else if self.armed {
            self.armed = false;
            let what = match self.bounds {
                Some((first, last)) => {
                    format!("the stack pointer is {value:#x}, and the stack is {first:#x} to {last:#x}")
                }
                None => format!("the stack pointer is {value:#x}, where the program's data are"),
            };
            statements.push(Statement::Wrong { address, what, ends: false });
        }
    }
}
