//! The code of the program: functions, basic blocks, instructions, the source lines they come from, and the branch directions.

use std::collections::{BTreeSet, HashMap};

use everypath_record::{
    Address, Direction, Judged, ListedBlock, ListedFunction, ListedLine, Summary, Verdict,
};
use serde::Serialize;

use super::columns::Index;
use super::places::Places;
use super::strings::Strings;
use crate::report::ReportData;

/// Number of lines that are shown before a line from which there is code, such as its comment.
const LINES_BEFORE: u32 = 3;

/// The code, and the function of each instruction.
pub(super) struct Code {
    columns: CodeColumns,
    function_of: HashMap<Address, usize>,
}

/// The code as columns. Functions, blocks and instructions are in the order of the listing, so that the counts say which belong
/// to which.
#[derive(Default, Serialize)]
pub(super) struct CodeColumns {
    /// Number of blocks of each function.
    function_blocks: Vec<usize>,
    /// Number of instructions of each block.
    block_instructions: Vec<usize>,
    /// The successors of each block, as numbers of blocks of its function.
    block_successors: Vec<Vec<usize>>,
    /// The place of each instruction, less that of the one before.
    instruction_place: Vec<i64>,
    /// The assembly text of each instruction.
    instruction_text: Vec<usize>,
    /// The source line of each instruction, an index of `line_*`.
    instruction_line: Vec<Index>,
    /// Number of tests that execute each instruction.
    instruction_tests: Vec<u32>,
    /// File and number of each source line from which there is code.
    line_file: Vec<usize>,
    line_number: Vec<u32>,
    /// Paths of the source files.
    file_path: Vec<usize>,
    /// The lines to show of each file: numbers, and text.
    file_lines: Vec<Vec<u32>>,
    file_text: Vec<Vec<String>>,
    direction: DirectionColumns,
}

/// The directions as columns, in the order of branches and targets.
#[derive(Default, Serialize)]
struct DirectionColumns {
    branch: Vec<usize>,
    target: Vec<usize>,
    /// The index of the verdict: covered, infeasible, open, unsupported.
    verdict: Vec<usize>,
    /// The number of the test, or the string with the reason.
    detail: Vec<Index>,
    /// The string of the trace, or of the test of another suite, that covers it, if no test does.
    trace: Vec<Index>,
    /// The strings of the names of its certificates.
    certificates: Vec<Vec<usize>>,
    /// The function that a justification of it names, an index of the overview's digests.
    digest: Vec<Index>,
    /// The function of the branch.
    function: Vec<Index>,
}

/// The index of a verdict.
pub(super) fn verdict_index(verdict: &Verdict) -> usize {
    match verdict {
        Verdict::Covered { .. } => 0,
        Verdict::Infeasible { .. } => 1,
        Verdict::Open { .. } => 2,
        Verdict::Unsupported { .. } => 3,
    }
}

/// The directions in the order in which they are written.
pub(super) fn in_order<'r>(data: &ReportData<'r>) -> Vec<&'r Judged> {
    let mut directions: Vec<&Judged> = data.suite.summary.directions.iter().collect();
    directions.sort_by_key(|judged| judged.direction);
    directions
}

impl Code {
    /// The code of a report.
    pub(super) fn new(data: &ReportData<'_>, places: &Places, strings: &mut Strings) -> Code {
        let mut code = Code { columns: CodeColumns::default(), function_of: HashMap::new() };
        let mut lines = Lines::default();
        let tests = tests_of_instructions(data);
        let mut last = 0;
        for (number, function) in data.listing.functions.iter().enumerate() {
            code.add_blocks(function);
            for instruction in function.blocks.iter().flat_map(|block| &block.instructions) {
                let place = places.index(instruction.address) as i64;
                let columns = &mut code.columns;
                columns.instruction_place.push(place - last);
                columns.instruction_text.push(strings.intern(&instruction.text));
                columns.instruction_line.push(Index(instruction.source.map(|line| lines.intern(line))));
                columns.instruction_tests.push(tests.get(&instruction.address).copied().unwrap_or(0));
                last = place;
                code.function_of.entry(instruction.address).or_insert(number);
            }
        }
        code.add_sources(data, &lines, strings);
        code.add_directions(data, places, strings);
        code
    }

