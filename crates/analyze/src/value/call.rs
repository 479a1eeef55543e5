//! What a call does to the state of its caller.

use super::Trust;
use super::function::Analysis;
use super::interpret::Interpreter;
use super::state::{State, distance};
use super::symbol::{Symbol, Value};
use crate::domain::Number;
use crate::graph::BlockId;
use everypath_ir::{Op, Width, Word};

/// What a function does.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Summary {
    /// As far as is known, it does not return.
    NeverReturns,
    /// It returns with this state, in its own terms.
    Returns(Box<State>),
    /// Nothing is known of it.
    Unknown,
}

impl Analysis<'_, '_> {
    /// The state behind a call of which nothing is known. Not even the stack pointer is: the function may give back more of the
    /// stack than its return address, unless it can be trusted not to.
    pub(super) fn unknown_call(&self, id: BlockId, before: &State) -> State {
        let mut interpreter = Interpreter::new(self.program, self.bounds, before.clone());
        interpreter.forget();
        if self.bounds.trust == Trust::Nothing {
            return interpreter.state;
        }
        let layout = self.program.architecture().layout();
        let convention = self.program.architecture().description().call.as_ref();
        // Where a call leaves its return address on the stack, the return takes it away.
        if let (Some((location, width)), Some(convention)) = (self.bounds.stack_pointer, convention) {
            let pointer = before.place(layout, location, width);
            let size = self.program.pointer_size() as u64;
            let end = self.graph.block(id).end;
            let back = match convention.return_address {
                Some(_) => pointer,
                None if self.top_of_stack(before) == Some(end) => {
                    let size = Value::plain(Number::one(width, size));
                    Value::apply(Op::Add, width, &[&pointer, &size])
                }
                _ => Value::unknown(width),
            };
            interpreter.state.set_place(layout, location, back);
        }
        interpreter.state
    }

    /// The state in which a function returns that was left by a jump of which nothing is known. By convention what it jumps to
    /// gives the registers and the stack back as the function found them.
    pub(super) fn unknown_return(&self, before: &State) -> State {
        let mut interpreter = Interpreter::new(self.program, self.bounds, before.clone());
        interpreter.forget();
        let mut state = interpreter.state;
        let architecture = self.program.architecture();
        if let Some(convention) = architecture.description().call.as_ref().filter(|_| self.trusted()) {
            let layout = architecture.layout();
            for (location, width) in
                convention.preserved.iter().filter_map(|name| architecture.register(name))
            {
                let mut value = Value::entry(Symbol::Register(location, width));
                // Where a call leaves its return address on the stack, the return takes it away.
                if convention.return_address.is_none() && self.bounds.stack_pointer == Some((location, width))
                {
                    let size = Value::plain(Number::one(width, self.program.pointer_size() as u64));
                    value = Value::apply(Op::Add, width, &[&value, &size]);
                }
                state.set_place(layout, location, value);
            }
        }
        state
    }

    /// The state at a block that a jump of which nothing is known may lead to. Inside a function such jumps leave the stack
    /// pointer alone, by convention.
    pub(super) fn unknown_jump(&self, before: &State) -> State {
        let layout = self.program.architecture().layout();
        let mut interpreter = Interpreter::new(self.program, self.bounds, before.clone());
        interpreter.forget_everything();
        let mut state = interpreter.state;
        if let Some((location, width)) = self.bounds.stack_pointer.filter(|_| self.trusted()) {
            state.set_place(layout, location, before.place(layout, location, width));
        }
        state
    }

    /// Whether a function that jumps away in a state has nothing on the stack and in its callers' registers, as before a call
    /// in place of a return.
    pub(super) fn is_tail_call(&self, state: &State) -> bool {
        let architecture = self.program.architecture();
        let Some(convention) = architecture.description().call.as_ref() else { return false };
        let mut kept = convention.preserved.iter().filter_map(|name| architecture.register(name));
        self.trusted()
            && kept.all(|(location, width)| {
                let held = state.place(architecture.layout(), location, width);
                held == Value::entry(Symbol::Register(location, width))
            })
    }

