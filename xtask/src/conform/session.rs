//! Runs cases on our machine and on the executor.

use super::case::{Case, MIDDLE};
use super::compare::{Difference, compare};
use super::executable::{BASE, DATA, DATA_SIZE, SIZE};
use super::executor::{Executor, Request, Response};
use super::harvest::{Instance, WINDOW};
use super::layout::{CHUNK, Layout};
use super::ours::{Ours, Outcome, Trouble};
use super::probe::Probe;
use super::registers::{Registers, Role, mask};
use super::report::Reason;
use everypath_testkit::random::Random;
use std::collections::HashMap;
use std::ops::Range;

const SIGILL: i32 = 4;
/// The maximum number of accesses of one instruction that are redirected into the data.
const ATTEMPTS: usize = 3;
/// The upper bound of values of address-only registers: systems reject some higher ones.
const ADDRESSES: u64 = 1 << 46;
/// The size of a line that some accesses must not cross.
const LINE: u64 = 64;

/// Both sides of a comparison.
pub(super) struct Session<'s> {
    ours: Ours<'s>,
    executor: Box<dyn Executor>,
    registers: &'s Registers,
    /// The executor's initial registers.
    base: Vec<u8>,
    /// The executor's current registers; valid for those that persist from case to case.
    left: Vec<u128>,
    layout: &'s Layout,
    /// Writes to the executor's memory before the next case.
    pending: Vec<(u64, Vec<u8>)>,
    /// The instructions in the executor's memory, by address.
    placed: HashMap<u64, Vec<u8>>,
    random: Random,
    /// The control registers that the last case has set.
    touched: Vec<usize>,
    /// The alignment of instructions.
    alignment: u64,
    /// The first address above all home addresses.
    free: u64,
}

/// The parameters that both sides share.
#[derive(Clone, Copy)]
pub(super) struct Surroundings<'s> {
    pub(super) registers: &'s Registers,
    pub(super) layout: &'s Layout,
    /// The alignment of instructions.
    pub(super) alignment: u64,
    /// The first address above all home addresses.
    pub(super) free: u64,
}

/// The outcome of a case.
#[derive(Clone, Debug)]
pub(super) enum Verdict {
    /// It cannot be compared.
    Skipped(Reason),
    /// It was compared, with these differences.
    Compared(Vec<Difference>),
}

/// A case that our machine has run.
#[derive(Clone, Debug)]
pub(super) struct Prepared {
    pub(super) case: Case,
    outcome: Outcome,
    /// The final contents of our memory, for each of the reads.
    memory: Vec<Vec<u8>>,
    writes: Vec<(u64, Vec<u8>)>,
    registers: Vec<u8>,
    /// Further registers that are set.
    extra: Vec<usize>,
    /// Those of them that are compared.
    compared: Vec<usize>,
    steps: usize,
    reads: Vec<(u64, usize)>,
}

impl Prepared {
    fn request(&self) -> Request<'_> {
        let Self { writes, registers, extra, steps, reads, .. } = self;
        Request { writes, registers, extra, steps: *steps, reads }
    }
}

