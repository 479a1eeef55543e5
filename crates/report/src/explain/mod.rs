//! Explanations as text for a terminal: the story of a test, of branch directions, or of a finding, or what there is to explain.

mod contents;
mod direction_story;
mod disassembly;
mod document;
mod finding_story;
mod justification_story;
mod near_names;
mod place_name;
mod subject;
mod test_story;
mod timeline;

use std::io::{self, Write};

use everypath_record::{ExecutedCode, SourcePosition, Summary, TestCase};

use crate::locations::Locations;
use crate::report::ReportData;
use crate::shell::shell_quoted;
pub use document::{
    ExecutedFunction, ExplainedDirection, ExplainedFinding, ExplainedTest, ExplanationDocument, LocatedRead,
};
pub use subject::{Explained, UnknownSubject};

/// Maximum number of entries of each list.
const SHOWN: usize = 20;

/// An explanation, as a terminal shows it.
///
/// The executed code may be that of some tests only; it is looked up by the tests' names.
pub struct Explanation<'e> {
    /// The results.
    pub data: ReportData<'e>,
    /// The program's file.
    pub file: &'e str,
    /// The folder that the tests are in.
    pub folder: &'e str,
    /// The subject: a test, branch directions, a finding, or all of them.
    pub explained: &'e Explained,
}

impl Explanation<'_> {
    /// Writes the text.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let out = &mut crate::printable::PrintableWriter(out);
        let known = disassembly::known_locations(&self.data);
        let sources = &self.data.listing.sources;
        let source = |position: &SourcePosition| {
            let file = sources.iter().find(|source| source.path == position.file)?;
            file.lines.get((position.line as usize).checked_sub(1)?).cloned()
        };
        let locations = Locations { known: &known, source: &source };
        let folder = shell_quoted(self.folder.trim_end_matches('/'));
        let flags = self.data.flags_text();
        let narrator = Narrator { data: self.data, file: shell_quoted(self.file), flags, folder, locations };
        match self.explained {
            Explained::Test(index) => narrator.write_test(&self.data.suite.tests[*index], out),
            Explained::Directions(indices) => narrator.write_directions(indices, out),
            Explained::Finding(index) => narrator.write_finding(*index, out),
            Explained::Contents => narrator.write_contents(out),
        }
    }
}

/// The data shared by the explanations of tests, directions and findings: results, locations, and parts of commands.
struct Narrator<'n> {
    data: ReportData<'n>,
    /// The program's file, and the flags behind it, for commands.
    file: String,
    flags: String,
    folder: String,
    locations: Locations<'n>,
}

impl<'n> Narrator<'n> {
    fn summary(&self) -> &'n Summary {
        &self.data.suite.summary
    }

    fn test(&self, name: &str) -> Option<&'n TestCase> {
        self.data.suite.tests.iter().find(|test| test.name == name)
    }

    fn executed(&self, test: &str) -> Option<&'n ExecutedCode> {
        self.data.executed.iter().find(|code| code.test == test)
    }

    /// A command on the program and its tests that explains something else.
    fn command(&self, what: &str) -> String {
        format!("everypath explain {} {} {}{}", self.file, self.folder, shell_quoted(what), self.flags)
    }
}