    pub(super) fn trusted(&self) -> bool {
        self.bounds.trust == Trust::Convention
    }

    /// How far the stack pointer is from where it was at the entry, if that is known.
    pub(super) fn level(&self, state: &State) -> Option<i64> {
        let (location, width) = self.bounds.stack_pointer?;
        let pointer = state.place(self.program.architecture().layout(), location, width);
        let is_stack = pointer.base == Some(Symbol::Register(location, width));
        pointer.number.single().filter(|_| is_stack).map(|at| at.sign_extend(width) as i64)
    }

    /// The number on top of the stack, if it is known.
    fn top_of_stack(&self, state: &State) -> Option<u64> {
        let top = Width::of_bytes(self.program.pointer_size())?;
        let layout = self.program.architecture().layout();
        let held = state.stack(layout, self.program.code_space(), self.level(state)?, top);
        held.number.single().filter(|_| held.base.is_none())
    }

    /// The state behind a call of a function of which it is known what it does.
    pub(super) fn called(&self, before: &State, summary: &Summary) -> Option<State> {
        let exit = match summary {
            Summary::NeverReturns => return None,
            Summary::Unknown => {
                let mut interpreter = Interpreter::new(self.program, self.bounds, before.clone());
                interpreter.forget();
                return Some(interpreter.state);
            }
            Summary::Returns(exit) => exit,
        };
        let layout = self.program.architecture().layout();
        let mut state = before.clone();
        for (space, ranges) in exit.lost.iter() {
            for (first, last) in ranges.iter() {
                match (first, last) {
                    (0, u64::MAX) => state.lose(space),
                    _ => state.lose_range(layout, space, first, last - first + 1),
                }
            }
        }
        for (space, cells) in exit.places.iter() {
            for (offset, value) in cells.iter() {
                let location = everypath_ir::Location { space, offset };
                state.set_place(layout, location, self.seen_by_caller(before, value));
            }
        }
        let here = self.level(before);
        let touches_stack = exit.stack.iter().any(|(_, cells)| !cells.is_empty())
            || exit.floor > i64::MIN
            || exit.stack_lost.iter().next().is_some();
        let trusted = self.trusted();
        match here {
            Some(here) if !exit.overwritten => {
                if exit.spoiled {
                    state.spoil_all(trusted);
                }
                if touches_stack {
                    state.raise_floor(here.max(exit.floor.saturating_add(here)));
                }
                for (space, ranges) in exit.stack_lost.iter() {
                    for (first, last) in ranges.iter().map(|(first, last)| (distance(first), distance(last)))
                    {
                        if last >= 0 {
                            let size = last.abs_diff(first.max(0)) + 1;
                            state.spoil(layout, space, here.wrapping_add(first.max(0)), size);
                        }
                    }
                }
                for (space, cells) in exit.stack.iter() {
                    for (key, value) in cells.iter() {
                        let at = distance(key);
                        if at >= 0 {
                            let value = self.seen_by_caller(before, value);
                            state.set_stack(layout, space, here.wrapping_add(at), value);
                        }
                    }
                }
            }
            _ if !touches_stack && !exit.overwritten && !exit.spoiled => {}
            _ => state.spoil_all(trusted && !exit.overwritten && here.is_some()),
        }
        Some(state)
    }

    /// What a value of a called function is in the terms of its caller.
    fn seen_by_caller(&self, caller: &State, value: &Value) -> Value {
        let layout = self.program.architecture().layout();
        let base = match value.base {
            None => return value.clone(),
            Some(Symbol::Register(location, width)) => caller.place(layout, location, width),
            Some(Symbol::Cell { space, distance, width }) => match self.level(caller) {
                Some(here) => caller.stack(layout, space, here.wrapping_add(distance), width),
                None => Value::unknown(width),
            },
        };
        let number = Value::plain(value.number.clone());
        Value::apply(Op::Add, value.width(), &[&base, &number])
    }
}
