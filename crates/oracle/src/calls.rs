//! Violations of the discipline of calls and returns.
//!
//! *What*: a return to an address that no call under way is to return to.
//! *How*: by a shadow stack of the calls under way. A return to an earlier caller ends the calls between. A return to where
//! a call made by a frame that is still under way has returned before is a `longjmp`, and ends the calls above that frame.
//! A return that leaves the frame in place, by the stack pointer, is a jump: to an address that the program has pushed, or
//! through the register that otherwise holds the return address.
//! *False positives*: switching between tasks; a return used as a jump in a function without a frame.
//! *False negatives*: a return to the right address on a stack that is not the caller's; jumps that are no returns; a
//! return address overwritten by that of an earlier call.

use crate::look::{Look, Way};
use crate::watcher::{Definition, Growth, Setup, Statement, Watcher};
use everypath_ir::{ExitKind, Location, Width};
use everypath_machine::State;
use everypath_term::Term;
use std::rc::Rc;

pub(crate) const DEFINITION: Definition = Definition {
    name: "calls",
    about: "a function returns to where nothing called it from",
    make: |setup: &Setup| {
        Box::new(Calls {
            top: Rc::new(Frame {
                returns_to: None,
                entered: setup.stack_at_start,
                sites: None,
                caller: None,
            }),
            stops: setup.stops.as_slice().into(),
            stack_pointer: setup.stack_pointer,
            grows: setup.stack_growth,
            on_stack: setup.return_address_on_stack,
        })
    },
};

/// How large the frame of a function is at most.
const LARGEST_FRAME: u64 = 1 << 20;

/// A function that is being run: the one that was entered first, or one that was called.
#[derive(Clone)]
struct Frame {
    /// Where it returns to; nothing for the first.
    returns_to: Option<u64>,
    /// The stack pointer when it was entered, as far as it is known.
    entered: Option<u64>,
    /// Where calls that it made have returned to, the last one first.
    sites: Option<Rc<Site>>,
    caller: Option<Rc<Frame>>,
}

/// Where a call has returned to.
struct Site {
    address: u64,
    before: Option<Rc<Site>>,
}

impl Drop for Frame {
    /// Without recursion: calls may be nested deeply.
    fn drop(&mut self) {
        let mut caller = self.caller.take();
        while let Some(mut frame) = caller.and_then(Rc::into_inner) {
            caller = frame.caller.take();
        }
    }
}

impl Frame {
    fn has_site(&self, address: u64) -> bool {
        let mut site = self.sites.as_ref();
        while let Some(this) = site {
            if this.address == address {
                return true;
            }
            site = this.before.as_ref();
        }
        false
    }
}

#[derive(Clone)]
struct Calls {
    top: Rc<Frame>,
    stops: Rc<[u64]>,
    stack_pointer: Option<(Location, Width)>,
    grows: Growth,
    /// Whether calls push the return address.
    on_stack: bool,
}

impl Calls {
    fn pointer(&self, state: &mut State) -> Option<u64> {
        let (location, width) = self.stack_pointer?;
        state.read(location.space, location.offset, width.bytes().min(8)).ok()
    }

    /// The frame that a return leads to, if it leads to one.
    fn returned(&self, target: u64) -> Option<Rc<Frame>> {
        let mut frame = Some(&self.top);
        while let Some(this) = frame {
            if this.returns_to == Some(target) {
                let caller = this.caller.as_ref()?;
                if caller.has_site(target) {
                    return Some(caller.clone());
                }
                let mut frame = (**caller).clone();
                frame.sites = Some(Rc::new(Site { address: target, before: frame.sites.take() }));
                return Some(Rc::new(frame));
            }
            frame = this.caller.as_ref();
        }
        let mut frame = Some(&self.top);
        while let Some(this) = frame {
            if this.has_site(target) {
                return Some(this.clone());
            }
            frame = this.caller.as_ref();
        }
        None
    }

    /// Whether a return that leaves the stack pointer there leaves the frame in place: it is a jump. Where calls push the
    /// return address, a return that takes it leaves the stack pointer beyond where it was when the frame was entered.
    fn is_inside(&self, pointer: Option<u64>) -> bool {
        let (Some(pointer), Some(entered)) = (pointer, self.top.entered) else { return false };
        let depth = match self.grows {
            Growth::Down => entered.wrapping_sub(pointer),
            Growth::Up => pointer.wrapping_sub(entered),
        };
        // A stack pointer that was itself overwritten is far away.
        depth <= LARGEST_FRAME && (depth != 0 || self.on_stack)
    }

    /// The condition that a return leads to where its caller is not.
    fn elsewhere(&self, look: &mut Look<'_>, target: Term) -> Option<Term> {
        let returns_to = self.top.returns_to?;
        let terms = look.terms.as_deref_mut()?;
        let width = terms.width(target);
        let caller = terms.constant_u64(returns_to, width);
        Some(terms.ne(target, caller))
    }
}

impl Watcher for Calls {
    fn fork(&self) -> Box<dyn Watcher> {
        Box::new(self.clone())
    }

    fn look(&mut self, look: &mut Look<'_>, statements: &mut Vec<Statement>) {
        let Some(way) = look.way else { return };
        if way.kind != ExitKind::Return {
            return;
        }
        let pointer = self.pointer(look.state);
        if self.is_inside(pointer) {
            return;
        }
        let address = look.last_instruction();
        if let Some(condition) = way.term.and_then(|target| self.elsewhere(look, target)) {
            let what = "a return to where nothing called it from".to_owned();
            let step = look.steps.len();
            statements.push(Statement::Suspect { step, address, condition, any_memory: false, what });
        }
        if self.returned(way.target).is_none() && !self.stops.contains(&way.target) {
            let what = format!("a return to {:#x}, where nothing called it from", way.target);
            statements.push(Statement::Wrong { address, what, astray: true });
        }
    }

    fn leave(&mut self, way: &Way, state: &mut State) {
        // Within a function that was seen being entered, only calls and returns matter.
        if self.top.caller.is_some() && matches!(way.kind, ExitKind::Fall | ExitKind::Jump) {
            return;
        }
        let pointer = self.pointer(state);
        match way.kind {
            ExitKind::Call => {
                let caller = Some(self.top.clone());
                let returns_to = Some(way.behind);
                self.top = Rc::new(Frame { returns_to, entered: pointer, sites: None, caller });
            }
            ExitKind::Return => {
                if let Some(frame) = self.returned(way.target).filter(|_| !self.is_inside(pointer)) {
                    self.top = frame;
                }
            }
            ExitKind::Fall | ExitKind::Jump => {}
        }
        // Nobody has seen the first function being entered: it lies behind the furthest that its stack was empty.
        if self.top.caller.is_none() && way.kind != ExitKind::Return && pointer != self.top.entered {
            let further = match (self.grows, pointer, self.top.entered) {
                (Growth::Up, Some(pointer), Some(entered)) => pointer < entered,
                (_, Some(pointer), Some(entered)) => pointer > entered,
                (_, pointer, None) => pointer.is_some(),
                _ => false,
            };
            if further {
                Rc::make_mut(&mut self.top).entered = pointer;
            }
        }
    }
}
