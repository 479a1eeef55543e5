//! The branch directions that a trace takes.

use super::{ExecutionTrace, RecordedExecution};
use everypath_analyze::{BlockId, EdgeKind, Graph};
use everypath_ir::ExitKind;
use everypath_record::{Address, Direction, Summary};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

/// Maximum number of instructions from one recorded address to the next: the longest basic block.
const LONGEST: usize = 4096;

/// The instructions and branches of a program, by which traces are read.
pub(crate) struct TraceMap {
    /// The instructions with their lengths.
    instructions: BTreeMap<u64, u8>,
    /// The targets of each branch that has directions.
    targets: HashMap<u64, BTreeSet<u64>>,
    /// The last instructions of blocks that jump or call, with all successors.
    transfers: HashMap<u64, BTreeSet<u64>>,
    /// Indirect jumps, calls and returns.
    indirect: HashSet<u64>,
    /// Targets that can be reached from one instruction only, as far as the graph goes.
    only_from: HashMap<u64, u64>,
}

/// What a trace shows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct TraceCoverage {
    /// The directions that it takes.
    pub(crate) directions: BTreeSet<Direction>,
    /// Number of steps that do not follow from the one before: interrupts, unknown code, or a log with gaps.
    pub(crate) gaps: u64,
}

impl TraceMap {
    /// The map of a program, by its graph and the directions of a summary.
    pub(crate) fn new(graph: &Graph, summary: &Summary) -> TraceMap {
        let mut map = TraceMap {
            instructions: BTreeMap::new(),
            targets: HashMap::new(),
            transfers: HashMap::new(),
            indirect: summary.indirect_exits.iter().map(|exit| exit.branch.0).collect(),
            only_from: HashMap::new(),
        };
        for judged in &summary.directions {
            let Direction { branch, target } = judged.direction;
            map.targets.entry(branch.0).or_default().insert(target.0);
        }
        let is_closed =
            graph.indirect_exits().all(|exit| exit.kind != ExitKind::Jump || exit.state.is_resolved());
        for block in graph.blocks() {
            map.add_block(graph, block, is_closed);
        }
        map
    }

    fn add_block(&mut self, graph: &Graph, block: BlockId, is_closed: bool) {
        self.instructions.extend(graph.instructions(block));
        let Some((last, _)) = graph.instructions(block).last() else { return };
        if !graph.indirect_exits_of(block).is_empty() {
            self.indirect.insert(last);
        }
        let start = |id: BlockId| graph.block(id).place.address;
        if graph.successors(block).any(|edge| edge.kind != EdgeKind::Fall) {
            self.transfers.insert(last, graph.successors(block).map(|edge| start(edge.to)).collect());
        }
        let is_entry =
            graph.function_of(block).is_none_or(|function| graph.function(function).entry == block);
        let mut sources = graph.predecessors(block).map(|edge| edge.from);
        if let (true, false, Some(only), None) = (is_closed, is_entry, sources.next(), sources.next())
            && let Some((branch, _)) = graph.instructions(only).last()
        {
            self.only_from.insert(start(block), branch);
        }
    }

    /// The directions that a trace takes.
    pub(crate) fn coverage(&self, trace: &ExecutionTrace) -> TraceCoverage {
        let mut coverage = TraceCoverage::default();
        match &trace.execution {
            RecordedExecution::InOrder(addresses) => {
                for pair in addresses.windows(2) {
                    match self.step(pair[0], pair[1]) {
                        Step::Takes(direction) => _ = coverage.directions.insert(direction),
                        Step::Follows => {}
                        Step::Gap => coverage.gaps += 1,
                    }
                }
            }
            RecordedExecution::Unordered(blocks) => coverage.directions = self.unordered(blocks),
        }
        coverage
    }

    /// How control comes from one recorded address to the next.
    fn step(&self, from: u64, to: u64) -> Step {
        let mut at = from;
        for _ in 0..LONGEST {
            let takes = Step::Takes(Direction { branch: Address(at), target: Address(to) });
            if self.targets.get(&at).is_some_and(|targets| targets.contains(&to)) {
                return takes;
            }
            if self.indirect.contains(&at) {
                // Another target of a branch with directions; a return has none.
                return if self.targets.contains_key(&at) { takes } else { Step::Follows };
            }
            if let Some(successors) = self.transfers.get(&at) {
                return if successors.contains(&to) { Step::Follows } else { Step::Gap };
            }
            let Some(length) = self.instructions.get(&at).filter(|length| **length > 0) else {
                return Step::Gap;
            };
            at = at.wrapping_add(u64::from(*length));
            if at == to {
                return Step::Follows;
            }
        }
        Step::Gap
    }

    /// The directions that must have been taken, if these blocks were executed in an unknown order: the branch and its target
    /// were executed, and no other target was or nothing else leads to the target.
    fn unordered(&self, blocks: &[(u64, u64)]) -> BTreeSet<Direction> {
        let mut executed: HashSet<u64> = HashSet::new();
        for (start, size) in blocks {
            let end = start.saturating_add(*size);
            executed.extend(self.instructions.range(*start..end).map(|(address, _)| *address));
        }
        let mut taken = BTreeSet::new();
        for (branch, targets) in self.targets.iter().filter(|(branch, _)| executed.contains(branch)) {
            for target in targets.iter().filter(|target| executed.contains(target)) {
                let is_only = targets.iter().all(|other| other == target || !executed.contains(other));
                let is_only = is_only && !self.indirect.contains(branch);
                if is_only || self.only_from.get(target) == Some(branch) {
                    taken.insert(Direction { branch: Address(*branch), target: Address(*target) });
                }
            }
        }
        taken
    }
}

/// How control comes from one recorded address to the next.
enum Step {
    /// By a branch direction.
    Takes(Direction),
    /// By a fall-through, a direct jump or call, or a return.
    Follows,
    /// In no known way.
    Gap,
}
