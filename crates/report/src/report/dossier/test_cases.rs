//! Chapter 9: the tests, with their inputs and what they add.

use everypath_record::{CellValues, MemoryBytes, TestCase};

use super::document::{DossierDocument, cell};
use super::index::DossierIndex;
use super::prose::{Prose, shortened};
use crate::with_separators;

const TESTS: &[(&str, u8)] =
    &[("file", 10), ("inputs (shortened)", 28), ("end", 18), ("instructions", 13), ("directions added", 19)];
/// How many inputs, values of an input and directions are shown.
const SHOWN: usize = 6;

/// Writes the chapter.
pub(super) fn write(index: &DossierIndex<'_>, document: &mut DossierDocument) {
    let tests = &index.data.suite.tests;
    document.chapter("Tests");
    match tests.is_empty() {
        true => return document.state("TST", "The suite has no tests."),
        false => document.state(
            "TST",
            format!(
                "Each test is a file in the folder `tests` of the results, which has the whole inputs. A direction counts as added by the first test that takes it{}.",
                if index.traces().is_empty() { "" } else { ", unless a trace takes it" }
            ),
        ),
    }
    document.table("T", TESTS, tests.iter().map(|test| row(index, test)));
}

fn row(index: &DossierIndex<'_>, test: &TestCase) -> Vec<Vec<Prose>> {
    let cut_off = if test.cut_off { " (cut off by a bound; the program would continue)" } else { "" };
    vec![
        cell(Prose::code(format!("{}.json", test.name))),
        inputs(test),
        cell(format!("{}{cut_off}", test.end)),
        cell(with_separators(test.instructions)),
        cell(added(index, test)),
    ]
}

/// The number of directions that a test adds, and the first of them.
fn added(index: &DossierIndex<'_>, test: &TestCase) -> Prose {
    let number = with_separators(test.new_directions.len() as u64);
    let mut text = Prose::from(number);
    for (position, direction) in test.new_directions.iter().take(SHOWN).enumerate() {
        text = text.and(if position == 0 { ": " } else { ", " }).and(index.direction(*direction));
    }
    if test.new_directions.len() > SHOWN {
        text = text.and(", …");
    }
    text
}

fn inputs(test: &TestCase) -> Vec<Prose> {
    let cells = test.cells.iter().map(|CellValues { name, values }| {
        format!("{name} = {}", few(values.iter().map(|value| format!("{value:#x}"))))
    });
    let registers = test.registers.iter().map(|(name, value)| format!("{name} = {value}"));
    let memory = test.memory.iter().map(|MemoryBytes { space, address, bytes }| {
        format!("{space}:{address} = {}", few(bytes.iter().map(|byte| format!("{byte:02x}"))))
    });
    let interrupts = test.interrupts.iter();
    let interrupts =
        interrupts.map(|one| format!("interrupt {} after {}", one.number, with_separators(one.after)));
    let all: Vec<String> = cells.chain(registers).chain(memory).chain(interrupts).collect();
    let mut lines: Vec<Prose> = all.iter().take(SHOWN).map(|line| Prose::code(shortened(line, 80))).collect();
    if all.len() > SHOWN {
        lines.push(Prose::from(format!("and {} more", all.len() - SHOWN)));
    }
    if lines.is_empty() {
        lines.push(Prose::from("none"));
    }
    lines
}

/// The first of some items, and how many there are if not all are shown.
fn few(items: impl ExactSizeIterator<Item = String>) -> String {
    let number = items.len();
    let first: Vec<String> = items.take(SHOWN).collect();
    let rest = if number > SHOWN {
        format!(" … ({} in all)", with_separators(number as u64))
    } else {
        String::new()
    };
    first.join(" ") + &rest
}
