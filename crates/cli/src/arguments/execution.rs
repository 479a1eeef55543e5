//! The arguments of commands that run the program, and of those that judge its runs.

use super::program::{File, Setting};
use super::values::{criterion, oracle, second_solver, strategy};
use crate::number;
use clap::Args;
use std::path::PathBuf;

/// The arguments of `everypath run`.
#[derive(Debug, Args)]
pub(crate) struct RunOptions {
    #[command(flatten)]
    pub(crate) file: File,
    #[command(flatten)]
    pub(crate) setting: Setting,
    /// Where the random values of volatile cells come from
    #[arg(long, value_name = "N", value_parser = number::parse)]
    pub(crate) seed: Option<u64>,
    /// Print the address of each instruction that is run
    #[arg(long)]
    pub(crate) trace: bool,
    /// Print the registers at the end that are not zero, and the memory that may be written and has a value
    #[arg(long)]
    pub(crate) dump: bool,
}

/// The arguments of `everypath init`.
#[derive(Debug, Args)]
pub(crate) struct InitOptions {
    #[command(flatten)]
    pub(crate) file: File,
    /// The file to write; `-` prints it [default: everypath.toml beside the program]
    #[arg(long, short, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// A description of the chip (CMSIS-SVD), which names registers and interrupts
    #[arg(long, value_name = "FILE")]
    pub(crate) svd: Option<PathBuf>,
    /// Replace a file that exists
    #[arg(long)]
    pub(crate) force: bool,
}

/// The arguments of `everypath cover`.
#[derive(Debug, Args)]
pub(crate) struct CoverOptions {
    #[command(flatten)]
    pub(crate) file: File,
    #[command(flatten)]
    pub(crate) setting: Setting,
    /// A trace: drcov, a log of QEMU (`-d exec,nochain`), a list of addresses, or a folder that `everypath test` wrote; can be given
    /// more than once
    #[arg(long, value_name = "FILE|DIR", required = true)]
    pub(crate) trace: Vec<PathBuf>,
    /// The folder for the results [default: the name of the file with .coverage]
    #[arg(long, short, value_name = "DIR")]
    pub(crate) output: Option<PathBuf>,
}

/// The arguments of `everypath reach`.
#[derive(Debug, Args)]
pub(crate) struct ReachOptions {
    #[command(flatten)]
    pub(crate) file: File,
    #[command(flatten)]
    pub(crate) setting: Setting,
    /// A target: points to pass, separated by `;`, each a place and perhaps a condition; can be given more than once [default:
    /// `targets` of the configuration]
    ///
    /// A place is an address, a symbol (`decode+0x10`), a source line (`parser.c:41`) or a branch direction (`0x62 -> 0x65`). A
    /// condition, behind a colon, compares registers, arguments (`arg0`) and memory (`ram[0x20000010, 4]`) with the operators of C.
    #[arg(long, value_name = "TARGET")]
    pub(crate) target: Vec<String>,
    /// The folder for the tests [default: the name of the file with .reach]
    #[arg(long, short, value_name = "DIR")]
    pub(crate) output: Option<PathBuf>,
    /// Search strategy: portfolio, coverage, fair, nearest, depth-first, breadth-first, short-inputs, or random-state
    #[arg(long, value_name = "NAME", default_value = "nearest", value_parser = strategy)]
    pub(crate) strategy: String,
    /// Where randomness comes from
    #[arg(long, value_name = "N", value_parser = number::parse, default_value = "1")]
    pub(crate) seed: u64,
    /// Run so many paths at most
    #[arg(long, value_name = "N", value_parser = number::parse)]
    pub(crate) paths: Option<u64>,
    /// Stop after so many seconds
    #[arg(long, value_name = "N")]
    pub(crate) seconds: Option<u64>,
    /// Keep the process below this much memory, in bytes or with K, M or G [default: half of the machine's, at most 4G]
    #[arg(long, value_name = "SIZE", value_parser = number::size)]
    pub(crate) memory: Option<u64>,
    /// A second solver, for what ours leaves open: z3, cvc5 or bitwuzla, if it is installed
    #[arg(long, value_name = "NAME", value_parser = second_solver)]
    pub(crate) second_solver: Option<everypath_solve::SolverProgram>,
}

