//! The Python harness: `replay.py`, which runs tests on the Unicorn engine, and `tests.json`, the tests as data.

use everypath_record::{Address, FORMAT, HarnessSuite, HarnessTest, OutputFile, ProgramSymbol, Stored};
use serde::Serialize;
use std::collections::{BTreeSet, HashMap};

use super::PredicatesFalse;

/// The program. The statements that an architecture gives replace one line.
const PROGRAM: &str = include_str!("replay.py");
/// That line.
const START: &str = "# START\n";
/// An instruction farther than this from the one before begins another block of a path.
const LONGEST_INSTRUCTION: u64 = 16;

/// The harness.
pub(super) fn files(suite: &HarnessSuite, skipped: &[PredicatesFalse]) -> Result<Vec<OutputFile>, String> {
    let document = Document::of(suite, skipped);
    let mut text = serde_json::to_string(&document).map_err(|error| error.to_string())?;
    text.push('\n');
    let mut start = suite.start.join("\n");
    start.push('\n');
    let program = PROGRAM.replace(START, &start);
    let file =
        |path: &str, contents: String| OutputFile { path: path.to_owned(), contents: contents.into_bytes() };
    Ok(vec![file("replay.py", program), file("tests.json", text)])
}

/// The tests as data.
#[derive(Serialize)]
struct Document<'s> {
    format: u32,
    program: &'s str,
    program_counter: &'s str,
    segments: Vec<Bytes>,
    /// Address, size, name.
    symbols: Vec<(Address, u64, &'s str)>,
    tests: Vec<Test<'s>>,
}

/// Bytes from an address on, in hexadecimal.
#[derive(Serialize)]
struct Bytes {
    address: Address,
    bytes: String,
}

#[derive(Serialize)]
struct Test<'s> {
    name: &'s str,
    entry: Address,
    end: Address,
    instructions: u64,
    registers: Vec<(&'s str, Address)>,
    memory: Vec<Bytes>,
    reads: Vec<Read<'s>>,
    devices: &'s [(Address, Address)],
    touched: &'s [(Address, Address)],
    /// The straight pieces of the path, and their order, each with the number of times in succession.
    blocks: Vec<Vec<Address>>,
    path: Vec<(usize, u64)>,
    /// For each block, the indices of its instructions whose predicate is false: the engine may call no hook for them.
    predicate_false: Vec<Vec<usize>>,
    expected: Expectation<'s>,
}

#[derive(Serialize)]
struct Read<'s> {
    after: usize,
    at: Address,
    cell: &'s str,
    #[serde(flatten)]
    found: Bytes,
}

#[derive(Serialize)]
struct Expectation<'s> {
    registers: &'s [(String, Address)],
    writes: Vec<Write>,
    all_writes: bool,
    memory: Vec<Written>,
    left_out: &'s [String],
}

#[derive(Serialize)]
struct Write {
    after: u64,
    at: Address,
    is_defined: bool,
    #[serde(flatten)]
    written: Bytes,
}

#[derive(Serialize)]
struct Written {
    at: Address,
    #[serde(flatten)]
    left: Bytes,
}

