//! The story of a finding: the violation, its place in the code, and the test that shows it.

use std::io::{self, Write};

use super::{Narrator, SHOWN};

impl Narrator<'_> {
    /// Writes the story of a finding.
    pub(super) fn write_finding(&self, index: usize, out: &mut dyn Write) -> io::Result<()> {
        let finding = &self.summary().findings[index];
        writeln!(out, "finding {}: {}", index + 1, self.locations.named(&finding.message))?;
        writeln!(out, "  {}", self.locations.at(finding.address))?;
        writeln!(out, "  reported by oracle {}, shown by test {}", finding.oracle, finding.test)?;
        self.write_code(finding.address, &[], out)?;
        let Some(test) = self.test(&finding.test) else { return Ok(()) };
        self.write_input(test, out)?;
        self.write_timeline(test, SHOWN, out)?;
        self.write_replay(test, out)?;
        writeln!(out, "more: {}", self.command(&test.name))
    }
}
