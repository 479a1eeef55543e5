//! A bare SMT solver, driven by SMT-LIB text over a pipe.

use super::clock;
use everypath_solve::SolverProgram;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Duration;

/// A solver in a child process.
pub(super) struct Bare {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Bare {
    /// Starts it.
    pub(super) fn start(program: &SolverProgram) -> Result<Bare, String> {
        let mut command = Command::new(&program.name);
        command.args(&program.arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().map_err(|error| format!("{}: {error}", program.name))?;
        let input = child.stdin.take().ok_or("no pipe")?;
        let output = BufReader::new(child.stdout.take().ok_or("no pipe")?);
        Ok(Bare { child, input, output })
    }

    /// Sends text.
    pub(super) fn send(&mut self, text: &str) -> Result<(), String> {
        self.input
            .write_all(text.as_bytes())
            .and_then(|()| self.input.flush())
            .map_err(|error| error.to_string())
    }

    /// The next word, or the next expression in parentheses.
    pub(super) fn answer(&mut self) -> Result<String, String> {
        let mut text = String::new();
        loop {
            let count = self.output.read_line(&mut text).map_err(|error| error.to_string())?;
            if count == 0 {
                return Err("the solver ended".to_owned());
            }
            let open = text.matches('(').count();
            if !text.trim().is_empty() && open <= text.matches(')').count() {
                return Ok(text.trim().to_owned());
            }
        }
    }

    /// Its CPU time so far.
    pub(super) fn time(&self) -> Duration {
        clock::of(self.child.id())
    }

    /// Its process.
    pub(super) fn process(&self) -> u32 {
        self.child.id()
    }
}

impl Drop for Bare {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
