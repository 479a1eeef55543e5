//! Decoding speed, from bytes to p-code: ours, ours with two threads, and the reference.

use super::rates::Rates;
use crate::sweep::{Code, List, Processor, ProgramEntry, read_code};
use everypath_testkit::reference::ReferenceSweep;
use std::hint::black_box;
use std::path::Path;
use std::time::{Duration, Instant};

/// Options of the measurement.
#[derive(Clone, Debug)]
pub struct Options {
    /// The program whose code is decoded, by its name in tests/sweep/list.toml.
    pub program: String,
    /// The number of interleaved measurements of each.
    pub rounds: u32,
}

const THREADS: usize = 2;
/// The number of passes over the code in one measurement: one takes a tenth of a second, too short on a shared machine.
const PASSES: u32 = 8;
/// The decoder also gets the bytes after the instruction.
const WINDOW: usize = 64;

/// Measures and prints; returns whether all of them decoded the same number of instructions.
///
/// # Errors
/// If the program is missing, or the reference fails.
pub fn decode(root: &Path, options: &Options) -> Result<bool, String> {
    let list = List::read(root)?;
    let entry = list.programs.iter().find(|entry| entry.name == options.program);
    let entry = entry.ok_or_else(|| format!("tests/sweep/list.toml has no program `{}`", options.program))?;
    let code = read_code(entry, usize::MAX)?;
    let processor = Processor::load(&entry.architecture, &entry.context)?;
    let setup = processor.setup(processor.context(), 0);
    let reference = processor.reference(&setup).map_err(|error| error.to_string())?;
    let mut padded = code.bytes.clone();
    padded.resize(padded.len() + WINDOW, 0);
    let [mut single, mut double, mut other] = [const { Rates::new() }; 3];
    let mut counts = Vec::new();
    for _ in 0..options.rounds {
        let (count, time) = ours(&processor, &code, &padded, entry);
        single.add(count, time);
        counts.push(count);
        let sweep = ReferenceSweep { base: code.base, step: entry.step };
        let timing = reference.time(&code.bytes, sweep).map_err(|error| error.to_string())?;
        other.add(timing.instructions, timing.time);
        counts.push(timing.instructions);
        let (count, time) = side_by_side(&processor, &code, &padded, entry);
        double.add(count, time);
    }
    let instructions = counts[0];
    println!(
        "{}: {instructions} instructions, {} rounds; instructions a second:",
        entry.name, options.rounds
    );
    println!("{:<22} {:>12} {:>12}", "", "best", "median");
    println!("{:<22} {single}", "ours");
    println!("{:<22} {double}", "ours, two threads");
    println!("{:<22} {other}", "reference");
    let print = |what: &str, (best, median): (f64, f64)| println!("{what:<22} {best:>12.2} {median:>12.2}");
    print("ours / reference", single.ratios(&other));
    print("two threads / one", double.ratios(&single));
    Ok(counts.iter().all(|count| *count == instructions))
}

/// Decodes all code several times and visits each operation; returns the number of instructions, and the time for one
/// pass.
fn ours(processor: &Processor, code: &Code, padded: &[u8], entry: &ProgramEntry) -> (u64, Duration) {
    let start = Instant::now();
    let mut instructions = 0;
    for _ in 0..PASSES {
        instructions = pass(processor, code, padded, entry);
    }
    (instructions, start.elapsed() / PASSES)
}

/// Decodes all code from front to back; returns the number of instructions.
fn pass(processor: &Processor, code: &Code, padded: &[u8], entry: &ProgramEntry) -> u64 {
    let context = processor.context();
    let mut decoder = processor.specification().decoder_from(context);
    let (mut place, mut instructions) = (0, 0);
    while place < code.bytes.len() {
        let address = code.base + place as u64;
        let mut length = entry.step;
        if let Ok(instruction) = decoder.decode(&padded[place..place + WINDOW], address, context) {
            for operation in instruction.operations() {
                black_box(operation);
            }
            length = u64::from(instruction.full_length());
            instructions += u64::from(place as u64 + length <= code.bytes.len() as u64);
        }
        place += length as usize;
    }
    instructions
}

/// The same by several threads, each over all of the code, with one specification; returns the number of instructions
/// and the time, for one pass.
fn side_by_side(processor: &Processor, code: &Code, padded: &[u8], entry: &ProgramEntry) -> (u64, Duration) {
    let start = Instant::now();
    let counts = std::thread::scope(|scope| {
        let threads: Vec<_> =
            (0..THREADS).map(|_| scope.spawn(|| ours(processor, code, padded, entry).0)).collect();
        threads.into_iter().map(|thread| thread.join().expect("decoding does not panic")).sum()
    });
    (counts, start.elapsed() / PASSES)
}
