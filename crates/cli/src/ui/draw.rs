//! Draws the model. From 80 columns and 24 rows on everything is shown; below, the curve, the reasons and the events are
//! left out, and at last all but the numbers.

use crate::ui::keys::HELP;
use crate::ui::model::{ChangedBound, DashboardModel, Phase};
use crate::ui::panels;
use crate::ui::text::{fitted, plural, short};
use everypath_report::with_separators;
use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, BorderType, Borders, Clear, Paragraph};

/// The size from which everything is shown.
const FULL: (u16, u16) = (80, 24);
/// The size from which functions and findings are shown.
const COMPACT: (u16, u16) = (40, 14);
/// Rows of the numbers: two bars, two rows of numbers, and the place.
const NUMBER_ROWS: u16 = 5;
/// The width of a label before a bar.
const LABEL: u16 = 12;
/// The width from which numbers are in four equal columns.
const COLUMNS: u16 = 76;
/// Columns between the left and the right panels.
const GAP: u16 = 2;

pub(super) const DIM: Style = Style::new().fg(Color::DarkGray);
pub(super) const COVERED: Style = Style::new().fg(Color::Green);
pub(super) const INFEASIBLE: Style = Style::new().fg(Color::Blue);
pub(super) const WARNING: Style = Style::new().fg(Color::Yellow);
pub(super) const BAD: Style = Style::new().fg(Color::Red);
const TIME: Style = Style::new().fg(Color::Cyan);
const BOLD: Style = Style::new().add_modifier(Modifier::BOLD);

/// Draws the dashboard.
pub(super) fn draw(frame: &mut Frame<'_>, model: &DashboardModel) {
    let area = frame.area();
    let fits = |(width, height): (u16, u16)| area.width >= width && area.height >= height;
    let events = if fits(FULL) { 3 + area.height.saturating_sub(FULL.1) / 4 } else { 0 };
    let rows = [
        Constraint::Length(1),
        Constraint::Length(NUMBER_ROWS),
        Constraint::Fill(1),
        Constraint::Length(events),
        Constraint::Length(1),
    ];
    let [title, numbers, middle, last, foot] = Layout::vertical(rows).areas(area);
    draw_title(frame, model, title);
    draw_numbers(frame, model, numbers);
    if fits(FULL) {
        draw_panels(frame, model, middle);
        panels::draw_events(frame, model, last);
    } else if fits(COMPACT) {
        let parts = [Constraint::Fill(2), Constraint::Fill(1)];
        let [functions, findings] = Layout::vertical(parts).areas(middle);
        panels::draw_functions(frame, model, functions);
        panels::draw_findings(frame, model, findings);
    }
    draw_keys(frame, model, foot);
    if model.help {
        draw_help(frame, area);
    }
}

fn draw_panels(frame: &mut Frame<'_>, model: &DashboardModel, area: Rect) {
    let [left, right] =
        Layout::horizontal([Constraint::Fill(2), Constraint::Fill(3)]).spacing(GAP).areas(area);
    let reasons = u16::try_from(model.reasons.len()).unwrap_or(u16::MAX).clamp(2, 4) + 1;
    let [curve, open] = Layout::vertical([Constraint::Fill(1), Constraint::Length(reasons)]).areas(left);
    let [functions, findings] = Layout::vertical([Constraint::Fill(3), Constraint::Fill(2)]).areas(right);
    panels::draw_curve(frame, model, curve);
    panels::draw_reasons(frame, model, open);
    panels::draw_functions(frame, model, functions);
    panels::draw_findings(frame, model, findings);
}

/// A panel: a rule with a title above its contents.
pub(super) fn panel(title: String) -> Block<'static> {
    let title = Line::from(vec![Span::raw(" "), Span::styled(title, BOLD.fg(Color::Reset)), Span::raw(" ")]);
    Block::new().borders(Borders::TOP).border_type(BorderType::Plain).border_style(DIM).title(title)
}

