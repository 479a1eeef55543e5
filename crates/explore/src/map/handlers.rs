//! Interrupt handlers: code that only interrupts reach, and the memory that it writes.

use std::collections::BTreeSet;

use everypath_analyze::{AnalysisOptions, BlockId, Graph, Program, Settings, Trust, ValueSets};
use everypath_environment::{Controller, Guest, Handler};
use everypath_ir::{AddressRange, Bits, ExitKind, Location, Operand, Place, Statement};
use everypath_record::{Address, Direction};

use crate::map::escapes::{Escape, escapes_of};
use crate::map::handler_writes::{HandlerEffects, Written, effects_of, kept_registers};
use crate::map::static_map::ProgramMap;

/// Maximum number of basic blocks of one handler; a larger one counts as writing anywhere.
const BLOCKS: usize = 5_000;

/// Memory that a handler writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct HandlerWrite {
    pub(crate) range: AddressRange,
    /// The handler's address.
    pub(crate) handler: u64,
}

/// How a handler writes memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum WriteExtent {
    /// At known addresses.
    Known,
    /// At unknown addresses.
    Anywhere,
}

/// The code of one handler: the branch directions that only it reaches, and the memory that it writes.
pub(crate) struct HandlerCode {
    pub(crate) handler: Handler,
    pub(crate) directions: Vec<Direction>,
    /// Whether it runs branches that the rest of the program has, too.
    pub(crate) shares_branches: bool,
    pub(crate) writes: BTreeSet<Written>,
    /// Registers that it changes.
    pub(crate) registers: Vec<Location>,
    /// Whether it does anything before it returns, or continues in the code of the program. It may then leave flags, masks or the
    /// stack other than they were, which are not followed one by one.
    pub(crate) returns_changed: bool,
    /// Whether it returns with an instruction that lets the processor take interrupts again.
    returns_from_interrupt: bool,
}

impl HandlerCode {
    /// Whether it changes the registers of the interrupted program.
    pub(crate) fn changes_registers(&self) -> bool {
        !self.registers.is_empty() || self.writes.contains(&Written::SavedContext)
    }

    /// Whether the program can notice it: otherwise it only returns, never does, or begins the program again.
    fn matters(&self) -> bool {
        self.shares_branches
            || self.returns_changed
            || !self.directions.is_empty()
            || !self.writes.is_empty()
            || self.changes_registers()
    }
}

/// The interrupt handlers of a program.
#[derive(Default)]
pub(crate) struct Handlers {
    each: Vec<HandlerCode>,
    /// The instructions that vectors lead to, also those of handlers without branches or effects.
    instructions: BTreeSet<u64>,
}

impl Handlers {
    /// Recovers the interrupt handlers of a guest.
    pub(crate) fn recover(guest: &Guest, entry: Place, map: Option<&ProgramMap>) -> Handlers {
        let mut each: Vec<HandlerCode> = Vec::new();
        let mut handlers = guest.handlers();
        let mut seen = BTreeSet::new();
        handlers.retain(|handler| handler.place != entry && seen.insert(handler.place.address));
        let program = Program::new(guest.shared_architecture(), guest.image());
        let (Some(program), false) = (program, handlers.is_empty()) else {
            return Handlers::default();
        };
        let reached = map.map(ProgramMap::instructions).unwrap_or_default();
        // Where vectors are themselves executed, a program without interrupts uses that memory for other code. From the first
        // vector on that the program reaches by itself, only code that returns from an interrupt is a handler, and functions of a
        // program that lets the processor take interrupts: a handler may also end as a function does.
        let executed = |handler: &Handler| handler.vector == handler.place.address;
        let is_used =
            |handler: &&Handler| executed(handler) && map.is_some_and(|map| map.covers(handler.vector));
        let end = handlers.iter().filter(is_used).map(|handler| handler.vector).min();
        let conditions = interrupt_conditions(guest);
        let called: BTreeSet<u64> = match map {
            Some(map) if allows_interrupts(map, &program, &conditions) => {
                map.calls().iter().map(|call| call.target.0).collect()
            }
            _ => BTreeSet::new(),
        };
        let mut instructions = BTreeSet::new();
        for handler in handlers {
            let is_doubtful = executed(&handler) && end.is_some_and(|end| handler.vector >= end);
            let (is_used, is_called) = (is_used(&&handler), called.contains(&handler.vector));
            let (found, run) = code((guest, &program), handler, (entry, &reached), &conditions);
            let is_handler = match conditions.is_empty() {
                true => !is_used,
                false => found.returns_from_interrupt || is_called,
            };
            if is_doubtful && !is_handler {
                continue;
            }
            instructions.extend(run);
            each.extend(found.matters().then_some(found));
        }
        Handlers { each, instructions }
    }

