//! Functions that may return twice for one call: those that keep their return address where a later jump can take it from, as
//! `setjmp` does.
//!
//! Each path of some blocks from the entry is followed with two marks on registers: *derived from the return address* and
//! *derived from the stack pointer*. A store of the one through an address without the other is a return address that leaves
//! the function's own frame. A function that jumps to such a one is one, too.

use crate::graph::{BlockId, EdgeKind, Graph};
use crate::program::Program;
use everypath_ir::{Block, Location, Op, Operand, Statement, Width};
use everypath_lift::Session;
use rustc_hash::{FxHashMap, FxHashSet};

/// How many blocks are followed from the entry of a function.
const BLOCKS: usize = 6;

/// What a value is derived from.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
struct Origin {
    /// The return address.
    returns: bool,
    /// The stack pointer, and how far it is from what it was at the entry, if that is known.
    stack: Option<Option<i64>>,
}

/// Where the registers of a function's caller are.
struct Roles {
    stack: (Location, Width),
    /// The register with the return address; otherwise it is on top of the stack.
    link: Option<(Location, Width)>,
}

/// The entries of the functions that may return twice.
pub(super) fn returning_twice(program: &Program<'_>, graph: &Graph) -> FxHashSet<BlockId> {
    let mut found = FxHashSet::default();
    let architecture = program.architecture();
    let description = architecture.description();
    let stack = description.registers.stack_pointer.as_deref().and_then(|name| architecture.register(name));
    let Some((stack, convention)) = stack.zip(description.call.as_ref()) else { return found };
    let link = convention.return_address.as_deref().and_then(|name| architecture.register(name));
    let roles = Roles { stack, link };
    let mut session = program.lifter().session();
    for function in graph.functions() {
        if keeps_return_address(program, graph, &mut session, &roles, function.entry) {
            found.insert(function.entry);
        }
    }
    spread(graph, &mut found);
    found
}

/// Adds the functions that jump, or run, to those that are known.
fn spread(graph: &Graph, found: &mut FxHashSet<BlockId>) {
    let mut open: Vec<BlockId> = found.iter().copied().collect();
    while let Some(entry) = open.pop() {
        for edge in graph
            .predecessors(entry)
            .filter(|edge| matches!(edge.kind, EdgeKind::TailCall | EdgeKind::Jump | EdgeKind::Fall))
        {
            let owner = graph.function_of(edge.from).map(|function| graph.function(function).entry);
            open.extend(owner.filter(|owner| found.insert(*owner)));
        }
    }
}

fn keeps_return_address(
    program: &Program<'_>,
    graph: &Graph,
    session: &mut Session<'_>,
    roles: &Roles,
    entry: BlockId,
) -> bool {
    let mut open = vec![(entry, Marks::default())];
    let mut seen = FxHashSet::default();
    while let Some((id, mut marks)) = open.pop() {
        if !seen.insert(id) || seen.len() > BLOCKS || !graph.block(id).decoded {
            continue;
        }
        let node = graph.block(id);
        let Ok(block) = session.block_until(program.image(), node.place, |next| next.address == node.end)
        else {
            continue;
        };
        if marks.run(program, roles, &block) {
            return true;
        }
        let next = graph.successors(id).filter(|edge| matches!(edge.kind, EdgeKind::Fall | EdgeKind::Jump));
        open.extend(next.map(|edge| (edge.to, marks.clone())));
    }
    false
}

/// What registers were derived from, where that is not what they held at the entry.
#[derive(Clone, Default)]
struct Marks {
    registers: Vec<(Location, Width, Origin)>,
}

impl Marks {
    /// Follows a block. Says whether it stores the return address elsewhere than in the stack.
    fn run(&mut self, program: &Program<'_>, roles: &Roles, block: &Block) -> bool {
        let mut temps: FxHashMap<usize, Origin> = FxHashMap::default();
        let of = |temps: &FxHashMap<usize, Origin>, operand: Operand| {
            operand.as_temp().and_then(|temp| temps.get(&temp.index()).copied()).unwrap_or_default()
        };
        let constant = |operand: Operand, width: Width| {
            let number = block.value(operand).and_then(everypath_ir::Bits::to_u64)?;
            let unused = 64_u32.checked_sub(width.bits())?;
            Some((number << unused) as i64 >> unused)
        };
        let pointer = program.pointer_size();
        for statement in &block.statements {
            match *statement {
                Statement::Get { result, location } => {
                    temps.insert(result.index(), self.get(roles, location, block.temps[result.index()]));
                }
                Statement::Put { location, value } => {
                    self.put(location, block.width(value), of(&temps, value));
                }
                Statement::Compute { result, op, arguments } => {
                    let width = block.temps[result.index()];
                    let parts = arguments[..op.arity()].iter().map(|part| of(&temps, *part));
                    let mut origin = parts.fold(Origin::default(), |whole, part| Origin {
                        returns: whole.returns || part.returns,
                        stack: whole.stack.or(part.stack),
                    });
                    let held = of(&temps, arguments[0]).stack;
                    origin.stack = origin.stack.map(|_| {
                        let number = constant(*arguments.get(1)?, width)?;
                        match op {
                            Op::Add => held??.checked_add(number),
                            Op::Sub => held??.checked_sub(number),
                            _ => None,
                        }
                    });
                    // One bit of it is a condition, and no address.
                    if width.bits() > 8 {
                        temps.insert(result.index(), origin);
                    }
                }
                Statement::Load { result, address, .. } => {
                    let is_top = roles.link.is_none() && of(&temps, address).stack == Some(Some(0));
                    let is_whole = block.temps[result.index()].bytes() == pointer;
                    let origin = Origin { returns: is_top && is_whole, stack: None };
                    temps.insert(result.index(), origin);
                }
                Statement::Store { address, value, .. }
                    if of(&temps, value).returns && of(&temps, address).stack.is_none() =>
                {
                    return true;
                }
                _ => {}
            }
        }
        false
    }

    fn get(&self, roles: &Roles, location: Location, width: Width) -> Origin {
        let known = self.registers.iter().find(|(at, held, _)| overlaps((*at, *held), (location, width)));
        match known {
            Some((.., origin)) => *origin,
            None if roles.link.is_some_and(|link| overlaps(link, (location, width))) => {
                Origin { returns: true, stack: None }
            }
            None if overlaps(roles.stack, (location, width)) => {
                let distance = (roles.stack == (location, width)).then_some(0);
                Origin { returns: false, stack: Some(distance) }
            }
            None => Origin::default(),
        }
    }

    fn put(&mut self, location: Location, width: Width, origin: Origin) {
        self.registers.retain(|(at, held, _)| !overlaps((*at, *held), (location, width)));
        self.registers.push((location, width, origin));
    }
}

fn overlaps((a, a_width): (Location, Width), (b, b_width): (Location, Width)) -> bool {
    a.space == b.space
        && (a.offset.wrapping_sub(b.offset) < b_width.bytes() as u64
            || b.offset.wrapping_sub(a.offset) < a_width.bytes() as u64)
}
