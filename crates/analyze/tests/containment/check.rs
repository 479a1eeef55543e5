//! Checks a concrete run against the static results: the graph contains every instruction and edge, and the value sets
//! contain every register and memory value.

use super::said::Said;
use everypath_analyze::{
    AbstractState as Abstract, BlockId, EdgeKind, EntrySymbol, FunctionId, Graph, Program, Trust, Value,
    ValueSets,
};
use everypath_environment::{Configuration, Guest};
use everypath_ir::{Exit, ExitKind, Location, Place, SpaceId, SpaceKind, Width, Word};
use everypath_machine::{At, Concrete, ConcreteDomain, Machine, State, Watch};
use std::collections::{BTreeSet, HashMap};

/// Maximum number of instructions to check per run.
const INSTRUCTIONS: u64 = 6000;
/// All of memory is checked once per this many blocks.
const ALL_OF_MEMORY: u64 = 32;
/// A block is checked on its first visits, then at a period that no guest loop is likely to match.
const VISITS: u64 = 40;
const BETWEEN: u64 = 13;

#[derive(Default)]
struct Seen {
    instructions: Vec<u64>,
    left: Option<(ExitKind, u64)>,
}

impl Watch for Seen {
    const INSTRUCTIONS: bool = true;

    fn instruction(&mut self, address: u64) {
        self.instructions.push(address);
    }

    fn exit(&mut self, _: Place, exit: &Exit, to: u64) {
        self.left = Some((exit.kind, to));
    }
}

/// An active function, with the machine state at its entry.
struct Frame {
    function: Option<FunctionId>,
    entry: State,
    /// The block after the call in its caller.
    resume: Option<BlockId>,
}

impl Frame {
    /// Returns true if the function has a state before a block.
    fn has(&self, values: &ValueSets, block: BlockId) -> bool {
        values.before(block).iter().any(|(function, _)| Some(*function) == self.function)
    }
}

pub(crate) struct Check<'c> {
    program: &'c Program<'c>,
    graph: &'c Graph,
    values: &'c ValueSets,
    registers: Vec<(Location, Width)>,
    blocks: u64,
    visits: HashMap<BlockId, u64>,
    /// Number of register values compared.
    pub(crate) compared: u64,
    /// Number of comparisons whose value set is not top.
    pub(crate) telling: u64,
    /// Number of memory values compared; only those with a static value are.
    pub(crate) memory: u64,
    /// Number of runs that took an unknown target of an unresolved exit.
    pub(crate) left: u64,
}

fn number(state: &mut State, program: &Program<'_>, location: Location, width: Width) -> Option<u64> {
    let space = &program.architecture().layout()[location.space];
    let size = width.bytes();
    if size > 8 {
        return None;
    }
    if space.kind == SpaceKind::Memory {
        let memory = state.memory(location.space)?;
        let bytes: Vec<u8> =
            (0..size as u64).map(|at| memory.peek(location.offset.wrapping_add(at))).collect();
        return Some(space.endian.number(&bytes));
    }
    state.read(location.space, location.offset, size).ok()
}

impl<'c> Check<'c> {
    pub(crate) fn new(said: &'c Said<'c>) -> Self {
        let Said { program, graph, values } = said;
        let description = program.architecture().description();
        let names: BTreeSet<&String> = description
            .call
            .iter()
            .flat_map(|call| {
                call.arguments.iter().chain(&call.result).chain(&call.preserved).chain(&call.return_address)
            })
            .chain(&description.registers.stack_pointer)
            .collect();
        let registers = names.iter().filter_map(|name| program.architecture().register(name)).collect();
        Self {
            program,
            graph,
            values,
            registers,
            blocks: 0,
            visits: HashMap::new(),
            compared: 0,
            telling: 0,
            memory: 0,
            left: 0,
        }
    }

    fn is_volatile(&self, space: SpaceId, first: u64, size: u64) -> bool {
        self.values.options().volatile.overlaps(Location { space, offset: first }, size as usize)
    }

    /// Compares one memory value with its value set.
    fn cell(
        &mut self,
        place: Place,
        location: Location,
        value: &Value,
        state: &mut State,
        frame: &mut Frame,
    ) -> Result<(), String> {
        let (width, size) = (value.width(), value.width().bytes() as u64);
        if value.is_unknown() || self.is_volatile(location.space, location.offset, size) {
            return Ok(());
        }
        let Some(concrete) = number(state, self.program, location, width) else { return Ok(()) };
        self.memory += 1;
        if self.contains(value, concrete, frame) == Some(false) {
            let (at, offset) = (place.address, location.offset);
            return Err(format!(
                "memory at {offset:#x} is {concrete:#x} at {at:#x}, and is said to be {value:?}"
            ));
        }
        Ok(())
    }

