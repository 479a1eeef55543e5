//! An emulator as an executor, over the GDB remote serial protocol.

use super::executor::{Executor, Request, Response};
use super::registers::Registers;
use std::fmt::Write as _;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// The timeout of an answer.
const PATIENCE: Duration = Duration::from_secs(60);
/// The number of bytes of memory in one request: emulators have small buffers.
const CHUNK: usize = 1024;
/// The number of attempts to start an emulator.
const ATTEMPTS: usize = 3;
const SIGTRAP: i32 = 5;

/// An emulator that waits for a debugger.
pub(super) struct Emulator {
    child: Child,
    stream: TcpStream,
    received: Vec<u8>,
    packet: usize,
    extra: Vec<(u32, usize)>,
    /// Whether an answer has not been acknowledged yet.
    answered: bool,
}

impl Emulator {
    /// Starts one.
    ///
    /// # Errors
    /// If it cannot be started or does not answer.
    pub(super) fn start(
        command: &str,
        arguments: &[String],
        file: &Path,
        registers: &Registers,
    ) -> Result<Self, String> {
        // The system chooses a free port; another process could take it before the emulator does.
        let mut last = String::new();
        for _ in 0..ATTEMPTS {
            match Self::start_once(command, arguments, file, registers) {
                Ok(emulator) => return Ok(emulator),
                Err(error) => last = error,
            }
        }
        Err(last)
    }

