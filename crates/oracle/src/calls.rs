//! Shadow stack (Abadi et al. 2005): returns that do not match a call.
//!
//! *What*: a return to an address that no active call returns to.
//! *How*: by a shadow stack of the active calls. A return to an earlier caller pops the calls between. A return to
//! where a call made by a frame that is still active has returned before is a `longjmp`, and pops the calls above that
//! frame. A return that leaves the frame in place, by the stack pointer, is a jump: to an address that the program has
//! pushed, or through the register that otherwise holds the return address. The return of an interrupt handler to where the
//! interrupt was taken restores the shadow stack. Another one may switch to another task, so the shadow stack is empty
//! behind it, and a return from its last frame is not judged any more.
//! *False positives*: switching between tasks otherwise; a return used as a jump in a function without a frame.
//! *False negatives*: a return to the right address on a stack that is not the caller's; jumps that are no returns; a
//! return address overwritten by that of an earlier call.

use crate::definition::{Definition, Growth, Oracle, OracleReport, OracleSetup};
use crate::observation::{BlockObservation, TakenExit};
use everypath_ir::{ExitKind, Location, Width};
use everypath_machine::State;
use everypath_term::Term;
use std::rc::Rc;

pub(crate) const DEFINITION: Definition = Definition {
    name: "calls",
    about: "a function returns to where nothing called it from",
    make: |setup: &OracleSetup| {
        Box::new(Calls {
            top: Rc::new(Frame {
                returns_to: None,
                entered: setup.stack_at_start,
                sites: None,
                caller: None,
            }),
            stops: setup.stops.as_slice().into(),
            handler_returns: setup.handler_returns,
            has_switched: false,
            interrupted: None,
            stack_pointer: setup.stack_pointer,
            grows: setup.stack_growth,
            on_stack: setup.return_address_on_stack,
        })
    },
};

/// The maximum size of a stack frame.
const LARGEST_FRAME: u64 = 1 << 20;

/// A frame of the shadow stack: the function that was entered first, or one that was called.
#[derive(Clone)]
struct Frame {
    /// The return address; none for the first frame.
    returns_to: Option<u64>,
    /// The stack pointer at its entry, if known.
    entered: Option<u64>,
    /// Addresses that calls from this frame have returned to, the last one first.
    sites: Option<Rc<Site>>,
    caller: Option<Rc<Frame>>,
}

/// A shadow stack when an interrupt was taken.
struct Interrupted {
    top: Rc<Frame>,
    has_switched: bool,
    /// The interrupted instruction, and the stack pointer there.
    address: u64,
    pointer: Option<u64>,
}

/// An address that a call has returned to.
struct Site {
    address: u64,
    before: Option<Rc<Site>>,
}

impl Drop for Frame {
    /// Iterative, because calls may be nested deeply.
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
    /// First and last addresses to which interrupt handlers return.
    handler_returns: Option<(u64, u64)>,
    /// Whether a handler has returned, so that calls before it are not known.
    has_switched: bool,
    /// The shadow stack when the handler that runs was entered.
    interrupted: Option<Rc<Interrupted>>,
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

    /// Whether a jump is the return of an interrupt handler.
    fn is_handler_return(&self, target: u64) -> bool {
        self.handler_returns.is_some_and(|(first, last)| (first..=last).contains(&target))
    }

    /// Whether a return that leaves this stack pointer continues the interrupted program. Where handlers return by an address of
    /// their own, that return comes first.
    fn resumes(&self, interrupted: &Interrupted, target: u64, pointer: Option<u64>) -> bool {
        interrupted.address == target
            && interrupted.pointer == pointer
            && (self.has_switched || self.handler_returns.is_none())
    }

    /// The frame that a return leads to, if any.
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

    /// Whether a return that leaves this stack pointer leaves the frame in place, and so is a jump. Where calls push
    /// the return address, a return pops it: the stack pointer is then beyond its value at the frame's entry.
    fn is_inside(&self, pointer: Option<u64>) -> bool {
        let (Some(pointer), Some(entered)) = (pointer, self.top.entered) else { return false };
        let depth = match self.grows {
            Growth::Down => entered.wrapping_sub(pointer),
            Growth::Up => pointer.wrapping_sub(entered),
        };
        // A corrupted stack pointer is far away.
        depth <= LARGEST_FRAME && (depth != 0 || self.on_stack)
    }

