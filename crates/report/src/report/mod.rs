//! Reports. Each format is one file and one line in [`REPORTS`].

mod csv;

use std::io::{self, Write};

use everypath_record::{CodeListing, ExecutedCode, Suite};

/// The results that a report is made of.
#[derive(Clone, Copy, Debug)]
pub struct ReportData<'r> {
    /// The suite.
    pub suite: &'r Suite,
    /// The code of the program.
    pub listing: &'r CodeListing,
    /// The code that each test executes, in the order of the tests.
    pub executed: &'r [ExecutedCode],
}

/// A kind of report.
#[derive(Clone, Copy, Debug)]
pub struct ReportFormat {
    /// Its name, by which the command line refers to it.
    pub name: &'static str,
    /// The name of its file.
    pub file: &'static str,
    /// A one-line description.
    pub what: &'static str,
    /// Writes a report.
    pub write: fn(&ReportData<'_>, &mut dyn Write) -> io::Result<()>,
}

/// Every format.
pub static REPORTS: &[ReportFormat] = &[ReportFormat {
    name: "csv",
    file: "directions.csv",
    what: "branch directions with their verdicts, for spreadsheets",
    write: csv::write,
}];

impl ReportFormat {
    /// The format with this name.
    pub fn by_name(name: &str) -> Option<&'static ReportFormat> {
        REPORTS.iter().find(|format| format.name == name)
    }
}
