//! Branch directions that value sets exclude (Balakrishnan and Reps 2004), each confirmed by a solver.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::Ordering;

use everypath_analyze::{AbstractState, BlockId, Claim, Program};
use everypath_environment::{Guest, WaypointPlace};
use everypath_ir::{Block, Location, Statement, Width};
use everypath_record::{Address, Direction};
use everypath_solve::{Answer, QueryLimits, SolverStack};

use crate::map::evidence::check_claim;
use crate::map::static_map::ProgramMap;
use crate::map::wait::has_wait_loop;

/// The directions and blocks that value sets exclude, and those values as evidence. A solver has confirmed each: no state with such
/// values takes the direction.
pub(crate) struct Exclusions {
    /// The directions, with the evidence.
    pub(crate) directions: BTreeMap<Direction, String>,
    /// The blocks to which paths remain.
    pub(super) live: BTreeSet<BlockId>,
    /// Whether the program waits in a loop that the values let nobody leave.
    pub(crate) waits_for_ever: bool,
}

impl Exclusions {
    /// The evidence that a branch direction is never taken.
    pub(crate) fn evidence(&self, branch: u64, target: u64) -> Option<&str> {
        let direction = Direction { branch: Address(branch), target: Address(target) };
        self.directions.get(&direction).map(String::as_str)
    }

    /// Whether no path to a place remains. The graph must have the place.
    pub(crate) fn cut(&self, map: &ProgramMap, place: WaypointPlace) -> bool {
        let blocks = map.blocks_of_place(place);
        let is_cut = !blocks.is_empty() && blocks.iter().all(|block| !self.live.contains(block));
        match place {
            WaypointPlace::Instruction(_) => is_cut,
            WaypointPlace::Direction { branch, target } => {
                let direction = Direction { branch: Address(branch), target: Address(target) };
                is_cut || self.directions.contains_key(&direction)
            }
        }
    }
}

/// The directions and blocks that value sets exclude; none if the graph or the values are not exact: an unknown edge could bring
/// other values.
pub(crate) fn exclusions(map: &ProgramMap, guest: &Guest, limits: &QueryLimits) -> Option<Exclusions> {
    let mut excluded = BTreeMap::new();
    let program = Program::new(guest.shared_architecture(), guest.image())?;
    let values = map.exact_values(guest, &program)?;
    let caveat = map.trap_caveat();
    let mut dead: BTreeSet<(BlockId, u8)> = BTreeSet::new();
    for (block, exit) in values.dead_exits() {
        if limits.stop.as_ref().is_some_and(|stop| stop.load(Ordering::Relaxed)) {
            break;
        }
        let Some(claims) = values.claims(&program, &map.graph, *block, *exit) else { continue };
        let ask = |claim: &Claim<'_>| check_claim(claim, SolverStack::default().build(), limits);
        let right = |claim: &Claim<'_>| matches!(ask(claim), Answer::Unsat(_));
        if claims.is_empty() || !claims.iter().all(right) {
            continue;
        }
        let told = match values.before(*block) {
            [(_, state)] => register_values(guest, claims[0].block(), state),
            _ => "values of each calling context".to_owned(),
        };
        let confirmed = match claims.len() {
            1 => "1 unsatisfiable query".to_owned(),
            count => format!("{count} unsatisfiable queries, one per calling context"),
        };
        let evidence = format!("value sets exclude it ({told}); confirmed by {confirmed}{caveat}");
        dead.insert((*block, *exit));
        exclude(map, *block, Some(*exit), &evidence, &mut excluded);
    }
    let waits_for_ever = has_wait_loop(map, &program, &dead);
    // A block is excluded only if confirmed exclusions cut every path to it. That the analysis has no state there is not
    // enough: it also follows only the targets of an indirect exit that the values allow, which no solver has confirmed.
    let live: BTreeSet<BlockId> = map.reached_without(&dead).into_iter().collect();
    let evidence =
        format!("exclusions by values, each confirmed by a solver, cut every path to the branch{caveat}");
    for block in map.reached().into_iter().filter(|block| !live.contains(block)) {
        dead.extend(map.graph.successors(block).map(|edge| (block, edge.exit)));
        exclude(map, block, None, &evidence, &mut excluded);
    }
    // The same instruction may end several blocks, one for each decoding context: each must exclude the direction.
    excluded.retain(|direction, _| {
        let blocks = map.blocks_at(direction.branch.0).iter();
        blocks.flat_map(|block| map.graph.successors(*block).map(|edge| (*block, edge))).all(
            |(block, edge)| {
                map.graph.block(edge.to).place.address != direction.target.0
                    || dead.contains(&(block, edge.exit))
            },
        )
    });
    Some(Exclusions { directions: excluded, live, waits_for_ever })
}

/// Adds the directions of an exit of a block, or of all its exits, to those excluded.
fn exclude(
    map: &ProgramMap,
    block: BlockId,
    exit: Option<u8>,
    evidence: &str,
    excluded: &mut BTreeMap<Direction, String>,
) {
    let Some(branch) = map.branch(block) else { return };
    for edge in map.graph.successors(block).filter(|edge| exit.is_none_or(|exit| exit == edge.exit)) {
        let target = Address(map.graph.block(edge.to).place.address);
        excluded.insert(Direction { branch, target }, evidence.to_owned());
    }
}

/// The registers that a block reads and that have few possible values before it, in words.
fn register_values(guest: &Guest, block: &Block, state: &AbstractState) -> String {
    let architecture = guest.architecture();
    let location = |statement: &Statement| match statement {
        Statement::Get { location, .. } => Some(*location),
        _ => None,
    };
    let read: BTreeSet<Location> = block.statements.iter().filter_map(location).collect();
    // Several registers may begin at one location; the widest with few values says most.
    let mut known: BTreeMap<Location, (Width, String)> = BTreeMap::new();
    for (name, location, width) in architecture.registers() {
        let is_narrower = known.get(&location).is_some_and(|(widest, _)| *widest >= width);
        if is_narrower || !read.contains(&location) {
            continue;
        }
        let value = state.place(architecture.layout(), location, width);
        if value.base.is_none()
            && let Some(few) = value.number.as_finite_set().filter(|few| few.len() <= 4)
        {
            let few: Vec<String> = few.iter().map(|number| format!("{number:#x}")).collect();
            known.insert(location, (width, format!("{name} is {}", few.join(" or "))));
        }
    }
    let known: Vec<String> = known.into_values().map(|(_, text)| text).collect();
    if known.is_empty() { "values in memory".to_owned() } else { known.join(", ") }
}
