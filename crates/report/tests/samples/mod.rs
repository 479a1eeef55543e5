//! Results to write reports of: a small program, and a generated one of any size.

#![allow(dead_code, reason = "each test binary uses a part")]

pub(crate) mod firmware;
mod functions;

use everypath_record::{
    Address, Assumption, CellValues, CodeListing, CodeLocation, CodeRange, Counts, CoveragePoint,
    DecidingInput, Direction, ExecutedCode, FORMAT, Finding, FunctionDigest, FunctionOffset,
    IndirectExitRecord, InputDecision, InputRead, Judged, Justification, JustificationStanding, LapseCause,
    ListedBlock, ListedFunction, ListedInstruction, ListedLine, OutputFile, SourceFile, SourcePosition,
    Suite, Summary, TestCase, UnreachedCode, UnreachedFunction, Verdict,
};
use everypath_report::{ReportData, ReportFormat};

/// Owned results.
pub(crate) struct Sample {
    pub(crate) suite: Suite,
    pub(crate) listing: CodeListing,
    pub(crate) executed: Vec<ExecutedCode>,
    /// The folder of the results, as commands name it.
    pub(crate) folder: String,
    /// The flags that commands need besides the program's file.
    pub(crate) flags: Vec<String>,
}

impl Sample {
    /// The files of the report in a format.
    pub(crate) fn files(&self, format: &str) -> Vec<OutputFile> {
        let data = ReportData {
            suite: &self.suite,
            listing: &self.listing,
            executed: &self.executed,
            folder: &self.folder,
            flags: &self.flags,
        };
        let format = ReportFormat::by_name(format).expect("a format");
        let files = (format.files)(&data);
        assert_eq!(files[0].path, format.file, "the main file is the first");
        files
    }

    /// The main file of the report in a format.
    pub(crate) fn report(&self, format: &str) -> Vec<u8> {
        self.files(format).swap_remove(0).contents
    }

    /// Removes what debug information would give: source files and lines.
    pub(crate) fn strip(&mut self) {
        self.listing.sources.clear();
        for function in &mut self.listing.functions {
            for instruction in function.blocks.iter_mut().flat_map(|block| &mut block.instructions) {
                instruction.source = None;
            }
        }
        for location in &mut self.suite.summary.locations {
            location.source = None;
        }
    }

    /// The report in a format of text.
    pub(crate) fn text(&self, format: &str) -> String {
        String::from_utf8(self.report(format)).expect("the report is UTF-8")
    }
}

/// A program with 2 functions of 2 branches each, one direction in each verdict, and awkward names.
pub(crate) fn small() -> Sample {
    let mut sample = generated(2, 2, 2);
    sample.suite.summary.directions[1].verdict =
        Verdict::infeasible("`level`, an unsigned byte, is never > 255 (\"x\", <3 paths>)".to_owned());
    sample.suite.summary.directions[2].verdict =
        Verdict::Open { reason: "the limit of 10 s was reached".to_owned() };
    sample.suite.summary.directions[3].verdict =
        Verdict::Unsupported { reason: "`cpsie` is not modelled".to_owned() };
    sample.suite.summary.findings.push(Finding {
        oracle: "division".to_owned(),
        address: Address(0x100a),
        message: "division by zero: the divisor is `level`".to_owned(),
        test: "0002".to_owned(),
    });
    sample
}

/// The small program, with a justification of its open direction and one that lapsed; the unsupported one has none.
pub(crate) fn justified() -> Sample {
    let mut sample = small();
    let summary = &mut sample.suite.summary;
    summary.findings.clear();
    summary.function_digests.push(FunctionDigest {
        entry: Address(0x1000),
        function: "function_0".to_owned(),
        code: "9f86d081884c7d65".to_owned(),
    });
    let direction = summary.directions[2].direction;
    let valid = Justification {
        function: "function_0".to_owned(),
        offset: 0xa,
        target: "+0xc".to_owned(),
        code: "9f86d081884c7d65".to_owned(),
        reason: "the hardware never reports mode 7".to_owned(),
        by: Some("A. Reviewer".to_owned()),
        date: Some("2026-01-31".to_owned()),
        standing: JustificationStanding::Valid { direction },
    };
    let lapsed = Justification {
        offset: 2,
        target: "+0x8".to_owned(),
        reason: "cannot be".to_owned(),
        by: None,
        date: None,
        standing: JustificationStanding::Lapsed {
            cause: LapseCause::Infeasible,
            detail: "the direction is infeasible now: there is a proof; remove the entry".to_owned(),
        },
        ..valid.clone()
    };
    summary.justifications = vec![valid, lapsed];
    sample
}

