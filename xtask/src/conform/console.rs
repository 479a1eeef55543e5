//! A simulator of the uCsim family as an executor, driven by scripts of its command language.
//!
//! All registers are bytes of its memories. It sleeps for a tenth of a second when idle and writes character by
//! character, so it is given many cases at once and asked for little output.

use super::description::ExecutorChoice;
use super::executor::{Executor, Request, Response};
use super::layout::Layout;
use super::registers::{Registers, Role};
use std::fmt::Write as _;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// The number of cases in one script.
const BATCH: usize = 1000;
/// The last command of a script, and its answer.
const LAST: (&str, &[u8]) = ("expression 1000000000+234567890\n", b"\n1234567890\n");
/// The minimum number of equal bytes that are written by a fill command.
const FILLED: usize = 256;

/// The running simulator.
pub(super) struct Console {
    child: Child,
    input: ChildStdin,
    output: ChildStdout,
    script: PathBuf,
    memories: Vec<Memory>,
    /// Memory-mapped registers, by address: address, offset in the packet, and whether they must be set. A register
    /// with a constant value has it after a reset.
    registers: Vec<(u64, usize, bool)>,
    /// Offset and size of the program counter in the packet.
    counter: (usize, usize),
    packet: usize,
}

/// A memory of the simulator.
struct Memory {
    name: String,
    /// Its start in the flat numbering of all memory, and its first address.
    flat: u64,
    start: u64,
    size: u64,
}

impl Console {
    /// Starts a simulator. Scripts are written beside `file`.
    ///
    /// # Errors
    /// If it cannot be started, or has no name for a memory.
    pub(super) fn start(
        choice: &ExecutorChoice,
        command: &str,
        file: &Path,
        registers: &Registers,
        layout: &Layout,
    ) -> Result<Self, String> {
        let memory = |area: &super::layout::Area| {
            let (flat, start, size) = (area.flat, area.start, area.contents.len() as u64);
            Memory { name: area.memory.clone(), flat, start, size }
        };
        let memories = layout.areas.iter().map(memory).collect();
        let mut places = Vec::new();
        let mut counter = (0, 0);
        for field in &registers.fields {
            let (offset, size) = field.packet_range();
            if field.role == Role::Counter {
                counter = (offset, size);
                continue;
            }
            let flat = layout.flat(field.location.space, field.location.offset);
            let flat = flat.ok_or_else(|| format!("{} lies in no area", field.name))?;
            let given = field.value.is_none();
            places.extend((0..size).map(|byte| (flat + byte as u64, offset + byte, given)));
        }
        places.sort_unstable();
        let mut child = Command::new(command)
            .args(&choice.arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|error| format!("{command}: {error}"))?;
        let pipes = child.stdin.take().zip(child.stdout.take());
        let (input, output) = pipes.ok_or("a child without pipes")?;
        let (script, packet) = (file.with_extension("script"), registers.packet);
        Ok(Self { child, input, output, script, memories, registers: places, counter, packet })
    }

    fn memory(&self, place: u64) -> Result<(&str, u64), String> {
        let memory =
            self.memories.iter().find(|memory| (memory.flat..memory.flat + memory.size).contains(&place));
        let memory = memory.ok_or_else(|| format!("no memory at {place:#x}"))?;
        Ok((&memory.name, place - memory.flat + memory.start))
    }

    fn write(&self, script: &mut String, place: u64, bytes: &[u8]) -> Result<(), String> {
        for (number, page) in bytes.chunks(FILLED).enumerate() {
            let (name, address) = self.memory(place + (number * FILLED) as u64)?;
            if page.len() == FILLED && page.iter().all(|byte| *byte == page[0]) {
                let _ = writeln!(script, "fill {name} {address} {} {}", address + FILLED as u64 - 1, page[0]);
                continue;
            }
            let _ = write!(script, "set memory {name} {address}");
            for byte in page {
                let _ = write!(script, " {byte}");
            }
            script.push('\n');
        }
        Ok(())
    }

    fn dump(&self, place: u64, size: usize) -> Result<String, String> {
        let (name, address) = self.memory(place)?;
        Ok(format!("dump /b {name} {address} {}\n", address + size as u64 - 1))
    }

    /// Runs of consecutive registers to set: the first address, and their offsets in the packet.
    fn runs(&self) -> Vec<(u64, Vec<usize>)> {
        let mut runs: Vec<(u64, Vec<usize>)> = Vec::new();
        for (place, offset, _) in self.registers.iter().filter(|(.., given)| *given) {
            match runs.last_mut() {
                Some((start, offsets)) if *start + offsets.len() as u64 == *place => offsets.push(*offset),
                _ => runs.push((*place, vec![*offset])),
            }
        }
        runs
    }

