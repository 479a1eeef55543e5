//! Runs cases on both sides.

use super::case::{Case, MIDDLE};
use super::compare::{Difference, compare};
use super::executable::{BASE, DATA, DATA_SIZE, SIZE};
use super::executor::{Executor, Request};
use super::harvest::{Instance, WINDOW};
use super::ours::{Ours, Outcome, Trouble};
use super::probe::Probe;
use super::random::Random;
use super::registers::{Registers, Role, mask};
use super::report::Reason;
use std::collections::HashMap;

const SIGILL: i32 = 4;
/// How many bytes around an access are compared.
const AROUND: u64 = 32;
/// How many accesses of one instruction are brought into the data, one after the other.
const ATTEMPTS: usize = 3;
/// Registers that hold addresses only get none beyond: systems refuse some.
const ADDRESSES: u64 = 1 << 46;
/// How many bytes are put back at once.
const CHUNK: usize = 64;

/// Both sides of a comparison.
pub(super) struct Session<'s> {
    ours: Ours<'s>,
    executor: Box<dyn Executor>,
    registers: &'s Registers,
    /// The executor's registers before anything was run.
    base: Vec<u8>,
    /// The executor's registers now; right for those that it keeps from case to case.
    left: Vec<u128>,
    /// What the data is before each case.
    data: &'s [u8],
    /// What the executor's memory is to be given before the next case.
    pending: Vec<(u64, Vec<u8>)>,
    /// Where the executor has which instruction.
    placed: HashMap<u64, Vec<u8>>,
    random: Random,
    /// Which control registers the last case has given values.
    touched: Vec<usize>,
    /// What the addresses of instructions are multiples of.
    alignment: u64,
    /// From here on no instruction is at home.
    free: u64,
}

/// What both sides share.
#[derive(Clone, Copy)]
pub(super) struct Surroundings<'s> {
    pub(super) registers: &'s Registers,
    /// What the data is before each case.
    pub(super) data: &'s [u8],
    /// What the addresses of instructions are multiples of.
    pub(super) alignment: u64,
    /// From here on no instruction is at home.
    pub(super) free: u64,
}

/// How a case ended.
#[derive(Clone, Debug)]
pub(super) enum Verdict {
    /// It could not be run on our side.
    Skipped(Reason),
    /// It was compared; what differs.
    Compared(Case, Vec<Difference>),
}

impl<'s> Session<'s> {
    /// # Errors
    /// If the executor fails.
    pub(super) fn new(
        ours: Ours<'s>,
        mut executor: Box<dyn Executor>,
        surroundings: Surroundings<'s>,
        random: Random,
    ) -> Result<Self, String> {
        let base = executor.registers()?;
        let Surroundings { registers, data, alignment, free } = surroundings;
        let pending = vec![(DATA, data.to_vec())];
        let (placed, touched) = (HashMap::new(), Vec::new());
        let left = registers.take_apart(&base);
        Ok(Self {
            ours,
            executor,
            registers,
            base,
            left,
            data,
            pending,
            placed,
            random,
            touched,
            alignment,
            free,
        })
    }

    /// Goes on with another executor of the same kind.
    pub(super) fn restart(&mut self, executor: Box<dyn Executor>) {
        self.executor = executor;
        self.left = self.registers.take_apart(&self.base);
        self.pending = vec![(DATA, self.data.to_vec())];
        self.placed.clear();
    }