    /// Whether a vector leads to an instruction. An exception or an interrupt may then run it, although no handler is known to
    /// have an effect.
    pub(crate) fn may_run(&self, address: u64) -> bool {
        self.instructions.contains(&address)
    }

    /// The memory that they write, without writes at unknown addresses.
    pub(crate) fn writes(&self) -> Vec<HandlerWrite> {
        let known = |code: &HandlerCode, written: &Written| match *written {
            Written::Range(range) => Some(HandlerWrite { range, handler: code.handler.place.address }),
            Written::Anywhere | Written::Register(_) | Written::SavedContext => None,
        };
        let of =
            |code: &HandlerCode| code.writes.iter().filter_map(|one| known(code, one)).collect::<Vec<_>>();
        self.each.iter().flat_map(of).collect()
    }

    /// The code of the handler at an address, if it has branches or any effect.
    fn at(&self, handler: u64) -> Option<&HandlerCode> {
        self.each.iter().find(|code| code.handler.place.address == handler)
    }

    /// Drops the interrupts whose handlers, which are known before the program runs, have neither branches nor any effect:
    /// unused vectors, and code that is no handler.
    pub(crate) fn retain_effective(&self, controller: &Controller, numbers: &mut Vec<u64>) {
        let is_effective = |handler: u64| self.at(handler).is_some();
        numbers.retain(|number| controller.fixed_handler(*number).is_none_or(is_effective));
    }

    /// How the handler at an address may write one of these bytes; `None` if it does not.
    pub(crate) fn may_write(&self, handler: u64, bytes: &[Location]) -> Option<WriteExtent> {
        let extent = |written: &Written| match *written {
            Written::Anywhere => (!bytes.is_empty()).then_some(WriteExtent::Anywhere),
            Written::Range(range) => {
                bytes.iter().any(|byte| range.contains(*byte)).then_some(WriteExtent::Known)
            }
            Written::Register(_) | Written::SavedContext => None,
        };
        self.at(handler)?.writes.iter().filter_map(extent).min()
    }

    /// Whether one of them writes at unknown addresses, or changes the registers of the interrupted program.
    pub(crate) fn write_anywhere(&self) -> bool {
        self.each.iter().any(|code| code.writes.contains(&Written::Anywhere) || code.changes_registers())
    }

    /// Whether what is known statically of the program may not hold: one of them runs branches of the rest of the program, or
    /// returns to it with something changed.
    pub(crate) fn invalidate_value_sets(&self) -> bool {
        self.each.iter().any(|code| code.shares_branches || code.returns_changed)
    }

    /// Where they begin.
    pub(crate) fn entries(&self) -> impl Iterator<Item = u64> + '_ {
        self.each.iter().map(|code| code.handler.place.address)
    }

    /// The code of each.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &HandlerCode> {
        self.each.iter()
    }
}

/// The registers on which it depends whether the processor takes an interrupt.
fn interrupt_conditions(guest: &Guest) -> Vec<Location> {
    let architecture = guest.architecture();
    let interrupts = architecture.description().interrupts.as_ref();
    let conditions = interrupts.into_iter().flat_map(|interrupts| &interrupts.conditions);
    conditions.filter_map(|condition| Some(architecture.register(&condition.register)?.0)).collect()
}

/// Whether a program writes one of these registers, besides zero: it may let the processor take interrupts.
fn allows_interrupts(map: &ProgramMap, program: &Program<'_>, conditions: &[Location]) -> bool {
    let allows = |block: BlockId| {
        let mut session = program.lifter().session();
        let Ok(lifted) = map.graph.lift(block, program, &mut session) else { return true };
        let is_zero = |value: &Operand| lifted.value(*value).is_some_and(Bits::is_zero);
        lifted.statements.iter().any(|statement| {
            matches!(statement, Statement::Put { location, value } if conditions.contains(location) && !is_zero(value))
        })
    };
    map.blocks().any(allows)
}

/// Whether an instruction writes one of these registers.
fn writes_one_of(program: &Program<'_>, at: Place, registers: &[Location]) -> bool {
    let lifted = program.lifter().session().block_until(program.image(), at, |_| true);
    let writes = |statement: &Statement| matches!(statement, Statement::Put { location, .. } if registers.contains(location));
    lifted.is_ok_and(|block| block.statements.iter().any(writes))
}

