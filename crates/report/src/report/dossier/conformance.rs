//! The conformance table of chapter 11: the instructions of the listed code, each with the evidence for its semantics.

use std::collections::{BTreeMap, BTreeSet};

use everypath_record::{Address, InstructionEvidence, ListedFunction, mnemonic};

use super::document::{DossierDocument, cell};
use super::index::DossierIndex;
use super::prose::Prose;
use crate::with_separators;

const MNEMONICS: &[(&str, u8)] = &[
    ("mnemonic", 14),
    ("instructions", 12),
    ("executed by tests", 12),
    ("an example", 20),
    ("evidence for its semantics", 30),
];

/// The instructions of one mnemonic.
struct Occurrences<'l> {
    all: u64,
    executed: u64,
    example: &'l str,
}

/// Writes the section.
pub(super) fn write(index: &DossierIndex<'_>, document: &mut DossierDocument) {
    let listing = index.data.listing;
    let evidence: BTreeMap<&str, &InstructionEvidence> =
        listing.evidence.iter().map(|one| (one.mnemonic.as_str(), one)).collect();
    let is_known = |name: &str| evidence.get(name).is_some_and(|one| one.is_some());
    let mnemonics = occurrences(index);
    document.section("Instructions of the listed code");
    document.state(
        "MNEM",
        "Each mnemonic of the functions that contain a branch direction or are executed by a test, with the evidence for its semantics: instruction vectors, which are written from the processor's data sheet, and cases of single instructions in random states in which nothing differed from an independent executor (`cargo xtask conform`). Evidence is counted by mnemonic: not every operand form of a mnemonic has been compared.",
    );
    let known = mnemonics.keys().filter(|name| is_known(name)).count() as u64;
    let instructions = |wanted: bool| -> u64 {
        mnemonics.iter().filter(|(name, _)| !wanted || is_known(name)).map(|(_, one)| one.all).sum()
    };
    document.state(
        "MNEM",
        format!(
            "{} of {} mnemonics, which are {} of {} instructions, have such evidence. The others are covered only by the comparisons of whole programs.",
            with_separators(known),
            with_separators(mnemonics.len() as u64),
            with_separators(instructions(true)),
            with_separators(instructions(false)),
        ),
    );
    let rows = mnemonics.iter().map(|(name, Occurrences { all, executed, example })| {
        let [all, executed] = [*all, *executed].map(|count| cell(with_separators(count)));
        let lines = evidence.get(name).map_or_else(Vec::new, |one| lines(one));
        let none = || cell("none: covered only by whole programs");
        let lines = if lines.is_empty() { none() } else { lines };
        vec![cell(Prose::code(*name)), all, executed, cell(Prose::code(*example)), lines]
    });
    let rows: Vec<_> = rows.collect();
    document.table("INS", MNEMONICS, rows);
}

/// The mnemonics of the listing.
fn occurrences<'l>(index: &DossierIndex<'l>) -> BTreeMap<&'l str, Occurrences<'l>> {
    let executed: BTreeSet<Address> =
        index.data.executed.iter().flat_map(|code| &code.instructions).map(|(address, _)| *address).collect();
    let mut mnemonics: BTreeMap<&str, Occurrences<'_>> = BTreeMap::new();
    let mut seen = BTreeSet::new();
    for instruction in index.data.listing.functions.iter().flat_map(ListedFunction::instructions) {
        if seen.insert(instruction.address) {
            let new = Occurrences { all: 0, executed: 0, example: &instruction.text };
            let one = mnemonics.entry(mnemonic(&instruction.text)).or_insert(new);
            one.all += 1;
            one.executed += u64::from(executed.contains(&instruction.address));
        }
    }
    mnemonics
}

/// The evidence for a mnemonic, one kind in a line.
fn lines(evidence: &InstructionEvidence) -> Vec<Prose> {
    let mut lines = Vec::new();
    match evidence.vectors {
        0 => {}
        1 => lines.push(Prose::from("1 vector")),
        count => lines.push(Prose::from(format!("{} vectors", with_separators(count)))),
    }
    for comparison in &evidence.comparisons {
        let mut text = format!("{} cases equal, {}", with_separators(comparison.equal), comparison.executor);
        if comparison.explained > 0 {
            text.push_str(&format!("; {} with a known difference", with_separators(comparison.explained)));
        }
        lines.push(Prose::from(text));
    }
    lines
}
