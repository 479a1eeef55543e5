//! Finds functions that may return twice per call, as `setjmp` does: those that save their return address outside the
//! stack.
//!
//! A forward taint analysis of the first few blocks of a function marks registers as *derived from the return address*
//! or *derived from the stack pointer*. A store of a return address through an address that is not derived from the
//! stack pointer leaves the frame. A function that tail-calls such a function also returns twice.

use crate::graph::{BlockId, EdgeKind, Graph};
use crate::program::Program;
use everypath_ir::{AddressRange, Block, Location, Op, Operand, Statement, Width};
use everypath_lift::LiftSession;
use rustc_hash::{FxHashMap, FxHashSet};

/// Maximum number of blocks to analyse per function.
const BLOCKS: usize = 6;

/// Taint of a value.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
struct Origin {
    /// Derived from the return address.
    returns: bool,
    /// Derived from the stack pointer, with the offset from its value at the entry if known.
    stack: Option<Option<i64>>,
}

/// The registers with a role in the calling convention.
struct Roles {
    stack: (Location, Width),
    /// The link register; `None` if calls push the return address.
    link: Option<(Location, Width)>,
}

/// The entry blocks of functions that may return twice.
pub(super) fn returning_twice(program: &Program<'_>, graph: &Graph) -> FxHashSet<BlockId> {
    let mut found = FxHashSet::default();
    let architecture = program.architecture();
    let description = architecture.description();
    let pair = architecture.stack_pointer().zip(description.call.as_ref());
    let Some((stack, convention)) = pair else { return found };
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

/// Adds the functions that tail-call or fall through to known ones.
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
    session: &mut LiftSession<'_>,
    roles: &Roles,
    entry: BlockId,
) -> bool {
    let mut open = vec![(entry, Marks::default())];
    let mut seen = FxHashSet::default();
    while let Some((id, mut marks)) = open.pop() {
        if !seen.insert(id) || seen.len() > BLOCKS || !graph.block(id).decoded {
            continue;
        }
        let Ok(block) = graph.lift(id, program, session) else { continue };
        if marks.run(program, roles, &block) {
            return true;
        }
        let next = graph.successors(id).filter(|edge| matches!(edge.kind, EdgeKind::Fall | EdgeKind::Jump));
        open.extend(next.map(|edge| (edge.to, marks.clone())));
    }
    false
}

/// Taint of registers that were written since the entry.
#[derive(Clone, Default)]
struct Marks {
    registers: Vec<(Location, Width, Origin)>,
}

impl Marks {
    /// Propagates taint through a block. Returns true if it stores the return address outside the stack.
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
                    // A narrow result is a condition or flag, not an address.
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
    AddressRange::of_value(a, a_width).overlaps(&AddressRange::of_value(b, b_width))
}