    /// The ranges to dump for all registers: one in each memory that has some.
    fn pieces(&self) -> Vec<(u64, usize)> {
        let piece = |memory: &Memory| {
            let has = |place: &u64| (memory.flat..memory.flat + memory.size).contains(place);
            let places = || self.registers.iter().map(|(place, ..)| *place).filter(has);
            let (first, last) = (places().min()?, places().max()?);
            Some((first, (last - first + 1) as usize))
        };
        self.memories.iter().filter_map(piece).collect()
    }

    fn request(&self, script: &mut String, request: &Request<'_>) -> Result<(), String> {
        // It may be in a sleep mode, or in an interrupt.
        script.push_str("reset\n");
        for (place, bytes) in request.writes {
            self.write(script, *place, bytes)?;
        }
        for (place, offsets) in self.runs() {
            let bytes: Vec<u8> = offsets.iter().map(|offset| request.registers[*offset]).collect();
            self.write(script, place, &bytes)?;
        }
        let (offset, size) = self.counter;
        let counter = &request.registers[offset..offset + size];
        let counter = counter.iter().rev().fold(0, |value, byte| value << 8 | u64::from(*byte));
        let _ = writeln!(script, "pc {counter}\nstep {}", request.steps);
        for (place, size) in self.pieces().iter().chain(request.reads) {
            script.push_str(&self.dump(*place, *size)?);
        }
        Ok(())
    }

    /// Runs a script and returns its output.
    fn execute(&mut self, script: &str) -> std::io::Result<Vec<u8>> {
        std::fs::write(&self.script, script)?;
        writeln!(self.input, "exec \"{}\"", self.script.display())?;
        self.input.flush()?;
        let mut printed = Vec::new();
        let mut buffer = [0; 0x1_0000];
        while !printed.ends_with(LAST.1) {
            match self.output.read(&mut buffer)? {
                0 => return Err(std::io::ErrorKind::UnexpectedEof.into()),
                count => printed.extend(&buffer[..count]),
            }
        }
        Ok(printed)
    }

    fn response(&self, printed: &mut Printed<'_>, request: &Request<'_>) -> Result<Response, String> {
        let mut registers = vec![0; self.packet];
        printed.skip("\nStop at 0x")?;
        let digits = printed.take(6)?;
        let digits = std::str::from_utf8(digits).map_err(|error| error.to_string())?;
        let counter = u64::from_str_radix(digits, 16).map_err(|error| error.to_string())?;
        let (offset, size) = self.counter;
        registers[offset..offset + size].copy_from_slice(&counter.to_le_bytes()[..size]);
        for (start, size) in self.pieces() {
            printed.skip(&self.dump(start, size)?)?;
            let bytes = printed.take(size)?;
            for (place, offset, _) in &self.registers {
                let byte = place.checked_sub(start).and_then(|distance| bytes.get(distance as usize));
                registers[*offset] = byte.copied().unwrap_or(registers[*offset]);
            }
        }
        let mut memory = Vec::new();
        for (place, size) in request.reads {
            printed.skip(&self.dump(*place, *size)?)?;
            memory.push(printed.take(*size)?.to_vec());
        }
        Ok(Response { signal: None, registers, memory })
    }
}

/// The output of the simulator, which echoes each command before its answer.
struct Printed<'p> {
    bytes: &'p [u8],
}

impl<'p> Printed<'p> {
    /// Skips to after the next occurrence of a text.
    fn skip(&mut self, text: &str) -> Result<(), String> {
        let found = self.bytes.windows(text.len()).position(|window| window == text.as_bytes());
        let found = found.ok_or_else(|| format!("the simulator did not print `{}`", text.trim()))?;
        self.bytes = &self.bytes[found + text.len()..];
        Ok(())
    }

    fn take(&mut self, count: usize) -> Result<&'p [u8], String> {
        let (taken, rest) = self.bytes.split_at_checked(count).ok_or("the simulator printed too little")?;
        self.bytes = rest;
        Ok(taken)
    }
}

impl Executor for Console {
    fn run(&mut self, request: &Request<'_>) -> Result<Response, String> {
        let mut responses = self.run_all(std::slice::from_ref(request))?;
        responses.pop().ok_or_else(|| "the simulator gave no answer".to_owned())
    }

    fn run_all(&mut self, requests: &[Request<'_>]) -> Result<Vec<Response>, String> {
        let mut script = String::new();
        for request in requests {
            self.request(&mut script, request)?;
        }
        script.push_str(LAST.0);
        let printed = self.execute(&script).map_err(|error| format!("the simulator: {error}"))?;
        let mut printed = Printed { bytes: &printed };
        requests.iter().map(|request| self.response(&mut printed, request)).collect()
    }

    fn batch(&self) -> usize {
        BATCH
    }

    /// All registers are set for each case, so their old values do not matter.
    fn registers(&mut self) -> Result<Vec<u8>, String> {
        Ok(vec![0; self.packet])
    }
}

impl Drop for Console {
    fn drop(&mut self) {
        // It may have exited already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