/// A program with one function of 2 branches, for the examples of the guide.
pub(crate) fn alarm() -> Sample {
    let mut sample = generated(1, 2, 2);
    sample.listing.functions[0].name = "update_alarm".to_owned();
    let mut lines = vec![String::new(); 41];
    lines.push("    if (level > limit)".to_owned());
    lines.push("    if (total / level > 255)".to_owned());
    sample.listing.sources = vec![SourceFile { path: "/src/alarm.c".to_owned(), lines, hash: None }];
    let instructions =
        sample.listing.functions[0].blocks.iter_mut().flat_map(|block| &mut block.instructions);
    for (instruction, text) in
        instructions.zip(["ldrb r0,[r4]", "bhi 0x1008", "adds r1,#0x1", "nop", "udiv r1,r1,r0", "bhi 0x1010"])
    {
        instruction.text = text.to_owned();
        instruction.source = instruction.source.map(|line| ListedLine { file: 0, line: line.line + 41 });
    }
    let summary = &mut sample.suite.summary;
    for location in &mut summary.locations {
        location.function =
            location.function.take().map(|own| FunctionOffset { name: "update_alarm".to_owned(), ..own });
        location.source = location.source.take().map(|own| SourcePosition {
            file: "/src/alarm.c".to_owned(),
            line: own.line + 41,
            ..own
        });
    }
    summary.locations[2].source =
        Some(SourcePosition { file: "/src/alarm.c".to_owned(), line: 43, column: None });
    summary.plan =
        serde_json::json!({ "criterion": "branch", "certificates": true, "bounds": { "seconds": 60 } });
    summary.directions[1].verdict = Verdict::Infeasible {
        evidence:
            "every path was explored: on those that reach the branch, 3 queries for it were unsatisfiable"
                .to_owned(),
        certificates: vec!["0x1002-0x1008.1.certificate".to_owned()],
    };
    summary.findings.push(Finding {
        oracle: "division-by-zero".to_owned(),
        address: Address(0x1008),
        message: "division by zero".to_owned(),
        test: "0002".to_owned(),
    });
    sample.suite.tests[1].cells[0].values = vec![0, 0, 7];
    sample.suite.tests[1].new_directions.retain(|direction| direction.branch != Address(0x1002));
    let read = |after, value| InputRead { after, at: Address(0x1000), input: "level".to_owned(), value };
    let last = [0x100c, 0x1010];
    for (code, last) in sample.executed.iter_mut().zip(last) {
        code.instructions =
            (0x1000..=0x100a).step_by(2).chain([last]).map(|address| (Address(address), 1)).collect();
    }
    sample.executed[0].reads = vec![read(0, 7)];
    sample.executed[1].reads = vec![read(0, 0), read(12, 0), read(24, 7)];
    sample.executed[1].all_reads = 3;
    for (test, instructions) in sample.suite.tests.iter_mut().zip([6, 30]) {
        test.instructions = instructions;
    }
    sample
}

/// Asserts that a page of the guide has a text as an indented block.
pub(crate) fn assert_in_guide(page: &str, text: &str) {
    let path = format!("{}/../../docs/guide/{page}", env!("CARGO_MANIFEST_DIR"));
    let page = std::fs::read_to_string(&path).expect("the page can be read");
    let indented = |line: &str| if line.is_empty() { "\n".to_owned() } else { format!("    {line}\n") };
    let block: String = text.lines().map(indented).collect();
    assert!(page.contains(&block), "{path} should have:\n{block}");
}

