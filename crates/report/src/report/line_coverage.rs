//! Line, branch and function coverage by source file, for the formats that know lines instead of instructions.
//!
//! Each instruction belongs to one line: its source line, or its line in an [`AssemblyListing`] if debug information has none.
//! A line is executed as often as that of its instructions which is executed most often: its instructions are executed one after
//! the other, so that a sum would count one execution several times.
//!
//! Functions that no test executes are in it with all their lines, also those that no entry reaches.
//!
//! Infeasible directions are left out: they are not to be covered, like the branches that a user of LCOV excludes by a comment
//! in the source. Open and unsupported directions count as not taken. That a direction is taken is known, but not how often.

use std::collections::{BTreeMap, BTreeSet};

use everypath_record::{Address, CodeListing, CodeRange, ListedFunction, OutputFile, Verdict};

use super::ReportData;
use super::assembly_listing::AssemblyListing;
use super::execution_counts::execution_counts;

/// The coverage of a program by its tests.
pub(super) struct LineCoverage {
    /// The files, by their paths.
    pub(super) files: BTreeMap<String, FileCoverage>,
    /// The file with the assembly that some of the lines are of.
    pub(super) assembly: Option<OutputFile>,
}

/// The coverage of a file.
#[derive(Default)]
pub(super) struct FileCoverage {
    /// The lines that have code, by their numbers.
    pub(super) lines: BTreeMap<u32, LineCounts>,
    /// The functions, by their names.
    pub(super) functions: BTreeMap<String, FunctionCounts>,
}

/// The coverage of a line.
#[derive(Default)]
pub(super) struct LineCounts {
    /// Number of executions, in all tests.
    pub(super) executions: u64,
    /// The branches, in the order of their addresses. Each has at least one feasible direction.
    pub(super) branches: Vec<BranchCounts>,
}

/// The coverage of a branch.
pub(super) struct BranchCounts {
    /// Whether a test executes it.
    pub(super) is_executed: bool,
    /// Whether a test takes it, for each feasible direction in the order of their targets.
    pub(super) taken: Vec<bool>,
}

/// The coverage of a function. Functions with one name in one file, such as the copies of an inline function, count as one.
pub(super) struct FunctionCounts {
    /// The line of its entry.
    pub(super) line: u32,
    /// Number of executions of its entry.
    pub(super) executions: u64,
    /// The lines of its instructions in this file.
    pub(super) lines: BTreeSet<u32>,
}

/// How many of some items are covered.
#[derive(Clone, Copy, Default)]
pub(super) struct Tally {
    pub(super) covered: usize,
    pub(super) all: usize,
}

impl Tally {
    /// The tally of items, each covered or not.
    pub(super) fn of(items: impl IntoIterator<Item = bool>) -> Tally {
        items.into_iter().fold(Tally::default(), |tally, covered| Tally {
            covered: tally.covered + usize::from(covered),
            all: tally.all + 1,
        })
    }
}

impl std::iter::Sum for Tally {
    fn sum<I: Iterator<Item = Tally>>(tallies: I) -> Tally {
        tallies.fold(Tally::default(), |sum, tally| Tally {
            covered: sum.covered + tally.covered,
            all: sum.all + tally.all,
        })
    }
}

impl LineCounts {
    /// The directions.
    pub(super) fn directions(&self) -> Tally {
        Tally::of(self.branches.iter().flat_map(|branch| branch.taken.iter().copied()))
    }
}

impl FileCoverage {
    /// The lines.
    pub(super) fn line_tally(&self) -> Tally {
        Tally::of(self.lines.values().map(|line| line.executions > 0))
    }

    /// The directions.
    pub(super) fn direction_tally(&self) -> Tally {
        self.lines.values().map(LineCounts::directions).sum()
    }

    /// The functions.
    pub(super) fn function_tally(&self) -> Tally {
        Tally::of(self.functions.values().map(|function| function.executions > 0))
    }
}

/// The file and the line of each instruction.
type Lines<'r> = BTreeMap<Address, (&'r str, u32)>;

