//! `cargo xtask`: the developer tasks from the command line.

use clap::{Parser, Subcommand};
use std::path::Path;
use std::process::ExitCode;

/// Developer tasks of Everypath.
#[derive(Parser)]
#[command(name = "cargo xtask")]
struct Arguments {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Checks the rules that the compiler does not: layering, names, sizes, test data, documentation.
    Tidy,
}

fn main() -> ExitCode {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask lies in the workspace");
    match Arguments::parse().task {
        Task::Tidy => tidy(root),
    }
}

fn tidy(root: &Path) -> ExitCode {
    let faults = match xtask::tidy::run(root) {
        Ok(faults) => faults,
        Err(message) => {
            eprintln!("tidy: {message}");
            return ExitCode::from(2);
        }
    };
    for fault in &faults {
        println!("{fault}");
    }
    if faults.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