/// A program of `functions` functions with `branches` branches each, all of whose directions are covered by `tests` tests in turn,
/// the first one by the first test.
pub(crate) fn generated(functions: u64, branches: u64, tests: usize) -> Sample {
    let names: Vec<String> = (1..=tests).map(|number| format!("{number:04}")).collect();
    let mut parts = Parts::default();
    for function in 0..functions {
        parts.add_function(function, branches, &names);
    }
    let executed = names.iter().map(|name| parts.executed_by(name)).collect();
    let tests: Vec<TestCase> = names.iter().map(|name| parts.test(name)).collect();
    let listing = CodeListing {
        base: Some(Address(0xf00)),
        functions: parts.functions,
        sources: parts.sources,
        ..CodeListing::default()
    };
    Sample {
        suite: Suite { summary: summary(parts.directions, parts.locations, names), tests },
        listing,
        executed,
        folder: "firmware.elf.tests".to_owned(),
        flags: Vec::new(),
    }
}

/// The functions, sources, verdicts and locations of a program that is being generated.
#[derive(Default)]
struct Parts {
    functions: Vec<ListedFunction>,
    sources: Vec<SourceFile>,
    directions: Vec<Judged>,
    locations: Vec<CodeLocation>,
}

impl Parts {
    /// Adds a function with a source file of its own. Each branch skips one instruction: blocks of a compare with a branch, and
    /// of a skipped instruction; and a return.
    fn add_function(&mut self, number: u64, branches: u64, tests: &[String]) {
        let (file, entry) = (self.sources.len(), 0x1000 + number * 0x10_0000);
        let path = format!("/src/module_{number}.c");
        let name = format!("function_{number}");
        let mut blocks = Vec::new();
        for branch in 0..branches {
            let start = entry + branch * 8;
            let instruction = |offset: u64, text: &str| ListedInstruction {
                address: Address(start + offset),
                length: 2,
                text: text.to_owned(),
                source: Some(ListedLine { file, line: branch as u32 + 1 }),
            };
            let (skipped, next) = (Address(start + 4), Address(start + 8));
            blocks.push(ListedBlock {
                instructions: vec![instruction(0, "cmp r0,#0x1"), instruction(2, "beq <next>")],
                successors: vec![skipped, next],
            });
            blocks.push(ListedBlock {
                instructions: vec![instruction(4, "adds r1,#0x1"), instruction(6, "nop")],
                successors: vec![next],
            });
            for target in [skipped, next] {
                let direction = Direction { branch: Address(start + 2), target };
                let test = tests[self.directions.len() % tests.len()].clone();
                self.directions.push(Judged { direction, verdict: Verdict::covered_by_test(&test) });
            }
            for offset in [2, 4, 8] {
                if self.locations.last().is_none_or(|last| last.address.0 < start + offset) {
                    self.locations.push(CodeLocation {
                        address: Address(start + offset),
                        function: Some(FunctionOffset { name: name.clone(), offset: branch * 8 + offset }),
                        source: Some(SourcePosition {
                            file: path.clone(),
                            line: branch as u32 + 1,
                            column: Some(5),
                        }),
                    });
                }
            }
        }
        let end = ListedInstruction {
            address: Address(entry + branches * 8),
            length: 2,
            text: "bx lr".to_owned(),
            source: None,
        };
        blocks.push(ListedBlock { instructions: vec![end], successors: Vec::new() });
        self.functions.push(ListedFunction { name, address: Address(entry), blocks });
        let lines =
            (0..branches).map(|line| format!("    if (level == {line} && mode < 2) total++; /* \"<&>\" */"));
        self.sources.push(SourceFile { path, lines: lines.collect(), hash: Some(format!("{number:064x}")) });
    }

    fn new_directions(&self, test: &str) -> Vec<Direction> {
        let is_of =
            |judged: &&Judged| matches!(&judged.verdict, Verdict::Covered { test: by, .. } if by == test);
        self.directions.iter().filter(is_of).map(|judged| judged.direction).collect()
    }

