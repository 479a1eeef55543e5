//! The summary of a run as text for a terminal: verdicts by location, open directions by cause, and what to do next.

mod justified;
mod outcome;
mod targets;

use std::collections::BTreeMap;
use std::io::{self, Write};

use everypath_record::{Address, Direction, SourcePosition, Summary, Verdict};

use crate::cause::Cause;
use crate::locations::Locations;
use crate::number::{counted, with_separators, write_rest};

/// Maximum number of entries of each list; the summary has them all.
const SHOWN: usize = 20;

/// Where entries are that are not shown.
const IN_SUMMARY: &str = " in the summary";

/// Maximum number of unresolved indirect exits of one kind and reason that are shown.
const PLACES: usize = 6;

/// Maximum number of causes that are shown.
const CAUSES: usize = 8;

/// Maximum number of directions of one cause that are shown one by one; more are shown by function.
const SHOWN_SINGLY: usize = 8;

/// A summary, as a terminal shows it.
pub struct TerminalSummary<'s> {
    /// The summary.
    pub summary: &'s Summary,
    /// The folder that the tests are in.
    pub folder: &'s str,
    /// Returns the text of a source line, if the source is at hand.
    pub source: &'s dyn Fn(&SourcePosition) -> Option<String>,
}

impl TerminalSummary<'_> {
    /// Writes the text.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let out = &mut crate::printable::PrintableWriter(out);
        if !self.summary.targets.is_empty() {
            return targets::write(self.summary, &self.locations(), self.folder, out);
        }
        outcome::write_tally(self.summary, out)?;
        outcome::write_unreached(self.summary, out)?;
        self.write_findings(out)?;
        self.write_infeasible(out)?;
        let causes = Cause::unjustified(self.summary);
        causes.iter().take(CAUSES).try_for_each(|cause| self.write_cause(cause, out))?;
        let hidden = causes.len().saturating_sub(CAUSES);
        if hidden > 0 {
            writeln!(out, "\n... and {} in the summary", counted(hidden as u64, "other cause"))?;
        }
        justified::write(self.summary, &self.locations(), out)?;
        self.write_unresolved(out)?;
        outcome::write_environment(self.summary, out)?;
        outcome::write_end(self.summary, self.folder, |message| self.locations().named(message), out)
    }

    fn locations(&self) -> Locations<'_> {
        Locations { known: &self.summary.locations, source: self.source }
    }

    fn write_findings(&self, out: &mut dyn Write) -> io::Result<()> {
        if self.summary.findings.is_empty() {
            return Ok(());
        }
        writeln!(out, "\n{}", counted(self.summary.findings.len() as u64, "finding"))?;
        for finding in &self.summary.findings {
            writeln!(out, "  {}", self.locations().at(finding.address))?;
            let message = self.locations().named(&finding.message);
            writeln!(out, "      {message} (test {}, oracle {})", finding.test, finding.oracle)?;
        }
        Ok(())
    }

    fn write_infeasible(&self, out: &mut dyn Write) -> io::Result<()> {
        let infeasible = self.summary.directions.iter().filter_map(|judged| match &judged.verdict {
            Verdict::Infeasible { evidence, certificates } => {
                Some((judged.direction, evidence, certificates.len()))
            }
            _ => None,
        });
        let infeasible: Vec<(Direction, &String, usize)> = infeasible.collect();
        if infeasible.is_empty() {
            return Ok(());
        }
        writeln!(out, "\ninfeasible: {}", counted(infeasible.len() as u64, "direction"))?;
        for (direction, evidence, certificates) in infeasible.iter().take(SHOWN) {
            writeln!(out, "  {}", self.locations().direction(*direction))?;
            let certified = match certificates {
                0 => String::new(),
                count => format!(" ({})", counted(*count as u64, "certificate")),
            };
            writeln!(out, "      {}{certified}", self.locations().named(evidence))?;
        }
        write_rest(infeasible.len(), SHOWN, IN_SUMMARY, out)
    }

    fn write_cause(&self, cause: &Cause, out: &mut dyn Write) -> io::Result<()> {
        let count = counted(cause.directions.len() as u64, "direction");
        let verdict = if cause.unsupported { "unsupported" } else { "open" };
        writeln!(out, "\n{verdict}: {count}: {}", self.locations().named(&cause.reason))?;
        if cause.directions.len() <= SHOWN_SINGLY {
            for direction in &cause.directions {
                writeln!(out, "  {}", self.locations().direction(*direction))?;
            }
        } else {
            let functions = self.locations().by_function(&cause.directions);
            for (function, directions) in functions.iter().take(SHOWN) {
                let lines = self.locations().lines(directions);
                writeln!(out, "  {function}: {}{lines}", with_separators(directions.len() as u64))?;
            }
            write_rest(functions.len(), SHOWN, IN_SUMMARY, out)?;
        }
        cause.advice.map_or(Ok(()), |advice| writeln!(out, "  next: {advice}"))
    }

    fn write_unresolved(&self, out: &mut dyn Write) -> io::Result<()> {
        let mut groups: BTreeMap<(&str, &str), Vec<Address>> = BTreeMap::new();
        for exit in self.summary.indirect_exits.iter().filter(|exit| !exit.resolved) {
            groups.entry((&exit.kind, &exit.reason)).or_default().push(exit.branch);
        }
        for ((kind, reason), branches) in groups {
            let count = counted(branches.len() as u64, &format!("indirect {kind}"));
            writeln!(out, "\nunresolved: {count}: {reason}")?;
            let places =
                branches.iter().take(PLACES).map(|branch| self.summary.location(*branch).to_string());
            let mut places: Vec<String> = places.collect();
            let rest = branches.len().saturating_sub(PLACES) as u64;
            places.extend((rest > 0).then(|| format!("and {} more", with_separators(rest))));
            writeln!(out, "  {}", places.join(", "))?;
        }
        Ok(())
    }
}
