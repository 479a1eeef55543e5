//! The difference as text for a terminal: regressions first, then all else that changed.

use std::collections::BTreeMap;
use std::io::{self, Write};

use everypath_record::{CodeLocation, Judged, Verdict};
use serde_json::Value;

use super::matching::VerdictTally;
use super::{DirectionChange, FunctionChange, RunTally, SuiteDifference, VerdictChange};
use crate::justified::lapsed_text;
use crate::locations::direction_text;
use crate::number::{counted, with_separators, write_rest};

/// Maximum number of entries of each list; the JSON document has them all.
const SHOWN: usize = 20;

/// Where entries are that are not shown.
const IN_JSON: &str = "; --json lists all";

/// Number of digits that are shown of a hash.
const HASH_DIGITS: usize = 12;

/// The changes with their headings, in the order of [`VerdictChange`].
const HEADINGS: [(VerdictChange, &str); 8] = [
    (VerdictChange::NoLongerCovered, "no longer covered"),
    (VerdictChange::NoLongerInfeasible, "no longer infeasible"),
    (VerdictChange::NewlyOpen, "newly open"),
    (VerdictChange::NewlyUnsupported, "newly unsupported"),
    (VerdictChange::New, "new"),
    (VerdictChange::Removed, "removed"),
    (VerdictChange::NewlyCovered, "newly covered"),
    (VerdictChange::NewlyInfeasible, "newly infeasible"),
];

