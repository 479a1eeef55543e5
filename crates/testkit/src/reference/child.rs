//! One run of the child process: a request in, answer lines out, and the outcome.

use super::{ReferenceError, Request};
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::mpsc::{Receiver, sync_channel};
use std::time::Duration;

/// The outcome of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// The child gave all its answers.
    Complete,
    /// It crashed, or was killed after a timeout.
    Died,
}

/// Runs the child on one request and delivers each complete line of its answer; `deliver` returns whether the line is
/// well formed. The child is killed if it writes nothing for `patience`.
pub(super) fn run(
    command: &mut Command,
    request: &Request,
    patience: Duration,
    deliver: &mut dyn FnMut(&str) -> bool,
) -> Result<End, ReferenceError> {
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        // Only messages of the allocator; the driver reports the crash.
        .stderr(Stdio::null())
        .spawn()?;
    let mut input = child.stdin.take().expect("the child's input is piped");
    let output = child.stdout.take().expect("the child's output is piped");
    // If the child is already dead, its output shows it.
    let _ = input.write_all(request.to_string().as_bytes());
    drop(input);
    let end = listen(&lines(output), patience, deliver);
    finish(&mut child);
    end
}

fn listen(
    lines: &Receiver<String>,
    patience: Duration,
    deliver: &mut dyn FnMut(&str) -> bool,
) -> Result<End, ReferenceError> {
    match lines.recv_timeout(patience) {
        Ok(line) if line == "ready" => {}
        Ok(line) => {
            let message = line.strip_prefix("error ").unwrap_or(&line);
            return Err(ReferenceError::Setup(message.to_owned()));
        }
        Err(_) => return Err(ReferenceError::Setup("it died while loading the specification".to_owned())),
    }
    while let Ok(line) = lines.recv_timeout(patience) {
        if line == "end" {
            return Ok(End::Complete);
        }
        if !deliver(&line) {
            return Err(ReferenceError::Answer(line));
        }
    }
    Ok(End::Died)
}

/// The child's complete lines. A thread reads them, so that waiting can time out.
fn lines(output: ChildStdout) -> Receiver<String> {
    let (sender, receiver) = sync_channel(1024);
    std::thread::spawn(move || {
        let mut reader = BufReader::with_capacity(1 << 16, output);
        let mut line = Vec::new();
        loop {
            line.clear();
            match reader.read_until(b'\n', &mut line) {
                // A line without an end was truncated by the child's death.
                Ok(_) if line.pop() == Some(b'\n') => {
                    if sender.send(String::from_utf8_lossy(&line).into_owned()).is_err() {
                        break;
                    }
                }
                _ => break,
            }
        }
    });
    receiver
}

fn finish(child: &mut Child) {
    // Both fail only if the child has already ended.
    let _ = child.kill();
    let _ = child.wait();
}
