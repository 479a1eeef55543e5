//! The observer of an exploration that fills the dashboard and passes on what the user asks for.

use crate::failure::Failure;
use crate::progress::stop_on_signal;
use crate::ui::frontier::Functions;
use crate::ui::model::{DashboardModel, FindingRow, Numbers, Phase};
use crate::ui::screen::{Screen, Shared, locked};
use crate::ui::text::plural;
use everypath::{Binary, Locator};
use everypath_explore::{Observer, Plan, ProgressReport, SearchDetails, Steering};
use everypath_record::{CodeLocation, Finding, TestCase};
use std::io::{IsTerminal, stderr, stdin};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// Time between two reports.
const REPORT: Duration = Duration::from_millis(100);
/// Time between two looks at the details of the search.
const DETAILS: Duration = Duration::from_millis(500);
/// The details are looked at so seldom that they take one part of so many of the time.
const SHARE: u32 = 20;

/// Shows an exploration as a dashboard.
pub(crate) struct Dashboard<'b> {
    shared: Arc<Shared>,
    screen: Option<Screen>,
    functions: Functions<'b>,
    reported: Option<Instant>,
    /// When the details are looked at next.
    details_at: Instant,
}

impl<'b> Dashboard<'b> {
    /// Opens the dashboard on the terminal.
    ///
    /// # Errors
    /// If there is no terminal, or it cannot be set up.
    pub(crate) fn open(binary: &'b Binary, program: String, plan: &Plan) -> Result<Self, Failure> {
        if !stderr().is_terminal() || !stdin().is_terminal() {
            let message = "`--ui` needs a terminal on standard input and standard error; run without it for progress lines";
            return Err(Failure::Input(message.to_owned()));
        }
        // The signal handler is set up before there is something to restore.
        let restored: Arc<Mutex<Option<Arc<Shared>>>> = Arc::default();
        let to_restore = restored.clone();
        let stop = stop_on_signal(move || {
            if let Some(shared) = &*locked(&to_restore) {
                shared.restore();
            }
        });
        let model = DashboardModel::new(program, plan.bounds.seconds, plan.bounds.path_instructions);
        let shared = Arc::new(Shared::new(model, stop));
        *locked(&restored) = Some(shared.clone());
        let screen = Screen::open(&shared)
            .map_err(|error| Failure::Input(format!("the terminal cannot be set up for `--ui`: {error}")))?;
        Ok(Dashboard {
            shared,
            screen: Some(screen),
            functions: Functions::new(Locator::new(binary)),
            reported: None,
            details_at: Instant::now(),
        })
    }

    /// Closes the dashboard and restores the terminal.
    pub(crate) fn finish(&mut self) {
        self.screen = None;
    }

    /// A code location in few words.
    fn place(&self, address: u64) -> String {
        let CodeLocation { address, function, source } = self.functions.locator().at(address);
        let function = function.map_or_else(
            || address.to_string(),
            |function| match function.offset {
                0 => function.name,
                offset => format!("{}+{offset:#x}", function.name),
            },
        );
        match source {
            Some(position) => {
                let file = position.file.rsplit(['/', '\\']).next().unwrap_or_default().to_owned();
                format!("{function}  {file}:{}", position.line)
            }
            None => function,
        }
    }
}

impl Observer for Dashboard<'_> {
    fn on_progress(&mut self, now: &dyn Fn() -> ProgressReport) -> bool {
        if self.reported.is_none_or(|reported| reported.elapsed() >= REPORT) {
            self.reported = Some(Instant::now());
            let report = now();
            let numbers = Numbers {
                covered: report.covered as u64,
                directions: report.directions as u64,
                tests: report.tests as u64,
                findings: report.findings as u64,
                paths: report.paths,
                pending: report.pending as u64,
                queries: report.queries,
                executed: report.executed,
            };
            let place = self.place(report.address);
            self.shared.model().report(numbers, place);
        }
        !self.shared.stop.load(Ordering::Relaxed)
    }

    fn on_details(&mut self, now: &dyn Fn() -> SearchDetails) {
        let started = Instant::now();
        if started < self.details_at {
            return;
        }
        let (functions, reasons) = self.functions.rows(&now());
        locked(&self.shared.functions).clone_from(self.functions.codes());
        self.shared.model().details(functions, reasons);
        self.details_at = Instant::now() + DETAILS.max(SHARE * started.elapsed());
    }

    fn steer(&mut self) -> Vec<Steering> {
        self.shared.steering.take()
    }

    fn wait_while_paused(&mut self) {
        locked(&self.shared.clock).pause();
        self.shared.model().phase = Phase::Paused;
        self.shared.steering.wait_while_paused(&self.shared.stop);
        locked(&self.shared.clock).resume();
        let mut model = self.shared.model();
        if model.phase == Phase::Paused {
            model.phase = Phase::Searching;
        }
    }

    fn test(&mut self, test: &TestCase) {
        let new = test.new_directions.len() as u64;
        // Every path is a test if that is the criterion; such tests are no events.
        if new > 0 {
            let directions = plural(new, "direction");
            self.shared.model().event(format!("test {}: {new} new {directions}, {}", test.name, test.end));
        }
    }

    fn finding(&mut self, finding: &Finding) {
        let place = self.place(finding.address.0);
        let mut model = self.shared.model();
        model.event(format!("finding at {place}: {}", finding.message));
        model.findings.push(FindingRow { place, message: finding.message.clone() });
    }

    fn stop_flag(&self) -> Arc<AtomicBool> {
        self.shared.stop.clone()
    }
}
