//! The static analysis beside a search: paths extend the control-flow graph, and what the graph discovers extends the coverage.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use everypath_environment::Guest;
use everypath_ir::{AddressRange, AddressSet, ExitKind, Place};
use everypath_machine::State;
use everypath_record::Direction;

use crate::map::branches::CodeBranches;
use crate::map::static_map::ProgramMap;
use crate::plan::Criterion;
use crate::verdict::coverage::Coverage;
use crate::verdict::indirect_exits::IndirectTargetLog;

/// The control-flow graph and the value sets of a guest, as far as they hold.
pub(crate) struct StaticAnalysis<'g> {
    guest: &'g Guest,
    criterion: Criterion,
    /// Whether the program is a process, between whose code that of libraries runs.
    is_process: bool,
    /// The graph; none if it is not wanted, or a path has shown that it does not hold.
    map: Option<ProgramMap>,
    /// Functions of the program that code outside of it has called, and which the graph does not have.
    callbacks: BTreeMap<u64, Place>,
    /// Memory-mapped inputs.
    volatile: AddressSet,
}

impl<'g> StaticAnalysis<'g> {
    pub(crate) fn new(guest: &'g Guest, criterion: Criterion, is_process: bool) -> StaticAnalysis<'g> {
        let (callbacks, volatile) = (BTreeMap::new(), AddressSet::default());
        StaticAnalysis { guest, criterion, is_process, map: None, callbacks, volatile }
    }

    /// Recovers the graph from the entry of the program, if it is wanted, and adds its branches to the coverage.
    pub(crate) fn recover(
        &mut self,
        entry: Place,
        (volatile, wanted): (AddressSet, bool),
        root: &mut State,
        stop: &Arc<AtomicBool>,
        coverage: &mut Coverage,
    ) {
        self.volatile = volatile;
        if wanted {
            self.recover_from(vec![entry], root, stop);
        }
        self.discover_branches(coverage);
    }

    fn recover_from(&mut self, entries: Vec<Place>, root: &mut State, stop: &Arc<AtomicBool>) {
        let entries = (entries, self.is_process);
        self.map = ProgramMap::recover(self.guest, entries, self.volatile.clone(), root, stop);
    }

    /// The graph, if there is one that holds.
    pub(crate) fn map(&self) -> Option<&ProgramMap> {
        self.map.as_ref()
    }

    /// Drops the analysis: it does not hold.
    pub(crate) fn forget(&mut self) {
        self.map = None;
    }

    /// Declares that any memory may be volatile.
    pub(crate) fn distrust(&mut self) {
        if let Some(map) = &mut self.map {
            map.distrust();
        }
    }

    /// Adds memory whose contents the analysis cannot know.
    pub(crate) fn add_volatile(&mut self, ranges: impl Iterator<Item = AddressRange>) {
        if let Some(map) = &mut self.map {
            map.add_volatile(ranges);
        }
    }

    /// Whether [`StaticAnalysis::deepen`] has nothing to add.
    pub(crate) fn is_deep(&self) -> bool {
        self.map.as_ref().is_none_or(ProgramMap::is_deep)
    }

    /// Completes the analysis with value sets. The first time that may take a while.
    pub(crate) fn deepen(&mut self, stop: &AtomicBool, coverage: &mut Coverage) {
        // It is called before each query once everything is covered, and listing directions walks the whole graph.
        if self.is_deep() {
            return;
        }
        self.change(coverage, |map, guest| map.deepen(guest, stop));
    }

    /// Adds targets of indirect exits that paths have taken to the graph.
    pub(crate) fn learn(&mut self, taken: &[(u64, ExitKind, Place)], coverage: &mut Coverage) {
        self.change(coverage, |map, guest| map.learn(guest, taken));
    }

    /// Records that code outside of the program has called one of its functions.
    pub(crate) fn note_callback(&mut self, to: Place) {
        if self.map.as_ref().is_some_and(|map| !map.entries().contains(&to)) {
            self.callbacks.insert(to.address, to);
        }
    }

    /// Adds the functions of the program that code outside of it has called since the last call, to the graph.
    pub(crate) fn extend_entries(
        &mut self,
        root: &mut State,
        stop: &Arc<AtomicBool>,
        targets: &IndirectTargetLog,
        coverage: &mut Coverage,
    ) {
        let found = std::mem::take(&mut self.callbacks);
        let Some(map) = self.map.as_ref().filter(|_| !found.is_empty()) else { return };
        let mut entries = map.entries().to_vec();
        let new: Vec<Place> = found.into_values().filter(|place| !entries.contains(place)).collect();
        entries.extend(new);
        self.recover_from(entries, root, stop);
        self.learn(&targets.all_taken(), coverage);
    }

    /// Changes the graph, and adds the directions and calls discovered by that to what must be covered.
    fn change(&mut self, coverage: &mut Coverage, change: impl FnOnce(&mut ProgramMap, &Guest)) {
        let before = self.calls();
        let Some(map) = self.map.as_mut() else { return };
        change(map, self.guest);
        coverage.want_calls(self.calls().difference(&before).copied());
        self.discover_branches(coverage);
    }

    /// The calls of the graph, if the criterion asks for them.
    pub(crate) fn calls(&self) -> BTreeSet<Direction> {
        match self.criterion {
            Criterion::Call => self.map.iter().flat_map(ProgramMap::calls).collect(),
            _ => BTreeSet::new(),
        }
    }

    /// Adds the branches of the graph to the coverage.
    fn discover_branches(&mut self, coverage: &mut Coverage) {
        let Some(map) = self.map.as_mut() else { return };
        let CodeBranches { directions, conditional_indirect } = map.branches(self.guest);
        directions.into_iter().for_each(|direction| coverage.discover(direction));
        coverage.discover_indirect(&conditional_indirect);
    }

    /// The blocks of the control-flow graph by the addresses at which they start, numbered in reverse post-order.
    pub(crate) fn ranks(&self) -> HashMap<u64, u32> {
        self.map.as_ref().map(ProgramMap::ranks).unwrap_or_default()
    }

    /// How far blocks are from a direction in the control-flow graph, by the addresses at which they start.
    pub(crate) fn distances(&self, to: Direction) -> HashMap<u64, u32> {
        self.map.as_ref().map(|map| map.distances(to.branch.0)).unwrap_or_default()
    }

    /// The targets of an indirect jump or call that the graph proposes.
    pub(crate) fn proposed(&self, branch: u64) -> BTreeSet<u64> {
        self.map.as_ref().map(|map| map.proposed(branch)).unwrap_or_default()
    }
}
