//! The model of the dashboard: plain data, updated by the exploration and by key presses.

use std::collections::{BTreeSet, VecDeque};
use std::time::Duration;

/// Number of events that are kept.
const EVENTS: usize = 100;
/// Number of points of the coverage curve; every other one is dropped when there are more.
const POINTS: usize = 2_000;
/// The time over which the rate is measured, in seconds.
const RATE_OVER: f64 = 5.0;

/// The numbers of an exploration.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Numbers {
    pub(super) covered: u64,
    pub(super) directions: u64,
    pub(super) tests: u64,
    pub(super) findings: u64,
    pub(super) paths: u64,
    pub(super) pending: u64,
    pub(super) queries: u64,
    pub(super) executed: u64,
}

/// A function: its branch directions, and its part of the frontier.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct FunctionRow {
    pub(super) name: String,
    pub(super) covered: u64,
    pub(super) infeasible: u64,
    pub(super) open: u64,
    pub(super) pending: u64,
}

/// A finding: where, and what.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct FindingRow {
    pub(super) place: String,
    pub(super) message: String,
}

/// The phase of the exploration, as the dashboard names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Phase {
    /// The static analysis runs; no path was run yet.
    Preparing,
    Searching,
    /// The user wants a pause, and the search has not come to where it can.
    Pausing,
    Paused,
    /// The verdicts are computed.
    Ending,
}

/// The bound that `+` and `-` change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ChangedBound {
    Seconds,
    PathInstructions,
}

/// A point of the coverage curve.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct CurvePoint {
    pub(super) seconds: f64,
    pub(super) covered: u64,
    pub(super) directions: u64,
}

/// The data of the dashboard: progress, coverage curve, functions, findings, events, and the selection.
pub(super) struct DashboardModel {
    /// The name of the program.
    pub(super) program: String,
    pub(super) phase: Phase,
    /// The time used, without pauses.
    pub(super) elapsed: Duration,
    /// The time limit, in seconds.
    pub(super) limit: Option<u64>,
    /// Maximum number of instructions on a path.
    pub(super) path_bound: u64,
    pub(super) changed_bound: ChangedBound,
    pub(super) numbers: Numbers,
    /// Directions that count as infeasible so far.
    pub(super) infeasible: u64,
    /// Where the current path is.
    pub(super) place: String,
    pub(super) curve: Vec<CurvePoint>,
    /// The functions, with the most pending branches first.
    pub(super) functions: Vec<FunctionRow>,
    /// The name of the selected function, and its row when it was last there.
    selected: (String, usize),
    /// The function whose pending branches come first.
    pub(super) focus: Option<String>,
    /// The functions whose pending branches come last.
    pub(super) skipped: BTreeSet<String>,
    /// Why directions are open, and how many, most first.
    pub(super) reasons: Vec<(String, u64)>,
    pub(super) findings: Vec<FindingRow>,
    /// The last events, each with its time, oldest first.
    pub(super) events: VecDeque<(Duration, String)>,
    /// Whether the help is shown.
    pub(super) help: bool,
    /// Executed instructions at earlier times, for the rate.
    executed: VecDeque<(f64, u64)>,
}

impl DashboardModel {
    pub(super) fn new(program: String, limit: Option<u64>, path_bound: u64) -> DashboardModel {
        let changed_bound =
            if limit.is_some() { ChangedBound::Seconds } else { ChangedBound::PathInstructions };
        DashboardModel {
            program,
            phase: Phase::Preparing,
            elapsed: Duration::ZERO,
            limit,
            path_bound,
            changed_bound,
            numbers: Numbers::default(),
            infeasible: 0,
            place: String::new(),
            curve: Vec::new(),
            functions: Vec::new(),
            selected: (String::new(), 0),
            focus: None,
            skipped: BTreeSet::new(),
            reasons: Vec::new(),
            findings: Vec::new(),
            events: VecDeque::new(),
            help: false,
            executed: VecDeque::new(),
        }
    }

    /// Takes in a progress report.
    pub(super) fn report(&mut self, numbers: Numbers, place: String) {
        if self.phase == Phase::Preparing {
            self.phase = Phase::Searching;
        }
        (self.numbers, self.place) = (numbers, place);
        let seconds = self.elapsed.as_secs_f64();
        self.curve.push(CurvePoint { seconds, covered: numbers.covered, directions: numbers.directions });
        if self.curve.len() > POINTS {
            let mut number = 0;
            self.curve.retain(|_| {
                number += 1;
                number % 2 == 0
            });
        }
        self.executed.push_back((seconds, numbers.executed));
        while self.executed.len() > 2 && self.executed[1].0 + RATE_OVER < seconds {
            self.executed.pop_front();
        }
    }

