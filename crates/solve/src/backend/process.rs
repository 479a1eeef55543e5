//! An SMT-LIB 2 solver in a child process: text in, text out, time and memory limits enforced by the parent.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use crate::QueryDeadline;

/// The command line of a solver that reads SMT-LIB 2 commands from its standard input.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SolverProgram {
    /// The name of the program, or its path.
    pub name: String,
    /// Its arguments.
    pub arguments: Vec<String>,
    /// Its memory limit in bytes.
    pub memory: u64,
}

impl SolverProgram {
    const MEMORY: u64 = 4 << 30;

    /// Z3.
    #[must_use]
    pub fn z3() -> SolverProgram {
        SolverProgram {
            name: "z3".to_owned(),
            arguments: vec!["-in".to_owned()],
            memory: SolverProgram::MEMORY,
        }
    }

    /// cvc5.
    #[must_use]
    pub fn cvc5() -> SolverProgram {
        let arguments = ["--incremental", "--produce-models", "--lang=smt2"];
        let arguments = arguments.map(str::to_owned).to_vec();
        SolverProgram { name: "cvc5".to_owned(), arguments, memory: SolverProgram::MEMORY }
    }

    /// Bitwuzla.
    #[must_use]
    pub fn bitwuzla() -> SolverProgram {
        SolverProgram {
            name: "bitwuzla".to_owned(),
            arguments: vec!["--lang=smt2".to_owned()],
            memory: SolverProgram::MEMORY,
        }
    }

    /// The first line of its `--version` output; `None` if it cannot be started.
    #[must_use]
    pub fn version(&self) -> Option<String> {
        let output = Command::new(&self.name).arg("--version").stdin(Stdio::null()).output().ok()?;
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        output.status.success().then(|| text.lines().next().unwrap_or_default().trim().to_owned())
    }
}

/// The interval at which the stop flag is polled.
const POLL: Duration = Duration::from_millis(50);

/// The reason why a child process gave no answer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Trouble {
    /// It did not answer in time and was killed.
    Overrun,
    /// It exited, or could not be started.
    Gone(String),
}

/// A running solver.
pub(crate) struct Running {
    child: Child,
    input: ChildStdin,
    lines: Receiver<String>,
}

impl Running {
    pub(crate) fn start(program: &SolverProgram) -> Result<Running, Trouble> {
        // The shell sets the memory limit and then executes the solver.
        let mut command = Command::new("sh");
        command.arg("-c").arg(format!("ulimit -v {}; exec \"$0\" \"$@\"", program.memory / 1024));
        command.arg(&program.name).args(&program.arguments);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let gone = |error: std::io::Error| Trouble::Gone(format!("{}: {error}", program.name));
        let mut child = command.spawn().map_err(gone)?;
        let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(Trouble::Gone("the pipes were not made".to_owned()));
        };
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            for line in BufReader::new(output).lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    break;
                }
            }
        });
        Ok(Running { child, input, lines })
    }

    /// Sends commands that print nothing on success.
    pub(crate) fn send(&mut self, commands: &str) -> Result<(), Trouble> {
        let sent = self.input.write_all(commands.as_bytes()).and_then(|()| self.input.flush());
        sent.map_err(|error| Trouble::Gone(error.to_string()))
    }

    /// The next S-expression of its output: an atom, or a balanced list.
    pub(crate) fn expression(&mut self, until: &QueryDeadline) -> Result<String, Trouble> {
        let mut text = String::new();
        loop {
            let line = self.line(until)?;
            text.push_str(&line);
            text.push('\n');
            if !text.trim().is_empty() && balance(&text) <= 0 {
                return Ok(text.trim().to_owned());
            }
        }
    }

    fn line(&mut self, until: &QueryDeadline) -> Result<String, Trouble> {
        loop {
            let left =
                until.time.map_or(POLL, |time| time.saturating_duration_since(Instant::now()).min(POLL));
            match self.lines.recv_timeout(left.max(Duration::from_millis(1))) {
                Ok(line) => return Ok(line),
                Err(RecvTimeoutError::Timeout) if until.is_over() => return Err(Trouble::Overrun),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(Trouble::Gone("it ended without an answer".to_owned()));
                }
            }
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // It may be busy or gone already; nothing of it is kept.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The number of open parentheses, ignoring those in strings and quoted symbols.
fn balance(text: &str) -> i32 {
    let mut open = 0;
    let mut quote = None;
    for letter in text.chars() {
        match (quote, letter) {
            (Some(mark), _) if mark == letter => quote = None,
            (Some(_), _) => {}
            (None, '"' | '|') => quote = Some(letter),
            (None, '(') => open += 1,
            (None, ')') => open -= 1,
            (None, _) => {}
        }
    }
    open
}