/// The initial contents of all areas.
fn contents(layout: &Layout) -> Vec<(u64, Vec<u8>)> {
    layout.areas.iter().map(|area| (area.flat, area.contents.clone())).collect()
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
        let Surroundings { registers, layout, alignment, free } = surroundings;
        let (pending, placed) = (contents(layout), HashMap::new());
        let touched = Vec::new();
        let left = registers.take_apart(&base);
        Ok(Self {
            ours,
            executor,
            registers,
            base,
            left,
            layout,
            pending,
            placed,
            random,
            touched,
            alignment,
            free,
        })
    }

    /// Continues with another executor of the same kind.
    pub(super) fn restart(&mut self, executor: Box<dyn Executor>) {
        self.executor = executor;
        self.left = self.registers.take_apart(&self.base);
        self.pending = contents(self.layout);
        self.placed.clear();
    }

    /// Writes instructions to their home addresses before the next case.
    ///
    /// An emulator lets a debugger write only to addresses where nothing has been executed yet.
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

    /// Runs one random case of an instruction on our machine. With `thorough`, all data is compared, not only the data
    /// around the accesses. `hint` is the register that redirected the last access of this instruction into the data.
    ///
    /// # Errors
    /// The reason why it could not be run.
    pub(super) fn prepare(
        &mut self,
        instance: &Instance,
        probe: &Probe,
        thorough: bool,
        hint: &mut Option<usize>,
    ) -> Result<Prepared, Reason> {
        let home = if self.layout.homes { instance.home } else { self.anywhere(instance.bytes.len()) };
        let mut case = Case::random(self.registers, home, &mut self.random);
        self.registers.keep(&mut case.values, &self.left);
        let length = if self.layout.homes { probe.length } else { instance.bytes.len() };
        let code = &instance.bytes[..length];
        self.ours.put_code(case.code, &instance.bytes);
        let outcome = self.settle(&mut case, instance, probe.instructions, hint)?;
        let crosses = |(address, size): &(u64, usize)| address % LINE + *size as u64 > LINE;
        if probe.inside_lines && outcome.accesses.iter().any(crosses) {
            self.ours.restore(&outcome.accesses);
            return Err(Reason::new("an access across two lines", ""));
        }
        let mut reads: Vec<(u64, usize)> = Vec::new();
        if thorough {
            reads.extend(self.layout.whole());
        }
        for access in outcome.accesses.iter().filter(|access| !self.layout.is_hidden(**access)) {
            let part = self.layout.around(*access);
            let has = |(place, size): &(u64, usize)| {
                *place <= part.0 && part.0 + part.1 as u64 <= place + *size as u64
            };
            if !reads.iter().any(has) {
                reads.push(part);
            }
        }
        let memory = reads.iter().map(|(place, size)| self.ours.read(*place, *size)).collect();
        self.ours.restore(&outcome.accesses);
        let mut writes = std::mem::take(&mut self.pending);
        let mut registers = self.base.clone();
        self.registers.put_together(&mut registers, &case.values, &probe.bits);
        if self.layout.homes {
            let is_placed = self.placed.get(&case.code).is_some_and(|placed| placed.starts_with(code));
            if !is_placed {
                writes.push((case.code, code.to_vec()));
                let overlaps = |place: &u64| place.abs_diff(case.code) < WINDOW as u64;
                self.placed.retain(|place, _| !overlaps(place));
                self.placed.insert(case.code, code.to_vec());
            }
        } else {
            // Where code can be read, its bytes are part of the state.
            writes.push((case.code, code.to_vec()));
            self.pending.push((case.code, self.layout.original(case.code, code.len()).to_vec()));
            self.ours.restore(&[(case.code, code.len())]);
            let undo = |(place, size): &(u64, usize)| (*place, self.layout.original(*place, *size).to_vec());
            self.pending.extend(outcome.accesses.iter().map(undo));
        }
        let (compared, steps) = (probe.extra.clone(), probe.steps);
        let mut extra = compared.clone();
        for index in std::mem::take(&mut self.touched) {
            if !extra.contains(&index) {
                self.registers.clear(&mut registers, index);
                extra.push(index);
            }
        }
        let is_control = |index: &usize| self.registers.control.contains(index);
        self.touched = compared.iter().copied().filter(is_control).collect();
        Ok(Prepared { case, outcome, memory, writes, registers, extra, compared, steps, reads })
    }

    /// Runs prepared cases on the executor, in this order.
    ///
    /// # Errors
    /// If the executor fails.
    pub(super) fn run(&mut self, cases: &[&Prepared]) -> Result<Vec<Verdict>, String> {
        let requests: Vec<Request<'_>> = cases.iter().map(|case| case.request()).collect();
        let responses = self.executor.run_all(&requests)?;
        Ok(cases.iter().zip(responses).map(|(case, response)| self.judge(case, response)).collect())
    }

    /// The number of cases that are sent to the executor at once: one, if a case depends on the previous one.
    pub(super) fn batch(&self) -> usize {
        if self.registers.keeps() { 1 } else { self.executor.batch() }
    }

    fn judge(&mut self, prepared: &Prepared, mut response: Response) -> Verdict {
        let Prepared { case, outcome, memory, reads, compared, .. } = prepared;
        self.registers.leave(&mut self.left, &self.registers.take_apart(&response.registers), compared);
        let mut ours: Vec<(u64, Vec<u8>)> =
            reads.iter().zip(memory).map(|((place, _), bytes)| (*place, bytes.clone())).collect();
        for ((place, bytes), theirs) in ours.iter_mut().zip(&mut response.memory) {
            self.layout.hide(*place, bytes);
            self.layout.hide(*place, theirs);
        }
        let differences = compare(self.registers, &case.values, outcome, &ours, &response, compared);
        if self.layout.homes || !differences.is_empty() {
            for ((place, _), bytes) in reads.iter().zip(&response.memory) {
                self.put_back(*place, bytes);
            }
        }
        if response.signal == Some(SIGILL) && !outcome.trapped {
            return Verdict::Skipped(Reason::new("the executor has no such instruction", ""));
        }
        Verdict::Compared(differences)
    }

    /// A random address for `size` bytes of code.
    fn anywhere(&mut self, size: usize) -> u64 {
        let Range { start, end } = self.layout.code;
        let place = start + self.random.number_below(end - start - size as u64);
        place / self.alignment * self.alignment
    }

    /// Queues the restoration of changed data of the executor.
    fn put_back(&mut self, address: u64, bytes: &[u8]) {
        let original = self.layout.original(address, bytes.len());
        for (index, (now, before)) in bytes.chunks(CHUNK).zip(original.chunks(CHUNK)).enumerate() {
            if now != before {
                self.pending.push((address + (index * CHUNK) as u64, before.to_vec()));
            }
        }
    }

    /// Runs a case on our machine. If it accesses memory without data, one register after the other, and finally the
    /// address of the instruction, is changed until it does not.
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
            let first = self.random.number_below(count as u64) as usize;
            let order = hint.iter().copied().chain((0..count).map(|index| (first + index) % count));
            let target = MIDDLE + 16 * self.random.number_below(32);
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
            // Some instructions address pages relative to their own.
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