    /// Has instructions written to where they are at home before the next case.
    ///
    /// An emulator lets a debugger write where nothing was executed yet, and not afterwards.
    pub(super) fn place<'i>(&mut self, instances: impl Iterator<Item = &'i Instance>) {
        let mut page: Option<(u64, Vec<u8>)> = None;
        for instance in instances {
            self.placed.insert(instance.home, instance.bytes.clone());
            match &mut page {
                Some((start, bytes)) if *start + bytes.len() as u64 <= instance.home => {
                    bytes.resize((instance.home - *start) as usize, 0);
                    bytes.extend(&instance.bytes);
                }
                _ => {
                    self.pending.extend(page.take());
                    page = Some((instance.home, instance.bytes.clone()));
                }
            }
        }
        self.pending.extend(page);
    }

    /// Runs one random case of an instruction on both sides. With `thorough`, all data is compared, not only what lies
    /// around the accesses. `hint` is the register that brought the last access of this instruction into the data.
    ///
    /// # Errors
    /// If the executor fails.
    pub(super) fn case(
        &mut self,
        instance: &Instance,
        probe: &Probe,
        thorough: bool,
        hint: &mut Option<usize>,
    ) -> Result<Verdict, String> {
        let mut case = Case::random(self.registers, instance.home, &mut self.random);
        self.registers.keep(&mut case.values, &self.left);
        let code = &instance.bytes[..probe.length];
        self.ours.put_code(case.code, &instance.bytes);
        let outcome = match self.settle(&mut case, instance, probe.instructions, hint) {
            Ok(outcome) => outcome,
            Err(reason) => return Ok(Verdict::Skipped(reason)),
        };
        let reads = if thorough {
            vec![(DATA, DATA_SIZE as usize)]
        } else {
            outcome.accesses.iter().map(|access| around(*access)).collect()
        };
        let memory: Vec<(u64, Vec<u8>)> =
            reads.iter().map(|(address, size)| (*address, self.ours.read(*address, *size))).collect();
        self.ours.restore(&outcome.accesses);
        let mut writes = std::mem::take(&mut self.pending);
        let is_placed = self.placed.get(&case.code).is_some_and(|placed| placed.starts_with(code));
        if !is_placed {
            writes.push((case.code, code.to_vec()));
            let overlaps = |place: &u64| place.abs_diff(case.code) < WINDOW as u64;
            self.placed.retain(|place, _| !overlaps(place));
            self.placed.insert(case.code, code.to_vec());
        }
        let mut bytes = self.base.clone();
        self.registers.put_together(&mut bytes, &case.values, &probe.bits);
        let (mut set, steps) = (probe.extra.clone(), probe.steps);
        for index in std::mem::take(&mut self.touched) {
            if !set.contains(&index) {
                self.registers.clear(&mut bytes, index);
                set.push(index);
            }
        }
        let is_control = |index: &usize| self.registers.control.contains(index);
        self.touched = probe.extra.iter().copied().filter(is_control).collect();
        let request = Request { writes: &writes, registers: &bytes, extra: &set, steps, reads: &reads };
        let response = self.executor.run(&request)?;
        self.registers.leave(&mut self.left, &self.registers.take_apart(&response.registers), &probe.extra);
        for ((address, _), bytes) in reads.iter().zip(&response.memory) {
            self.put_back(*address, bytes);
        }
        if response.signal == Some(SIGILL) && !outcome.trapped {
            return Ok(Verdict::Skipped(Reason::new("the executor has no such instruction", "")));
        }
        let differences = compare(self.registers, &case.values, &outcome, &memory, &response, &probe.extra);
        Ok(Verdict::Compared(case, differences))
    }

    /// Notes what has changed of the executor's data.
    fn put_back(&mut self, address: u64, bytes: &[u8]) {
        let start = (address - DATA) as usize;
        let original = &self.data[start..start + bytes.len()];
        for (index, (now, before)) in bytes.chunks(CHUNK).zip(original.chunks(CHUNK)).enumerate() {
            if now != before {
                self.pending.push((address + (index * CHUNK) as u64, before.to_vec()));
            }
        }
    }

    /// Runs a case on our side; if it accesses memory where there is no data, one register after the other, and at last the
    /// address of the instruction, is moved until it does.
    fn settle(
        &mut self,
        case: &mut Case,
        instance: &Instance,
        instructions: usize,
        hint: &mut Option<usize>,
    ) -> Result<Outcome, Reason> {
        let context = instance.context;
        let (mut wrong, mut reached) = match self.ours.run(case, context, instructions) {
            Ok(outcome) => return Ok(outcome),
            Err(Trouble::Other(reason)) => return Err(reason),
            Err(Trouble::Access(address, reached)) => (address, reached),
        };
        let count = self.registers.fields.len();
        for _ in 0..ATTEMPTS {
            let first = self.random.below(count as u64) as usize;
            let order = hint.iter().copied().chain((0..count).map(|index| (first + index) % count));
            let target = MIDDLE + 16 * self.random.below(32);
            let distance = target.wrapping_sub(wrong);
            let mut progress = None;
            for index in order {
                let field = &self.registers.fields[index];
                if !matches!(field.role, Role::General | Role::Address) {
                    continue;
                }
                let mut moved = case.clone();
                let value = (case.values[index] as u64).wrapping_add(distance);
                if field.role == Role::Address && value >= ADDRESSES {
                    continue;
                }
                moved.values[index] = u128::from(value) & mask(field.bits);
                match self.ours.run(&moved, context, instructions) {
                    Ok(outcome) => {
                        (*case, *hint) = (moved, Some(index));
                        return Ok(outcome);
                    }
                    Err(Trouble::Other(reason)) => return Err(reason),
                    Err(Trouble::Access(address, now)) if now > reached => {
                        progress = Some((moved, address, now));
                        break;
                    }
                    Err(Trouble::Access(..)) => {}
                }
            }
            match progress {
                Some((moved, address, now)) => (*case, wrong, reached) = (moved, address, now),
                None => break,
            }
        }
        for target in [MIDDLE, DATA + 0x40, DATA + DATA_SIZE - 0x80] {
            // Some instructions count in pages from where they lie.
            for granule in [self.alignment, 0x1000] {
                let code = case.code.wrapping_add(target.wrapping_sub(wrong)) / granule * granule;
                let in_data = code + 64 > DATA && code < DATA + DATA_SIZE;
                if !(self.free..BASE + SIZE - 0x1000).contains(&code) || in_data {
                    continue;
                }
                let mut moved = case.clone();
                moved.move_to(self.registers, code);
                self.ours.put_code(code, &instance.bytes);
                if let Ok(outcome) = self.ours.run(&moved, context, instructions) {
                    *case = moved;
                    return Ok(outcome);
                }
            }
        }
        Err(Reason::new("no state in which it accesses the data was found", ""))
    }
}

/// What is compared around an access: inside the data.
fn around((address, size): (u64, usize)) -> (u64, usize) {
    let start = address.saturating_sub(AROUND).max(DATA) / CHUNK as u64 * CHUNK as u64;
    let end = (address + size as u64 + AROUND).min(DATA + DATA_SIZE);
    (start, (end - start) as usize)
}