    /// Compares memory before a block.
    fn cells(
        &mut self,
        place: Place,
        held: &Abstract,
        state: &mut State,
        frame: &mut Frame,
    ) -> Result<(), String> {
        let layout = self.program.architecture().layout();
        let is_memory = |space: SpaceId| layout[space].kind == SpaceKind::Memory;
        for (location, value) in held.cells().filter(|(location, _)| is_memory(location.space)) {
            self.cell(place, location, value, state, frame)?;
        }
        if let Some((location, width)) = self.values.options().stack_pointer
            && let Some(stack) = number(&mut frame.entry, self.program, location, width)
        {
            for (space, distance, value) in held.stack_cells() {
                let offset = stack.wrapping_add_signed(distance).truncate(width);
                self.cell(place, Location { space, offset }, value, state, frame)?;
            }
        }
        self.blocks += 1;
        // With trust in conventions, fixed-address memory says nothing about the stack.
        if self.blocks % ALL_OF_MEMORY == 1 && self.values.options().trust == Trust::Nothing {
            let bytes: Vec<Location> = state.contents().map(|(location, _)| location).collect();
            for location in bytes {
                let value = held.place(layout, location, Width::W8);
                self.cell(place, location, &value, state, frame)?;
            }
        }
        Ok(())
    }

    /// Returns whether a value set, relative to the function entry, contains a number; `None` if the test cannot tell.
    fn contains(&self, value: &Value, concrete: u64, frame: &mut Frame) -> Option<bool> {
        let width = value.width();
        let base = match value.base {
            None => 0,
            Some(EntrySymbol::Register(location, width)) => {
                number(&mut frame.entry, self.program, location, width)?
            }
            Some(EntrySymbol::Cell { space, distance, width }) => {
                let (location, pointer) = self.values.options().stack_pointer?;
                let stack = number(&mut frame.entry, self.program, location, pointer)?;
                let offset = stack.wrapping_add_signed(distance).truncate(pointer);
                number(&mut frame.entry, self.program, Location { space, offset }, width)?
            }
        };
        Some(value.number.contains(concrete.wrapping_sub(base).truncate(width)))
    }

    fn block(&mut self, place: Place, state: &mut State, frame: &mut Frame) -> Result<(), String> {
        let Some(block) = self.graph.find_anyhow(place) else { return Ok(()) };
        let Some(function) = frame.function else { return Ok(()) };
        let values = self.values;
        if values.given_up().contains(&function) {
            return Ok(());
        }
        let visits = self.visits.entry(block).or_default();
        *visits += 1;
        if *visits > VISITS && !visits.is_multiple_of(BETWEEN) {
            return Ok(());
        }
        let known = values.before(block).iter().find(|(owner, _)| *owner == function);
        let Some((_, held)) = known else {
            return Err(format!("the block at {:#x} was run, and is said not to be reached", place.address));
        };
        let layout = self.program.architecture().layout();
        for index in 0..self.registers.len() {
            let (location, width) = self.registers[index];
            let value = held.place(layout, location, width);
            let Some(concrete) = number(state, self.program, location, width) else { continue };
            self.compared += 1;
            self.telling += u64::from(!value.is_unknown());
            if self.contains(&value, concrete, frame) == Some(false) {
                let name = self.program.architecture().register_name(location, width).unwrap_or("?");
                return Err(format!(
                    "{name} at {:#x} is {concrete:#x}, and is said to be {value:?}",
                    place.address
                ));
            }
        }
        self.cells(place, held, state, frame)
    }
}

