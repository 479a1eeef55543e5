//! Chapter 1: the program, the sources, the tool and its settings.

use std::collections::BTreeMap;

use everypath_record::{ListedFunction, Summary};
use serde_json::Value;

use super::document::{DossierDocument, cell};
use super::index::DossierIndex;
use super::prose::Prose;
use crate::with_separators;

const FIELDS: &[(&str, u8)] = &[("item", 28), ("value", 60)];
const RUNS: &[(&str, u8)] = &[("run", 28), ("settings in which it differs", 60)];
const SOURCES: &[(&str, u8)] =
    &[("source file", 34), ("text", 12), ("instructions", 11), ("SHA-256 of the file", 31)];

/// Writes the chapter.
pub(super) fn write(index: &DossierIndex<'_>, document: &mut DossierDocument) {
    let summary = index.summary();
    document.chapter("Identification");
    let configuration = match summary.configuration_hash.as_str() {
        "" => Prose::from("not recorded"),
        hash => Prose::code(hash),
    };
    let rows = [
        ("program", Prose::code(&summary.program)),
        ("SHA-256 of the program's file", Prose::code(&summary.program_hash)),
        ("architecture", Prose::code(&summary.architecture)),
        ("SHA-256 of the configuration and of the flags that add to it", configuration),
        ("this document is written by", Prose::from(concat!("Everypath ", env!("CARGO_PKG_VERSION")))),
        ("format of the results", Prose::from(summary.format.to_string())),
        ("date of the review", Prose::blank()),
        ("document number and revision", Prose::blank()),
    ];
    document.table("ID", FIELDS, rows.map(|(name, value)| vec![cell(name), cell(value)]));
    document.state(
        "ID",
        "The results record the format of their files and not the version that made them; that it is the version above is confirmed by repeating the run, as chapter 10 describes.",
    );
    document.section("Settings of the run");
    let mut settings = Vec::new();
    flatten("", &summary.plan, &mut settings);
    let settings = settings.into_iter().map(|(name, value)| vec![cell(Prose::code(name)), cell(value)]);
    document.table("SET", FIELDS, settings);
    write_merged(summary, document);
    document.section("Source files");
    write_sources(index, document);
}

/// Writes the runs whose results were merged, and the settings of each in which it differs from others.
fn write_merged(summary: &Summary, document: &mut DossierDocument) {
    if summary.merged_from.is_empty() {
        return;
    }
    document.section("Merged runs");
    document.state(
        "SET",
        "The results of these runs were merged; the settings above are those in which they agree. An infeasible verdict names the run that shows it, and holds under the assumptions of that run; chapter 7 has the assumptions of all runs.",
    );
    let rows = summary.merged_from.iter().map(|run| {
        let mut settings = Vec::new();
        flatten("", &run.plan, &mut settings);
        let common = |name: &str| summary.plan.pointer(&format!("/{}", name.replace('.', "/"))).is_some();
        let own = settings.into_iter().filter(|(name, _)| !common(name));
        let lines: Vec<Prose> = own.map(|(name, value)| Prose::code(name).and(" ").and(value)).collect();
        vec![cell(Prose::code(&run.name)), if lines.is_empty() { cell("no other") } else { lines }]
    });
    document.table("RUN", RUNS, rows);
}

fn write_sources(index: &DossierIndex<'_>, document: &mut DossierDocument) {
    let listing = index.data.listing;
    if listing.sources.is_empty() {
        return document.state(
            "SRC",
            "The program has no line information, so that no source file is known: results are given by function and address.",
        );
    }
    let instructions = listing.functions.iter().flat_map(ListedFunction::instructions);
    let mut counts: BTreeMap<usize, u64> = BTreeMap::new();
    for source in instructions.filter_map(|instruction| instruction.source) {
        *counts.entry(source.file).or_default() += 1;
    }
    let rows = listing.sources.iter().enumerate().map(|(number, source)| {
        let text = match source.lines.len() {
            0 => "not found".to_owned(),
            lines => format!("{} lines", with_separators(lines as u64)),
        };
        let hash = source.hash.as_deref().map_or_else(|| Prose::from("unknown"), Prose::code);
        let count = counts.get(&number).copied().unwrap_or(0);
        vec![cell(Prose::code(&source.path)), cell(text), cell(with_separators(count)), cell(hash)]
    });
    document.table("SRC", SOURCES, rows);
    document.state(
        "SRC",
        "A source file is looked up by the path that debug information gives, when this document is written. That it is the one that the program was compiled from is for the reviewer to confirm, by its hash.",
    );
}

/// Adds the fields of a JSON value, with the names of nested ones joined by dots.
fn flatten(name: &str, value: &Value, fields: &mut Vec<(String, Prose)>) {
    match value {
        Value::Object(members) => {
            for (member, value) in members {
                let dot = if name.is_empty() { "" } else { "." };
                flatten(&format!("{name}{dot}{member}"), value, fields);
            }
        }
        Value::Array(items) => {
            let items: Vec<String> = items.iter().map(plain).collect();
            fields.push((name.to_owned(), Prose::from(items.join(", "))));
        }
        value => fields.push((name.to_owned(), Prose::from(plain(value)))),
    }
}

fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Null => "none".to_owned(),
        Value::Bool(yes) => if *yes { "yes" } else { "no" }.to_owned(),
        Value::Number(number) => number.as_u64().map_or_else(|| number.to_string(), with_separators),
        other => other.to_string(),
    }
}
