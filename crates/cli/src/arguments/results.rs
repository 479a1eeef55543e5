//! The arguments of commands that read the results of a run.

use super::program::{File, Setting};
use super::values::{ExportFormat, export_format, report_format};
use clap::Args;
use std::path::PathBuf;

/// A program, the results of a run of it, and the setup that the run had.
#[derive(Debug, Args)]
pub(crate) struct RunResults {
    #[command(flatten)]
    pub(crate) file: File,
    /// The folder that `everypath test`, `cover` or `merge` wrote; for `replay`, or one test of it
    #[arg(value_name = "TESTS")]
    pub(crate) tests: PathBuf,
    #[command(flatten)]
    pub(crate) setting: Setting,
}

/// The arguments of `everypath replay`.
#[derive(Debug, Args)]
pub(crate) struct ReplayOptions {
    #[command(flatten)]
    pub(crate) results: RunResults,
    /// Run tests of another program or configuration, too, and print how each run differs from its record
    #[arg(long)]
    pub(crate) anyway: bool,
}

/// The arguments of `everypath export`.
#[derive(Debug, Args)]
pub(crate) struct ExportOptions {
    #[command(flatten)]
    pub(crate) results: RunResults,
    /// The tool: gdb, ucsim, python or c [default: the first that fits the architecture]
    #[arg(long, value_name = "NAME", value_parser = export_format)]
    pub(crate) tool: Option<ExportFormat>,
    /// The folder for the files [default: one with the name of the format, in that of the tests]
    #[arg(long, short, value_name = "DIR")]
    pub(crate) output: Option<PathBuf>,
}

/// The arguments of `everypath report`.
#[derive(Debug, Args)]
pub(crate) struct ReportOptions {
    #[command(flatten)]
    pub(crate) results: RunResults,
    /// The kind of report: html, cobertura, csv, dossier, drcov, ghidra, json, junit, lcov or sarif
    #[arg(long = "as", value_name = "KIND", default_value = "html", value_parser = report_format)]
    pub(crate) kind: &'static everypath_report::ReportFormat,
    /// The folder to write to [default: `report` in the folder of the tests]
    #[arg(long, short, value_name = "DIR")]
    pub(crate) output: Option<PathBuf>,
    /// A folder to look up source files in, in place of that of the program
    #[arg(long, value_name = "DIR")]
    pub(crate) sources: Option<PathBuf>,
}

/// The arguments of `everypath explain`.
#[derive(Debug, Args)]
pub(crate) struct ExplainOptions {
    #[command(flatten)]
    pub(crate) results: RunResults,
    /// A test, a finding, or the place of a branch: address, function, function+offset, or file:line [default: list all tests,
    /// findings and open directions]
    #[arg(value_name = "WHAT")]
    pub(crate) what: Option<String>,
    /// A folder to look up source files in, in place of that of the program
    #[arg(long, value_name = "DIR")]
    pub(crate) sources: Option<PathBuf>,
}
