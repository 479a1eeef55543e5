//! `everypath qualify`: carries out the qualification kit with this very command, and writes its report.

use crate::failure::Failure;
use everypath_qualify::{CaseOutcome, Kit, KitError, Qualification, Workplace};
use everypath_record::ExitCode;
use std::fs;
use std::io::Write;
use std::path::Path;

/// The arguments of the command.
pub(crate) struct QualifyArgs<'q> {
    pub(crate) output: &'q Path,
    pub(crate) architectures: &'q [String],
    pub(crate) date: &'q str,
}

/// Runs the kit, and writes its results as Markdown and as JSON.
pub(crate) fn run(question: &QualifyArgs<'_>, json: bool, out: &mut dyn Write) -> Result<ExitCode, Failure> {
    let mut kit = Kit::built_in().map_err(|error| failure(&error))?;
    if !question.architectures.is_empty() {
        kit = kit.only(question.architectures).map_err(|error| failure(&error))?;
    }
    let command = std::env::current_exe()
        .map_err(|error| Failure::Input(format!("the file of this command cannot be found: {error}")))?;
    let workplace = Workplace::new(&command, question.output).map_err(|error| failure(&error))?;
    let qualification = kit.run(&workplace, question.date);
    let document = qualification.to_json()?;
    let files = [("qualification.md", qualification.to_markdown()), ("qualification.json", document.clone())];
    for (name, contents) in files {
        let path = workplace.folder().join(name);
        fs::write(&path, contents)
            .map_err(|error| Failure::Input(format!("{}: cannot be written: {error}", path.display())))?;
    }
    if json {
        write!(out, "{document}")?;
    } else {
        print(&qualification, question.output, out)?;
    }
    Ok(qualification.exit_code())
}

fn print(qualification: &Qualification, folder: &Path, out: &mut dyn Write) -> Result<(), Failure> {
    for requirement in &qualification.requirements {
        let outcome = qualification.outcome_of(&requirement.identifier).name();
        writeln!(out, "{:<6} {outcome:<8} {}", requirement.identifier, requirement.title)?;
    }
    for case in &qualification.cases {
        for check in &case.checks {
            for fault in &check.faults {
                writeln!(out, "{}, {}: {fault}", case.case, check.subject)?;
            }
        }
    }
    let (checks, failed) = qualification.counts();
    writeln!(
        out,
        "{checks} checks, {failed} failed; the report is {}",
        folder.join("qualification.md").display()
    )?;
    if !qualification.without_programs.is_empty() {
        let names = qualification.without_programs.join(", ");
        writeln!(out, "only instruction vectors, no programs, for: {names}")?;
    }
    if qualification.outcome() == CaseOutcome::NotRun {
        writeln!(out, "some cases were not run: the kit has no program for the chosen architectures")?;
    }
    Ok(())
}

fn failure(error: &KitError) -> Failure {
    match error {
        KitError::Data { .. } => Failure::Bug(error.to_string()),
        KitError::Architecture { .. } | KitError::File { .. } => Failure::Input(error.to_string()),
    }
}