/// Analyses the code of a handler. Returns its instructions, too.
fn code(
    (guest, program): (&Guest, &Program<'_>),
    handler: Handler,
    (entry, reached): (Place, &BTreeSet<u64>),
    conditions: &[Location],
) -> (HandlerCode, BTreeSet<u64>) {
    let mut settings = Settings {
        entries: vec![handler.place],
        file_entries: false,
        unwind: false,
        pointers: false,
        ..Settings::default()
    };
    settings.symbols = false;
    settings.limits.blocks = BLOCKS;
    let graph = Graph::recover(program, settings);
    let values = ValueSets::analyse(program, &graph, AnalysisOptions::new(program, Trust::Convention), None);
    let (mut effects, mut directions) = (HandlerEffects::default(), Vec::new());
    let (mut ends, mut shares_branches, mut joins_program) = (false, false, false);
    let (mut instructions, mut run, mut returns_from_interrupt) = (0, BTreeSet::new(), false);
    if graph.limit_reached() {
        effects.written.insert(Written::Anywhere);
    }
    let kept = kept_registers(program);
    let mut open = vec![handler.place];
    let mut seen = BTreeSet::new();
    while let Some(place) = open.pop() {
        let Some(block) = graph.find(place).filter(|_| seen.insert(place)) else { continue };
        // A handler may end with a jump to the program's start-up code, which is not part of it.
        if graph.instructions(block).next().is_some_and(|(first, _)| is_start(first, reached, &graph, block))
        {
            joins_program |= place.address != entry.address;
            continue;
        }
        instructions += graph.instructions(block).count();
        run.extend(graph.instructions(block).map(|(address, _)| address));
        effects_of(program, &graph, &values, block, &kept, &mut effects);
        // A trap is taken to end the handler.
        if escapes_of(&graph, guest, block).any(|escape| escape != Escape::Trap) {
            // Unlisted code may write anything.
            effects.written.insert(Written::Anywhere);
        }
        let branch = graph.instructions(block).last().map(|(address, _)| Address(address));
        let targets: BTreeSet<u64> = graph
            .successors(block)
            .filter(|edge| edge.kind != everypath_analyze::EdgeKind::CallFallThrough)
            .map(|edge| graph.block(edge.to).place.address)
            .collect();
        let returns = graph.indirect_exits_of(block).iter().any(|exit| exit.kind == ExitKind::Return);
        ends |= returns;
        returns_from_interrupt |= returns
            && branch.is_some_and(|branch| {
                writes_one_of(program, Place { address: branch.0, ..place }, conditions)
            });
        let is_branch = targets.len() > 1 || returns && !targets.is_empty();
        shares_branches |= is_branch && branch.is_some_and(|branch| reached.contains(&branch.0));
        if let Some(branch) = branch.filter(|branch| is_branch && !reached.contains(&branch.0)) {
            let named = targets.iter().map(|target| Direction { branch, target: Address(*target) });
            directions.extend(named);
        }
        open.extend(graph.successors(block).map(|edge| graph.block(edge.to).place));
    }
    // A handler that does not return changes nothing that the program would see.
    let registers = effects.changed_registers().filter(|_| ends).collect();
    let writes = lasting_writes(&effects, ends);
    let returns_changed = joins_program || ends && instructions > 1;
    let found = HandlerCode {
        handler,
        directions,
        shares_branches,
        writes,
        registers,
        returns_changed,
        returns_from_interrupt,
    };
    (found, run)
}

/// The writes of a handler that the program may see, which it does not restore.
fn lasting_writes(effects: &HandlerEffects, returns: bool) -> BTreeSet<Written> {
    let mut writes = effects.written.clone();
    writes.retain(|written| match written {
        _ if effects.restores(written) => false,
        Written::Register(_) => false,
        Written::SavedContext => returns,
        Written::Range(_) | Written::Anywhere => true,
    });
    writes
}

/// Whether a block belongs to the program's start-up code: nothing calls it, and the program reaches it by itself.
fn is_start(first: u64, reached: &BTreeSet<u64>, graph: &Graph, block: BlockId) -> bool {
    let called = graph.predecessors(block).any(|edge| edge.kind == everypath_analyze::EdgeKind::Call);
    reached.contains(&first) && !called && graph.function_at(graph.block(block).place).is_none()
}
