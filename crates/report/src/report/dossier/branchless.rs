//! Source lines whose text shows a decision and whose code has no branch: what branch coverage cannot see.

use std::collections::{BTreeMap, HashMap};

use everypath_record::{Judged, ListedLine};

use super::decisions::{LineKey, key, line_text, place};
use super::document::{DossierDocument, cell};
use super::index::DossierIndex;
use super::prose::{Prose, shortened};
use super::source_conditions::SourceConditions;
use crate::number::counted;

const BRANCHLESS: &[(&str, u8)] = &[("source line and function", 40), ("instructions of the line", 48)];

/// Writes the lines whose text shows a decision and whose code has no branch.
pub(super) fn write(
    index: &DossierIndex<'_>,
    branching: &BTreeMap<LineKey, Vec<&Judged>>,
    document: &mut DossierDocument,
) {
    let listing = index.data.listing;
    let text = |at: ListedLine| line_text(&listing.sources[at.file], at.line);
    let mut shown: HashMap<ListedLine, bool> = HashMap::new();
    let mut lines: BTreeMap<LineKey, (&str, Vec<&str>)> = BTreeMap::new();
    for function in &listing.functions {
        for instruction in function.instructions() {
            let Some((at, text)) = instruction.source.and_then(|at| Some((at, text(at)?))) else { continue };
            if *shown.entry(at).or_insert_with(|| SourceConditions::of(text).is_plain) {
                let key = key(index, instruction.address, listing.sources[at.file].path.clone(), at.line);
                if !branching.contains_key(&key) {
                    lines.entry(key).or_insert((text, Vec::new())).1.push(&instruction.text);
                }
            }
        }
    }
    document.section("Decisions without a branch");
    document.state(
        "MCDC",
        match lines.len() {
            0 => "No line whose text was found shows a decision without having a branch.".to_owned(),
            count => format!(
                "The text of each line of this table ({}) shows a decision, and its code in that function has no branch: the decision is constant, is evaluated without a branch, or its branch is assigned to another line. Branch coverage says nothing about it.",
                counted(count as u64, "row")
            ),
        },
    );
    let rows = lines.iter().map(|(key, (text, instructions))| {
        vec![place(key, Some(text)), cell(Prose::code(shortened(&instructions.join("; "), 160)))]
    });
    document.table("BRL", BRANCHLESS, rows);
}
