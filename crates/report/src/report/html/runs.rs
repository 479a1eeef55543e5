//! The tests: their input, the end of their run, and what it reads and executes.
//!
//! Long lists are cut, so that the file stays small whatever a suite holds: the folder of the suite has all of them. The
//! bounds depend on the number of tests alone.

use std::collections::{BTreeMap, HashMap};

use everypath_record::{Direction, ExecutedCode, TestCase};
use serde::Serialize;

use super::code::{Code, in_order};
use super::columns::Number;
use super::places::Places;
use super::strings::Strings;
use crate::report::ReportData;

/// Number of reads, of values, and of initial bytes that all tests have together at most, or 50 each.
const MOST_VALUES: usize = 400_000;
/// The same of executed functions.
const MOST_FUNCTIONS: usize = 2_000_000;

/// Maximum number of inputs that are named for a direction.
const INPUTS: usize = 8;

/// The tests.
#[derive(Serialize)]
pub(super) struct Runs {
    test: Vec<Run>,
}

/// A test. In pairs and rows, a name is an index of `strings`.
#[derive(Serialize)]
struct Run {
    end: usize,
    instructions: Number,
    cut_off: bool,
    path_hash: String,
    /// Each input: its name, its first values, and their number.
    cells: Vec<(usize, Vec<Number>, usize)>,
    /// Each range: the name of its space, its address, its first bytes in hexadecimal digits, and its length.
    memory: Vec<(usize, String, String, usize)>,
    registers: Vec<(usize, String)>,
    /// The first interrupts: after how many instructions, at which place, and its number; and their number.
    interrupts: Vec<(Number, usize, Number)>,
    all_interrupts: usize,
    /// The first reads: after how many instructions, at which place, the input's name, and the value; and their number.
    reads: Vec<(Number, usize, usize, Number)>,
    all_reads: Number,
    /// The indexes of the directions that no earlier test takes.
    new_directions: Vec<usize>,
    /// The inputs that decide each of these, in the same order: the name of a list of inputs; `null` if it is not known.
    decided_by: Vec<Option<usize>>,
    /// The first functions with the number of their instructions that are executed; and their number.
    functions: Vec<(usize, usize)>,
    all_functions: usize,
}

impl Runs {
    /// The tests of a report.
    pub(super) fn new(data: &ReportData<'_>, places: &Places, code: &Code, strings: &mut Strings) -> Runs {
        let directions = in_order(data).into_iter().enumerate();
        let mut context = Context {
            places,
            code,
            strings,
            direction: directions.map(|(index, judged)| (judged.direction, index)).collect(),
            executed: data.executed.iter().map(|executed| (executed.test.as_str(), executed)).collect(),
            values: (MOST_VALUES / data.suite.tests.len().max(1)).max(50),
            functions: (MOST_FUNCTIONS / data.suite.tests.len().max(1)).max(50),
        };
        Runs { test: data.suite.tests.iter().map(|test| context.run(test)).collect() }
    }
}

/// The tables that the rows of tests index, and the maximum numbers of values and functions of each row.
struct Context<'c> {
    places: &'c Places,
    code: &'c Code,
    strings: &'c mut Strings,
    direction: HashMap<Direction, usize>,
    executed: HashMap<&'c str, &'c ExecutedCode>,
    values: usize,
    functions: usize,
}

impl Context<'_> {
    fn run(&mut self, test: &TestCase) -> Run {
        let (places, values) = (self.places, self.values);
        let cells = test.cells.iter().map(|cell| {
            let first = cell.values.iter().take(values).map(|value| Number(*value)).collect();
            (self.strings.intern(&cell.name), first, cell.values.len())
        });
        let cells = cells.collect();
        let memory = test.memory.iter().map(|range| {
            let digits = range.bytes.iter().take(values).map(|byte| format!("{byte:02x}")).collect();
            (self.strings.intern(&range.space), range.address.to_string(), digits, range.bytes.len())
        });
        let memory = memory.collect();
        let registers =
            test.registers.iter().map(|(name, value)| (self.strings.intern(name), value.to_string()));
        let registers = registers.collect();
        let interrupts = test.interrupts.iter().take(values);
        let interrupts =
            interrupts.map(|taken| (Number(taken.after), places.index(taken.at), Number(taken.number)));
        let interrupts = interrupts.collect();
        let executed = self.executed.get(test.name.as_str()).copied();
        let functions = executed.map(|executed| self.functions_of(executed)).unwrap_or_default();
        let reads = executed.map_or(&[][..], |executed| &executed.reads);
        let first_reads = reads.iter().take(values).map(|read| {
            (Number(read.after), places.index(read.at), self.strings.intern(&read.input), Number(read.value))
        });
        let first_reads = first_reads.collect();
        let known: Vec<(usize, Direction)> =
            test.new_directions.iter().filter_map(|new| Some((*self.direction.get(new)?, *new))).collect();
        let decided_by = known.iter().map(|(_, direction)| self.decided_by(executed, *direction)).collect();
        Run {
            decided_by,
            reads: first_reads,
            all_reads: Number(executed.map_or(0, |executed| executed.all_reads)),
            all_functions: functions.len(),
            functions: functions.into_iter().take(self.functions).collect(),
            end: self.strings.intern(&test.end),
            instructions: Number(test.instructions),
            cut_off: test.cut_off,
            path_hash: test.path_hash.to_string(),
            cells,
            memory,
            registers,
            interrupts,
            all_interrupts: test.interrupts.len(),
            new_directions: known.into_iter().map(|(index, _)| index).collect(),
        }
    }

    /// The names of the inputs that decide a direction of a test, as one string; empty if it is constant on the path.
    fn decided_by(&mut self, executed: Option<&ExecutedCode>, direction: Direction) -> Option<usize> {
        let decision = executed?.decision(direction)?;
        let names: Vec<String> = decision.inputs.iter().take(INPUTS).map(ToString::to_string).collect();
        let more = if decision.inputs.len() > INPUTS { ", …" } else { "" };
        Some(self.strings.intern(&(names.join(", ") + more)))
    }

    /// The functions that a test executes, each with the number of its instructions that it executes.
    fn functions_of(&self, executed: &ExecutedCode) -> BTreeMap<usize, usize> {
        let mut functions = BTreeMap::new();
        for (address, _) in &executed.instructions {
            if let Some(function) = self.code.function_of(*address) {
                *functions.entry(function).or_insert(0) += 1;
            }
        }
        functions
    }
}