    /// The condition that a return does not lead to its caller.
    fn elsewhere(&self, observation: &mut BlockObservation<'_>, target: Term) -> Option<Term> {
        let returns_to = self.top.returns_to?;
        let terms = observation.terms.as_deref_mut()?;
        let width = terms.width(target);
        let caller = terms.constant_u64(returns_to, width);
        Some(terms.ne(target, caller))
    }
}

impl Oracle for Calls {
    fn fork(&self) -> Box<dyn Oracle> {
        Box::new(self.clone())
    }

    /// The active calls. Not where earlier calls have returned to: they differ between almost any two paths, and only
    /// tell a `longjmp` from a fault, which the run of its test decides.
    fn fingerprint(&self) -> Option<Vec<u64>> {
        let known = |number: Option<u64>| [u64::from(number.is_some()), number.unwrap_or(0)];
        let numbers = |top: &Rc<Frame>| {
            let frames = std::iter::successors(Some(top), |frame| frame.caller.as_ref());
            let of = |frame: &Rc<Frame>| [known(frame.returns_to), known(frame.entered)].concat();
            frames.flat_map(of).collect::<Vec<u64>>()
        };
        let mut all = numbers(&self.top);
        all.push(u64::from(self.has_switched));
        if let Some(Interrupted { top, has_switched, address, pointer }) = self.interrupted.as_deref() {
            all.extend(numbers(top));
            all.extend([u64::from(*has_switched), *address]);
            all.extend(known(*pointer));
        }
        Some(all)
    }

    fn observe(&mut self, observation: &mut BlockObservation<'_>, statements: &mut Vec<OracleReport>) {
        let Some(exit) = observation.exit else { return };
        if exit.kind != ExitKind::Return {
            return;
        }
        let pointer = self.pointer(observation.state);
        if self.is_inside(pointer) {
            return;
        }
        let address = observation.last_instruction();
        if let Some(condition) = exit.term.and_then(|target| self.elsewhere(observation, target)) {
            let what = "a return to where nothing called it from".to_owned();
            let step = observation.steps.len();
            statements.push(OracleReport::Suspect { step, address, condition, unwritten: None, what });
        }
        let has_unknown_caller = self.has_switched && self.top.caller.is_none();
        let is_resumed =
            self.interrupted.as_deref().is_some_and(|one| self.resumes(one, exit.target, pointer));
        let is_expected =
            self.returned(exit.target).is_some() || self.is_handler_return(exit.target) || is_resumed;
        if !is_expected && !has_unknown_caller && !self.stops.contains(&exit.target) {
            let what = format!("a return to {:#x}, where nothing called it from", exit.target);
            statements.push(OracleReport::Violation { address, what, astray: true });
        }
    }

    fn interrupt(&mut self, address: u64, state: &mut State) {
        let (top, has_switched, pointer) = (self.top.clone(), self.has_switched, self.pointer(state));
        self.interrupted = Some(Rc::new(Interrupted { top, has_switched, address, pointer }));
    }

    fn leave(&mut self, exit: &TakenExit, state: &mut State) {
        if exit.kind == ExitKind::Return
            && let Some(interrupted) = self.interrupted.clone()
            && self.resumes(&interrupted, exit.target, self.pointer(state))
        {
            self.interrupted = None;
            (self.top, self.has_switched) = (interrupted.top.clone(), interrupted.has_switched);
            return;
        }
        if self.is_handler_return(exit.target) {
            self.top = Rc::new(Frame { returns_to: None, entered: None, sites: None, caller: None });
            self.has_switched = true;
            return;
        }
        // In a called function, only calls and returns change the shadow stack.
        if self.top.caller.is_some() && matches!(exit.kind, ExitKind::Fall | ExitKind::Jump) {
            return;
        }
        let pointer = self.pointer(state);
        match exit.kind {
            ExitKind::Call => {
                let caller = Some(self.top.clone());
                let returns_to = Some(exit.behind);
                self.top = Rc::new(Frame { returns_to, entered: pointer, sites: None, caller });
            }
            ExitKind::Return => {
                if let Some(frame) = self.returned(exit.target).filter(|_| !self.is_inside(pointer)) {
                    self.top = frame;
                }
            }
            ExitKind::Fall | ExitKind::Jump => {}
        }
        // The entry of the first function was not observed: assume the stack pointer of the emptiest stack so far.
        if self.top.caller.is_none() && exit.kind != ExitKind::Return && pointer != self.top.entered {
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