impl LineCoverage {
    /// The coverage by all tests.
    pub(super) fn new(data: &ReportData<'_>) -> LineCoverage {
        let counts = execution_counts(data.executed);
        let assembly = AssemblyListing::new(data);
        let mut lines: Lines<'_> = assembly.lines().collect();
        lines.extend(source_lines(data.listing));
        let mut coverage = LineCoverage { files: BTreeMap::new(), assembly: None };
        for (address, &(path, line)) in &lines {
            // How often a trace executes an instruction is not recorded.
            let traced = CodeRange::any_contains(&data.suite.summary.traced_code, *address);
            let executions = counts.get(address).copied().unwrap_or(0).max(u64::from(traced));
            let line = coverage.line(path, line);
            line.executions = line.executions.max(executions);
        }
        for (branch, taken) in feasible_directions(data) {
            let is_traced = CodeRange::any_contains(&data.suite.summary.traced_code, branch);
            let is_executed = counts.contains_key(&branch) || is_traced || taken.contains(&true);
            let (path, line) = lines[&branch];
            let line = coverage.line(path, line);
            // Older results do not have the code that traces execute, but the branches that they take.
            line.executions = line.executions.max(u64::from(taken.contains(&true)));
            line.branches.push(BranchCounts { is_executed, taken });
        }
        for function in data.listing.all_functions() {
            coverage.add_function(&lines, function, &counts, &data.suite.summary.traced_code);
        }
        coverage.assembly = assembly.into_file();
        coverage
    }

    fn line(&mut self, path: &str, line: u32) -> &mut LineCounts {
        self.file(path).lines.entry(line).or_default()
    }

    fn file(&mut self, path: &str) -> &mut FileCoverage {
        self.files.entry(path.to_owned()).or_default()
    }

    /// Adds a function to the file of its entry.
    fn add_function(
        &mut self,
        lines: &Lines<'_>,
        function: &ListedFunction,
        counts: &BTreeMap<Address, u64>,
        traced: &[CodeRange],
    ) {
        let addresses: Vec<Address> = function.instructions().map(|listed| listed.address).collect();
        // Nothing is listed at an entry that cannot be decoded.
        let entry = addresses.iter().find(|address| **address == function.address).or(addresses.first());
        let Some(entry) = entry else { return };
        let (path, line) = lines[entry];
        let functions = &mut self.file(path).functions;
        let new = FunctionCounts { line, executions: 0, lines: BTreeSet::new() };
        let counted = functions.entry(function.name.clone()).or_insert(new);
        counted.line = counted.line.min(line);
        let executions = counts.get(entry).copied().unwrap_or(0);
        let executions = executions.max(u64::from(CodeRange::any_contains(traced, *entry)));
        counted.executions = counted.executions.saturating_add(executions);
        let own = addresses.iter().map(|address| lines[address]).filter(|(file, _)| *file == path);
        counted.lines.extend(own.map(|(_, line)| line));
    }
}

/// The source line of each listed instruction that has one.
fn source_lines(listing: &CodeListing) -> impl Iterator<Item = (Address, (&str, u32))> {
    let instructions = listing.all_functions().flat_map(ListedFunction::instructions);
    instructions.filter_map(|instruction| {
        let source = instruction.source?;
        Some((instruction.address, (listing.sources[source.file].path.as_str(), source.line)))
    })
}

/// Whether a test takes it, for each feasible direction of each branch that has one.
fn feasible_directions(data: &ReportData<'_>) -> BTreeMap<Address, Vec<bool>> {
    let mut directions: Vec<_> = data.suite.summary.directions.iter().collect();
    directions.sort_by_key(|judged| judged.direction);
    let mut branches: BTreeMap<Address, Vec<bool>> = BTreeMap::new();
    for judged in directions {
        let taken = match judged.verdict {
            Verdict::Infeasible { .. } => continue,
            Verdict::Covered { .. } => true,
            Verdict::Open { .. } | Verdict::Unsupported { .. } => false,
        };
        branches.entry(judged.direction.branch).or_default().push(taken);
    }
    branches
}
