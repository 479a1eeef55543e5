//! The keys of the dashboard: each changes the model, and may be a request to the exploration.

use crate::ui::model::{ChangedBound, DashboardModel, Phase};
use everypath_report::with_separators;
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

/// The keys and what they do, for the help.
pub(super) const HELP: &[(&str, &str)] = &[
    ("up, down, Tab", "select a function"),
    ("f", "focus: its pending branches first; again: no more"),
    ("s", "skip: its pending branches last; again: no more"),
    ("p", "pause and resume; the time limit waits"),
    ("b", "which bound + and - change: time or path length"),
    ("+ -", "raise or lower that bound"),
    ("q, Ctrl-C", "end the search and write the suite; again: abort"),
    ("?", "this help"),
];

/// The lowest bound on the instructions of a path that `-` leads to.
const LEAST_PATH: u64 = 1_000;
/// The time that `-` leaves the search, in seconds.
const LEAST_SECONDS: u64 = 5;

/// A request to the exploration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Request {
    Pause,
    Resume,
    /// The focus of the model has changed.
    Focus,
    /// The skipped functions of the model have changed.
    Skip,
    Seconds(u64),
    PathInstructions(u64),
    Quit,
}

/// Changes the model as a key asks for, and returns the requests to the exploration.
pub(super) fn press(model: &mut DashboardModel, key: KeyEvent) -> Vec<Request> {
    if key.code == KeyCode::Char('c') && key.modifiers.contains(KeyModifiers::CONTROL) {
        return vec![Request::Quit];
    }
    match key.code {
        KeyCode::Char('q') => return vec![Request::Quit],
        KeyCode::Char('?' | 'h') => model.help = !model.help,
        KeyCode::Esc => model.help = false,
        KeyCode::Up | KeyCode::BackTab | KeyCode::Char('k') => model.select(-1),
        KeyCode::Down | KeyCode::Tab | KeyCode::Char('j') => model.select(1),
        KeyCode::PageUp => model.select(-10),
        KeyCode::PageDown => model.select(10),
        KeyCode::Home => model.select(isize::MIN),
        KeyCode::End => model.select(isize::MAX),
        KeyCode::Char('b') => {
            model.changed_bound = match model.changed_bound {
                ChangedBound::Seconds => ChangedBound::PathInstructions,
                ChangedBound::PathInstructions => ChangedBound::Seconds,
            }
        }
        // The rest steers the search, which has ended.
        _ if model.phase == Phase::Ending => {}
        KeyCode::Char('p' | ' ') => return vec![pause(model)],
        KeyCode::Char('f') => return focus(model),
        KeyCode::Char('s') => return skip(model),
        KeyCode::Char('+' | '=') => return change_bound(model, true).into_iter().collect(),
        KeyCode::Char('-' | '_') => return change_bound(model, false).into_iter().collect(),
        _ => {}
    }
    Vec::new()
}

fn pause(model: &mut DashboardModel) -> Request {
    if matches!(model.phase, Phase::Paused | Phase::Pausing) {
        model.phase = Phase::Searching;
        model.event("resumed");
        return Request::Resume;
    }
    model.phase = Phase::Pausing;
    model.event("paused");
    Request::Pause
}

fn focus(model: &mut DashboardModel) -> Vec<Request> {
    let Some(name) = model.take_selected() else { return Vec::new() };
    let mut requests = vec![Request::Focus];
    if model.focus.as_ref() == Some(&name) {
        model.event(format!("{name} no longer first"));
        model.focus = None;
    } else {
        if model.skipped.remove(&name) {
            requests.push(Request::Skip);
        }
        model.event(format!("{name} first"));
        model.focus = Some(name);
    }
    requests
}

fn skip(model: &mut DashboardModel) -> Vec<Request> {
    let Some(name) = model.take_selected() else { return Vec::new() };
    let mut requests = vec![Request::Skip];
    if model.skipped.remove(&name) {
        model.event(format!("{name} no longer last"));
    } else {
        if model.focus.as_ref() == Some(&name) {
            model.focus = None;
            requests.push(Request::Focus);
        }
        model.event(format!("{name} last"));
        model.skipped.insert(name);
    }
    requests
}

