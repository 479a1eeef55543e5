//! Violations of the discipline of calls and returns.
//!
//! *What*: a return to an address that no call under way is to return to.
//! *How*: by a shadow stack of the calls under way. A return to an earlier caller ends the calls between. A return to where
//! a call made by a frame that is still under way has returned before is a `longjmp`, and ends the calls above that frame.
//! Where calls put the return address on the stack, a return that leaves the frame's own return address there is a jump to
//! an address that the program has pushed.
//! *False positives*: switching between tasks; where calls put the return address into a register, a return used as a jump.
//! *False negatives*: a return to the right address on a stack that is not the caller's; jumps that are no returns; a
//! return address overwritten by that of an earlier call.

use crate::look::{Look, Way};
use crate::watcher::{Definition, Setup, Statement, Watcher};
use everypath_ir::{ExitKind, Location, Width};
use everypath_machine::{State, Step};
use everypath_term::Term;
use std::rc::Rc;

pub(crate) const DEFINITION: Definition = Definition {
    name: "calls",
    about: "a function returns to where nothing called it from",
    make: |setup: &Setup| {
        Box::new(Calls {
            top: Rc::new(Frame::default()),
            stops: setup.stops.as_slice().into(),
            stack_pointer: setup.stack_pointer,
            last: setup.stack_at_start,
            on_stack: setup.return_address_on_stack,
            grows: None,
        })
    },
};

/// A function that is being run: the one that was entered first, or one that was called.
#[derive(Clone, Default)]
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

/// In which direction a stack grows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Growth {
    Down,
    Up,
}

#[derive(Clone)]
struct Calls {
    top: Rc<Frame>,
    stops: Rc<[u64]>,
    stack_pointer: Option<(Location, Width)>,
    /// The stack pointer after the last block.
    last: Option<u64>,
    /// Whether calls push the return address.
    on_stack: bool,
    /// The direction, if a call was seen to push, or a return to pop.
    grows: Option<Growth>,
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

    /// Whether a return that leaves the stack pointer there has not taken the frame's own return address.
    fn is_inside(&self, pointer: Option<u64>) -> bool {
        match (self.grows, pointer, self.top.entered) {
            (Some(Growth::Down), Some(pointer), Some(entered)) => pointer <= entered,
            (Some(Growth::Up), Some(pointer), Some(entered)) => pointer >= entered,
            _ => false,
        }
    }

    /// Learns in which direction the stack grows, from a call that pushes or a return that pops.
    fn learn(&mut self, look: &Look<'_>, kind: ExitKind) {
        let Some(last) = look.marks.last().map(|(first, _)| *first as usize) else { return };
        let moved = |step: &usize| match &look.steps[*step] {
            Step::Put(place) => Some((look.value)(place.slot).bits.narrow()),
            _ => None,
        };
        let moves = &look.facts.stack_moves;
        let split = moves.partition_point(|step| *step < last);
        let before = moves[..split].last().and_then(moved).or(self.last);
        let after = moves[split..].last().and_then(moved);
        if let (Some(before), Some(after)) = (before, after) {
            let order = if kind == ExitKind::Return { before.cmp(&after) } else { after.cmp(&before) };
            self.grows = match order {
                std::cmp::Ordering::Less => Some(Growth::Down),
                std::cmp::Ordering::Greater => Some(Growth::Up),
                std::cmp::Ordering::Equal => None,
            };
        }
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
        if self.on_stack && self.grows.is_none() && matches!(way.kind, ExitKind::Call | ExitKind::Return) {
            self.learn(look, way.kind);
        }
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
            statements.push(Statement::Wrong { address, what, ends: true });
        }
    }

    fn leave(&mut self, way: &Way, state: &mut State) {
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
                (Some(Growth::Up), Some(pointer), Some(entered)) => pointer < entered,
                (_, Some(pointer), Some(entered)) => pointer > entered,
                (_, pointer, None) => pointer.is_some(),
                _ => false,
            };
            if further {
                Rc::make_mut(&mut self.top).entered = pointer;
            }
        }
        self.last = pointer;
    }
}
