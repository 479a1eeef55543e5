//! The panels of the dashboard: curve, functions, reasons, findings, events.

use crate::ui::draw::{BAD, COVERED, DIM, INFEASIBLE, WARNING, panel};
use crate::ui::model::{CurvePoint, DashboardModel, FindingRow, FunctionRow};
use crate::ui::text::{fitted, plural};
use everypath_report::with_separators;
use ratatui::Frame;
use ratatui::layout::{Constraint, Rect};
use ratatui::style::{Modifier, Style};
use ratatui::symbols::Marker;
use ratatui::text::{Line, Span};
use ratatui::widgets::{Axis, Chart, Dataset, GraphType, Paragraph, Row, Table, TableState};

/// The widths of the columns of numbers: pending, open, covered.
const NUMBERS: [u16; 3] = [8, 5, 8];
/// The width of a count of reasons.
const COUNT: usize = 7;

/// The covered directions over time, below those that are known.
pub(super) fn draw_curve(frame: &mut Frame<'_>, model: &DashboardModel, area: Rect) {
    let points = |value: fn(&CurvePoint) -> u64| -> Vec<(f64, f64)> {
        // To the present, because nothing has changed since the last report.
        let last = model.curve.last().map(|point| (model.elapsed.as_secs_f64(), value(point) as f64));
        model.curve.iter().map(|point| (point.seconds, value(point) as f64)).chain(last).collect()
    };
    let (known, covered) = (points(|point| point.directions), points(|point| point.covered));
    let seconds = model.elapsed.as_secs_f64().max(1.0);
    let most = (model.numbers.directions.max(1)) as f64;
    let line = |points, style| {
        Dataset::default().marker(Marker::Braille).graph_type(GraphType::Line).style(style).data(points)
    };
    let label = |text: String| Span::styled(text, DIM);
    let end = label(format!("{} s", model.elapsed.as_secs()));
    let x = Axis::default().style(DIM).bounds([0.0, seconds]).labels([label("0 s".to_owned()), end]);
    let y = Axis::default()
        .style(DIM)
        .bounds([0.0, most])
        .labels([label("0".to_owned()), label(with_separators(model.numbers.directions))]);
    let chart = Chart::new(vec![line(&known, DIM), line(&covered, COVERED)]).x_axis(x).y_axis(y);
    frame.render_widget(chart.block(panel("covered directions over time".to_owned())), area);
}

/// The functions, with their part of the frontier.
pub(super) fn draw_functions(frame: &mut Frame<'_>, model: &DashboardModel, area: Rect) {
    let [pending, open, covered] = NUMBERS;
    // A space before each column, and the mark before the name.
    let name_width = usize::from(area.width.saturating_sub(pending + open + covered + 3 + 2));
    let rows = model.functions.iter().map(|row| function_row(row, model, name_width));
    let numbers = ["pending", "open", "covered"].map(|head| Line::from(head).right_aligned());
    let heads = std::iter::once(Line::from("  function")).chain(numbers);
    let count = model.functions.len() as u64;
    let [pending, open, covered] = NUMBERS.map(Constraint::Length);
    let widths = [Constraint::Fill(1), pending, open, covered];
    let table = Table::new(rows, widths)
        .header(Row::new(heads).style(DIM))
        .row_highlight_style(Style::new().add_modifier(Modifier::REVERSED))
        .block(panel(format!("{count} {} by pending branches", plural(count, "function"))));
    let mut state = TableState::default().with_selected(model.selected());
    frame.render_stateful_widget(table, area, &mut state);
}

fn function_row<'a>(row: &FunctionRow, model: &DashboardModel, width: usize) -> Row<'a> {
    let (mark, style) = if model.focus.as_ref() == Some(&row.name) {
        ("▲ ", WARNING.add_modifier(Modifier::BOLD))
    } else if model.skipped.contains(&row.name) {
        ("▼ ", DIM)
    } else {
        ("  ", Style::new())
    };
    let number = |number: u64| Line::from(with_separators(number)).right_aligned();
    let all = row.covered + row.infeasible + row.open;
    let share = (row.covered * 100).checked_div(all);
    let share = share.map_or_else(|| "-".to_owned(), |share| format!("{share} %"));
    let name = Line::from(format!("{mark}{}", fitted(&row.name, width)));
    Row::new([name, number(row.pending), number(row.open), Line::from(share).right_aligned()]).style(style)
}

/// Why directions are open.
pub(super) fn draw_reasons(frame: &mut Frame<'_>, model: &DashboardModel, area: Rect) {
    let room = usize::from(area.width).saturating_sub(COUNT + 3);
    let line = |(reason, count): &(String, u64)| {
        let count = format!("{:>width$}  ", with_separators(*count), width = COUNT);
        Line::from(vec![Span::raw(count), Span::raw(fitted(reason, room))])
    };
    let lines: Vec<Line<'_>> = match model.reasons.is_empty() {
        true => vec![Line::styled(" nothing is open", DIM)],
        false => model.reasons.iter().map(line).collect(),
    };
    let (open, is) = (model.open(), if model.open() == 1 { "is" } else { "are" });
    let title = format!("why {} {} {is} open", with_separators(open), plural(open, "direction"));
    frame.render_widget(Paragraph::new(lines).block(panel(title)), area);
}

/// The findings, newest first.
pub(super) fn draw_findings(frame: &mut Frame<'_>, model: &DashboardModel, area: Rect) {
    let room = usize::from(area.width).saturating_sub(2);
    let lines: Vec<Line<'_>> = match model.findings.is_empty() {
        true => vec![Line::styled(" none so far", DIM)],
        false => model.findings.iter().rev().flat_map(|finding| finding_lines(finding, room)).collect(),
    };
    let count = model.findings.len() as u64;
    let title = format!("{} {}", with_separators(count), plural(count, "finding"));
    frame.render_widget(Paragraph::new(lines).block(panel(title)), area);
}

/// A finding in one line, if it fits, or in two.
fn finding_lines(finding: &FindingRow, room: usize) -> Vec<Line<'static>> {
    let FindingRow { place, message } = finding;
    let place = Span::styled(format!(" {}", fitted(place, room)), BAD);
    if place.width() + message.chars().count() < room {
        return vec![Line::from(vec![place, Span::raw(format!("  {message}"))])];
    }
    vec![Line::from(place), Line::from(format!("   {}", fitted(message, room.saturating_sub(3))))]
}

/// The last events, newest first.
pub(super) fn draw_events(frame: &mut Frame<'_>, model: &DashboardModel, area: Rect) {
    let room = usize::from(area.width).saturating_sub(12);
    let line = |(when, what): &(std::time::Duration, String)| {
        let when = format!("{:>7} s  ", with_separators(when.as_secs()));
        Line::from(vec![Span::styled(when, INFEASIBLE), Span::raw(fitted(what, room))])
    };
    let lines: Vec<Line<'_>> = model.events.iter().rev().map(line).collect();
    frame.render_widget(Paragraph::new(lines).block(panel("events".to_owned())), area);
}