    /// The columns.
    pub(super) fn columns(&self) -> &CodeColumns {
        &self.columns
    }

    /// The number of the function that an instruction belongs to.
    pub(super) fn function_of(&self, address: Address) -> Option<usize> {
        self.function_of.get(&address).copied()
    }

    fn add_blocks(&mut self, function: &ListedFunction) {
        let starts: HashMap<Address, usize> =
            function.blocks.iter().enumerate().map(|(number, block)| (block.start(), number)).collect();
        self.columns.function_blocks.push(function.blocks.len());
        for ListedBlock { instructions, successors } in &function.blocks {
            self.columns.block_instructions.push(instructions.len());
            let known = successors.iter().filter_map(|successor| starts.get(successor).copied());
            self.columns.block_successors.push(known.collect());
        }
    }

    fn add_sources(&mut self, data: &ReportData<'_>, lines: &Lines, strings: &mut Strings) {
        let mut shown = vec![BTreeSet::new(); data.listing.sources.len()];
        for line in &lines.all {
            self.columns.line_file.push(line.file);
            self.columns.line_number.push(line.line);
            shown[line.file].extend(line.line.saturating_sub(LINES_BEFORE).max(1)..=line.line);
        }
        for (source, shown) in data.listing.sources.iter().zip(shown) {
            let text = |line: &u32| Some((*line, source.lines.get(*line as usize - 1)?.clone()));
            let (numbers, texts) = shown.iter().filter_map(text).unzip();
            self.columns.file_path.push(strings.intern(&source.path));
            self.columns.file_lines.push(numbers);
            self.columns.file_text.push(texts);
        }
    }

    fn add_directions(&mut self, data: &ReportData<'_>, places: &Places, strings: &mut Strings) {
        let names = data.suite.summary.tests.iter().enumerate();
        let tests: HashMap<&str, usize> = names.map(|(number, name)| (name.as_str(), number)).collect();
        let digests = digests(&data.suite.summary);
        for Judged { direction, verdict } in in_order(data) {
            let column = &mut self.columns.direction;
            column.branch.push(places.index(direction.branch));
            column.target.push(places.index(direction.target));
            column.verdict.push(verdict_index(verdict));
            column.detail.push(Index(match verdict {
                Verdict::Covered { test, .. } => tests.get(test.as_str()).copied(),
                _ => verdict.reason().map(|reason| strings.intern(reason)),
            }));
            let trace = verdict.taken_by().filter(|_| verdict.is_covered_elsewhere());
            let trace = trace.map(|taken_by| strings.intern(&taken_by));
            column.trace.push(Index(trace));
            let certificates = verdict.certificates().iter().map(|name| strings.intern(name)).collect();
            column.certificates.push(certificates);
            column.digest.push(Index(digests.get(direction).copied()));
            column.function.push(Index(self.function_of.get(&direction.branch).copied()));
        }
    }
}

/// For each open direction, the index of the digest of its function.
fn digests(summary: &Summary) -> HashMap<Direction, usize> {
    let entries: HashMap<Address, usize> =
        summary.function_digests.iter().enumerate().map(|(index, digest)| (digest.entry, index)).collect();
    let open = summary.directions.iter().filter(|judged| judged.verdict.is_undecided());
    let digest = |judged: &Judged| {
        let branch = judged.direction.branch;
        let offset = summary.location(branch).function.as_ref()?.offset;
        Some((judged.direction, *entries.get(&Address(branch.0.wrapping_sub(offset)))?))
    };
    open.filter_map(digest).collect()
}

/// Number of tests that execute each instruction.
fn tests_of_instructions(data: &ReportData<'_>) -> HashMap<Address, u32> {
    let mut tests = HashMap::new();
    for (address, _) in data.executed.iter().flat_map(|executed| &executed.instructions) {
        *tests.entry(*address).or_insert(0) += 1;
    }
    tests
}

/// Source lines with their indexes.
#[derive(Default)]
struct Lines {
    index: HashMap<ListedLine, usize>,
    all: Vec<ListedLine>,
}

impl Lines {
    fn intern(&mut self, line: ListedLine) -> usize {
        *self.index.entry(line).or_insert_with(|| {
            self.all.push(line);
            self.all.len() - 1
        })
    }
}
