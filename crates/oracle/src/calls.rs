//! Violations of the discipline of calls and returns.
//!
//! *What*: a return to an address that no call under way is to return to.
//! *How*: by keeping the list of calls under way; a return to an earlier caller, as by `longjmp`, ends those between.
//! *False positives*: switching between tasks, and a return used as a jump to an address that the program has pushed.
//! *False negatives*: a return to the right address on a stack that is not the caller's; jumps that are no returns.

use crate::look::Look;
use crate::watcher::{Definition, Setup, Statement, Watcher};
use everypath_ir::ExitKind;
use everypath_term::Term;
use std::rc::Rc;

pub(crate) const DEFINITION: Definition = Definition {
    name: "calls",
    about: "a function returns to where nothing called it from",
    make: |setup: &Setup| Box::new(Calls { under_way: None, stops: setup.stops.as_slice().into() }),
};

/// A call under way.
struct Call {
    returns_to: u64,
    before: Option<Rc<Call>>,
}

impl Drop for Call {
    /// Without recursion: calls may be nested deeply.
    fn drop(&mut self) {
        let mut before = self.before.take();
        while let Some(mut call) = before.and_then(Rc::into_inner) {
            before = call.before.take();
        }
    }
}

struct Calls {
    under_way: Option<Rc<Call>>,
    stops: Rc<[u64]>,
}

impl Calls {
    fn return_to(&mut self, target: u64) -> bool {
        let mut call = self.under_way.clone();
        while let Some(this) = call {
            if this.returns_to == target {
                self.under_way.clone_from(&this.before);
                return true;
            }
            call = this.before.clone();
        }
        self.stops.contains(&target)
    }

    /// The condition that a return leads to where its caller is not.
    fn elsewhere(&self, look: &mut Look<'_>, target: Term) -> Option<Term> {
        let call = self.under_way.as_ref()?;
        let terms = look.terms.as_deref_mut()?;
        let width = terms.width(target);
        let caller = terms.constant_u64(call.returns_to, width);
        Some(terms.ne(target, caller))
    }
}

impl Watcher for Calls {
    fn fork(&self) -> Box<dyn Watcher> {
        Box::new(Calls { under_way: self.under_way.clone(), stops: self.stops.clone() })
    }

    fn look(&mut self, look: &mut Look<'_>, statements: &mut Vec<Statement>) {
        let Some(way) = look.way else { return };
        let address = look.last_instruction();
        match way.kind {
            ExitKind::Call => {
                let before = self.under_way.take();
                self.under_way = Some(Rc::new(Call { returns_to: way.behind, before }));
            }
            ExitKind::Return => {
                if let Some(condition) = way.term.and_then(|target| self.elsewhere(look, target)) {
                    let what = "a return to where nothing called it from".to_owned();
                    let step = look.steps.len();
                    statements.push(Statement::Suspect { step, address, condition, any_memory: false, what });
                }
                if !self.return_to(way.target) {
                    let what = format!("a return to {:#x}, where nothing called it from", way.target);
                    statements.push(Statement::Wrong { address, what, ends: true });
                }
            }
            ExitKind::Fall | ExitKind::Jump => {}
        }
    }
}