/// The arguments of `everypath test`.
#[derive(Debug, Args)]
pub(crate) struct TestOptions {
    #[command(flatten)]
    pub(crate) file: File,
    #[command(flatten)]
    pub(crate) setting: Setting,
    /// The folder for the tests [default: the name of the file with .tests]
    #[arg(long, short, value_name = "DIR")]
    pub(crate) output: Option<PathBuf>,
    /// A trace to credit: drcov, a log of QEMU (`-d exec,nochain`), a list of addresses, or a folder that `everypath test` wrote; can
    /// be given more than once
    ///
    /// Directions that a trace takes are covered by it; tests are kept for what the traces leave open.
    #[arg(long, value_name = "FILE|DIR")]
    pub(crate) trace: Vec<PathBuf>,
    /// Coverage criterion: instruction, branch, call, or path
    #[arg(long, value_name = "NAME", default_value = "branch", value_parser = criterion)]
    pub(crate) criterion: everypath_explore::Criterion,
    /// Search strategy: portfolio, coverage, fair, nearest, depth-first, breadth-first, short-inputs, or random-state
    #[arg(long, value_name = "NAME", default_value = "portfolio", value_parser = strategy)]
    pub(crate) strategy: String,
    /// Where randomness comes from
    #[arg(long, value_name = "N", value_parser = number::parse, default_value = "1")]
    pub(crate) seed: u64,
    /// Run so many paths at most
    #[arg(long, value_name = "N", value_parser = number::parse)]
    pub(crate) paths: Option<u64>,
    /// Stop after so many seconds
    #[arg(long, value_name = "N")]
    pub(crate) seconds: Option<u64>,
    /// Keep the process below this much memory, in bytes or with K, M or G [default: half of the machine's, at most 4G]
    ///
    /// Near the bound, the forked states of pending branches are evicted, and these branches are replayed from the entry
    /// when it is their turn; if that is not enough, the exploration ends.
    #[arg(long, value_name = "SIZE", value_parser = number::size)]
    pub(crate) memory: Option<u64>,
    /// Keep tests that add nothing to the criterion, too
    #[arg(long)]
    pub(crate) keep_all: bool,
    /// Leave out an oracle: division-by-zero, calls, unmapped, read-only, no-instruction, stack, trap, or never-written
    #[arg(long, value_name = "ORACLE", value_parser = oracle)]
    pub(crate) without: Vec<String>,
    /// Find inputs with which the program never ends, and prove that it does not
    #[arg(long)]
    pub(crate) hangs: bool,
    /// A second solver, for what ours leaves open: z3, cvc5 or bitwuzla, if it is installed
    #[arg(long, value_name = "NAME", value_parser = second_solver)]
    pub(crate) second_solver: Option<everypath_solve::SolverProgram>,
    /// Write a certificate for each unsatisfiable query behind an infeasible direction, into `certificates` beside the tests
    #[arg(long)]
    pub(crate) certificates: bool,
    /// Merge paths that meet at one place: many paths, few places
    #[arg(long)]
    pub(crate) merge: bool,
    /// Show directions infeasible by an abstraction of the paths: what they hold when they meet, not how they came there
    ///
    /// WORK is how long the search may cover nothing new before, in executed instructions.
    #[arg(long, value_name = "WORK", num_args = 0..=1, require_equals = true, default_missing_value = "20000000", value_parser = number::parse, conflicts_with = "merge")]
    pub(crate) prove: Option<u64>,
    /// Write each solver query, with its answer, as SMT-LIB 2
    #[arg(long, value_name = "FILE")]
    pub(crate) log_queries: Option<PathBuf>,
    /// Show the search as a dashboard in the terminal, and steer it with keys (`?` lists them)
    #[arg(long)]
    pub(crate) ui: bool,
}
