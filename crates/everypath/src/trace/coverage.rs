//! The branch directions that a trace takes.

use super::{ExecutionTrace, RecordedExecution, ReplayedTest};
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
    /// The last branches of blocks that do not only fall through, with all successors of the block.
    transfers: HashMap<u64, BTreeSet<u64>>,
    /// Indirect jumps, calls and returns.
    indirect: HashSet<u64>,
    /// Further targets of indirect jumps: all blocks of the same function.
    jump_targets: HashMap<u64, BTreeSet<u64>>,
    /// Instructions in delay slots, with their branches.
    slots: HashMap<u64, u64>,
    /// Targets that can be reached from one instruction only, as far as the graph goes.
    only_from: HashMap<u64, u64>,
}

/// The branch coverage of a trace, with the number of its gaps.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct TraceCoverage {
    /// The directions that it takes.
    pub(crate) directions: BTreeSet<Direction>,
    /// Number of steps that do not follow from the one before: interrupts, unknown code, or a log with gaps.
    pub(crate) gaps: u64,
    /// The first recorded address that is one of the program's instructions.
    pub(crate) first: Option<u64>,
    /// The instructions that it executes, each with its length.
    pub(crate) executed: BTreeMap<u64, u8>,
}

impl TraceMap {
    /// The map of a program, by its graph and the directions of a summary.
    pub(crate) fn new(graph: &Graph, summary: &Summary) -> TraceMap {
        let mut map = TraceMap {
            instructions: BTreeMap::new(),
            targets: HashMap::new(),
            transfers: HashMap::new(),
            indirect: summary.indirect_exits.iter().map(|exit| exit.branch.0).collect(),
            jump_targets: HashMap::new(),
            slots: HashMap::new(),
            only_from: HashMap::new(),
        };
        for judged in &summary.directions {
            let Direction { branch, target } = judged.direction;
            map.targets.entry(branch.0).or_default().insert(target.0);
        }
        // A return leads behind a call, which is an edge of its own.
        let is_closed =
            graph.indirect_exits().all(|exit| exit.kind == ExitKind::Return || exit.state.is_resolved());
        for block in graph.blocks() {
            map.add_block(graph, block);
        }
        for block in graph.blocks().filter(|_| is_closed) {
            map.add_only_source(graph, block);
        }
        map
    }

    fn add_block(&mut self, graph: &Graph, block: BlockId) {
        self.instructions.extend(graph.instructions(block));
        let Some(branch) = self.branch_of(graph, block) else { return };
        let start = |id: BlockId| graph.block(id).place.address;
        let exits = graph.indirect_exits_of(block);
        if !exits.is_empty() {
            self.indirect.insert(branch);
        }
        if exits.iter().any(|exit| exit.kind == ExitKind::Jump)
            && let Some(function) = graph.function_of(block)
        {
            let blocks = graph.function(function).blocks.iter();
            self.jump_targets.insert(branch, blocks.map(|block| start(*block)).collect());
        }
        let mut successors = graph.successors(block).peekable();
        if successors.peek().is_none() || successors.any(|edge| edge.kind != EdgeKind::Fall) {
            self.transfers.insert(branch, graph.successors(block).map(|edge| start(edge.to)).collect());
        }
    }

    /// The instruction at which control leaves a block: the last one, unless it is in a delay slot.
    fn branch_of(&mut self, graph: &Graph, block: BlockId) -> Option<u64> {
        let mut last = graph.instructions(block).map(|(address, _)| address).collect::<Vec<_>>();
        let (end, before) = (last.pop()?, last.pop());
        let is_branch = |address: &u64| self.targets.contains_key(address) || self.indirect.contains(address);
        match before.filter(|before| is_branch(before) && !is_branch(&end)) {
            Some(branch) => {
                self.slots.insert(end, branch);
                Some(branch)
            }
            None => Some(end),
        }
    }

