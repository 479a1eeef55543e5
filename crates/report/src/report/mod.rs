//! Reports. Each format is one file and one line in [`REPORTS`]; the other files are what several formats need.

mod assembly_listing;
mod cobertura;
mod csv;
mod dossier;
mod drcov;
mod execution_counts;
mod ghidra;
mod html;
mod json;
mod junit;
mod lcov;
mod line_coverage;
mod sarif;
mod sarif_location;
mod unexecuted;
mod xml;

use everypath_record::{CodeListing, ExecutedCode, OutputFile, Suite};

/// The results that a report is made of.
#[derive(Clone, Copy, Debug)]
pub struct ReportData<'r> {
    /// The suite.
    pub suite: &'r Suite,
    /// The code of the program.
    pub listing: &'r CodeListing,
    /// The code that each test executes, in the order of the tests.
    pub executed: &'r [ExecutedCode],
    /// The folder of the results, as commands name it.
    pub folder: &'r str,
    /// The flags that commands need besides the program's file, each as a shell reads it: `--configuration board.toml`.
    pub flags: &'r [String],
}

impl ReportData<'_> {
    /// The flags as they follow a command, with a space before each.
    pub(crate) fn flags_text(&self) -> String {
        self.flags.iter().map(|flag| format!(" {flag}")).collect()
    }
}

/// A kind of report.
#[derive(Clone, Copy, Debug)]
pub struct ReportFormat {
    /// Its name, by which the command line refers to it.
    pub name: &'static str,
    /// The name of its file, or of the main one if it has several.
    pub file: &'static str,
    /// A one-line description.
    pub what: &'static str,
    /// The files of a report, the main one first. They belong into one folder: their names relate to it.
    pub files: fn(&ReportData<'_>) -> Vec<OutputFile>,
}

/// Every format.
pub static REPORTS: &[ReportFormat] = &[
    ReportFormat {
        name: "cobertura",
        file: "coverage.xml",
        what: "line and branch coverage (Cobertura), for build servers",
        files: cobertura::files,
    },
    ReportFormat {
        name: "csv",
        file: "directions.csv",
        what: "branch directions with their verdicts, for spreadsheets",
        files: csv::files,
    },
    ReportFormat {
        name: "dossier",
        file: "dossier.md",
        what: "each verdict with its ground, assumptions and places to sign, for certification; with a file for PDF",
        files: dossier::files,
    },
    ReportFormat {
        name: "drcov",
        file: "coverage.drcov",
        what: "executed basic blocks (DynamoRIO), for disassemblers; with a file for each test",
        files: drcov::files,
    },
    ReportFormat {
        name: "ghidra",
        file: "verdicts.py",
        what: "a script for Ghidra that colours and comments branches by their verdicts",
        files: ghidra::files,
    },
    ReportFormat {
        name: "html",
        file: "report.html",
        what: "all results in one page, for a browser",
        files: html::files,
    },
    ReportFormat {
        name: "json",
        file: "report.json",
        what: "summary and tests in one document, with a JSON schema, for your own tools",
        files: json::files,
    },
    ReportFormat {
        name: "junit",
        file: "junit.xml",
        what: "tests, failed where they show a finding (JUnit), for build servers",
        files: junit::files,
    },
    ReportFormat {
        name: "lcov",
        file: "coverage.info",
        what: "line, function and branch coverage (LCOV), for `genhtml`",
        files: lcov::files,
    },
    ReportFormat {
        name: "sarif",
        file: "report.sarif",
        what: "findings and undecided branch directions (SARIF 2.1.0), for code scanners and editors",
        files: sarif::files,
    },
];

impl ReportFormat {
    /// The format with this name.
    pub fn by_name(name: &str) -> Option<&'static ReportFormat> {
        REPORTS.iter().find(|format| format.name == name)
    }
}