    fn start_once(
        command: &str,
        arguments: &[String],
        file: &Path,
        registers: &Registers,
    ) -> Result<Self, String> {
        let port = TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr());
        let address = port.map_err(|error| format!("no free port: {error}"))?;
        let mut child = Command::new(command)
            .args(arguments)
            .args(["-g", &address.port().to_string()])
            .arg(file)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|error| format!("{command}: {error}; the Debian package qemu-user has it"))?;
        let start = Instant::now();
        let stream = loop {
            match TcpStream::connect(address) {
                Ok(stream) => break stream,
                Err(error) if start.elapsed() > PATIENCE => {
                    // It may have exited already.
                    let _ = child.kill();
                    let _ = child.wait();
                    return Err(format!("{command} does not listen: {error}"));
                }
                Err(_) => std::thread::sleep(Duration::from_millis(20)),
            }
        };
        let (packet, extra) = (registers.packet, registers.extra.clone());
        let mut emulator = Self { child, stream, received: Vec::new(), packet, extra, answered: false };
        let settings =
            emulator.stream.set_nodelay(true).and_then(|()| emulator.stream.set_read_timeout(Some(PATIENCE)));
        settings.map_err(|error| error.to_string())?;
        if !emulator.extra.is_empty() {
            // A single register can be read only after the target description has been read.
            emulator.ask("qXfer:features:read:target.xml:0,ffb")?;
        }
        Ok(emulator)
    }

    /// Sends a packet and waits for the answer.
    pub(super) fn ask(&mut self, packet: &str) -> Result<String, String> {
        let sum = packet.bytes().fold(0_u8, u8::wrapping_add);
        // Each answer must be acknowledged; sending that with the next packet costs no extra time.
        let owed = if self.answered { "+" } else { "" };
        let text = format!("{owed}${packet}#{sum:02x}");
        self.stream.write_all(text.as_bytes()).map_err(|error| format!("the emulator: {error}"))?;
        self.answered = true;
        loop {
            let start = self.received.iter().position(|byte| *byte == b'$');
            let end = self.received.iter().position(|byte| *byte == b'#');
            if let (Some(start), Some(end)) = (start, end)
                && self.received.len() >= end + 3
            {
                let packet = String::from_utf8_lossy(&self.received[start + 1..end]).into_owned();
                self.received.drain(..end + 3);
                return Ok(packet);
            }
            let mut buffer = [0; 8192];
            match self.stream.read(&mut buffer) {
                Ok(0) => return Err("the emulator hung up".to_owned()),
                Ok(count) => self.received.extend(&buffer[..count]),
                Err(error) => return Err(format!("the emulator: {error}")),
            }
        }
    }

    pub(super) fn set(&mut self, packet: &str) -> Result<(), String> {
        match self.ask(packet)?.as_str() {
            "OK" => Ok(()),
            other => Err(format!("the emulator answers `{other}` to {packet:.20}")),
        }
    }

    pub(super) fn bytes(&mut self, packet: &str) -> Result<Vec<u8>, String> {
        let answer = self.ask(packet)?;
        super::executable::from_hex(&answer)
            .map_err(|_| format!("the emulator answers `{answer}` to {packet}"))
    }

    /// One step, or with `c` in place of `s` until something stops it; returns the signal.
    pub(super) fn go_on(&mut self, packet: &str) -> Result<i32, String> {
        let answer = self.ask(packet)?;
        let signal = answer.get(1..3).and_then(|digits| i32::from_str_radix(digits, 16).ok());
        match (answer.chars().next(), signal) {
            (Some('T' | 'S'), Some(signal)) => Ok(signal),
            _ => Err(format!("the emulator answers `{answer}` to `{packet}`")),
        }
    }

    /// Lets it exit by itself, so that its output is complete.
    pub(super) fn end(mut self) {
        // It may close the connection without an answer; if it answers, it waits for an acknowledgement or the end of
        // the connection.
        let _ = self.ask("k");
        let _ = self.stream.shutdown(std::net::Shutdown::Both);
        let _ = self.child.wait();
    }

    /// All registers, and the given extra ones; the other extra ones are zero.
    pub(super) fn some_registers(&mut self, extra: &[usize]) -> Result<Vec<u8>, String> {
        let mut bytes = self.bytes("g")?;
        if bytes.len() < self.packet {
            return Err(format!("the emulator has {} bytes of registers, not {}", bytes.len(), self.packet));
        }
        bytes.truncate(self.packet);
        for (index, (number, size)) in self.extra.clone().into_iter().enumerate() {
            if !extra.contains(&index) {
                bytes.resize(bytes.len() + size, 0);
                continue;
            }
            let register = self.bytes(&format!("p{number:x}"))?;
            if register.len() != size {
                return Err(format!("register {number} has {} bytes, not {size}", register.len()));
            }
            bytes.extend(register);
        }
        Ok(bytes)
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::with_capacity(2 * bytes.len()), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

impl Executor for Emulator {
    fn run(&mut self, request: &Request<'_>) -> Result<Response, String> {
        for (address, bytes) in request.writes {
            for (index, chunk) in bytes.chunks(CHUNK).enumerate() {
                let address = address + (index * CHUNK) as u64;
                self.set(&format!("M{address:x},{:x}:{}", chunk.len(), hex(chunk)))?;
            }
        }
        self.set(&format!("G{}", hex(&request.registers[..self.packet])))?;
        let mut offset = self.packet;
        for (index, (number, size)) in self.extra.clone().into_iter().enumerate() {
            if request.extra.contains(&index) {
                self.set(&format!("P{number:x}={}", hex(&request.registers[offset..offset + size])))?;
            }
            offset += size;
        }
        let mut signal = SIGTRAP;
        for _ in 0..request.steps {
            if signal == SIGTRAP {
                signal = self.go_on("s")?;
            }
        }
        let registers = self.some_registers(request.extra)?;
        let mut memory = Vec::new();
        for (address, size) in request.reads {
            let mut bytes = Vec::new();
            for from in (0..*size).step_by(CHUNK) {
                let count = (size - from).min(CHUNK);
                bytes.extend(self.bytes(&format!("m{:x},{count:x}", address + from as u64))?);
            }
            if bytes.len() != *size {
                return Err(format!("the emulator gives {} bytes of memory, not {size}", bytes.len()));
            }
            memory.push(bytes);
        }
        Ok(Response { signal: (signal != SIGTRAP).then_some(signal), registers, memory })
    }

    fn registers(&mut self) -> Result<Vec<u8>, String> {
        let all: Vec<usize> = (0..self.extra.len()).collect();
        self.some_registers(&all)
    }
}

impl Drop for Emulator {
    fn drop(&mut self) {
        // It may have exited already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
