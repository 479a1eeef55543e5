//! An executor as a separate program of ours, compiled on demand.
//!
//! It communicates over standard input and output; the head of each such program in `tests/conform/` documents the
//! protocol.

use super::executor::{Executor, Request, Response};
use super::registers::Registers;
use std::io::{BufReader, BufWriter, Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// The running program.
pub(super) struct Adapter {
    child: Child,
    input: BufWriter<ChildStdin>,
    output: BufReader<ChildStdout>,
    /// The size of all registers in bytes.
    packet: usize,
}

impl Adapter {
    /// Compiles a program and starts it. The result is written to the folder of `file`.
    ///
    /// # Errors
    /// If it cannot be compiled or started.
    pub(super) fn start(
        source: &Path,
        libraries: &[String],
        file: &Path,
        registers: &Registers,
    ) -> Result<Self, String> {
        let program = file.with_extension("adapter");
        if !program.exists() {
            let libraries = libraries.iter().map(|library| format!("-l{library}"));
            let mut compiler = Command::new("cc");
            compiler.arg("-O2").arg("-o").arg(&program).arg(source).args(libraries);
            let run = compiler.output().map_err(|error| format!("cc: {error}"))?;
            if !run.status.success() {
                return Err(format!("{}: {}", source.display(), String::from_utf8_lossy(&run.stderr)));
            }
        }
        let problem = |error: std::io::Error| format!("{}: {error}", source.display());
        let mut child =
            Command::new(&program).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().map_err(problem)?;
        let pipes = child.stdin.take().zip(child.stdout.take());
        let (input, output) = pipes.ok_or("a child without pipes")?;
        let (input, output) = (BufWriter::new(input), BufReader::new(output));
        Ok(Self { child, input, output, packet: registers.packet })
    }

    /// Runs a program until it reaches an address, up to a maximum number of steps; returns the addresses of its
    /// instructions.
    ///
    /// # Errors
    /// If the executor itself fails.
    pub(super) fn trace(&mut self, request: &Request<'_>, last: u64) -> Result<(Vec<u64>, Response), String> {
        let answer = self.send(request, Some(last)).and_then(|()| {
            let count = self.number()?;
            (0..count).map(|_| self.number().map(u64::from)).collect()
        });
        let trace = answer.map_err(|error: std::io::Error| format!("the executor: {error}"))?;
        let answer = self.receive(request.reads);
        Ok((trace, self.checked(answer)?))
    }

    fn send(&mut self, request: &Request<'_>, last: Option<u64>) -> std::io::Result<()> {
        let input = &mut self.input;
        let number =
            |input: &mut BufWriter<ChildStdin>, value: usize| input.write_all(&(value as u32).to_le_bytes());
        match last {
            None => input.write_all(b"R")?,
            Some(last) => {
                input.write_all(b"T")?;
                number(input, last as usize)?;
            }
        }
        number(input, request.writes.len())?;
        for (place, bytes) in request.writes {
            input.write_all(&place.to_le_bytes())?;
            number(input, bytes.len())?;
            input.write_all(bytes)?;
        }
        number(input, request.registers.len())?;
        input.write_all(request.registers)?;
        number(input, request.steps)?;
        number(input, request.reads.len())?;
        for (place, size) in request.reads {
            input.write_all(&place.to_le_bytes())?;
            number(input, *size)?;
        }
        input.flush()
    }

    fn receive(&mut self, reads: &[(u64, usize)]) -> std::io::Result<Response> {
        let signal = self.number()? as i32;
        let mut registers = vec![0; self.number()? as usize];
        self.output.read_exact(&mut registers)?;
        let mut memory = Vec::new();
        for (_, size) in reads {
            let mut bytes = vec![0; *size];
            self.output.read_exact(&mut bytes)?;
            memory.push(bytes);
        }
        Ok(Response { signal: (signal != 0).then_some(signal), registers, memory })
    }

    fn number(&mut self) -> std::io::Result<u32> {
        let mut bytes = [0; 4];
        self.output.read_exact(&mut bytes)?;
        Ok(u32::from_le_bytes(bytes))
    }

    fn checked(&self, answer: std::io::Result<Response>) -> Result<Response, String> {
        let answer = answer.map_err(|error| format!("the executor: {error}"))?;
        match answer.registers.len() {
            size if size == self.packet => Ok(answer),
            size => Err(format!("the executor has {size} bytes of registers, not {}", self.packet)),
        }
    }
}

impl Executor for Adapter {
    fn run(&mut self, request: &Request<'_>) -> Result<Response, String> {
        let answer = self.send(request, None).and_then(|()| self.receive(request.reads));
        self.checked(answer)
    }

    fn registers(&mut self) -> Result<Vec<u8>, String> {
        let asked = self.input.write_all(b"G").and_then(|()| self.input.flush());
        let answer = asked.and_then(|()| self.receive(&[]));
        Ok(self.checked(answer)?.registers)
    }
}

impl Drop for Adapter {
    fn drop(&mut self) {
        // It may have exited already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
