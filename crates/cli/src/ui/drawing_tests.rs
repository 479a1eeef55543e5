//! Checks of the drawn dashboard, in terminals of several sizes.

use crate::ui::draw::draw;
use crate::ui::model::{DashboardModel, FindingRow, FunctionRow, Numbers, Phase};
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use std::time::Duration;

/// A search with large numbers and long names.
fn model() -> DashboardModel {
    let mut model =
        DashboardModel::new("gateway-firmware-with-a-long-name.elf".to_owned(), Some(3_600), 1_000_000);
    let mut numbers = Numbers::default();
    for second in (0..=1_234_u64).step_by(2) {
        model.elapsed = Duration::from_secs(second);
        let covered = 4_321 * second / (second + 100);
        numbers = Numbers {
            covered,
            directions: 5_678,
            tests: 987,
            findings: 2,
            paths: 1_234_567,
            pending: 345_678,
            queries: 23_456_789,
            executed: second * 2_500_000,
        };
        model.report(
            numbers,
            "a_function_with_a_name_that_is_rather_long+0x12 parser/records.c:1234".to_owned(),
        );
    }
    assert_eq!(model.numbers, numbers);
    let function = |number: u64| FunctionRow {
        name: format!("function_with_a_long_name_{number}"),
        covered: 100,
        infeasible: 10,
        open: 20,
        pending: 1_000 + number,
    };
    let reasons = vec![("branch not reached".to_owned(), 700), ("pending".to_owned(), 40)];
    model.details((0..60).map(function).collect(), reasons);
    for address in ["0x8010", "parse_record+0x2e  records.c:77"] {
        let message = "division by zero, by input that the header of a record has".to_owned();
        model.findings.push(FindingRow { place: address.to_owned(), message });
    }
    (0..50).for_each(|number| model.event(format!("test {number:04}: {number} new directions")));
    model
}

/// The drawn rows.
fn drawn(model: &DashboardModel, (width, height): (u16, u16)) -> Vec<String> {
    let mut terminal = Terminal::new(TestBackend::new(width, height)).expect("a terminal");
    terminal.draw(|frame| draw(frame, model)).expect("a frame");
    let buffer = terminal.backend().buffer();
    let row = |row| (0..width).map(|column| buffer[(column, row)].symbol()).collect::<String>();
    (0..height).map(row).collect()
}

/// At every size, from an empty terminal to a large one, in every phase, with and without help.
#[test]
fn every_size_can_be_drawn() {
    let mut model = model();
    for (width, height) in
        [(1, 1), (3, 40), (200, 2), (39, 13), (40, 14), (60, 20), (79, 24), (80, 24), (250, 90)]
    {
        for phase in [Phase::Preparing, Phase::Searching, Phase::Pausing, Phase::Paused, Phase::Ending] {
            for help in [false, true] {
                (model.phase, model.help) = (phase, help);
                let rows = drawn(&model, (width, height));
                assert_eq!(rows.len(), usize::from(height));
            }
        }
        drawn(&DashboardModel::new(String::new(), None, 0), (width, height));
    }
}

#[test]
fn all_numbers_are_shown_in_a_terminal_of_the_usual_size() {
    for size in [(80, 24), (100, 30), (200, 60)] {
        let rows = drawn(&model(), size);
        let text = rows.join("\n");
        for expected in [
            "gateway-firmware-with-a-long-name.elf",
            "searching",
            "3,997 covered",
            "600 infeasible",
            "1,081 open of 5,678",
            "1234 of 3600 s",
            "987 tests",
            "2 findings",
            "345,678 pending",
            "1,234,567 paths",
            "23,456,789 queries",
            "2.5 M instr/s",
            "1,000,000 instr/path at most",
            "records.c:1234",
            "60 functions by pending branches",
            "function_with_",
            "1,059",
            "branch not reached",
            "parse_record+0x2e  records.c:77",
            "test 0049: 49 new directions",
            "covered directions over time",
            "quit",
            "help",
        ] {
            assert!(text.contains(expected), "{expected} is missing at {size:?}:\n{text}");
        }
        assert!(text.chars().any(|symbol| ('\u{2801}'..='\u{28ff}').contains(&symbol)), "a curve:\n{text}");
    }
}

#[test]
fn a_small_terminal_shows_what_matters_most() {
    let text = drawn(&model(), (60, 20)).join("\n");
    for expected in
        ["3,997 covered", "1234 of 3600 s", "345,678 pending", "1,059", "parse_record+0x2e", "quit"]
    {
        assert!(text.contains(expected), "{expected} is missing:\n{text}");
    }
}

#[test]
fn the_selected_function_is_in_view_and_marked() {
    let mut model = model();
    model.select(50);
    model.focus = model.take_selected();
    let text = drawn(&model, (80, 24)).join("\n");
    assert!(text.contains("▲ function_w"), "{text}");
    model.skipped.extend(model.focus.take());
    let text = drawn(&model, (80, 24)).join("\n");
    assert!(text.contains("▼ function_w"), "{text}");
}

#[test]
fn the_help_names_every_key() {
    let mut model = model();
    model.help = true;
    for size in [(80, 24), (60, 20)] {
        let text = drawn(&model, size).join("\n");
        for (keys, _) in crate::ui::keys::HELP {
            assert!(text.contains(keys), "{keys} is missing at {size:?}:\n{text}");
        }
    }
}