impl SuiteDifference {
    /// Writes the text. The names are those of the suites, such as their folders.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn write(&self, before: &str, after: &str, out: &mut dyn Write) -> io::Result<()> {
        let out = &mut crate::printable::PrintableWriter(out);
        writeln!(out, "before: {} in {before}", self.before.program)?;
        writeln!(out, "after:  {} in {after}\n", self.after.program)?;
        write_table(&self.before, &self.after, out)?;
        self.write_settings(out)?;
        self.write_contradictions(out)?;
        self.write_changes(VerdictChange::NoLongerCovered, out)?;
        let appeared = self.findings_appeared.iter();
        let appeared: Vec<_> = appeared.map(|one| (&one.location, finding_text(&one.finding))).collect();
        write_entries("appeared", "finding", &appeared, out)?;
        self.write_changed_functions(out)?;
        for (change, _) in &HEADINGS[1..] {
            self.write_changes(*change, out)?;
        }
        let gone = self.findings_disappeared.iter();
        let gone: Vec<_> = gone.map(|one| (&one.location, finding_text(&one.finding))).collect();
        write_entries("disappeared", "finding", &gone, out)?;
        for (heading, list) in
            [("appeared", &self.assumptions_appeared), ("disappeared", &self.assumptions_disappeared)]
        {
            let text = |kind: &str, message: &str| format!("{kind}: {message}");
            let list = list.iter();
            let list: Vec<_> = list
                .map(|one| (&one.location, text(&one.assumption.kind, &one.assumption.message)))
                .collect();
            write_entries(heading, "assumption", &list, out)?;
        }
        self.write_lapsed(out)?;
        self.write_matching(out)?;
        self.write_judgement(out)
    }

    fn write_lapsed(&self, out: &mut dyn Write) -> io::Result<()> {
        let lapsed = &self.justifications_lapsed;
        if lapsed.is_empty() {
            return Ok(());
        }
        writeln!(out, "\nlapsed: {}", counted(lapsed.len() as u64, "justification"))?;
        for justification in lapsed.iter().take(SHOWN) {
            writeln!(out, "  {}", justification.place())?;
            writeln!(out, "      {}", lapsed_text(justification))?;
        }
        write_rest(lapsed.len(), SHOWN, IN_JSON, out)
    }

    fn write_settings(&self, out: &mut dyn Write) -> io::Result<()> {
        if self.settings.is_empty() {
            return writeln!(out, "\nprogram, configuration and settings are the same");
        }
        writeln!(out, "\nsettings that differ")?;
        for setting in &self.settings {
            let is_hash = setting.name.ends_with("_hash");
            let [before, after] = [&setting.before, &setting.after].map(|value| value_text(value, is_hash));
            writeln!(out, "  {}: {before} -> {after}", setting.name)?;
        }
        Ok(())
    }

    fn write_contradictions(&self, out: &mut dyn Write) -> io::Result<()> {
        let count = self.contradictions as u64;
        if count == 0 {
            return Ok(());
        }
        writeln!(
            out,
            "\nfault of everypath: {} covered in one run and infeasible in the other, of the same program and configuration",
            counted(count, "direction")
        )?;
        writeln!(out, "please report this: one of the two verdicts is wrong")
    }

    fn write_changes(&self, change: VerdictChange, out: &mut dyn Write) -> io::Result<()> {
        let changes: Vec<&DirectionChange> = self.with_change(change).collect();
        let Some((_, heading)) = HEADINGS.iter().find(|(of, _)| *of == change) else { return Ok(()) };
        if changes.is_empty() {
            return Ok(());
        }
        let tally = match change {
            VerdictChange::New | VerdictChange::Removed => {
                let judged =
                    changes.iter().filter_map(|change| change.after.as_ref().or(change.before.as_ref()));
                format!(" ({})", tally_text(&VerdictTally::of(judged.map(|judged| &judged.verdict))))
            }
            _ => String::new(),
        };
        writeln!(out, "\n{heading}: {}{tally}", counted(changes.len() as u64, "direction"))?;
        if changes.len() > SHOWN {
            return write_by_function(&changes, out);
        }
        for change in changes {
            let source = change.branch.source.as_ref().map(|source| format!("  {source}"));
            let direction = direction_text(&change.branch, &change.target);
            writeln!(out, "  {direction}{}", source.unwrap_or_default())?;
            match (&change.before, &change.after) {
                (Some(before), Some(after)) => {
                    writeln!(out, "      was {}", verdict_text(before))?;
                    writeln!(out, "      now {}", verdict_text(after))?;
                }
                (Some(judged), None) | (None, Some(judged)) => {
                    writeln!(out, "      {}", verdict_text(judged))?;
                }
                (None, None) => {}
            }
        }
        Ok(())
    }

    fn write_changed_functions(&self, out: &mut dyn Write) -> io::Result<()> {
        let mut functions: Vec<&FunctionChange> = self.changed_functions.iter().collect();
        if functions.is_empty() {
            return Ok(());
        }
        functions.sort_by_key(|function| !function.is_worse());
        writeln!(out, "\nchanged: {}", counted(functions.len() as u64, "function"))?;
        for function in functions.iter().take(SHOWN) {
            let worse = if function.is_worse() { "  more are open" } else { "" };
            writeln!(out, "  {}{worse}", function.name)?;
            writeln!(out, "      was {}", tally_text(&function.before))?;
            writeln!(out, "      now {}", tally_text(&function.after))?;
        }
        write_rest(functions.len(), SHOWN, IN_JSON, out)
    }

    fn write_matching(&self, out: &mut dyn Write) -> io::Result<()> {
        let [functions, addresses] = [self.matching.by_function, self.matching.by_address]
            .map(|count| counted(count as u64, "direction"));
        if self.matching.same_program {
            return writeln!(out, "\nmatched by address, because the program is the same: {addresses}");
        }
        writeln!(out, "\nmatched by function and offset: {functions}; by address: {addresses}")?;
        writeln!(
            out,
            "  Offsets shift when code changes. A function whose branches or targets are at other offsets is listed as"
        )?;
        writeln!(out, "  changed, without its directions; a change that moves none of them is not noticed.")
    }

    fn write_judgement(&self, out: &mut dyn Write) -> io::Result<()> {
        if !self.is_worse {
            let matched = counted((self.matching.by_function + self.matching.by_address) as u64, "direction");
            let of_functions = self.changed_functions.iter();
            let of_functions: usize = of_functions.map(|one| one.before.total().max(one.after.total())).sum();
            let only_one =
                [VerdictChange::New, VerdictChange::Removed].map(|one| self.with_change(one).count());
            return match of_functions + only_one[0] + only_one[1] {
                0 => writeln!(out, "\nnot worse: no coverage was lost, and no finding appeared"),
                others => {
                    let others = with_separators(others as u64);
                    writeln!(
                        out,
                        "\nnot worse among the {matched} that were matched; {others} could not be matched"
                    )
                }
            };
        }
        writeln!(out, "\nworse: {}", self.regressions().join(", "))
    }
}

