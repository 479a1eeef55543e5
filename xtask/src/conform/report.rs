//! The counts of a comparison, as a table.

use super::case::Case;
use super::compare::Difference;
use super::known::{Blame, Known};
use super::registers::{Registers, Role};
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// The maximum number of forms with unexplained differences that are shown.
const SHOWN: usize = 200;

/// The maximum number of items that are listed with a reason.
const ITEMS: usize = 40;

/// The first case of a form with an unexplained difference.
#[derive(Clone, Debug)]
pub(super) struct Example {
    pub(super) text: String,
    pub(super) bytes: Vec<u8>,
    pub(super) case: Case,
    pub(super) differences: Vec<Difference>,
    /// The number of cases of the form that differ like this.
    pub(super) count: u64,
}

/// The reason why an instruction is not compared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Reason {
    pub(super) why: &'static str,
    /// The object of the reason, if there is one.
    pub(super) about: String,
}

impl Reason {
    pub(super) fn new(why: &'static str, about: impl Into<String>) -> Self {
        Self { why, about: about.into() }
    }
}

/// The counts for one architecture.
#[derive(Clone, Debug, Default)]
pub(super) struct Report {
    pub(super) name: String,
    /// The number of compared cases.
    pub(super) compared: u64,
    /// The number of forms in the program, and of their instructions.
    pub(super) forms: (u64, u64),
    /// The number of forms with a case without differences, and of their instructions in the program.
    pub(super) covered: (u64, u64),
    /// The other forms, by reason and object: their number, and that of their instructions.
    pub(super) skipped: BTreeMap<&'static str, BTreeMap<String, (u64, u64)>>,
    /// The other forms one by one, the number of instructions of each, and the reason.
    pub(super) uncovered: Vec<(String, u64, Reason)>,
    /// The number of uses of each known difference.
    pub(super) explained: BTreeMap<usize, u64>,
    /// The number of cases with only explained differences.
    pub(super) explained_cases: u64,
    pub(super) unexplained: BTreeMap<String, Example>,
    /// The numbers of cases of each mnemonic: those in which nothing differed, and the others.
    pub(super) mnemonics: BTreeMap<String, (u64, u64)>,
    /// The number of restarts of the executor.
    pub(super) restarts: u64,
    pub(super) seconds: f64,
}

impl Report {
    pub(super) const HEAD: &str =
        "architecture    compared   forms  covered      %   instr %  explained  unexplained  seconds";

    /// Counts a case whose differences these entries explain.
    pub(super) fn explain(&mut self, entries: &[usize]) {
        self.explained_cases += 1;
        for entry in entries {
            *self.explained.entry(*entry).or_default() += 1;
        }
    }

    /// The line of the table.
    pub(super) fn line(&self) -> String {
        let unexplained: u64 = self.unexplained.values().map(|example| example.count).sum();
        let share = |part: u64, whole: u64| 100.0 * part as f64 / whole.max(1) as f64;
        format!(
            "{:<14} {:>9} {:>7} {:>8} {:>6.1} {:>9.2} {:>10} {:>12} {:>8.1}",
            self.name,
            self.compared,
            self.forms.0,
            self.covered.0,
            share(self.covered.0, self.forms.0),
            share(self.covered.1, self.forms.1),
            self.explained_cases,
            unexplained,
            self.seconds
        )
    }

    /// The forms that are not covered, one in a line.
    pub(super) fn uncovered(&self) -> String {
        let mut text = String::new();
        for (form, count, Reason { why, about }) in &self.uncovered {
            let _ = writeln!(
                text,
                "  {count:>6} {form}: {why}{}{about}",
                if about.is_empty() { "" } else { ": " }
            );
        }
        text
    }

    /// The details that do not fit into a line.
    pub(super) fn details(&self, known: &[Known], registers: &Registers) -> String {
        let mut text = String::new();
        for (reason, items) in &self.skipped {
            let forms: u64 = items.values().map(|(forms, _)| forms).sum();
            let instructions: u64 = items.values().map(|(_, instructions)| instructions).sum();
            let _ = write!(text, "  not covered: {forms:>4} forms, {instructions:>6} instructions: {reason}");
            let mut items: Vec<_> = items.iter().filter(|(name, _)| !name.is_empty()).collect();
            items.sort_by_key(|(_, (_, instructions))| std::cmp::Reverse(*instructions));
            for (index, (name, (_, instructions))) in items.iter().take(ITEMS).enumerate() {
                let _ = write!(text, "{} {name} ({instructions})", if index == 0 { ":" } else { "," });
            }
            text.push_str(if items.len() > ITEMS { ", ...\n" } else { "\n" });
        }
        if self.restarts > 0 {
            let _ = writeln!(text, "  the executor was started anew {} times", self.restarts);
        }
        for (index, count) in &self.explained {
            let Known { forms, differs, fault, reason, .. } = &known[*index];
            let fault = match fault {
                Blame::Undefined => "undefined",
                Blame::Specification => "fault of the specification",
                Blame::Machine => "not modelled",
                Blame::Executor => "fault of the executor",
            };
            let _ = writeln!(
                text,
                "  explained: {count:>7} of {} ({}), {fault}: {reason}",
                forms.join(", "),
                differs.join(" ")
            );
        }
        for (form, example) in self.unexplained.iter().take(SHOWN) {
            let bytes: String = example.bytes.iter().map(|byte| format!("{byte:02x}")).collect();
            let _ = writeln!(
                text,
                "  DIFFERENT: {form}, {} cases, first {bytes} {}",
                example.count, example.text
            );
            for Difference { what, detail, .. } in &example.differences {
                let _ = writeln!(text, "    {what}: {detail}");
            }
            let _ = write!(text, "    at {:#x} with", example.case.code);
            for (field, value) in registers.fields.iter().zip(&example.case.values) {
                if field.role != Role::Vector {
                    let _ = write!(text, " {}={value:x}", field.name);
                }
            }
            text.push('\n');
        }
        if self.unexplained.len() > SHOWN {
            let _ = writeln!(text, "  and {} forms more that differ", self.unexplained.len() - SHOWN);
        }
        text
    }
}
