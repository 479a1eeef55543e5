//! Lookups that the chapters of the dossier share: directions in order, with the identifiers of what they refer to.

use std::collections::{BTreeMap, HashMap};

use everypath_record::{
    Address, Direction, Judged, Justification, ListedFunction, ListedInstruction, ListedLine, Summary,
    Verdict,
};

use super::super::ReportData;
use super::document::identifier;
use super::prose::{Prose, shortened};
use crate::Cause;

/// The results with their lookups.
pub(super) struct DossierIndex<'r> {
    pub(super) data: &'r ReportData<'r>,
    /// The directions, in the order of their addresses: the one at index 0 is `D-0001`.
    pub(super) directions: Vec<&'r Judged>,
    /// The causes of open directions: the one at index 0 is `OPEN-0001`.
    pub(super) causes: Vec<Cause>,
    direction_indices: HashMap<Direction, usize>,
    test_indices: HashMap<&'r str, usize>,
    cause_indices: HashMap<Direction, usize>,
    /// The justified directions, in order: the one at index 0 is `JUS-0001`.
    pub(super) justified: BTreeMap<Direction, &'r Justification>,
    infeasible_indices: HashMap<Direction, usize>,
    instructions: HashMap<Address, ListedAt<'r>>,
}

/// An instruction and where the listing has it.
#[derive(Clone, Copy)]
pub(super) struct ListedAt<'r> {
    pub(super) instruction: &'r ListedInstruction,
    /// Index of its function.
    pub(super) function: usize,
    /// Index of its block in the function.
    pub(super) block: usize,
}