fn write_table(before: &RunTally, after: &RunTally, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "{:19}{:>10}{:>10}", "", "before", "after")?;
    let (old, new) = (&before.directions, &after.directions);
    let rows = [
        ("branch directions", old.total(), new.total()),
        ("covered", old.covered, new.covered),
        ("infeasible", old.infeasible, new.infeasible),
        ("open", old.undecided(), new.undecided()),
        ("  justified", before.justified, after.justified),
        ("findings", before.findings, after.findings),
        ("assumptions", before.assumptions, after.assumptions),
        ("tests", before.tests, after.tests),
    ];
    // Most runs have no justifications.
    let is_shown = |(name, old, new): &(&str, usize, usize)| *name != "  justified" || old + new > 0;
    for (name, old, new) in rows.into_iter().filter(is_shown) {
        let change = match new.abs_diff(old) as u64 {
            0 => String::new(),
            change if new > old => format!("  +{}", with_separators(change)),
            change => format!("  -{}", with_separators(change)),
        };
        let [old, new] = [old, new].map(|count| with_separators(count as u64));
        writeln!(out, "{name:19}{old:>10}{new:>10}{change}")?;
    }
    let rows = [
        ("exact coverage", before.directions_exact, after.directions_exact),
        ("every path explored", before.complete, after.complete),
    ];
    for (name, old, new) in rows {
        let [old, new] = [old, new].map(|is| if is { "yes" } else { "no" });
        writeln!(out, "{name:19}{old:>10}{new:>10}")?;
    }
    Ok(())
}

/// Writes findings or assumptions.
fn write_entries(
    heading: &str,
    what: &str,
    entries: &[(&CodeLocation, String)],
    out: &mut dyn Write,
) -> io::Result<()> {
    if entries.is_empty() {
        return Ok(());
    }
    writeln!(out, "\n{heading}: {}", counted(entries.len() as u64, what))?;
    for (location, text) in entries.iter().take(SHOWN) {
        match location.function {
            Some(_) => writeln!(out, "  {location} ({})", location.address)?,
            None => writeln!(out, "  {location}")?,
        }
        writeln!(out, "      {text}")?;
    }
    write_rest(entries.len(), SHOWN, IN_JSON, out)
}

fn write_by_function(changes: &[&DirectionChange], out: &mut dyn Write) -> io::Result<()> {
    let mut functions: BTreeMap<&str, u64> = BTreeMap::new();
    for change in changes {
        let function = change.branch.function.as_ref().map_or("no function", |function| &function.name);
        *functions.entry(function).or_default() += 1;
    }
    let mut functions: Vec<(&str, u64)> = functions.into_iter().collect();
    functions.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    for (function, count) in functions.iter().take(SHOWN) {
        writeln!(out, "  {function}: {}", counted(*count, "direction"))?;
    }
    write_rest(functions.len(), SHOWN, IN_JSON, out)
}

fn finding_text(finding: &everypath_record::Finding) -> String {
    format!("{} (test {}, oracle {})", finding.message, finding.test, finding.oracle)
}

fn verdict_text(judged: &Judged) -> String {
    match &judged.verdict {
        verdict @ Verdict::Covered { .. } => {
            format!("covered by {}", verdict.taken_by().unwrap_or_default())
        }
        Verdict::Infeasible { evidence, .. } => format!("infeasible: {evidence}"),
        Verdict::Open { reason } => format!("open: {reason}"),
        Verdict::Unsupported { reason } => format!("unsupported: {reason}"),
    }
}

/// A tally as in the first line of a summary, in which unsupported directions are open.
fn tally_text(tally: &VerdictTally) -> String {
    let [covered, infeasible, open] =
        [tally.covered, tally.infeasible, tally.undecided()].map(|count| with_separators(count as u64));
    format!("{covered} covered, {infeasible} infeasible, {open} open")
}

/// The value of a setting.
fn value_text(value: &Value, is_hash: bool) -> String {
    match value {
        Value::Null => "none".to_owned(),
        Value::String(text) if text.is_empty() => "none".to_owned(),
        Value::String(text) if is_hash => text.chars().take(HASH_DIGITS).collect(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}
