//! Progress of a long command on standard error, and its interruption by the user.

use std::io::{IsTerminal, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use everypath::Binary;
use everypath_explore::{Observer, ProgressReport};
use everypath_report::with_separators;

/// Time between updates of the progress line on a terminal.
const TERMINAL: Duration = Duration::from_millis(200);
/// Time between progress lines where there is no terminal.
const LINES: Duration = Duration::from_secs(10);

/// Signals within this time count as one.
const AT_ONCE: Duration = Duration::from_millis(700);

/// The width of a terminal that does not report one.
const WIDTH: usize = 80;

/// A flag that is set by Ctrl-C, SIGTERM and SIGHUP. A second one ends the program at once, after `before_exit`; unless it
/// comes with the first: `timeout` signals the process and its group.
pub(crate) fn stop_on_signal(mut before_exit: impl FnMut() + Send + 'static) -> Arc<AtomicBool> {
    let stop = Arc::new(AtomicBool::new(false));
    let flag = stop.clone();
    let mut first: Option<Instant> = None;
    // Without a handler the first one ends the program, which is no harm.
    let _ = ctrlc::set_handler(move || {
        if first.get_or_insert_with(Instant::now).elapsed() > AT_ONCE {
            before_exit();
            std::process::exit(130);
        }
        flag.store(true, Ordering::Relaxed);
    });
    stop
}

/// Shows the progress of an exploration on standard error, and cancels it when the user asks for that.
pub(crate) struct Progress {
    program: Binary,
    /// The time limit.
    limit: Option<u64>,
    started: Instant,
    shown: Instant,
    terminal: bool,
    /// Cancels the exploration when it is set.
    stop: Arc<AtomicBool>,
}

impl Progress {
    /// Starts to watch for an interruption by the user.
    pub(crate) fn start(program: &Binary, limit: Option<u64>) -> Self {
        let stop = stop_on_signal(|| ());
        let now = Instant::now();
        let terminal = std::io::stderr().is_terminal();
        Self { program: program.clone(), limit, started: now, shown: now, terminal, stop }
    }

    /// Clears the progress line.
    pub(crate) fn finish(&self) {
        if self.terminal {
            eprint!("\r\x1b[K");
        }
    }

    fn show(&self, now: &ProgressReport) {
        let parts = self.parts(now);
        let mut error = std::io::stderr();
        // Progress that cannot be shown is no reason to stop.
        let _ = if self.terminal {
            let width = terminal_size::terminal_size().map_or(WIDTH, |(width, _)| usize::from(width.0));
            write!(error, "\r\x1b[K{}", fitting(&parts, width))
        } else {
            writeln!(error, "{}", parts.join(", "))
        };
        let _ = error.flush();
    }

    /// The parts of the progress line, the most important first.
    fn parts(&self, now: &ProgressReport) -> Vec<String> {
        let seconds = self.started.elapsed().as_secs_f64();
        let rate = now.executed as f64 / seconds.max(0.001) / 1e6;
        let time = match self.limit {
            Some(limit) => format!("{seconds:.0} of {limit} s"),
            None => format!("{seconds:.0} s"),
        };
        let count = |number: u64, [one, many]: [&str; 2]| {
            format!("{} {}", with_separators(number), if number == 1 { one } else { many })
        };
        let covered = with_separators(now.covered as u64);
        let symbol = self.program.image().function_symbol_at(now.address);
        let place = symbol.map_or_else(|| format!("{:#x}", now.address), |symbol| symbol.name.clone());
        vec![
            time,
            format!("{covered} of {} branch directions", with_separators(now.directions as u64)),
            count(now.findings as u64, ["finding", "findings"]),
            count(now.pending as u64, ["pending branch", "pending branches"]),
            count(now.tests as u64, ["test", "tests"]),
            count(now.paths, ["path", "paths"]),
            format!("{rate:.1} M instructions/s"),
            format!("in {place}"),
            count(now.queries, ["solver query", "solver queries"]),
        ]
    }
}

/// The first parts that fit into a width, less the column of the cursor.
fn fitting(parts: &[String], width: usize) -> String {
    let mut line = String::new();
    for part in parts {
        let separator = if line.is_empty() { "" } else { ", " };
        if line.chars().count() + separator.len() + part.chars().count() >= width {
            break;
        }
        line += separator;
        line += part;
    }
    line
}

impl Observer for Progress {
    fn on_progress(&mut self, now: &dyn Fn() -> ProgressReport) -> bool {
        let pause = if self.terminal { TERMINAL } else { LINES };
        if self.shown.elapsed() >= pause {
            self.shown = Instant::now();
            self.show(&now());
        }
        !self.stop.load(Ordering::Relaxed)
    }

    fn stop_flag(&self) -> Arc<AtomicBool> {
        self.stop.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_never_reaches_the_last_column() {
        let parts = ["1 s", "2 of 4", "0 findings"].map(str::to_owned);
        assert_eq!(fitting(&parts, 80), "1 s, 2 of 4, 0 findings");
        assert_eq!(fitting(&parts, 12), "1 s, 2 of 4");
        assert_eq!(fitting(&parts, 11), "1 s");
        assert_eq!(fitting(&parts, 3), "");
    }
}