impl<'r> DossierIndex<'r> {
    /// The lookups of these results.
    pub(super) fn new(data: &'r ReportData<'r>) -> DossierIndex<'r> {
        let summary = &data.suite.summary;
        let mut directions: Vec<&Judged> = summary.directions.iter().collect();
        directions.sort_by_key(|judged| judged.direction);
        let causes = Cause::all(summary);
        let by_direction = |(index, cause): (usize, &Cause)| {
            cause.directions.iter().map(|direction| (*direction, index)).collect::<Vec<_>>()
        };
        let infeasible = directions.iter().filter(|one| matches!(one.verdict, Verdict::Infeasible { .. }));
        DossierIndex {
            data,
            direction_indices: indexed(directions.iter().map(|judged| judged.direction)),
            test_indices: indexed(data.suite.tests.iter().map(|test| test.name.as_str())),
            cause_indices: causes.iter().enumerate().flat_map(by_direction).collect(),
            justified: summary.justified(),
            infeasible_indices: indexed(infeasible.map(|judged| judged.direction)),
            instructions: listed(data),
            causes,
            directions,
        }
    }

    pub(super) fn summary(&self) -> &'r Summary {
        &self.data.suite.summary
    }

    /// A reference to the row of a direction.
    pub(super) fn direction(&self, direction: Direction) -> Prose {
        match self.direction_indices.get(&direction) {
            Some(index) => Prose::reference(identifier("D", *index)),
            None => Prose::code(direction.to_string()),
        }
    }

    /// A reference to the justification of a direction.
    pub(super) fn justification(&self, direction: Direction) -> Option<Prose> {
        let index = self.justified.keys().position(|justified| *justified == direction)?;
        Some(Prose::reference(identifier("JUS", index)))
    }

    /// The traces that cover directions, by their names, each with the number of its directions.
    pub(super) fn traces(&self) -> BTreeMap<&'r str, u64> {
        let mut traces = BTreeMap::new();
        for trace in self.summary().directions.iter().filter_map(|judged| judged.verdict.trace()) {
            *traces.entry(trace).or_default() += 1;
        }
        traces
    }

    /// Number of directions that tests of other suites cover, by their names.
    pub(super) fn suite_tests(&self) -> BTreeMap<&'r str, u64> {
        let mut tests = BTreeMap::new();
        for test in self.summary().directions.iter().filter_map(|judged| judged.verdict.suite_test()) {
            *tests.entry(test).or_default() += 1;
        }
        tests
    }

    /// A reference to the row of a test, by its name.
    pub(super) fn test(&self, name: &str) -> Prose {
        match self.test_indices.get(name) {
            Some(index) => Prose::reference(identifier("T", *index)),
            None => Prose::from(format!("test `{name}`")),
        }
    }

    /// The ground of a verdict: the test or trace, or a reference to the evidence or to the cause with the beginning of the reason.
    pub(super) fn ground(&self, judged: &Judged) -> Prose {
        match &judged.verdict {
            Verdict::Covered { test, .. } => match judged.verdict.trace() {
                Some(trace) => Prose::from("trace ").and(Prose::code(trace)),
                None if judged.verdict.suite_test().is_some() => Prose::from("test ").and(Prose::code(test)),
                None => self.test(test),
            },
            Verdict::Infeasible { evidence, .. } => {
                let index = self.infeasible_indices[&judged.direction];
                Prose::reference(identifier("INF", index)).and(format!(": {}", shortened(evidence, 90)))
            }
            Verdict::Open { reason } | Verdict::Unsupported { reason } => {
                let index = self.cause_indices[&judged.direction];
                let ground =
                    Prose::reference(identifier("OPEN", index)).and(format!(": {}", shortened(reason, 90)));
                match self.justification(judged.direction) {
                    Some(row) => ground.and("; justified: ").and(row),
                    None => ground,
                }
            }
        }
    }

    /// An instruction of the listing.
    pub(super) fn listed(&self, address: Address) -> Option<ListedAt<'r>> {
        self.instructions.get(&address).copied()
    }

    /// The name and the entry of the function of an instruction.
    pub(super) fn function(&self, address: Address) -> Option<(String, Address)> {
        if let Some(function) = &self.summary().location(address).function {
            return Some((function.name.clone(), Address(address.0.wrapping_sub(function.offset))));
        }
        let function = &self.data.listing.functions[self.listed(address)?.function];
        Some((function.name.clone(), function.address))
    }

    /// An address in the user's terms: function and offset, if known.
    pub(super) fn place(&self, address: Address) -> Prose {
        Prose::code(match self.function(address) {
            Some((name, entry)) if entry == address => name,
            Some((name, entry)) => format!("{name}+{:#x}", address.0.wrapping_sub(entry.0)),
            None => address.to_string(),
        })
    }

    /// The path and the number of the source line of an instruction.
    pub(super) fn source(&self, address: Address) -> Option<(String, u32)> {
        if let Some(ListedLine { file, line }) =
            self.listed(address).and_then(|listed| listed.instruction.source)
        {
            return Some((self.data.listing.sources[file].path.clone(), line));
        }
        let location = self.summary().location(address);
        location.source.as_ref().map(|source| (source.file.clone(), source.line))
    }

    /// The source line of an instruction, without folders; empty if it is unknown.
    pub(super) fn short_source(&self, address: Address) -> Prose {
        self.source(address).map_or_else(Prose::default, |(path, line)| Prose::code(file_line(&path, line)))
    }

    /// The source line of the first instruction of a function that may have no directions, without folders; empty if it is unknown.
    pub(super) fn unvisited_source(&self, function: &ListedFunction) -> Prose {
        let first = function.instructions().find(|one| one.address == function.address);
        let line = first.or(function.instructions().next()).and_then(|instruction| instruction.source);
        line.map_or_else(Prose::default, |ListedLine { file, line }| {
            Prose::code(file_line(&self.data.listing.sources[file].path, line))
        })
    }
}

/// A line of a file without its folders: `alarm.c:41`.
pub(super) fn file_line(path: &str, line: u32) -> String {
    format!("{}:{line}", path.rsplit(['/', '\\']).next().unwrap_or(path))
}

/// The index of each item.
fn indexed<T: std::hash::Hash + Eq>(items: impl Iterator<Item = T>) -> HashMap<T, usize> {
    items.enumerate().map(|(index, item)| (item, index)).collect()
}

/// Where each instruction is listed; one that two functions share, in the first of them.
fn listed<'r>(data: &ReportData<'r>) -> HashMap<Address, ListedAt<'r>> {
    let mut instructions = HashMap::new();
    for (function, listed) in data.listing.functions.iter().enumerate() {
        for (block, listed) in listed.blocks.iter().enumerate() {
            for instruction in &listed.instructions {
                let at = ListedAt { instruction, function, block };
                instructions.entry(instruction.address).or_insert(at);
            }
        }
    }
    instructions
}
