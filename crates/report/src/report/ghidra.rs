//! A script for Ghidra (Jython 2.7 or PyGhidra) that colours branches by their verdicts and sets comments.
//!
//! The results are literals of the script, so that it needs no other file; the code behind them is `ghidra.py`, as it is. Text is
//! written in ASCII with escapes, as `u"..."`, which is text for both versions of Python.

use std::collections::BTreeMap;
use std::fmt::Write;

use everypath_record::{Address, OutputFile};

use super::ReportData;

/// The part of the script that is the same for all programs.
const CODE: &str = include_str!("ghidra.py");

/// The script.
pub(super) fn files(data: &ReportData<'_>) -> Vec<OutputFile> {
    let summary = &data.suite.summary;
    let mut branches: BTreeMap<Address, Vec<[String; 3]>> = BTreeMap::new();
    for judged in &summary.directions {
        let verdict = &judged.verdict;
        let reason = || verdict.reason().unwrap_or_default().to_owned();
        let detail = verdict.taken_by().unwrap_or_else(reason);
        let direction = [judged.direction.target.to_string(), verdict.name().to_owned(), detail];
        branches.entry(judged.direction.branch).or_default().push(direction);
    }
    let mut text = String::from(
        "# Colours the branches of a program by the verdicts of Everypath, and comments them.\n",
    );
    text.push_str("#@category Everypath\n\n");
    let _ = writeln!(text, "PROGRAM = {}", literal(&summary.program));
    text.push_str("# Each branch with its directions: target, verdict, and test or reason.\nBRANCHES = [\n");
    for (branch, directions) in &branches {
        let _ = writeln!(text, "    ({}, [", literal(&branch.to_string()));
        for direction in directions {
            let _ =
                writeln!(text, "        ({}),", direction.each_ref().map(|field| literal(field)).join(", "));
        }
        text.push_str("    ]),\n");
    }
    text.push_str("]\n# Each finding: address, oracle, violation and test.\nFINDINGS = [\n");
    for finding in &summary.findings {
        let address = finding.address.to_string();
        let fields = [&address, &finding.oracle, &finding.message, &finding.test].map(|field| literal(field));
        let _ = writeln!(text, "    ({}),", fields.join(", "));
    }
    text.push_str("]\n\n");
    text.push_str(CODE);
    vec![OutputFile { path: "verdicts.py".to_owned(), contents: text.into_bytes() }]
}

/// A text literal of Python.
fn literal(text: &str) -> String {
    let mut literal = String::from("u\"");
    for letter in text.chars() {
        match letter {
            '"' | '\\' => literal.extend(['\\', letter]),
            ' '..='~' => literal.push(letter),
            '\0'..='\u{ffff}' => {
                let _ = write!(literal, "\\u{:04x}", u32::from(letter));
            }
            _ => {
                let _ = write!(literal, "\\U{:08x}", u32::from(letter));
            }
        }
    }
    literal.push('"');
    literal
}
