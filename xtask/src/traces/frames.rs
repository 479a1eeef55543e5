//! The shadow call stack of a run: the running function, and the register values at its entry.

use super::graph::{Graph, Kind};

/// A function that is running.
pub(super) struct Frame {
    pub function: u64,
    /// The registers at its entry.
    pub entry: Vec<u64>,
    /// Its return address.
    return_to: Option<u64>,
    /// Whether it was entered at its start, and has followed only edges of the graph.
    pub trusted: bool,
}

/// The kind of control transfer of a step.
enum Transfer {
    Inside,
    Call(u64),
    TailCall,
    /// Not by an edge of the graph, which may report the exit as unresolved.
    Elsewhere {
        unresolved: bool,
    },
}

/// The stack of frames; the last is running.
pub(super) struct Frames<'g> {
    graph: &'g Graph,
    frames: Vec<Frame>,
    /// The index of the stack pointer.
    stack_pointer: usize,
    before: Option<u64>,
}

impl<'g> Frames<'g> {
    pub(super) fn new(graph: &'g Graph, stack_pointer: usize) -> Self {
        Self { graph, frames: Vec::new(), stack_pointer, before: None }
    }

    /// Steps to an instruction, and returns its function. `has` tells whether the analysis claims something about an
    /// address as part of a function.
    pub(super) fn step(
        &mut self,
        address: u64,
        registers: &[u64],
        has: impl Fn(u64, u64) -> bool,
    ) -> Option<&Frame> {
        let transfer = match self.before.replace(address) {
            Some(before) => self.transfer(before, address),
            None => Transfer::Call(0),
        };
        match transfer {
            Transfer::Inside => {
                // A function may fall through into another one.
                let elsewhere = |frame: &Frame| frame.function != address && !has(frame.function, address);
                if self.graph.functions.contains(&address) && self.frames.last().is_some_and(elsewhere) {
                    self.replace(address, registers);
                }
            }
            Transfer::Call(return_to) => self.push(address, registers, Some(return_to)),
            Transfer::TailCall => self.replace(address, registers),
            Transfer::Elsewhere { unresolved } => self.elsewhere(address, registers, unresolved, has),
        }
        self.frames.last()
    }

    fn transfer(&self, before: u64, address: u64) -> Transfer {
        let Some(leaving) = self.graph.leaving.get(&before) else {
            // Inside a block there is only one successor, or a repetition.
            return match self.graph.instructions.contains_key(&before) {
                true => Transfer::Inside,
                false => Transfer::Elsewhere { unresolved: true },
            };
        };
        if leaving.leads(address, Kind::Inside) || leaving.leads(address, Kind::CallFallThrough) {
            return Transfer::Inside;
        }
        if leaving.calls() {
            return Transfer::Call(leaving.ends.first().copied().unwrap_or(0));
        }
        if leaving.leads(address, Kind::TailCall) {
            return Transfer::TailCall;
        }
        if address == before {
            return Transfer::Inside;
        }
        Transfer::Elsewhere { unresolved: leaving.indirect.iter().any(|exit| !exit.resolved) }
    }

    fn push(&mut self, function: u64, registers: &[u64], return_to: Option<u64>) {
        let trusted = self.graph.functions.contains(&function);
        self.frames.push(Frame { function, entry: registers.to_vec(), return_to, trusted });
    }

    fn replace(&mut self, function: u64, registers: &[u64]) {
        let return_to = self.frames.pop().and_then(|frame| frame.return_to);
        self.push(function, registers, return_to);
    }

    /// A return, a callback, a second return of a function such as `setjmp`, or a jump that the graph does not know.
    fn elsewhere(
        &mut self,
        address: u64,
        registers: &[u64],
        unresolved: bool,
        has: impl Fn(u64, u64) -> bool,
    ) {
        let stack = registers[self.stack_pointer];
        let pointer = self.stack_pointer;
        let returned = self
            .frames
            .iter()
            .rposition(|frame| frame.return_to == Some(address) && frame.entry[pointer] <= stack);
        if let Some(position) = returned {
            self.frames.truncate(position);
            if self.frames.is_empty() {
                self.frames.push(Frame {
                    function: 0,
                    entry: registers.to_vec(),
                    return_to: None,
                    trusted: false,
                });
            }
            return;
        }
        if self.graph.functions.contains(&address) {
            self.replace(address, registers);
            return;
        }
        let deeper = |frame: &Frame| has(frame.function, address) && stack <= frame.entry[pointer];
        match self.frames.iter().rposition(deeper) {
            Some(position) => {
                let same = position + 1 == self.frames.len();
                self.frames.truncate(position + 1);
                if let Some(frame) = self.frames.last_mut().filter(|_| same && unresolved) {
                    frame.trusted = false;
                }
            }
            None => {
                if let Some(frame) = self.frames.last_mut() {
                    frame.trusted = false;
                }
            }
        }
    }
}