    fn executed_by(&self, test: &str) -> ExecutedCode {
        let directions = self.new_directions(test);
        let addresses: std::collections::BTreeSet<Address> =
            directions.iter().flat_map(|direction| [direction.branch, direction.target]).collect();
        let at = directions.first().map_or(Address(0), |direction| direction.branch);
        let read = InputRead { after: 1, at, input: "level".to_owned(), value: 7 };
        ExecutedCode {
            test: test.to_owned(),
            instructions: addresses.into_iter().map(|address| (address, 3)).collect(),
            reads: vec![read],
            all_reads: 1,
            decisions: directions.iter().map(|direction| decided_by_level(*direction)).collect(),
        }
    }

    fn test(&self, name: &str) -> TestCase {
        TestCase {
            format: FORMAT,
            name: name.to_owned(),
            cells: vec![CellValues { name: "level".to_owned(), values: vec![7] }],
            memory: Vec::new(),
            registers: Vec::new(),
            interrupts: Vec::new(),
            end: "exited at 0x1010 with status 0".to_owned(),
            instructions: 123_456,
            cut_off: false,
            path_hash: Address(0x5eed),
            new_directions: self.new_directions(name),
        }
    }
}

fn summary(directions: Vec<Judged>, locations: Vec<CodeLocation>, tests: Vec<String>) -> Summary {
    let branch = directions[0].direction.branch;
    Summary {
        format: FORMAT,
        program: "firmware.elf".to_owned(),
        program_hash: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08".to_owned(),
        configuration_hash: String::new(),
        configuration: None,
        architecture: "cortex-m".to_owned(),
        plan: serde_json::json!({ "seed": 0, "criterion": "branch" }),
        criterion_reached: false,
        complete: false,
        incomplete_reasons: vec!["the limit of 10 s was reached".to_owned()],
        paths: 12_345,
        instructions: 6_789,
        queries: Counts { total: 100, backend: 40, sat: 60, unsat: 39, unknown: 1 },
        directions,
        directions_exact: false,
        indirect_exits: vec![IndirectExitRecord {
            branch,
            kind: "jump".to_owned(),
            targets: vec![branch],
            resolved: false,
            reason: "its target is read from memory that nothing is known of".to_owned(),
        }],
        tests,
        findings: Vec::new(),
        targets: Vec::new(),
        assumptions: vec![Assumption {
            kind: "uninitialised".to_owned(),
            address: branch,
            message: "reads uninitialised RAM at 0x20000010, assumed zero".to_owned(),
            count: 123,
            loses_paths: true,
        }],
        undeclared_registers: Vec::new(),
        divergences: Vec::new(),
        locations,
        justifications: Vec::new(),
        function_digests: Vec::new(),
        merged_from: Vec::new(),
        unreached: None,
        traced_code: Vec::new(),
        coverage_curve: vec![CoveragePoint { paths: 9_000, executed: 40, covered: 2 }],
    }
}

/// So many functions that nothing reaches, and one that data refers to.
pub(crate) fn unreached(count: u64) -> UnreachedCode {
    let function = |name: String, address: u64, evidence: &str| UnreachedFunction {
        name,
        address: Address(address),
        size: 16,
        source: Some(SourcePosition { file: "/src/dead.c".to_owned(), line: 7, column: None }),
        evidence: evidence.to_owned(),
    };
    UnreachedCode {
        functions: (0..count).map(|n| function(format!("dead_{n}"), 0x8000 + 16 * n, "symbol")).collect(),
        referenced: vec![function("held".to_owned(), 0x7000, "data-pointer")],
        unassigned_bytes: 70,
        unassigned: vec![CodeRange { start: Address(0x9000), size: 64 }],
    }
}

/// The listing of a function with one instruction.
pub(crate) fn one_instruction(name: &str, address: u64) -> ListedFunction {
    let text = "bx lr".to_owned();
    let instruction = ListedInstruction { address: Address(address), length: 2, text, source: None };
    let blocks = vec![ListedBlock { instructions: vec![instruction], successors: Vec::new() }];
    ListedFunction { name: name.to_owned(), address: Address(address), blocks }
}

/// A direction whose condition depends on the first read of the input `level`.
fn decided_by_level(direction: Direction) -> InputDecision {
    let input = DecidingInput { input: "level".to_owned(), reads: vec![1] };
    InputDecision { direction, after: 1, inputs: vec![input] }
}
