//! Replay from checkpoints: a test resumes at the last checkpoint that an earlier test reached with the same input.
//!
//! A concrete run depends only on the initial memory and registers, the values of memory-mapped inputs and interrupts, so this
//! equals the replay from the entry. Checkpoints form a prefix tree over the values read; tests mostly differ in their
//! last reads.

use std::sync::Arc;

use everypath_environment::CellRead;

use crate::path::test_input::TestInput;
use crate::record::running::Running;

/// Minimum number of instructions between two checkpoints; a checkpoint costs as much as some tens of them.
const APART: u64 = 100;
/// A checkpoint copies all readings before it. So that the checkpoints of one run take space linear in its readings,
/// and not quadratic, their distance grows with the readings: it is at least their number divided by this.
const READINGS_APART: u64 = 4;
/// Maximum number of checkpoints, of some pages each, before all are dropped.
const KEPT: usize = 2048;

/// A value that was read from a memory-mapped input.
struct Read {
    cell: Arc<str>,
    ordinal: usize,
    /// The bits that were read; `value` is what they were.
    mask: u64,
    value: Option<u64>,
}

impl Read {
    /// The readings from this index on.
    fn since(readings: &[CellRead], from: usize) -> Vec<Read> {
        // How often each cell was read; there are few cells, and may be very many readings.
        let mut counts: Vec<(&Arc<str>, usize)> = Vec::new();
        let mut reads = Vec::with_capacity(readings.len() - from);
        for (number, CellRead { cell, value, .. }) in readings.iter().enumerate() {
            let known = counts.iter().position(|(known, _)| Arc::ptr_eq(known, cell) || *known == cell);
            let place = known.unwrap_or_else(|| {
                counts.push((cell, 0));
                counts.len() - 1
            });
            let ordinal = counts[place].1;
            counts[place].1 += 1;
            if number >= from {
                let mask = u64::MAX >> (64 - value.width().bits().min(64));
                reads.push(Read { cell: cell.clone(), ordinal, mask, value: value.to_u64() });
            }
        }
        reads
    }

    /// Whether a test's input gives the same value for this read. A cell without recorded values is the same in every
    /// run.
    fn agrees_with(&self, input: &TestInput) -> bool {
        let Some(cell) = input.cells.iter().find(|cell| *cell.name == *self.cell) else { return true };
        cell.values.get(self.ordinal).is_some_and(|value| Some(value & self.mask) == self.value)
    }
}

/// A checkpoint, with its successors in the prefix tree.
struct Checkpoint {
    running: Running,
    /// Values read since the previous checkpoint.
    reads: Vec<Read>,
    next: Vec<usize>,
}

/// The checkpoints of the replays so far.
#[derive(Default)]
pub(crate) struct Checkpoints {
    list: Vec<Checkpoint>,
    /// The roots of the prefix tree, by the initial memory and registers.
    first: Vec<(TestInput, usize)>,
}

impl Checkpoints {
    /// The last checkpoint that a run with this input passes within so many instructions, and its index.
    pub(crate) fn furthest(&mut self, input: &TestInput, limit: u64) -> Option<(Running, usize)> {
        let (_, mut number) = *self.first.iter().find(|(start, _)| is_same_start(start, input))?;
        let continues = |checkpoint: &Checkpoint| {
            checkpoint.running.done < limit
                && has_same_interrupts(&checkpoint.running, input)
                && checkpoint.reads.iter().all(|read| read.agrees_with(input))
        };
        loop {
            let next = self.list[number].next.iter().copied().find(|next| continues(&self.list[*next]));
            match next {
                Some(next) => number = next,
                None => break,
            }
        }
        let mut running = self.list[number].running.fork();
        running.world.script_further(input.scripts());
        Some((running, number))
    }

    /// Takes a checkpoint, if the run is far enough from its last one, whose index is given. Returns the index of the
    /// last checkpoint then.
    pub(crate) fn pass(
        &mut self,
        input: &TestInput,
        last: Option<usize>,
        running: &mut Running,
    ) -> Option<usize> {
        let readings = &running.world.readings;
        let from = match last.map(|last| &self.list[last].running) {
            Some(before) if running.done < before.done + apart(readings.len()) => return last,
            Some(before) if readings.len() == before.world.readings.len() => return last,
            Some(before) => before.world.readings.len(),
            // All checkpoints were dropped since the run began.
            None if running.done > 0 => return None,
            None => 0,
        };
        if self.list.len() == KEPT {
            self.list.clear();
            self.first.clear();
            return None;
        }
        let reads = Read::since(readings, from);
        self.list.push(Checkpoint { running: running.fork(), reads, next: Vec::new() });
        let number = self.list.len() - 1;
        match last {
            Some(last) => self.list[last].next.push(number),
            None => self
                .first
                .push((TestInput { cells: Vec::new(), interrupts: Vec::new(), ..input.clone() }, number)),
        }
        Some(number)
    }
}

/// Minimum number of instructions between two checkpoints after so many readings.
fn apart(readings: usize) -> u64 {
    APART.max(readings as u64 / READINGS_APART)
}

/// Whether a run with this input has taken the same interrupts when it passes a checkpoint.
fn has_same_interrupts(running: &Running, input: &TestInput) -> bool {
    let before = input.interrupts.iter().take_while(|next| next.after < running.done);
    before.eq(&running.interrupts)
}

/// Whether the initial memory and registers are the same.
fn is_same_start(a: &TestInput, b: &TestInput) -> bool {
    a.memory == b.memory && a.registers == b.registers
}
