//! The commands, one file each.

mod architectures;
mod check_certificate;
mod cover;
mod diff;
mod dump;
mod explain;
mod export;
mod functions;
mod graph;
mod graph_document;
mod image;
mod init;
mod instructions;
mod ir;
mod replay;
mod report;
mod run_once;
mod shell;
mod test;
mod values;

use crate::arguments::{Arguments, Command, GlobalOptions, Inspect};
use crate::failure::Failure;
use crate::input;
use everypath_record::ExitCode;
use std::io::Write;

/// Runs the command that the command line names.
pub(crate) fn run(arguments: &Arguments, out: &mut dyn Write) -> Result<ExitCode, Failure> {
    let shelf = &arguments.shelf;
    match &arguments.command {
        Command::Run { file, setting, seed, trace, dump } => {
            let question = run_once::RunArgs { file, setting, seed: *seed, trace: *trace, dump: *dump };
            run_once::run(&question, &input::library(shelf)?, shelf.json, out)?;
        }
        Command::Init { file, output, svd, force } => {
            let question = init::InitArgs {
                file,
                output: output.as_deref(),
                svd: svd.as_deref(),
                force: *force,
                architectures: &shelf.architectures,
            };
            return init::run(&question, &input::library(shelf)?, out);
        }
        Command::Test(options) => {
            return test::run(options, &input::library(shelf)?, shelf.json, out);
        }
        Command::Cover { file, setting, trace, output } => {
            let question = cover::CoverArgs { file, setting, traces: trace, output: output.as_deref() };
            return cover::run(&question, &input::library(shelf)?, shelf.json, out);
        }
        Command::Replay { file, tests, setting } => {
            let question = replay::ReplayArgs { file, tests, setting };
            return replay::run(&question, &input::library(shelf)?, shelf.json, out);
        }
        Command::Export { file, tests, setting, tool, output } => {
            let question =
                export::ExportArgs { file, tests, setting, format: *tool, output: output.as_deref() };
            export::run(&question, &input::library(shelf)?, out)?;
        }
        Command::Report { file, tests, setting, kind, output, sources } => {
            let question = report::ReportArgs {
                file,
                tests,
                setting,
                format: kind,
                output: output.as_deref(),
                sources: sources.as_deref(),
            };
            report::run(&question, &input::library(shelf)?, out)?;
        }
        Command::Explain { file, tests, setting, what, sources } => {
            let question = explain::ExplainArgs { file, tests, setting, what, sources: sources.as_deref() };
            explain::run(&question, &input::library(shelf)?, out)?;
        }
        Command::Diff { before, after } => return diff::run(before, after, shelf.json, out),
        Command::CheckCertificate { certificate, export } => {
            check_certificate::run(certificate, export.as_deref(), shelf.json, out)?;
        }
        Command::Graph { file, form } => {
            let form = if shelf.json { crate::arguments::GraphForm::Json } else { *form };
            graph::run(file, form, &input::library(shelf)?, out)?;
        }
        Command::Completions { shell } => shell::completions(*shell, out),
        Command::Manual { folder } => shell::manual(folder, out)?,
        Command::Architectures => architectures::run(&input::library(shelf)?, shelf.json, out)?,
        Command::CompileSleigh { source, output } => {
            everypath_lift::compile_sleigh(source, output).map_err(Failure::Input)?;
        }
        Command::Inspect(stage) => inspect(stage, shelf, out)?,
    }
    Ok(ExitCode::Good)
}

/// Prints the stage that `everypath inspect` names.
fn inspect(stage: &Inspect, shelf: &GlobalOptions, out: &mut dyn Write) -> Result<(), Failure> {
    let library = input::library(shelf)?;
    match stage {
        Inspect::Image { file, all } => image::run(file, *all, &library, shelf.json, out),
        Inspect::Instructions { file, part, p_code } => {
            let question = instructions::InstructionsArgs { file, part, p_code: *p_code };
            instructions::run(&question, &library, shelf.json, out)
        }
        Inspect::Functions { file } => functions::functions(file, &library, shelf.json, out),
        Inspect::Values { file, function, convention } => {
            let question = values::ValuesArgs { file, function: *function, convention: *convention };
            values::run(&question, &library, shelf.json, out)
        }
        Inspect::Ir { file, symbol, from, limit, plain } => {
            let question =
                ir::IrArgs { file, symbol: symbol.as_deref(), from: *from, limit: *limit, plain: *plain };
            ir::run(&question, &library, shelf.json, out)
        }
    }
}
