//! Effect of a call on the caller's state: applies function summaries (the functional approach, Sharir & Pnueli 1981).

use super::havoc::UnknownStore;
use super::interpret::Interpreter;
use super::options::{AnalysisOptions, Trust};
use super::region::{Region, distance};
use super::state::AbstractState;
use super::summary::Summary;
use super::symbol::{EntrySymbol, Value};
use crate::domain::Number;
use crate::graph::{BlockId, Graph};
use crate::program::Program;
use everypath_ir::{Op, Width, Word};

/// The effects of calls, returns and unresolved jumps on states of one program.
#[derive(Clone, Copy)]
pub(super) struct CallEffects<'a> {
    pub(super) program: &'a Program<'a>,
    pub(super) graph: &'a Graph,
    pub(super) options: &'a AnalysisOptions,
}

impl CallEffects<'_> {
    /// The state after a call of an unknown function. Even the stack pointer is unknown, because the callee may pop
    /// more than its return address; with trust, the calling convention rules that out.
    pub(super) fn unknown_call(&self, id: BlockId, before: &AbstractState) -> AbstractState {
        let mut interpreter = Interpreter::new(self.program, self.options, before.clone());
        interpreter.havoc_unpreserved();
        if self.options.trust == Trust::Nothing {
            return interpreter.state;
        }
        let layout = self.program.architecture().layout();
        let convention = self.program.architecture().description().call.as_ref();
        // If calls push the return address, the return pops it.
        if let (Some((location, width)), Some(convention)) = (self.options.stack_pointer, convention) {
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

    /// The state in which a function returns after an unresolved jump out of it. By convention, the jump's target
    /// restores the callee-saved registers and the stack pointer.
    pub(super) fn unknown_return(&self, before: &AbstractState) -> AbstractState {
        let mut interpreter = Interpreter::new(self.program, self.options, before.clone());
        interpreter.havoc_unpreserved();
        let mut state = interpreter.state;
        let architecture = self.program.architecture();
        if let Some(convention) = architecture.description().call.as_ref().filter(|_| self.trusted()) {
            let layout = architecture.layout();
            for (location, width) in
                convention.preserved.iter().filter_map(|name| architecture.register(name))
            {
                let mut value = Value::entry(EntrySymbol::Register(location, width));
                // If calls push the return address, the return pops it.
                if convention.return_address.is_none()
                    && self.options.stack_pointer == Some((location, width))
                {
                    let size = Value::plain(Number::one(width, self.program.pointer_size() as u64));
                    value = Value::apply(Op::Add, width, &[&value, &size]);
                }
                state.set_place(layout, location, value);
            }
        }
        state
    }

    /// The state at a possible target of an unresolved jump. By convention, such a jump inside a function leaves the
    /// stack pointer unchanged.
    pub(super) fn unknown_jump(&self, before: &AbstractState) -> AbstractState {
        let layout = self.program.architecture().layout();
        let mut interpreter = Interpreter::new(self.program, self.options, before.clone());
        interpreter.havoc_everything();
        let mut state = interpreter.state;
        if let Some((location, width)) = self.options.stack_pointer.filter(|_| self.trusted()) {
            state.set_place(layout, location, before.place(layout, location, width));
        }
        state
    }

    /// Returns true if a jump in this state looks like a tail call: all callee-saved registers, including the stack
    /// pointer if it is one of them, hold their entry values.
    pub(super) fn is_tail_call(&self, state: &AbstractState) -> bool {
        let architecture = self.program.architecture();
        let Some(convention) = architecture.description().call.as_ref() else { return false };
        let mut kept = convention.preserved.iter().filter_map(|name| architecture.register(name));
        self.trusted()
            && kept.all(|(location, width)| {
                let held = state.place(architecture.layout(), location, width);
                held == Value::entry(EntrySymbol::Register(location, width))
            })
    }

    pub(super) fn trusted(&self) -> bool {
        self.options.trust == Trust::Convention
    }

    /// The offset of the stack pointer from its value at the function entry, if known.
    pub(super) fn level(&self, state: &AbstractState) -> Option<i64> {
        let (location, width) = self.options.stack_pointer?;
        let pointer = state.place(self.program.architecture().layout(), location, width);
        let is_stack = pointer.base == Some(EntrySymbol::Register(location, width));
        pointer.number.single().filter(|_| is_stack).map(|at| at.sign_extend(width) as i64)
    }

    /// The number on top of the stack, if known.
    fn top_of_stack(&self, state: &AbstractState) -> Option<u64> {
        let top = Width::of_bytes(self.program.pointer_size())?;
        let layout = self.program.architecture().layout();
        let held = state.stack(layout, self.program.code_space(), self.level(state)?, top);
        held.number.single().filter(|_| held.base.is_none())
    }

    /// Applies a callee's summary to the caller's state. Returns `None` if the callee never returns.
    pub(super) fn called(&self, before: &AbstractState, summary: &Summary) -> Option<AbstractState> {
        let exit = match summary {
            Summary::NeverReturns => return None,
            Summary::Unknown => {
                let mut interpreter = Interpreter::new(self.program, self.options, before.clone());
                interpreter.havoc_unpreserved();
                return Some(interpreter.state);
            }
            Summary::Returns(exit) => exit,
        };
        let layout = self.program.architecture().layout();
        let mut state = before.clone();
        for (region, first, last) in exit.havoc.ranges() {
            match (region, first, last) {
                (Region::Fixed(space), 0, u64::MAX) => state.havoc_space(space),
                (Region::Fixed(space), ..) => state.havoc_range(layout, space, first, last - first + 1),
                (Region::Stack(_), ..) => {}
            }
        }
        for (location, value) in exit.cells() {
            state.set_place(layout, location, self.seen_by_caller(before, value));
        }
        self.stack_after_call(before, exit, &mut state);
        Some(state)
    }

    /// Applies a callee's effect on the stack to the caller's state. The callee's frame is below the stack pointer at
    /// the call; what it did at and above that pointer, it did to the caller's frame.
    fn stack_after_call(&self, before: &AbstractState, exit: &AbstractState, state: &mut AbstractState) {
        let layout = self.program.architecture().layout();
        let touches_stack = exit.havoc.touches_stack() || exit.stack_cells().next().is_some();
        let store = exit.havoc.unknown_store();
        match self.level(before) {
            Some(here) if store != UnknownStore::Anywhere => {
                if store != UnknownStore::Never {
                    state.havoc_all(self.trusted());
                }
                if touches_stack {
                    state.havoc_below(here.max(exit.havoc.floor().saturating_add(here)));
                }
                for (region, first, last) in exit.havoc.ranges() {
                    let (first, last) = (distance(first).max(0), distance(last));
                    if let Region::Stack(space) = region
                        && last >= 0
                    {
                        let size = last.abs_diff(first) + 1;
                        state.havoc_stack(layout, space, here.wrapping_add(first), size);
                    }
                }
                for (space, at, value) in exit.stack_cells() {
                    let end = at.saturating_add(value.width().bytes() as i64);
                    if at >= 0 {
                        let value = self.seen_by_caller(before, value);
                        state.set_stack(layout, space, here.wrapping_add(at), value);
                    } else if end > 0 {
                        // It begins in the callee's frame and ends in the caller's.
                        state.havoc_stack(layout, space, here, end.unsigned_abs());
                    }
                }
            }
            None if !touches_stack && store == UnknownStore::Never => {}
            // The caller's slots that hold saved values cannot be told apart either.
            _ => state.havoc_all(false),
        }
    }

    /// Translates a callee's value into the caller's symbols.
    fn seen_by_caller(&self, caller: &AbstractState, value: &Value) -> Value {
        let layout = self.program.architecture().layout();
        let base = match value.base {
            None => return value.clone(),
            Some(EntrySymbol::Register(location, width)) => caller.place(layout, location, width),
            Some(EntrySymbol::Cell { space, distance, width }) => match self.level(caller) {
                Some(here) => caller.stack(layout, space, here.wrapping_add(distance), width),
                None => Value::unknown(width),
            },
        };
        let number = Value::plain(value.number.clone());
        Value::apply(Op::Add, value.width(), &[&base, &number])
    }
}
