//! `everypath cover`: judges branch directions by what was executed elsewhere.

use crate::arguments::{CoverOptions, GlobalOptions};
use crate::failure::Failure;
use crate::{input, subject};
use everypath::{ExitCode, OutputFolder};
use std::io::Write;

pub(super) fn run(
    options: &CoverOptions,
    global: &GlobalOptions,
    out: &mut dyn Write,
) -> Result<ExitCode, Failure> {
    let CoverOptions { file, setting, trace, output } = options;
    let binary = subject::load(file, setting, global)?;
    let traces = subject::read_traces(&binary, trace)?;
    let folder = output.clone().unwrap_or_else(|| subject::folder_beside(file, "coverage"));
    let mut folder = OutputFolder::open(&folder).map_err(|error| Failure::Input(error.to_string()))?;
    let outcome = binary.cover(&traces).map_err(|error| subject::failure(file, setting, &error))?;
    outcome.write_to(&mut folder).map_err(|error| input::failure(&error))?;
    super::test::print_summary("everypath.cover", outcome.summary(), (folder.path(), &file.path), global, out)
}
