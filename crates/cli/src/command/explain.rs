//! `everypath explain`: the story of a test, a branch direction or a finding.

use crate::arguments::{File, Setting};
use crate::failure::Failure;
use crate::results::Results;
use crate::subject;
use everypath_lift::Library;
use everypath_report::{Explained, Explanation};
use std::io::Write;
use std::path::Path;

/// The arguments of the command.
pub(crate) struct ExplainArgs<'q> {
    pub(crate) file: &'q File,
    pub(crate) tests: &'q Path,
    pub(crate) setting: &'q Setting,
    pub(crate) what: &'q str,
    pub(crate) sources: Option<&'q Path>,
}

/// Prints the story.
pub(crate) fn run(question: &ExplainArgs<'_>, library: &Library, out: &mut dyn Write) -> Result<(), Failure> {
    let ExplainArgs { file, tests, setting, what, sources } = question;
    let results = Results::read((file, setting), tests, *sources, library)?;
    let data = results.data();
    let explained = Explained::find(what, &data).map_err(|error| Failure::Input(error.to_string()))?;
    let flags = subject::flags(file, setting);
    let (file, folder) = (file.path.display().to_string(), tests.display().to_string());
    Explanation { data, file: &file, flags: &flags, folder: &folder, explained: &explained }.write(out)?;
    Ok(())
}
