//! `everypath explain`: the story of a test, a branch direction or a finding, or the list of them.

use crate::arguments::{ExplainOptions, GlobalOptions};
use crate::failure::Failure;
use crate::results::Results;
use crate::{colour, document, subject};
use everypath_report::{Explained, Explanation};
use std::io::Write;

/// Prints the story, or its parts as a document.
pub(super) fn run(
    options: &ExplainOptions,
    global: &GlobalOptions,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    let ExplainOptions { results: own, what, sources } = options;
    let results = Results::read(own, sources.as_deref(), global)?;
    let flags = subject::flags(&own.file, &own.setting, None);
    let data = everypath_report::ReportData { flags: &flags, ..results.data() };
    let found = what.as_ref().map_or(Ok(Explained::Contents), |what| Explained::find(what, &data));
    let explained = found.map_err(|error| Failure::Input(error.to_string()))?;
    let (file, folder) = (own.file.path.display().to_string(), own.tests.display().to_string());
    let explanation = Explanation { data, file: &file, folder: &folder, explained: &explained };
    if global.json {
        return document::write(out, "everypath.explain", &explanation.document());
    }
    colour::print(global.color, out, |out| explanation.write(out))?;
    Ok(())
}
