//! The rows of the scoreboard as text: aligned columns, or a Markdown table.

use super::growth::Exponent;
use super::list::{ModuleEntry, ModuleTarget};
use super::row::{Row, RowEnd};

/// The columns with their widths.
const COLUMNS: [(&str, usize); 14] = [
    ("module", 12),
    ("target", 12),
    ("bytes", 5),
    ("covered", 7),
    ("infeasible", 10),
    ("open", 5),
    ("CPU s", 7),
    ("MB", 5),
    ("last new s", 10),
    ("paths", 8),
    ("tests", 5),
    ("findings", 8),
    ("gcov branches", 16),
    ("end", 8),
];

/// Prints the heading.
pub(super) fn header(is_table: bool) {
    line(&COLUMNS.map(|(name, _)| name.to_owned()), is_table);
    if is_table {
        println!("|{}", "---|".repeat(COLUMNS.len()));
    }
}

/// Prints a row, and its remarks unless it belongs to a table.
pub(super) fn row(module: &ModuleEntry, target: &ModuleTarget, bytes: u32, row: &Row, is_table: bool) {
    let branches = |(taken, all): (u64, u64)| {
        format!("{taken}/{all} ({:.0} %)", 100.0 * taken as f64 / all.max(1) as f64)
    };
    let cells = [
        module.name.clone(),
        target.name.clone(),
        bytes.to_string(),
        row.covered.to_string(),
        row.infeasible.to_string(),
        row.open.to_string(),
        format!("{:.2}", row.cpu),
        (row.peak >> 20).to_string(),
        format!("{:.2}", row.last_new),
        row.paths.to_string(),
        row.tests.to_string(),
        row.findings.to_string(),
        row.native.map_or("unknown".to_owned(), branches),
        match row.end {
            RowEnd::Complete => "complete",
            RowEnd::Bounded => "bounded",
            RowEnd::TimeLimit => "time",
        }
        .to_owned(),
    ];
    line(&cells, is_table);
    if !is_table {
        row.remarks.iter().for_each(|remark| println!("    {remark}"));
    }
}

/// Prints how CPU time grows with the number of bytes.
pub(super) fn growth(exponents: &[Exponent], is_table: bool) {
    let text = |exponent: &Exponent| {
        let (from, to) = exponent.bytes;
        let bound = if exponent.is_bound { ">= " } else { "" };
        let value = exponent.value.map_or("unknown".to_owned(), |value| format!("{bound}{value:.1}"));
        format!("{value} ({from} to {to})")
    };
    if !exponents.is_empty() && !is_table {
        println!(
            "    exponent of CPU over bytes: {}",
            exponents.iter().map(text).collect::<Vec<_>>().join(", ")
        );
    }
}

fn line(cells: &[String; COLUMNS.len()], is_table: bool) {
    if is_table {
        println!("| {} |", cells.join(" | "));
        return;
    }
    // Names to the left, numbers to the right.
    let pad = |(index, (cell, (_, width))): (usize, (&String, &(&str, usize)))| {
        if index < 2 { format!("{cell:<width$}") } else { format!("{cell:>width$}") }
    };
    let padded: Vec<String> = cells.iter().zip(&COLUMNS).enumerate().map(pad).collect();
    println!("{}", padded.join(" "));
}