pub(crate) fn one_run(
    check: &mut Check<'_>,
    guest: &Guest,
    configuration: &Configuration,
) -> Result<(), String> {
    let graph = check.graph;
    let wrong = |error: everypath_environment::GuestError| error.to_string();
    let mut state = guest.state(configuration).map_err(wrong)?;
    let world = guest.world(configuration).map_err(wrong)?;
    let start = guest.entry(configuration).map_err(wrong)?;
    let stops = guest.limits(configuration).map_err(wrong)?.stops;
    let mut machine: Machine<&Guest, Concrete> = Machine::new(guest);
    let mut frames = vec![Frame { function: graph.function_at(start), entry: state.fork(), resume: None }];
    let mut domain = ConcreteDomain { state: &mut state, outside: world };
    let mut at = At::new(start);
    let mut done = 0;
    while done < INSTRUCTIONS && !stops.contains(&at.place.address) {
        let Some(frame) = frames.last_mut() else { return Ok(()) };
        check.block(at.place, domain.state, frame)?;
        let mut seen = Seen::default();
        let place = at.place;
        let stepped = machine.step(&mut domain, at, u64::MAX, &mut seen);
        for address in &seen.instructions {
            if graph.containing_anyhow(Place::new(*address, place.context)).is_none() {
                return Err(format!("the instruction at {address:#x} was run, and is not in the graph"));
            }
        }
        let Ok(stepped) = stepped else { return Ok(()) };
        let (kind, _) = seen.left.ok_or("a block was left without a word")?;
        let to = stepped.to.place;
        for address in seen.instructions.iter().skip(1) {
            // The machine's block may run into the entry of another function. The state at that entry is lost, so only
            // absolute values can be compared.
            let entered = graph.function_at(Place::new(*address, place.context));
            if let Some(frame) = frames.last_mut()
                && entered.is_some()
                && entered != frame.function
            {
                frame.function = entered.filter(|_| check.values.is_context_sensitive());
            }
        }
        let last = seen.instructions.last().copied();
        let from = last_block(graph, place, last)?;
        if edge(check, from, kind, to, frames.last())? == Told::Unsaturated {
            check.left += 1;
            return Ok(());
        }
        match kind {
            ExitKind::Call => {
                let resumed = graph.successors(from).find(|edge| edge.kind == EdgeKind::CallFallThrough);
                let resume = resumed.map(|edge| edge.to);
                frames.push(Frame { function: graph.function_at(to), entry: domain.state.fork(), resume });
            }
            ExitKind::Return => {
                frames.pop();
                unwind(graph, check.values, to, &mut frames);
                enter(graph, to, &mut frames, domain.state);
            }
            ExitKind::Jump | ExitKind::Fall => {
                unwind(graph, check.values, to, &mut frames);
                enter(graph, to, &mut frames, domain.state);
            }
        }
        done += stepped.instructions;
        at = stepped.to;
    }
    Ok(())
}

/// If the run continues in a function further up the call stack, ends all functions called since.
fn unwind(graph: &Graph, values: &ValueSets, to: Place, frames: &mut Vec<Frame>) {
    let Some(block) = graph.find_anyhow(to) else { return };
    if let Some(position) = frames.iter().rposition(|frame| frame.has(values, block))
        && graph.function_at(to).is_none()
    {
        frames.truncate(position + 1);
    }
}

/// If the run continues at the entry of another function, replaces the active function with it.
fn enter(graph: &Graph, to: Place, frames: &mut Vec<Frame>, state: &mut State) {
    let last = frames.last().and_then(|frame| frame.function);
    let entered = graph.function_at(to).filter(|function| Some(*function) != last);
    if let Some(function) = entered
        && let Some(Frame { resume, .. }) = frames.pop()
    {
        frames.push(Frame { function: Some(function), entry: state.fork(), resume });
    }
}

/// Whether the graph contains an edge that a run took.
#[derive(PartialEq, Eq)]
enum Told {
    /// It does.
    Known,
    /// It does not, and the exit is unresolved.
    Unsaturated,
}

/// The graph's block by which the machine's block was left.
fn last_block(graph: &Graph, place: Place, last: Option<u64>) -> Result<BlockId, String> {
    let last = last.filter(|last| *last != place.address);
    let last = last.map_or(place, |last| Place::new(last, place.context));
    graph.containing_anyhow(last).ok_or_else(|| format!("no block has {:#x}", last.address))
}

/// Checks that the graph contains an edge of a run; a return must lead to a call fall-through.
fn edge(
    check: &Check<'_>,
    from: BlockId,
    kind: ExitKind,
    to: Place,
    frame: Option<&Frame>,
) -> Result<Told, String> {
    let Check { graph, values, .. } = check;
    let target = graph.find_anyhow(to);
    let known = match kind {
        ExitKind::Return => {
            target.is_some_and(|to| graph.predecessors(to).any(|edge| edge.kind == EdgeKind::CallFallThrough))
        }
        // The machine and the graph may split blocks differently, so a fall-through may stay inside a block.
        ExitKind::Fall if graph.containing_anyhow(to) == Some(from) => true,
        _ => graph.successors(from).any(|edge| target == Some(edge.to)),
    };
    let mut exits = graph.indirect_exits_of(from).iter().filter(|exit| exit.kind == kind);
    let is_open = exits.any(|exit| !exit.state.is_resolved());
    // Function results assume entry at the first block and return to the caller.
    let is_usual = || match kind {
        ExitKind::Return => frame.is_some_and(|frame| target.is_some() && frame.resume == target),
        _ => {
            let inside = target.is_some_and(|to| frame.is_some_and(|frame| frame.has(values, to)));
            inside || graph.function_at(to).is_some()
        }
    };
    match (known, is_open) {
        (true, false) => Ok(Told::Known),
        (true, true) if is_usual() => Ok(Told::Known),
        (_, true) => Ok(Told::Unsaturated),
        (false, false) => Err(format!(
            "the edge to {to:x?} ({kind:?}) is not known; from {:x?}: {:x?}, {:x?}, to {:x?}",
            graph.block(from),
            graph.successors(from).collect::<Vec<_>>(),
            graph.indirect_exits_of(from),
            graph.containing_anyhow(to).map(|to| graph.block(to))
        )),
    }
}