impl<'s> Document<'s> {
    fn of(suite: &'s HarnessSuite, skipped: &[PredicatesFalse]) -> Document<'s> {
        let used = used_addresses(suite);
        let is_used = |symbol: &&ProgramSymbol| {
            let last = symbol.address.0.saturating_add(symbol.size.saturating_sub(1));
            used.range(symbol.address.0..=last).next().is_some()
        };
        let symbols = suite.symbols.iter().filter(is_used);
        Document {
            format: FORMAT,
            program: &suite.program,
            program_counter: suite.program_counter.as_deref().unwrap_or("pc"),
            segments: suite.segments.iter().map(stored).collect(),
            symbols: symbols.map(|symbol| (symbol.address, symbol.size, symbol.name.as_str())).collect(),
            tests: suite.tests.iter().zip(skipped).map(|(test, skipped)| Test::of(test, skipped)).collect(),
        }
    }
}

impl<'s> Test<'s> {
    fn of(test: &'s HarnessTest, skipped: &PredicatesFalse) -> Test<'s> {
        let HarnessTest { rerun, expected, .. } = test;
        let completed = usize::try_from(expected.instructions).unwrap_or(usize::MAX);
        let path = &rerun.instructions[..completed.min(rerun.instructions.len())];
        let entries: Vec<PathEntry> =
            path.iter().enumerate().map(|(number, address)| (*address, skipped.contains(&number))).collect();
        let (blocks, path) = blocks(&entries);
        let reads = rerun.readings.iter().filter(|read| read.after < completed).map(|read| Read {
            after: read.after,
            at: read.at,
            cell: &read.cell,
            found: stored(&read.found),
        });
        let writes = expected.device_writes.iter().map(|write| Write {
            after: write.after,
            at: write.at,
            is_defined: write.is_defined,
            written: bytes(write.address, &write.bytes),
        });
        let memory = expected.memory.iter();
        Test {
            name: &rerun.test,
            entry: test.entry,
            end: expected.end,
            instructions: expected.instructions,
            registers: rerun.registers.iter().map(|(name, value)| (name.as_str(), Address(*value))).collect(),
            memory: rerun.memory.iter().map(stored).collect(),
            reads: reads.collect(),
            devices: &test.devices,
            touched: &test.touched,
            predicate_false: blocks.iter().map(|block| predicate_false(block)).collect(),
            blocks: blocks.iter().map(|block| block.iter().map(|(address, _)| *address).collect()).collect(),
            path,
            expected: Expectation {
                registers: &expected.registers,
                writes: writes.collect(),
                all_writes: !expected.device_writes_cut,
                memory: memory
                    .map(|left| Written { at: left.at, left: bytes(left.address, &left.bytes) })
                    .collect(),
                left_out: &expected.left_out,
            },
        }
    }
}

/// The addresses of which a message may name the symbol.
fn used_addresses(suite: &HarnessSuite) -> BTreeSet<u64> {
    let mut used = BTreeSet::new();
    for test in &suite.tests {
        used.extend(test.rerun.instructions.iter().map(|address| address.0));
        used.extend(test.expected.device_writes.iter().map(|write| write.address.0));
        for written in &test.expected.memory {
            used.extend((written.address.0..).take(written.bytes.len()));
        }
    }
    used
}

fn stored(stored: &Stored) -> Bytes {
    bytes(stored.address, &stored.bytes)
}

fn bytes(address: Address, bytes: &[u8]) -> Bytes {
    Bytes { address, bytes: bytes.iter().map(|byte| format!("{byte:02x}")).collect() }
}

/// An instruction of a path: its address, and whether its predicate is false.
type PathEntry = (Address, bool);

/// The indices of the instructions of a block whose predicate is false.
fn predicate_false(block: &[PathEntry]) -> Vec<usize> {
    block.iter().enumerate().filter(|(_, (_, is_false))| *is_false).map(|(index, _)| index).collect()
}

/// Divides a path into straight pieces, so that a loop is written once.
fn blocks(path: &[PathEntry]) -> (Vec<Vec<PathEntry>>, Vec<(usize, u64)>) {
    let (mut blocks, mut order): (Vec<Vec<PathEntry>>, Vec<(usize, u64)>) = (Vec::new(), Vec::new());
    let mut known: HashMap<Vec<PathEntry>, usize> = HashMap::new();
    let follows =
        |(one, _): &PathEntry, (next, _): &PathEntry| one < next && next.0 - one.0 <= LONGEST_INSTRUCTION;
    for piece in path.chunk_by(follows) {
        let number = *known.entry(piece.to_vec()).or_insert_with(|| {
            blocks.push(piece.to_vec());
            blocks.len() - 1
        });
        match order.last_mut() {
            Some((last, times)) if *last == number => *times += 1,
            _ => order.push((number, 1)),
        }
    }
    (blocks, order)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(address: u64) -> PathEntry {
        (Address(address), false)
    }

    fn joined(blocks: &[Vec<PathEntry>], order: &[(usize, u64)]) -> Vec<PathEntry> {
        let repeated =
            |(block, times): &(usize, u64)| blocks[*block].repeat(usize::try_from(*times).unwrap_or(0));
        order.iter().flat_map(repeated).collect()
    }

    #[test]
    fn a_path_is_its_blocks_in_order() {
        let path: Vec<PathEntry> = [0, 2, 4, 2, 4, 2, 4, 0x80, 0x84, 2, 4].into_iter().map(entry).collect();
        let (blocks, order) = blocks(&path);
        assert_eq!(joined(&blocks, &order), path);
        assert_eq!(order, [(0, 1), (1, 2), (2, 1), (1, 1)]);
    }

    #[test]
    fn the_same_addresses_with_other_predicates_are_another_block() {
        let path = [entry(0), (Address(2), true), entry(4), entry(0), entry(2), entry(4)];
        let (blocks, order) = blocks(&path);
        assert_eq!(joined(&blocks, &order), path);
        let skipped: Vec<Vec<usize>> = blocks.iter().map(|block| predicate_false(block)).collect();
        assert_eq!(skipped, [vec![1], vec![]]);
    }
}