    /// Executed instructions per second, lately.
    pub(super) fn rate(&self) -> f64 {
        let (Some((from, before)), Some((to, after))) = (self.executed.front(), self.executed.back()) else {
            return 0.0;
        };
        if to > from { (after - before) as f64 / (to - from) } else { 0.0 }
    }

    /// Takes in what is known of the functions and of open directions.
    pub(super) fn details(&mut self, mut functions: Vec<FunctionRow>, mut reasons: Vec<(String, u64)>) {
        functions.sort_by(|one, other| {
            let key = |row: &FunctionRow| (row.pending, row.open);
            key(other).cmp(&key(one)).then_with(|| one.name.cmp(&other.name))
        });
        reasons.sort_by(|one, other| other.1.cmp(&one.1).then_with(|| one.0.cmp(&other.0)));
        self.infeasible = functions.iter().map(|row| row.infeasible).sum();
        (self.functions, self.reasons) = (functions, reasons);
    }

    /// Directions that are neither covered nor infeasible so far.
    pub(super) fn open(&self) -> u64 {
        self.numbers.directions.saturating_sub(self.numbers.covered + self.infeasible)
    }

    pub(super) fn event(&mut self, what: impl Into<String>) {
        if self.events.len() == EVENTS {
            self.events.pop_front();
        }
        self.events.push_back((self.elapsed, what.into()));
    }

    /// The row of the selected function. A function that has gone leaves the selection where it was.
    pub(super) fn selected(&self) -> Option<usize> {
        let row = self.functions.iter().position(|function| function.name == self.selected.0);
        row.or_else(|| Some(self.selected.1.min(self.functions.len().checked_sub(1)?)))
    }

    /// Moves the selection.
    pub(super) fn select(&mut self, rows: isize) {
        let Some(row) = self.selected() else { return };
        let row = row.saturating_add_signed(rows).min(self.functions.len() - 1);
        self.selected = (self.functions[row].name.clone(), row);
    }

    /// The name of the selected function, which stays selected from now on.
    pub(super) fn take_selected(&mut self) -> Option<String> {
        self.select(0);
        let row = self.selected()?;
        Some(self.functions[row].name.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(name: &str, pending: u64) -> FunctionRow {
        FunctionRow { name: name.to_owned(), pending, ..FunctionRow::default() }
    }

    #[test]
    fn the_selection_follows_its_function() {
        let mut model = DashboardModel::new("guest".to_owned(), None, 1000);
        assert_eq!((model.selected(), model.take_selected()), (None, None));
        model.details(vec![row("a", 3), row("b", 2), row("c", 1)], Vec::new());
        model.select(1);
        assert_eq!(model.take_selected().as_deref(), Some("b"));
        model.details(vec![row("a", 3), row("b", 9), row("c", 1)], Vec::new());
        assert_eq!((model.selected(), model.take_selected().as_deref()), (Some(0), Some("b")));
        model.select(-7);
        model.select(70);
        assert_eq!(model.take_selected().as_deref(), Some("c"));
        model.details(vec![row("a", 3)], Vec::new());
        assert_eq!(model.take_selected().as_deref(), Some("a"), "a function that has gone");
    }

    #[test]
    fn the_rate_is_that_of_the_last_seconds() {
        let mut model = DashboardModel::new("guest".to_owned(), None, 1000);
        for second in 0..20 {
            model.elapsed = Duration::from_secs(second);
            let executed = if second < 10 { 0 } else { (second - 9) * 1000 };
            model.report(Numbers { executed, ..Numbers::default() }, String::new());
        }
        assert!((model.rate() - 1000.0).abs() < 1e-6, "{}", model.rate());
    }

    #[test]
    fn the_curve_stays_bounded_and_keeps_its_end() {
        let mut model = DashboardModel::new("guest".to_owned(), None, 1000);
        for covered in 0..10_000 {
            model.report(Numbers { covered, ..Numbers::default() }, String::new());
        }
        assert!(model.curve.len() <= POINTS);
        assert_eq!(model.curve.last().map(|point| point.covered), Some(9_999));
    }
}
