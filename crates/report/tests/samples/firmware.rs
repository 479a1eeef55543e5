//! Results like those of a large firmware: functions with loops, switches and early returns, all verdicts, inputs and interrupts.

use std::collections::{BTreeMap, BTreeSet};

use everypath_record::{
    Address, Assumption, CellValues, CodeListing, CodeLocation, Direction, ExecutedCode, Finding,
    FunctionOffset, IndirectExitRecord, InputRead, Judged, ListedFunction, MemoryBytes, SourceFile,
    SourcePosition, TakenInterrupt, TestCase, Undeclared, Verdict,
};

use super::functions::{Chance, FunctionMaker};
use super::{Sample, generated};

/// Addresses between the entries of functions, more than one has.
const APART: u64 = 0x40_0000;

/// A firmware with at least this many directions and this many tests. One of its functions has thousands of blocks.
pub(crate) fn firmware(directions: usize, tests: usize) -> Sample {
    let mut sample = generated(1, 1, 1);
    let mut maker = Maker::new(tests);
    for number in 0.. {
        if maker.directions.len() >= directions {
            break;
        }
        let branches = if number == 3 { directions / 20 } else { maker.chance.below(48) + 1 };
        maker.add_function(number, branches);
    }
    let names: Vec<String> = (1..=tests).map(|number| format!("{number:04}")).collect();
    sample.executed = (0..tests).map(|test| maker.executed_by(test, &names[test])).collect();
    sample.suite.tests =
        (0..tests).map(|test| maker.test(test, &names[test], &sample.executed[test])).collect();
    let summary = &mut sample.suite.summary;
    summary.findings = maker.findings(&names);
    summary.assumptions = maker.assumptions();
    summary.indirect_exits = maker.exits;
    summary.directions = maker.directions;
    summary.undeclared_registers = vec![
        Undeclared::new(None, 0x4001_3804, 4),
        Undeclared { name: "adc_status".to_owned(), ..Undeclared::new(None, 0x4001_2400, 4) },
    ];
    summary.plan = serde_json::json!({
        "criterion": "branch", "strategy": "portfolio", "seed": 1, "certificates": true, "prove": null,
        "oracles": ["division-by-zero", "unmapped", "stack"], "bounds": { "seconds": 600, "paths": 1_000_000 },
    });
    summary.configuration_hash = summary.program_hash.chars().rev().collect();
    summary.program = "flight-control.elf".to_owned();
    sample.folder = "flight-control.elf.tests".to_owned();
    summary.tests = names;
    summary.locations = maker.locations.into_values().collect();
    sample.listing = CodeListing {
        base: None,
        functions: maker.functions,
        sources: maker.sources,
        ..CodeListing::default()
    };
    sample
}

struct Maker {
    chance: Chance,
    tests: usize,
    functions: Vec<ListedFunction>,
    sources: Vec<SourceFile>,
    directions: Vec<Judged>,
    exits: Vec<IndirectExitRecord>,
    locations: BTreeMap<Address, CodeLocation>,
    /// The executed instructions of each function.
    executed: Vec<BTreeSet<Address>>,
    /// The directions that each test covers first, and the functions they are in.
    new: Vec<Vec<Direction>>,
    functions_of: Vec<BTreeSet<usize>>,
}

impl Maker {
    fn new(tests: usize) -> Maker {
        Maker {
            chance: Chance(1),
            tests,
            functions: Vec::new(),
            sources: Vec::new(),
            directions: Vec::new(),
            exits: Vec::new(),
            locations: BTreeMap::new(),
            executed: Vec::new(),
            new: vec![Vec::new(); tests],
            functions_of: vec![BTreeSet::new(); tests],
        }
    }

    fn add_function(&mut self, number: usize, branches: usize) {
        const AREAS: [&str; 8] = ["sensor", "uart", "pid", "alarm", "mode", "log", "frame", "motor"];
        const VERBS: [&str; 7] = ["update", "parse", "check", "init", "step", "filter", "report"];
        if number.is_multiple_of(6) {
            let name = format!("{}_{}.c", AREAS[number / 6 % AREAS.len()], number / 6);
            self.sources.push(SourceFile { path: format!("/src/fcu/{name}"), lines: Vec::new(), hash: None });
        }
        let file = self.sources.len() - 1;
        let name = match number {
            0 => "main".to_owned(),
            3 => "command_dispatch".to_owned(),
            _ => format!("{}_{}_{number}", AREAS[number % AREAS.len()], VERBS[number % VERBS.len()]),
        };
        let entry = 0x0800_0000 + number as u64 * APART;
        let lines = &mut self.sources[file].lines;
        let made = FunctionMaker::make(&mut self.chance, &name, entry, branches, file, lines);
        self.judge(number, &made);
        let path = self.sources[file].path.clone();
        for instruction in made.blocks.iter().flat_map(|block| &block.instructions) {
            let address = instruction.address;
            let offset = address.0 - entry;
            let line = instruction.source.map_or(1, |line| line.line);
            let source = SourcePosition { file: path.clone(), line, column: None };
            let function = Some(FunctionOffset { name: name.clone(), offset });
            self.locations.insert(address, CodeLocation { address, function, source: Some(source) });
        }
        self.functions.push(made);
    }