fn change_bound(model: &mut DashboardModel, raise: bool) -> Option<Request> {
    match model.changed_bound {
        ChangedBound::Seconds => {
            let used = model.elapsed.as_secs();
            let seconds = changed_limit(model.limit, used, raise);
            if seconds == model.limit {
                model.event(if seconds.is_none() {
                    "there is no time limit"
                } else {
                    "no shorter time limit"
                });
                return None;
            }
            model.limit = seconds;
            model.event(format!("time limit {} s", seconds?));
            Some(Request::Seconds(seconds?))
        }
        ChangedBound::PathInstructions => {
            let bound = model.path_bound;
            model.path_bound =
                if raise { bound.saturating_mul(2) } else { (bound / 2).max(LEAST_PATH).min(bound) };
            model.event(format!("at most {} instructions on a path", with_separators(model.path_bound)));
            (model.path_bound != bound).then_some(Request::PathInstructions(model.path_bound))
        }
    }
}

/// The next time limit, in seconds. Without one, lowering sets one.
fn changed_limit(limit: Option<u64>, used: u64, raise: bool) -> Option<u64> {
    let Some(limit) = limit else {
        return (!raise).then(|| (2 * used).max(60));
    };
    let step = match limit {
        0..60 => 10,
        60..600 => 60,
        _ => 600,
    };
    if raise {
        return Some(limit + step);
    }
    // Below a minute by tens again, so that raising and lowering meet.
    let step = if limit == 60 { 10 } else { step };
    Some(limit.saturating_sub(step).max(used + LEAST_SECONDS).min(limit))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ui::model::FunctionRow;
    use std::time::Duration;

    fn model() -> DashboardModel {
        let mut model = DashboardModel::new("guest".to_owned(), Some(60), 1_000_000);
        let row = |name: &str| FunctionRow { name: name.to_owned(), ..FunctionRow::default() };
        model.phase = Phase::Searching;
        model.details(vec![row("a"), row("b")], Vec::new());
        model
    }

    fn type_in(model: &mut DashboardModel, keys: &str) -> Vec<Request> {
        keys.chars().flat_map(|key| press(model, KeyEvent::from(KeyCode::Char(key)))).collect()
    }

    #[test]
    fn a_function_is_first_or_last_but_not_both() {
        let mut model = model();
        assert_eq!(type_in(&mut model, "f"), [Request::Focus]);
        assert_eq!(model.focus.as_deref(), Some("a"));
        assert_eq!(type_in(&mut model, "s"), [Request::Skip, Request::Focus]);
        assert!(model.focus.is_none() && model.skipped.contains("a"));
        assert_eq!(type_in(&mut model, "f"), [Request::Focus, Request::Skip]);
        assert_eq!(type_in(&mut model, "jf"), [Request::Focus], "another function");
        assert_eq!(model.focus.as_deref(), Some("b"));
        assert_eq!(type_in(&mut model, "f"), [Request::Focus]);
        assert!(model.focus.is_none() && model.skipped.is_empty());
    }

    #[test]
    fn bounds_are_raised_and_lowered() {
        let mut model = model();
        let seconds = Request::Seconds;
        assert_eq!(type_in(&mut model, "+--"), [seconds(120), seconds(60), seconds(50)]);
        model.elapsed = Duration::from_secs(43);
        assert_eq!(type_in(&mut model, "--"), [seconds(48)], "what is left of the time stays");
        assert_eq!(
            type_in(&mut model, "b+--"),
            [2_000_000, 1_000_000, 500_000].map(Request::PathInstructions)
        );
        assert_eq!(changed_limit(None, 5, true), None);
        assert_eq!(changed_limit(None, 100, false), Some(200));
    }

    #[test]
    fn a_search_that_ends_is_not_steered() {
        let mut model = model();
        assert_eq!(type_in(&mut model, "pp"), [Request::Pause, Request::Resume]);
        model.phase = Phase::Ending;
        assert_eq!(type_in(&mut model, "pfs+-"), []);
        let interrupt = KeyEvent::new(KeyCode::Char('c'), KeyModifiers::CONTROL);
        assert_eq!(press(&mut model, interrupt), [Request::Quit]);
    }

    #[test]
    fn every_key_is_harmless_without_functions() {
        let mut model = DashboardModel::new(String::new(), None, 10);
        for key in [KeyCode::Up, KeyCode::Down, KeyCode::Home, KeyCode::End, KeyCode::Tab, KeyCode::Esc] {
            assert_eq!(press(&mut model, KeyEvent::from(key)), []);
        }
        assert_eq!(type_in(&mut model, "fs?jk"), []);
    }
}