    fn add_only_source(&mut self, graph: &Graph, block: BlockId) {
        let is_entry =
            graph.function_of(block).is_none_or(|function| graph.function(function).entry == block);
        let mut sources = graph.predecessors(block).map(|edge| edge.from);
        if let (false, Some(only), None) = (is_entry, sources.next(), sources.next())
            && let Some(branch) = self.branch_of(graph, only)
        {
            self.only_from.insert(graph.block(block).place.address, branch);
        }
    }

    /// The directions that a trace takes.
    pub(crate) fn coverage(&self, trace: &ExecutionTrace) -> TraceCoverage {
        let mut coverage = TraceCoverage::default();
        let is_known = |address: &u64| self.instructions.contains_key(address);
        match &trace.execution {
            RecordedExecution::InOrder(runs) => {
                coverage.first = runs.iter().flatten().copied().find(is_known);
                // What was recorded was executed; between two recorded addresses, what leads from the one to the other.
                self.add_executed(runs.iter().flatten().copied(), &mut coverage);
                let mut walked = Vec::new();
                for pair in runs.iter().flat_map(|run| run.windows(2)) {
                    walked.clear();
                    match self.step(pair[0], pair[1], &mut walked) {
                        Step::Takes(direction) => _ = coverage.directions.insert(direction),
                        Step::Follows => {}
                        Step::Gap => {
                            coverage.gaps += 1;
                            continue;
                        }
                    }
                    self.add_executed(walked.iter().copied(), &mut coverage);
                }
            }
            RecordedExecution::Unordered(blocks) => {
                coverage.first = blocks.iter().map(|(start, _)| *start).find(is_known);
                coverage.directions = self.unordered(blocks);
                for (start, size) in blocks {
                    let inside = self.instructions.range(*start..start.saturating_add(*size));
                    coverage.executed.extend(inside.map(|(address, length)| (*address, *length)));
                }
            }
            RecordedExecution::Replayed(test) => {
                coverage.first = test.executed.iter().copied().find(is_known);
                coverage.directions =
                    test.directions.iter().filter(|one| self.may_credit(one, test)).copied().collect();
                self.add_executed(test.executed.iter().copied(), &mut coverage);
            }
        }
        coverage
    }

    fn add_executed(&self, addresses: impl Iterator<Item = u64>, coverage: &mut TraceCoverage) {
        let known = addresses.filter_map(|address| Some((address, *self.instructions.get(&address)?)));
        coverage.executed.extend(known);
    }

    /// Whether a direction that a test of another suite takes is one of this program's. Under another configuration, a pointer may lead
    /// where none leads in this run.
    fn may_credit(&self, direction: &Direction, test: &ReplayedTest) -> bool {
        let targets = self.targets.get(&direction.branch.0);
        targets.is_some_and(|targets| targets.contains(&direction.target.0) || !test.has_own_configuration)
    }

    /// How control comes from one recorded address to the next, and the instructions from the one to the other. The target of an indirect call or return that is not known may
    /// as well be the handler of an interrupt.
    fn step(&self, from: u64, to: u64, walked: &mut Vec<u64>) -> Step {
        let mut at = self.slots.get(&from).copied().unwrap_or(from);
        for _ in 0..LONGEST {
            walked.push(at);
            let takes = Step::Takes(Direction { branch: Address(at), target: Address(to) });
            if self.targets.get(&at).is_some_and(|targets| targets.contains(&to)) {
                return takes;
            }
            if self.slots.get(&to) == Some(&at) {
                return Step::Follows;
            }
            if self.indirect.contains(&at) {
                let is_new = self.jump_targets.get(&at).is_some_and(|targets| targets.contains(&to));
                return match self.targets.contains_key(&at) {
                    true if is_new => takes,
                    true => Step::Gap,
                    // A return has no directions.
                    false => Step::Follows,
                };
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
    /// By no known edge: an interrupt, unknown code, or a gap in the log.
    Gap,
}