fn draw_title(frame: &mut Frame<'_>, model: &DashboardModel, area: Rect) {
    let (phase, style) = match model.phase {
        Phase::Preparing => ("analysing the program", Style::new()),
        Phase::Searching => ("searching", COVERED),
        Phase::Pausing => ("pausing", WARNING),
        Phase::Paused => ("PAUSED", WARNING),
        Phase::Ending => ("ending: judging directions", WARNING),
    };
    let phase = Span::styled(format!(" {phase} "), style.add_modifier(Modifier::BOLD));
    let room = usize::from(area.width).saturating_sub(phase.width());
    let name = Line::from(Span::styled(fitted(&format!(" everypath test  {}", model.program), room), BOLD));
    frame.render_widget(Paragraph::new(name), area);
    frame.render_widget(Paragraph::new(Line::from(phase).right_aligned()), area);
}

fn draw_numbers(frame: &mut Frame<'_>, model: &DashboardModel, area: Rect) {
    let [directions, time, first, second, place] = Layout::vertical([Constraint::Length(1); 5]).areas(area);
    draw_directions(frame, model, directions);
    draw_time(frame, model, time);
    let numbers = &model.numbers;
    let bold = Style::new().add_modifier(Modifier::BOLD);
    let count = |number: u64, what: &str| Cell {
        number: with_separators(number),
        what: plural(number, what),
        style: bold,
    };
    let findings = if numbers.findings > 0 { bold.patch(BAD) } else { bold };
    let one = [
        count(numbers.tests, "test"),
        Cell { style: findings, ..count(numbers.findings, "finding") },
        Cell { what: "pending".to_owned(), ..count(numbers.pending, "") },
        count(numbers.paths, "path"),
    ];
    let other = [
        Cell { what: "queries".to_owned(), ..count(numbers.queries, "") },
        Cell { number: short(model.rate()), what: "instr/s".to_owned(), style: bold },
        Cell { what: "instr/path at most".to_owned(), ..count(model.path_bound, "") },
    ];
    draw_cells(frame, one, first);
    draw_cells(frame, other, second);
    let room = usize::from(area.width).saturating_sub(5);
    let text = Line::from(vec![Span::styled(" in ", DIM), Span::raw(fitted(&model.place, room))]);
    frame.render_widget(Paragraph::new(text), place);
}

/// A number with its unit.
struct Cell {
    number: String,
    what: String,
    style: Style,
}

/// Draws numbers side by side, in columns as wide as the terminal allows.
fn draw_cells<const N: usize>(frame: &mut Frame<'_>, cells: [Cell; N], area: Rect) {
    let lines = cells.map(|Cell { number, what, style }| {
        let number = Span::styled(number, style);
        Line::from(vec![Span::raw(" "), number, Span::raw(" "), Span::styled(what, DIM), Span::raw(" ")])
    });
    let mut widths = if area.width >= COLUMNS {
        [Constraint::Length(area.width / 4); N]
    } else {
        lines.each_ref().map(|line| Constraint::Length(u16::try_from(line.width()).unwrap_or(u16::MAX)))
    };
    if let Some(last) = widths.last_mut() {
        *last = Constraint::Fill(1);
    }
    let areas: [Rect; N] = Layout::horizontal(widths).areas(area);
    for (line, area) in lines.into_iter().zip(areas) {
        frame.render_widget(Paragraph::new(line), area);
    }
}

fn draw_directions(frame: &mut Frame<'_>, model: &DashboardModel, area: Rect) {
    let numbers = &model.numbers;
    let [covered, infeasible, open, all] =
        [numbers.covered, model.infeasible, model.open(), numbers.directions].map(with_separators);
    let words = Line::from(vec![
        Span::styled(format!(" {covered} covered"), COVERED),
        Span::styled(format!(" {infeasible} infeasible"), INFEASIBLE),
        Span::raw(format!(" {open} open of {all}")),
    ]);
    let parts = [(numbers.covered, COVERED, "█"), (model.infeasible, INFEASIBLE, "▓")];
    draw_bar(frame, "directions", &parts, numbers.directions, words, area);
}

