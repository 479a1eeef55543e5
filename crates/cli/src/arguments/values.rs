//! Readers of the values of arguments.

use crate::number;
use everypath_image::{ImageFormat, format};

/// Reads the values of a volatile cell.
pub(super) fn cell_values(text: &str) -> Result<(String, Vec<u64>), String> {
    let (name, values) = text.split_once('=').ok_or("a cell's name, `=`, and values are wanted")?;
    let values = values.split(',').filter(|value| !value.is_empty()).map(number::parse);
    Ok((name.to_owned(), values.collect::<Result<_, _>>()?))
}

pub(super) fn stream_size(text: &str) -> Result<everypath_environment::StreamSize, String> {
    everypath_environment::StreamSize::parse(text)
}

pub(super) fn criterion(name: &str) -> Result<everypath_explore::Criterion, String> {
    use everypath_explore::Criterion;
    match name {
        "instruction" => Ok(Criterion::Instruction),
        "branch" => Ok(Criterion::Branch),
        "call" => Ok(Criterion::Call),
        "path" => Ok(Criterion::Path),
        _ => Err("there are: instruction, branch, call, path".to_owned()),
    }
}

pub(super) fn strategy(text: &str) -> Result<String, String> {
    let names: Vec<&str> = everypath_explore::STRATEGIES.iter().map(|strategy| strategy.name).collect();
    if names.contains(&text) {
        return Ok(text.to_owned());
    }
    Err(format!("unknown strategy `{text}`; available: {}", names.join(", ")))
}

pub(super) fn oracle(text: &str) -> Result<String, String> {
    let names = everypath_explore::Plan::default().oracles;
    if names.iter().any(|name| name == text) {
        return Ok(text.to_owned());
    }
    Err(format!("unknown oracle `{text}`; available: {}", names.join(", ")))
}

/// The form in which tests are exported.
#[derive(Clone, Copy, Debug)]
pub(crate) enum ExportFormat {
    /// A script for each test.
    Script(&'static everypath_report::ScriptFormat),
    /// A program that runs all tests.
    Harness(&'static everypath_report::HarnessFormat),
}

impl ExportFormat {
    /// The format with this name.
    pub(crate) fn by_name(name: &str) -> Option<ExportFormat> {
        let script = everypath_report::ScriptFormat::by_name(name).map(ExportFormat::Script);
        script.or_else(|| everypath_report::HarnessFormat::by_name(name).map(ExportFormat::Harness))
    }

    /// Its name.
    pub(crate) fn name(self) -> &'static str {
        match self {
            ExportFormat::Script(format) => format.name,
            ExportFormat::Harness(format) => format.name,
        }
    }
}

pub(super) fn export_format(text: &str) -> Result<ExportFormat, String> {
    let scripts = everypath_report::SCRIPTS.iter().map(|format| format.name);
    let names: Vec<&str> =
        scripts.chain(everypath_report::HARNESSES.iter().map(|format| format.name)).collect();
    ExportFormat::by_name(text).ok_or_else(|| format!("there are: {}", names.join(", ")))
}

pub(super) fn report_format(text: &str) -> Result<&'static everypath_report::ReportFormat, String> {
    let names: Vec<&str> = everypath_report::REPORTS.iter().map(|format| format.name).collect();
    everypath_report::ReportFormat::by_name(text).ok_or_else(|| format!("there are: {}", names.join(", ")))
}

pub(super) fn second_solver(name: &str) -> Result<everypath_solve::SolverProgram, String> {
    use everypath_solve::SolverProgram;
    let known = [SolverProgram::z3(), SolverProgram::cvc5(), SolverProgram::bitwuzla()];
    let named = known.into_iter().find(|program| program.name == name);
    let program = named.ok_or("there are: z3, cvc5, bitwuzla")?;
    match program.version() {
        Some(_) => Ok(program),
        None => Err(format!("`{name} --version` cannot be run: is it installed?")),
    }
}

pub(super) fn file_format(name: &str) -> Result<&'static ImageFormat, String> {
    ImageFormat::by_name(name).ok_or_else(|| {
        let names: Vec<&str> = format::ALL.iter().map(|format| format.name).collect();
        format!("there are: {}", names.join(", "))
    })
}
