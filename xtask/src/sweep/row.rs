//! One line of the table.

use super::ours::PADDING;
use super::processor::Processor;
use everypath_sleigh::DecodingContext;
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::fmt;

/// The counts for one program or one set of random words.
#[derive(Clone, Debug, Default)]
pub(super) struct Row {
    pub(super) name: String,
    /// The number of answers of the reference.
    pub(super) answers: u64,
    /// Instructions with the same length, p-code and disassembly.
    pub(super) equal: u64,
    /// No instruction on both sides.
    pub(super) bad: u64,
    /// Unexplained differences.
    pub(super) different: u64,
    /// Known differences.
    pub(super) known: u64,
    /// Crashes of the reference.
    pub(super) crashed: u64,
    /// The crashes by mnemonic.
    crashes: BTreeMap<String, Crash>,
    pub(super) seconds: f64,
}

/// An instruction that crashed the reference.
#[derive(Clone, Debug)]
pub(super) struct Crash {
    /// The number of crashes by instructions of its mnemonic.
    pub(super) count: u64,
    /// The first one's bytes.
    pub(super) bytes: String,
    /// The first one's disassembly, by our decoder.
    pub(super) text: String,
}

impl Row {
    pub(super) const HEAD: &str =
        "                           answers      equal        bad  different      known    crashed  seconds";

    pub(super) fn new(name: &str) -> Self {
        Self { name: name.to_owned(), ..Self::default() }
    }

    /// Counts an instruction that crashed the reference.
    pub(super) fn crash(
        &mut self,
        processor: &Processor,
        bytes: &[u8],
        address: u64,
        context: DecodingContext,
    ) {
        self.crashed += 1;
        let mut decoder = processor.specification().decoder_from(processor.context());
        let mut padded = bytes.to_vec();
        padded.resize(bytes.len() + PADDING, 0);
        let (length, text) = match decoder.disassemble(&padded, address, context) {
            Ok(instruction) => (instruction.full_length() as usize, instruction.text()),
            Err(bad) => (bytes.len().min(16), format!("bad {bad:?}")),
        };
        let bytes: String = padded[..length].iter().map(|byte| format!("{byte:02x}")).collect();
        let mnemonic = text.split(' ').next().unwrap_or_default().to_owned();
        let crash = self.crashes.entry(mnemonic).or_insert_with(|| Crash { count: 0, bytes, text });
        crash.count += 1;
    }

    /// The instructions that crashed the reference, most frequent first.
    pub(super) fn crashes(&self) -> Vec<&Crash> {
        let mut crashes: Vec<_> = self.crashes.values().collect();
        crashes.sort_by_key(|crash| Reverse(crash.count));
        crashes
    }

    /// Adds the counts of another one.
    pub(super) fn add(&mut self, other: &Self) {
        self.answers += other.answers;
        self.equal += other.equal;
        self.bad += other.bad;
        self.different += other.different;
        self.known += other.known;
        self.crashed += other.crashed;
        self.seconds += other.seconds;
    }
}

impl fmt::Display for Row {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, answers, equal, bad, different, known, crashed, seconds, crashes: _ } = self;
        write!(
            formatter,
            "{name:<23} {answers:>10} {equal:>10} {bad:>10} {different:>10} {known:>10} {crashed:>10} {seconds:>8.1}"
        )
    }
}
