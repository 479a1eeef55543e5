//! The table of contents of a run: its tests, its findings, and its open directions by function, with the commands that explain
//! them.

use std::io::{self, Write};

use everypath_record::{Direction, TestCase, Verdict};

use super::{Narrator, SHOWN};
use crate::number::{counted, write_rest};

impl Narrator<'_> {
    /// Writes one line for each test, finding and function with open directions.
    pub(super) fn write_contents(&self, out: &mut dyn Write) -> io::Result<()> {
        let (tests, findings) = (&self.data.suite.tests, &self.summary().findings);
        let open = self.open_directions();
        writeln!(
            out,
            "{}, {}, {}",
            counted(tests.len() as u64, "test"),
            counted(findings.len() as u64, "finding"),
            counted(open.len() as u64, "open direction")
        )?;
        self.write_tests(tests, out)?;
        if !findings.is_empty() {
            writeln!(out, "\nfindings")?;
        }
        for (index, finding) in findings.iter().enumerate().take(SHOWN) {
            let message = self.locations.named(&finding.message);
            writeln!(out, "  finding:{}  {}  {message}", index + 1, self.locations.at(finding.address))?;
        }
        write_rest(findings.len(), SHOWN, " in the summary", out)?;
        if !findings.is_empty() {
            writeln!(out, "explain one: {}", self.command("finding:1"))?;
        }
        self.write_open(&open, out)
    }

    fn open_directions(&self) -> Vec<Direction> {
        let is_open =
            |verdict: &Verdict| matches!(verdict, Verdict::Open { .. } | Verdict::Unsupported { .. });
        let open = self.summary().directions.iter().filter(|judged| is_open(&judged.verdict));
        open.map(|judged| judged.direction).collect()
    }

    fn write_tests(&self, tests: &[TestCase], out: &mut dyn Write) -> io::Result<()> {
        let Some(first) = tests.first() else { return Ok(()) };
        writeln!(out, "\ntests")?;
        for test in tests.iter().take(SHOWN) {
            let instructions = counted(test.instructions, "instruction");
            let adds = counted(test.new_directions.len() as u64, "direction");
            let end = self.locations.named(&test.end);
            writeln!(out, "  {}  {instructions}, adds {adds}; {end}", test.name)?;
        }
        write_rest(tests.len(), SHOWN, " in the summary", out)?;
        writeln!(out, "explain one: {}", self.command(&first.name))
    }

    fn write_open(&self, open: &[Direction], out: &mut dyn Write) -> io::Result<()> {
        let functions = self.locations.by_function(open);
        let Some((_, directions)) = functions.first() else { return Ok(()) };
        writeln!(out, "\nopen directions by function")?;
        for (function, directions) in functions.iter().take(SHOWN) {
            let count = counted(directions.len() as u64, "direction");
            writeln!(out, "  {function}: {count}{}", self.locations.lines(directions))?;
        }
        write_rest(functions.len(), SHOWN, " in the summary", out)?;
        let location = self.locations.location(directions[0].branch);
        let place = location
            .function
            .as_ref()
            .map_or_else(|| location.address.to_string(), |function| function.name.clone());
        writeln!(out, "explain those of one: {}", self.command(&place))
    }
}