    /// Judges the directions of a function: what is behind an open one is not executed.
    fn judge(&mut self, number: usize, function: &ListedFunction) {
        let blocks: BTreeMap<Address, usize> =
            function.blocks.iter().enumerate().map(|(index, block)| (block.start(), index)).collect();
        let hard = self.chance.below(10) == 0;
        let mut reached = BTreeSet::from([0]);
        let mut pending = vec![0];
        let mut judged = BTreeMap::new();
        while let Some(index) = pending.pop() {
            let block = &function.blocks[index];
            for target in &block.successors {
                let direction = Direction { branch: block.last(), target: *target };
                let covered = block.successors.len() == 1 || {
                    let verdict = self.verdict(direction, hard);
                    let covered = matches!(verdict, Verdict::Covered { .. });
                    judged.insert(direction, verdict);
                    covered
                };
                if covered && reached.insert(blocks[target]) {
                    pending.push(blocks[target]);
                }
            }
        }
        for block in function.blocks.iter().filter(|block| block.successors.len() > 1) {
            for target in &block.successors {
                let direction = Direction { branch: block.last(), target: *target };
                let verdict = judged.remove(&direction).unwrap_or_else(|| Verdict::Open {
                    reason: format!(
                        "blocked: paths end at {} (read of unmapped memory), so the code behind was not explored",
                        function.address
                    ),
                });
                if let Verdict::Covered { test, .. } = &verdict {
                    let test: usize = test.parse().expect("the name of a test is a number");
                    self.new[test - 1].push(direction);
                    self.functions_of[test - 1].insert(number);
                }
                self.directions.push(Judged { direction, verdict });
            }
            if block.successors.len() > 2 {
                self.exits.push(IndirectExitRecord {
                    branch: block.last(),
                    kind: "jump".to_owned(),
                    targets: block.successors.clone(),
                    resolved: !number.is_multiple_of(5),
                    reason: "the jump table has 5 entries, and its index is below 5".to_owned(),
                });
            }
        }
        let executed = reached.iter().flat_map(|index| &function.blocks[*index].instructions);
        self.executed.push(executed.map(|instruction| instruction.address).collect());
    }

    fn verdict(&mut self, direction: Direction, hard: bool) -> Verdict {
        let Direction { branch, target } = direction;
        match self.chance.below(if hard { 200 } else { 1000 }) {
            0..12 => Verdict::Open { reason: "the time limit of 600 s was reached".to_owned() },
            12..18 => Verdict::Open {
                reason: "a solver query for this branch was not answered: the bound of 200000 conflicts was reached"
                    .to_owned(),
            },
            18..21 => Verdict::Open {
                reason: format!("only the interrupt with the vector at {:#x} reaches it", branch.0 & 0x3c),
            },
            21..25 => Verdict::Unsupported { reason: format!("`vcvt.f32.s32` has no model at {branch}") },
            25..75 => Verdict::Infeasible {
                evidence: "every path was explored: on those that reach the branch, 3 queries for it were \
                           unsatisfiable"
                    .to_owned(),
                certificates: [1, 2].map(|number| format!("{branch}-{target}.{number}.certificate")).to_vec(),
            },
            75..100 => Verdict::infeasible("`level`, an unsigned byte, is never above 255".to_owned()),
            _ => {
                // Early tests cover most; each test covers something.
                let number = self.directions.len() + self.new.iter().map(Vec::len).sum::<usize>() / 7;
                let share = self.chance.below(1000) as f64 / 1000.0;
                let late = (share.powi(4) * self.tests as f64) as usize;
                let test = if number.is_multiple_of(4) { number / 4 % self.tests } else { late };
                Verdict::covered_by_test(&format!("{:04}", test + 1))
            }
        }
    }