fn draw_time(frame: &mut Frame<'_>, model: &DashboardModel, area: Rect) {
    let used = model.elapsed.as_secs();
    let words = match model.limit {
        Some(limit) => format!(" {used} of {limit} s"),
        None => format!(" {used} s, no limit"),
    };
    // A search without a limit has no share of it used.
    let all = model.limit.unwrap_or(u64::MAX);
    draw_bar(frame, "time", &[(used.min(all), TIME, "█")], all, Line::from(words), area);
}

/// Draws a label, a bar whose parts are shares of `all`, and words.
fn draw_bar(
    frame: &mut Frame<'_>,
    label: &str,
    parts: &[(u64, Style, &'static str)],
    all: u64,
    words: Line<'_>,
    area: Rect,
) {
    let width = u16::try_from(words.width()).unwrap_or(u16::MAX);
    let columns = [Constraint::Length(LABEL), Constraint::Fill(1), Constraint::Length(width)];
    let [name, bar, end] = Layout::horizontal(columns).areas(area);
    frame.render_widget(Paragraph::new(Span::styled(format!(" {label}"), DIM)), name);
    let room = u64::from(bar.width);
    let mut spans = Vec::new();
    let (mut sum, mut drawn) = (0_u64, 0);
    for (part, style, symbol) in parts {
        sum += part;
        let until = (u128::from(sum) * u128::from(room) / u128::from(all.max(1))) as u64;
        let cells = usize::try_from(until.saturating_sub(drawn)).unwrap_or(0);
        spans.push(Span::styled(symbol.repeat(cells), *style));
        drawn = drawn.max(until);
    }
    spans.push(Span::styled("░".repeat(usize::try_from(room.saturating_sub(drawn)).unwrap_or(0)), DIM));
    frame.render_widget(Paragraph::new(Line::from(spans)), bar);
    frame.render_widget(Paragraph::new(words), end);
}

fn draw_keys(frame: &mut Frame<'_>, model: &DashboardModel, area: Rect) {
    let bound = match model.changed_bound {
        ChangedBound::Seconds => "time limit",
        ChangedBound::PathInstructions => "path bound",
    };
    let pause = if matches!(model.phase, Phase::Paused | Phase::Pausing) { "resume" } else { "pause" };
    // The first are the most important: a narrow terminal cuts the others off.
    let keys = [
        ("q", "quit"),
        ("?", "help"),
        ("p", pause),
        ("f", "focus"),
        ("s", "skip"),
        ("+/-", bound),
        ("b", "other bound"),
    ];
    let mut spans = Vec::new();
    let mut width = 0;
    for (key, what) in keys {
        width += key.chars().count() + what.chars().count() + 4;
        if width > usize::from(area.width) {
            break;
        }
        spans.push(Span::styled(format!(" {key} "), Style::new().add_modifier(Modifier::REVERSED)));
        spans.push(Span::raw(format!(" {what} ")));
    }
    frame.render_widget(Paragraph::new(Line::from(spans)), area);
}

fn draw_help(frame: &mut Frame<'_>, area: Rect) {
    let lines = HELP
        .iter()
        .map(|(keys, what)| Line::from(vec![Span::styled(format!(" {keys:>13}  "), BOLD), Span::raw(*what)]));
    let lines: Vec<Line<'_>> = lines.collect();
    let width = lines.iter().map(Line::width).max().unwrap_or(0) + 3;
    let (width, height) = (u16::try_from(width).unwrap_or(u16::MAX), lines.len() as u16 + 2);
    let area =
        area.centered(Constraint::Length(width.min(area.width)), Constraint::Length(height.min(area.height)));
    frame.render_widget(Clear, area);
    let block = Block::bordered().border_type(BorderType::Rounded).title(" Keys ");
    frame.render_widget(Paragraph::new(lines).block(block), area);
}
