//! Progress of a long command on standard error, and its interruption by the user.

use std::io::{IsTerminal, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use everypath_explore::{Observer, ProgressReport};

/// Time between updates of the progress line on a terminal.
const TERMINAL: Duration = Duration::from_millis(200);
/// Time between progress lines where there is no terminal.
const LINES: Duration = Duration::from_secs(10);

/// Signals within this time count as one.
const AT_ONCE: Duration = Duration::from_millis(700);

/// Shows the progress of an exploration on standard error, and cancels it when the user asks for that.
pub(crate) struct Progress {
    started: Instant,
    shown: Instant,
    terminal: bool,
    /// Cancels the exploration when it is set.
    stop: Arc<AtomicBool>,
}

impl Progress {
    /// Starts to watch for an interruption by the user.
    pub(crate) fn start() -> Self {
        let stop = Arc::new(AtomicBool::new(false));
        let flag = stop.clone();
        let mut first: Option<Instant> = None;
        // Ctrl-C, SIGTERM and SIGHUP. A second one ends the program at once, unless it comes with the first: `timeout`
        // signals the process and its group. Without a handler the first one ends it, which is no harm.
        let _ = ctrlc::set_handler(move || {
            if first.get_or_insert_with(Instant::now).elapsed() > AT_ONCE {
                std::process::exit(130);
            }
            flag.store(true, Ordering::Relaxed);
        });
        let now = Instant::now();
        Self { started: now, shown: now, terminal: std::io::stderr().is_terminal(), stop }
    }

    /// Clears the progress line.
    pub(crate) fn finish(&self) {
        if self.terminal {
            eprint!("\r\x1b[K");
        }
    }

    fn show(&self, now: &ProgressReport) {
        let ProgressReport {
            covered,
            directions,
            tests,
            findings,
            paths,
            pending,
            queries,
            executed,
            address,
            ..
        } = now;
        let seconds = self.started.elapsed().as_secs_f64();
        let rate = *executed as f64 / seconds.max(0.001) / 1e6;
        let line = format!(
            "{seconds:.0} s: {covered} of {directions} branch directions, {tests} tests, {findings} findings, {paths} paths, \
             {pending} pending branches, {queries} solver queries, {rate:.1} M instructions/s, at {address:#x}"
        );
        let mut error = std::io::stderr();
        // Progress that cannot be shown is no reason to stop.
        let _ = if self.terminal { write!(error, "\r\x1b[K{line}") } else { writeln!(error, "{line}") };
        let _ = error.flush();
    }
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
