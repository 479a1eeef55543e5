//! Compares the registers of single steps with the claims of the value-set analysis at block starts.

use super::claims::{Claim, Claims};
use super::dump::Dumps;
use super::executed::{Places, command};
use super::frames::{Frame, Frames};
use super::graph::Graph;
use super::list::{Command as Line, Machine};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use std::collections::HashMap;
use std::io::{BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};

/// The number of visits of a block that are all compared; after that, one in `BETWEEN`, a number unlikely to match a
/// loop count.
const VISITS: u64 = 1_000;
const BETWEEN: u64 = 7;

/// The counts of a comparison.
#[derive(Default)]
pub(super) struct Figures {
    /// Single steps.
    pub steps: u64,
    /// Compared registers.
    pub compared: u64,
    /// Violated claims.
    pub wrong: u64,
    pub remarks: Vec<String>,
}

/// One run of a program.
pub(super) struct Run<'r> {
    pub machine: &'r Machine,
    pub file: &'r Path,
    pub line: &'r Line,
    pub places: Places<'r>,
    pub graph: &'r Graph,
    /// The load bias of the program.
    pub bias: u64,
    /// The size of the code, and its first address in the file.
    pub code: (u64, u64),
    /// The maximum number of steps.
    pub steps: u64,
}

impl Run<'_> {
    /// Single-steps the program and compares it with several analyses.
    ///
    /// # Errors
    /// If the emulator cannot be run, or prints something else than expected.
    pub(super) fn compare(&self, all: &mut [(&Claims, &mut Figures)]) -> Result<(), String> {
        let (first, size) = self.code;
        let range = format!("{:#x}+{size:#x}", first.wrapping_add(self.bias));
        let options = ["-singlestep", "-d", "cpu,nochain", "-dfilter", &range, "-D", "/dev/fd/9"];
        let emulator = command(self.machine, &options.map(str::to_owned), self.file, self.line, self.places);
        // The log goes to our pipe; the program's output is discarded.
        let mut shell = Command::new("sh");
        shell.args(["-c", "exec \"$@\" 9>&1 >/dev/null", "sh"]).arg(emulator.get_program());
        shell.args(emulator.get_args()).env_clear().current_dir(self.places.scratch);
        shell.envs(emulator.get_envs().filter_map(|(name, value)| Some((name, value?))));
        shell.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = shell.spawn().map_err(|error| format!("sh: {error}"))?;
        if let Some(mut input) = child.stdin.take() {
            let _ = input.write_all(self.places.fill(&self.line.input).as_bytes());
        }
        let output = child.stdout.take().ok_or("no pipe")?;
        let compared = self.read(BufReader::with_capacity(1 << 20, output), all);
        // `timeout` forwards the signal to the emulator; it fails if that has exited.
        let _ = kill(Pid::from_raw(child.id() as i32), Signal::SIGTERM);
        child.wait().map_err(|error| error.to_string())?;
        compared
    }

    fn read(&self, output: impl std::io::BufRead, all: &mut [(&Claims, &mut Figures)]) -> Result<(), String> {
        let names = Dumps::<&[u8]>::names(self.machine);
        let number = |name: &str| names.iter().position(|other| *other == name);
        let stack = number(&self.machine.stack_pointer).ok_or("the stack pointer is not in the dump")?;
        let mut watches: Vec<Watch<'_>> = Vec::new();
        for (claims, _) in all.iter() {
            let columns = claims.registers.iter().map(|(name, _)| number(name)).collect();
            let frames = Frames::new(self.graph, stack);
            let check = Check { claims, columns, bias: self.bias };
            watches.push(Watch { check, frames, visits: HashMap::new() });
        }
        let mut dumps = Dumps::new(self.machine, output);
        let mut registers = Vec::new();
        for _ in 0..self.steps {
            let Some(address) = dumps.step(&mut registers)? else { break };
            let address = address.wrapping_sub(self.bias);
            if self.machine.delay_slots && !self.graph.instructions.contains_key(&address) {
                continue;
            }
            for (watch, (_, figures)) in watches.iter_mut().zip(all.iter_mut()) {
                figures.steps += 1;
                watch.step(self.graph, address, &registers, figures);
            }
        }
        Ok(())
    }
}

/// One analysis during a run.
struct Watch<'c> {
    check: Check<'c>,
    frames: Frames<'c>,
    /// The number of visits of each block of a function.
    visits: HashMap<(u64, u64), u64>,
}

/// One analysis, mapped to the columns of a dump.
struct Check<'c> {
    claims: &'c Claims,
    /// The column of each claimed register in a dump.
    columns: Vec<Option<usize>>,
    bias: u64,
}

impl Watch<'_> {
    fn step(&mut self, graph: &Graph, address: u64, registers: &[u64], figures: &mut Figures) {
        let Self { check, frames, visits } = self;
        let has = |function, block| check.claims.states.contains_key(&(function, block));
        let Some(frame) = frames.step(address, registers, has) else { return };
        let given_up = check.claims.given_up.contains(&frame.function);
        if !frame.trusted || given_up || !graph.starts.contains(&address) {
            return;
        }
        let visits = visits.entry((frame.function, address)).or_default();
        *visits += 1;
        if *visits > VISITS && !visits.is_multiple_of(BETWEEN) {
            return;
        }
        let mut wrong = None;
        match check.claims.states.get(&(frame.function, address)) {
            None => wrong = Some("is said not to be reached".to_owned()),
            Some(states) => {
                // There is one state for each decoding context; the run is in one of them.
                for (number, state) in states.iter().enumerate() {
                    wrong = check.violated(state, registers, frame, figures, number == 0);
                    if wrong.is_none() {
                        break;
                    }
                }
            }
        }
        if let Some(wrong) = wrong {
            figures.wrong += 1;
            let function = frame.function;
            figures.remarks.push(format!("wrong value: {address:#x} in {function:#x} {wrong}"));
        }
    }
}

impl Check<'_> {
    /// The first claim that does not hold.
    fn violated(
        &self,
        state: &[Claim],
        registers: &[u64],
        frame: &Frame,
        figures: &mut Figures,
        count: bool,
    ) -> Option<String> {
        for claim in state {
            let Some(column) = self.columns[claim.register] else { continue };
            let (name, mask) = &self.claims.registers[claim.register];
            let held = registers[column];
            let holds = match claim.entry {
                // A number that is not an address is not relocated with the program; an address is.
                None => {
                    [0, self.bias].iter().any(|bias| claim.numbers.contains(held.wrapping_sub(*bias), *mask))
                }
                Some(entry) => match self.columns[entry] {
                    Some(entry) => claim.numbers.contains(held.wrapping_sub(frame.entry[entry]), *mask),
                    None => continue,
                },
            };
            figures.compared += u64::from(count);
            if !holds {
                let entry = claim.entry.map(|entry| self.claims.registers[entry].0.as_str());
                let numbers = &claim.numbers;
                return Some(format!("{name} is {held:#x}, claimed {numbers:x?} + {entry:?}"));
            }
        }
        None
    }
}
