//! The commands, one file each.

mod architectures;
mod dump;
mod image;
mod instructions;
mod ir;
mod run_once;

use crate::arguments::{Arguments, Command, Inspect};
use crate::failure::Failure;
use crate::input;
use std::io::Write;

/// Does what the command line asks for.
pub(crate) fn run(arguments: &Arguments, out: &mut dyn Write) -> Result<(), Failure> {
    let shelf = &arguments.shelf;
    match &arguments.command {
        Command::Run { file, configuration, input, stop, budget, seed, trace, dump } => {
            let question = run_once::Question {
                file,
                configuration: configuration.as_deref(),
                input,
                stop,
                budget: *budget,
                seed: *seed,
                trace: *trace,
                dump: *dump,
            };
            run_once::run(&question, &input::library(shelf)?, shelf.json, out)
        }
        Command::Architectures => architectures::run(&input::library(shelf)?, shelf.json, out),
        Command::CompileSleigh { source, output } => {
            everypath_lift::compile_sleigh(source, output).map_err(Failure::Input)
        }
        Command::Inspect(Inspect::Image { file, all }) => {
            image::run(file, *all, &input::library(shelf)?, shelf.json, out)
        }
        Command::Inspect(Inspect::Instructions { file, part, p_code }) => {
            let question = instructions::Question { file, part, p_code: *p_code };
            instructions::run(&question, &input::library(shelf)?, shelf.json, out)
        }
        Command::Inspect(Inspect::Ir { file, symbol, from, limit, plain }) => {
            let question =
                ir::Question { file, symbol: symbol.as_deref(), from: *from, limit: *limit, plain: *plain };
            ir::run(&question, &input::library(shelf)?, shelf.json, out)
        }
    }
}