    fn executed_by(&mut self, test: usize, name: &str) -> ExecutedCode {
        let mut functions: BTreeSet<usize> = self.functions_of[test].iter().copied().take(40).collect();
        functions.extend([0, 1, 2]);
        let own = self.executed.iter().enumerate().filter(|(number, _)| functions.contains(number));
        let addresses: BTreeSet<Address> = own.flat_map(|(_, own)| own.iter().take(400)).copied().collect();
        let at: Vec<Address> = addresses.iter().copied().collect();
        let inputs = ["adc_status", "uart_rx", "gyro_x", "throttle"];
        let count = 4 + self.chance.below(60);
        let reads = (0..count).map(|read| InputRead {
            after: (read * 190 + self.chance.below(150)) as u64,
            at: at[self.chance.below(at.len())],
            input: inputs[self.chance.below(inputs.len())].to_owned(),
            value: self.chance.below(256) as u64,
        });
        let reads: Vec<InputRead> = reads.collect();
        ExecutedCode {
            all_reads: reads.len() as u64,
            test: name.to_owned(),
            instructions: at.iter().map(|address| (*address, 3)).collect(),
            reads,
            decisions: Vec::new(),
        }
    }

    fn test(&mut self, test: usize, name: &str, executed: &ExecutedCode) -> TestCase {
        let mut cells: BTreeMap<&str, Vec<u64>> = BTreeMap::new();
        for read in &executed.reads {
            cells.entry(&read.input).or_default().push(read.value);
        }
        let cells = cells.into_iter().map(|(name, values)| CellValues { name: name.to_owned(), values });
        let interrupt = |number: u64| TakenInterrupt {
            after: 900 + number * 2_400,
            at: executed.instructions[number as usize].0,
            number: 15 + number,
        };
        TestCase {
            name: name.to_owned(),
            cells: cells.collect(),
            memory: vec![MemoryBytes {
                space: "ram".to_owned(),
                address: Address(0x2000_0100),
                bytes: (0..48 + self.chance.below(80)).map(|byte| byte as u8).collect(),
            }],
            registers: vec![("r0".to_owned(), Address(0x2000_0100)), ("r1".to_owned(), Address(48))],
            interrupts: (0..test as u64 % 4).map(interrupt).collect(),
            end: format!("exited at {} with status 0", executed.instructions[0].0),
            instructions: 14_000 + self.chance.below(6_000) as u64,
            new_directions: std::mem::take(&mut self.new[test]),
            ..generated(1, 1, 1).suite.tests.remove(0)
        }
    }

    fn findings(&self, tests: &[String]) -> Vec<Finding> {
        let kinds = [
            ("division-by-zero", "division by zero: the divisor is `sensor.period`, which input sets to 0"),
            (
                "unmapped",
                "read of 4 bytes at 0x2002_0000, 4 bytes behind the RAM: the index is `frame.length`",
            ),
            ("stack", "the stack grows below its end at 0x2000_0000, by 24 bytes"),
        ];
        let finding = |(number, (oracle, message)): (usize, (&str, &str))| Finding {
            oracle: oracle.to_owned(),
            address: self.functions[(number + 1) % self.functions.len()].blocks[0].start(),
            message: message.to_owned(),
            test: tests[number * 7 % tests.len()].clone(),
        };
        kinds.into_iter().enumerate().map(finding).collect()
    }

    fn assumptions(&self) -> Vec<Assumption> {
        let kinds = [
            ("uninitialised", "reads uninitialised RAM at 0x20000010, assumed zero", true),
            (
                "peripheral",
                "a decision depends on the register at 0x40013804, which is not declared; assumed zero",
                true,
            ),
            (
                "interrupt",
                "interrupts are taken only where the program waits: what this handler does elsewhere is not known",
                true,
            ),
            (
                "concretised",
                "the address of a store was concretised to the value that it has on this path",
                false,
            ),
            ("bound", "the bound of 64 alternative addresses was reached", true),
            ("unused", "the cell `debug_port` of the configuration is never read", false),
        ];
        let entry = |number: usize| {
            let (kind, message, loses_paths) = kinds[number % kinds.len()];
            Assumption {
                kind: kind.to_owned(),
                address: self.functions[number * 3 % self.functions.len()].blocks[0].last(),
                message: message.to_owned(),
                count: (number as u64 * 7919) % 1500 + 1,
                loses_paths,
            }
        };
        (0..80.min(self.functions.len() * 2)).map(entry).collect()
    }
}
