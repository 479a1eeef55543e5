//! `everypath cover`: judges branch directions by what was executed elsewhere.

use crate::arguments::{File, Setting};
use crate::failure::Failure;
use crate::{input, subject};
use everypath::{ExitCode, Library, OutputFolder};
use std::io::Write;
use std::path::{Path, PathBuf};

/// The arguments of the command.
pub(crate) struct CoverArgs<'q> {
    pub(crate) file: &'q File,
    pub(crate) setting: &'q Setting,
    pub(crate) traces: &'q [PathBuf],
    pub(crate) output: Option<&'q Path>,
}

pub(crate) fn run(
    question: &CoverArgs<'_>,
    library: &Library,
    json: bool,
    out: &mut dyn Write,
) -> Result<ExitCode, Failure> {
    let CoverArgs { file, setting, traces, output } = question;
    let binary = subject::load(file, setting, library)?;
    let traces = subject::read_traces(&binary, traces)?;
    let folder = output.map_or_else(|| subject::folder_beside(file, "coverage"), Path::to_owned);
    let mut folder = OutputFolder::open(&folder).map_err(|error| Failure::Input(error.to_string()))?;
    let outcome = binary.cover(&traces).map_err(|error| input::failure(&error))?;
    super::test::finish(&outcome, file, &mut folder, json, out)
}
