//! The commands, one file each.

mod architectures;
mod check_certificate;
mod dump;
mod export;
mod functions;
mod graph;
mod graph_document;
mod image;
mod instructions;
mod ir;
mod replay;
mod run_once;
mod test;
mod values;

use crate::arguments::{Arguments, Command, Inspect};
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
        Command::Test {
            file,
            setting,
            output,
            criterion,
            strategy,
            seed,
            paths,
            seconds,
            memory,
            keep_all,
            without,
            second_solver,
            certificates,
            log_queries,
        } => {
            let default = everypath_explore::Plan::default();
            let plan = everypath_explore::Plan {
                criterion: *criterion,
                strategy: strategy.clone(),
                seed: *seed,
                paths: paths.unwrap_or(default.paths),
                seconds: *seconds,
                memory: memory.or_else(default_memory),
                keep_all: *keep_all,
                certificates: *certificates,
                path_instructions: setting.budget.unwrap_or(default.path_instructions),
                oracles: default.oracles.into_iter().filter(|oracle| !without.contains(oracle)).collect(),
                ..default
            };
            let output = output.as_deref();
            let log_queries = log_queries.as_deref();
            let question = test::TestArgs { file, setting, output, plan, second_solver, log_queries };
            return test::run(&question, &input::library(shelf)?, shelf.json, out);
        }
        Command::Replay { file, tests, setting } => {
            return replay::run(file, tests, setting, &input::library(shelf)?, out);
        }
        Command::Export { file, tests, setting, tool, output } => {
            let question =
                export::ExportArgs { file, tests, setting, format: *tool, output: output.as_deref() };
            export::run(&question, &input::library(shelf)?, out)?;
        }
        Command::CheckCertificate { certificate, export } => {
            check_certificate::run(certificate, export.as_deref(), shelf.json, out)?;
        }
        Command::Graph { file, form } => {
            let form = if shelf.json { crate::arguments::GraphForm::Json } else { *form };
            graph::run(file, form, &input::library(shelf)?, out)?;
        }
        Command::Architectures => architectures::run(&input::library(shelf)?, shelf.json, out)?,
        Command::CompileSleigh { source, output } => {
            everypath_lift::compile_sleigh(source, output).map_err(Failure::Input)?;
        }
        Command::Inspect(Inspect::Image { file, all }) => {
            image::run(file, *all, &input::library(shelf)?, shelf.json, out)?;
        }
        Command::Inspect(Inspect::Instructions { file, part, p_code }) => {
            let question = instructions::InstructionsArgs { file, part, p_code: *p_code };
            instructions::run(&question, &input::library(shelf)?, shelf.json, out)?;
        }
        Command::Inspect(Inspect::Functions { file }) => {
            functions::functions(file, &input::library(shelf)?, shelf.json, out)?;
        }
        Command::Inspect(Inspect::Values { file, function, convention }) => {
            let question = values::ValuesArgs { file, function: *function, convention: *convention };
            values::run(&question, &input::library(shelf)?, shelf.json, out)?;
        }
        Command::Inspect(Inspect::Ir { file, symbol, from, limit, plain }) => {
            let question =
                ir::IrArgs { file, symbol: symbol.as_deref(), from: *from, limit: *limit, plain: *plain };
            ir::run(&question, &input::library(shelf)?, shelf.json, out)?;
        }
    }
    Ok(ExitCode::Good)
}

/// Half of the machine's memory, at most 4 GB, where the system reports it.
fn default_memory() -> Option<u64> {
    const MOST: u64 = 4 << 30;
    let machine = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = machine.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
    let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some((kilobytes * 1024 / 2).min(MOST))
}
