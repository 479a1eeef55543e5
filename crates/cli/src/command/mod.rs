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
mod merge;
mod qualify;
mod reach;
mod replay;
mod report;
mod run_once;
mod shell;
mod test;
mod values;

use crate::arguments::{Arguments, Command, GlobalOptions, GraphForm, Inspect};
use crate::failure::Failure;
use crate::input;
use everypath_record::ExitCode;
use std::io::Write;

/// Runs the command that the command line names.
pub(crate) fn run(arguments: &Arguments, out: &mut dyn Write) -> Result<ExitCode, Failure> {
    let global = &arguments.options;
    match &arguments.command {
        Command::Run(options) => run_once::run(options, global, out)?,
        Command::Init(options) => return init::run(options, global, out),
        Command::Test(options) => return test::run(options, global, out),
        Command::Reach(options) => return reach::run(options, global, out),
        Command::Cover(options) => return cover::run(options, global, out),
        Command::Replay(results) => return replay::run(results, global, out),
        Command::Export(options) => export::run(options, global, out)?,
        Command::Report(options) => report::run(options, global, out)?,
        Command::Explain(options) => explain::run(options, global, out)?,
        Command::Diff { before, after } => return diff::run(before, after, global, out),
        Command::Merge { folders, output } => return merge::run(folders, output, global, out),
        Command::CheckCertificate { certificate, export } => {
            check_certificate::run(certificate, export.as_deref(), global.json, out)?;
        }
        Command::Qualify { output, architecture, date } => {
            let question = qualify::QualifyArgs { output, architectures: architecture, date };
            return qualify::run(&question, global.json, out);
        }
        Command::Graph { file, form } => {
            let form = if global.json { GraphForm::Json } else { *form };
            graph::run(file, form, &input::library(global)?, out)?;
        }
        Command::Completions { shell } => shell::completions(*shell, out)?,
        Command::Manual { folder } => shell::manual(folder, global.json, out)?,
        Command::Architectures => architectures::run(&input::library(global)?, global.json, out)?,
        Command::CompileSleigh { source, output } => {
            everypath_lift::compile_sleigh(source, output).map_err(Failure::Input)?;
        }
        Command::Inspect(stage) => inspect(stage, global, out)?,
    }
    Ok(ExitCode::Good)
}

/// Prints the stage that `everypath inspect` names.
fn inspect(stage: &Inspect, global: &GlobalOptions, out: &mut dyn Write) -> Result<(), Failure> {
    let library = input::library(global)?;
    match stage {
        Inspect::Image { file, all } => image::run(file, *all, &library, global.json, out),
        Inspect::Instructions { file, part, p_code } => {
            let options = instructions::InstructionsArgs { file, part, p_code: *p_code };
            instructions::run(&options, &library, global.json, out)
        }
        Inspect::Functions { file } => functions::functions(file, &library, global.json, out),
        Inspect::Values { file, function, convention } => {
            let options = values::ValuesArgs { file, function: *function, convention: *convention };
            values::run(&options, &library, global.json, out)
        }
        Inspect::Ir { file, symbol, from, limit, plain } => {
            let options =
                ir::IrArgs { file, symbol: symbol.as_deref(), from: *from, limit: *limit, plain: *plain };
            ir::run(&options, &library, global.json, out)
        }
    }
}
