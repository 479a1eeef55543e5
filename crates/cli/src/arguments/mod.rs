//! The command line: its arguments, and the manual page that `--help` prints.

mod execution;
mod inspect;
mod process;
mod program;
mod results;
mod values;

use clap::{Args, Parser, Subcommand};
use std::path::PathBuf;

pub(crate) use execution::{CoverOptions, InitOptions, ReachOptions, RunOptions, TestOptions};
pub(crate) use inspect::{GraphForm, Inspect, Part};
pub(crate) use program::{File, Setting};
pub(crate) use results::{ExplainOptions, ExportOptions, ReplayOptions, ReportOptions, RunResults};
pub(crate) use values::ExportFormat;

const EXIT_CODES: &str = "\
Exit codes:
  0   it went well
  1   the input could not be used; standard error says why and what to do
  2   the command line is wrong
  3   there are findings: the program has faults, each with a test that shows it; or tests that do not replay; or
      results that are worse than before
  4   something is left open: the summary says what and why
  70  a fault of everypath itself: what it says may be wrong; please report it

Examples:
  everypath inspect image program
  everypath inspect instructions program --symbol main
  everypath inspect instructions firmware.hex --architecture 8051
  everypath run firmware.hex --architecture 8051 --stop 0x62 --dump
  everypath init firmware.hex --architecture 8051
  everypath test firmware.hex --architecture 8051
  everypath reach firmware.elf --target 'decode: u32(arg1) > 63'
  everypath replay firmware.hex firmware.hex.tests --architecture 8051
  everypath report firmware.elf firmware.elf.tests
  everypath explain firmware.elf firmware.elf.tests 0003
  everypath merge monday.tests tuesday.tests -o both.tests
  everypath inspect ir blob.bin --format raw --base 0x8000 --architecture powerpc
  everypath qualify --output qualification --date 2026-01-31
  everypath architectures";

/// Generates tests from executables, of any processor, without their source.
#[derive(Debug, Parser)]
#[command(name = "everypath", version, about, after_help = EXIT_CODES)]
pub(crate) struct Arguments {
    #[command(flatten)]
    pub(crate) options: GlobalOptions,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// Where architectures are found, and in which form the answer comes.
#[derive(Debug, Args)]
pub(crate) struct GlobalOptions {
    /// A folder with architectures of your own; can be given more than once
    ///
    /// Each architecture is a folder NAME with a file NAME.toml and a SLEIGH specification. One with the name of a
    /// built-in architecture takes its place.
    #[arg(long, global = true, value_name = "DIR", help_heading = "Architectures")]
    pub(crate) architectures: Vec<PathBuf>,
    /// The folder where compiled specifications are kept [default: everypath in the user's cache folder]
    ///
    /// The user's cache folder is $XDG_CACHE_HOME, else $HOME/.cache. Nothing is written there unless an architecture
    /// of --architectures has a specification to be compiled.
    #[arg(long, global = true, value_name = "DIR", help_heading = "Architectures")]
    pub(crate) cache: Option<PathBuf>,
    /// Print one JSON document in place of text
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// Colour verdicts, findings and errors: auto (on a terminal, unless NO_COLOR is set), always or never
    #[arg(
        long,
        global = true,
        value_name = "WHEN",
        value_enum,
        default_value = "auto",
        hide_possible_values = true
    )]
    pub(crate) color: ColourWhen,
}

/// When output is coloured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum ColourWhen {
    /// On a terminal, unless the user's environment asks for none
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Print one intermediate stage between a file and its tests
    #[command(subcommand)]
    Inspect(Inspect),
    /// Run the program once, with given input, and print how it ended
    ///
    /// The memory map, volatile cells, initial values and stops come from an `everypath.toml` beside the file, or from
    /// --configuration; flags are taken before what it says.
    Run(RunOptions),
    /// Draft an `everypath.toml`: what the program reads of its peripherals, its memory map, its start
    ///
    /// Explores the program for about a second and writes down the registers that it reads and the interrupts that it enables,
    /// with comments. What is the default stays a comment.
    Init(InitOptions),
    /// Generate tests: cover every branch, or say why not
    ///
    /// Volatile cells without values in `everypath.toml` are the input. What comes out is a folder with a small JSON file for
    /// each test and `summary.json`, which says of each branch direction whether it is covered, infeasible, or open and why.
    Test(TestOptions),
    /// Reach a target: an instruction, a source line or a branch direction, in a given state
    ///
    /// Each target is confirmed with a test that reaches it in a concrete run, refuted with the evidence that no input does, or open
    /// with the reason and the place where the search came closest. Ends with 4 if a target is open. Examples: `--target
    /// decode+0x10`, `--target 'parser.c:41: u32(r0) > 63'`, `--target 'start; 0x62 -> 0x65; report'`.
    Reach(ReachOptions),
    /// Judge every branch direction by what was executed elsewhere: on a board, in an emulator, by a fuzzer
    ///
    /// A direction is covered by the first trace that takes it. `everypath test --trace` also looks for tests of what they leave open.
    Cover(CoverOptions),
    /// Run tests again from the start, and say whether each does what it was made for
    Replay(ReplayOptions),
    /// Write tests for another tool: scripts for a simulator or a debugger, or a replay harness in Python or C
    ///
    /// A script sets the start up, gives each read of a volatile cell its value, and prints the addresses that are run. A harness
    /// runs all tests and also compares their expected outputs: registers, memory and writes to devices.
    Export(ExportOptions),
    /// Write a report of the results: for people, or for another tool
    ///
    /// Each test is run again to see which code it executes. Source files are looked up where the debug information says, and
    /// beside the program.
    Report(ReportOptions),
    /// Explain a test, a branch direction or a finding, with disassembly and source
    ///
    /// Examples: `everypath explain firmware.elf firmware.elf.tests 0003`, `... update+0xc`, `... alarm.c:41`,
    /// `... '0x1002->0x1008'`, `... finding:1`. Without a subject, it lists them.
    Explain(ExplainOptions),
    /// Compare the results of two runs: what is covered, infeasible, open or found now that was not before
    ///
    /// Ends with 3 if coverage was lost or findings appeared.
    Diff {
        /// The folder of the first run
        #[arg(value_name = "BEFORE")]
        before: PathBuf,
        /// The folder of the second run
        #[arg(value_name = "AFTER")]
        after: PathBuf,
    },
    /// Merge the results of several runs of the same program and configuration into one folder
    ///
    /// A direction is covered if a run covers it, and infeasible if a run shows it and none covers it. Tests are numbered anew. The
    /// merged folder can be replayed, reported, explained and compared like that of one run.
    Merge {
        /// The folders of the runs
        #[arg(value_name = "FOLDER", required = true, num_args = 2..)]
        folders: Vec<PathBuf>,
        /// The folder for the merged results
        #[arg(long, short, value_name = "DIR")]
        output: PathBuf,
    },
    /// Check a certificate: that no input makes its conditions true
    ///
    /// The query in the file is translated into clauses again and compared with those in the file, and each step of the
    /// proof is checked. The solver that made the proof is not needed for it.
    CheckCertificate {
        /// The certificate
        #[arg(value_name = "FILE")]
        certificate: PathBuf,
        /// Write query, clauses and proof into this folder, as other checkers read them: SMT-LIB 2, DIMACS and LRAT
        #[arg(long, value_name = "DIR")]
        export: Option<PathBuf>,
    },
    /// Run the qualification kit (DO-330, ISO 26262-8): verify this command against its requirements, on this machine
    ///
    /// Small programs whose results are known are explored, every input of them is run, and the effects of single instructions are
    /// compared with data sheets. Ends with 3 if a case failed, and with 4 if one was not run.
    Qualify {
        /// The folder for the report and for the files of the cases
        #[arg(long, short, value_name = "DIR", default_value = "everypath-qualification")]
        output: PathBuf,
        /// Only this architecture; can be given more than once [default: all built-in ones]
        #[arg(long, value_name = "NAME")]
        architecture: Vec<String>,
        /// The date that the report shows; the command looks at no clock
        #[arg(long, value_name = "TEXT", default_value = "", hide_default_value = true)]
        date: String,
    },
    /// Print the control-flow graph of the whole program, recovered without running it
    Graph {
        #[command(flatten)]
        file: File,
        /// The form: dot, svg (drawn by Graphviz), json, drcov (every block, for coverage plugins), or ghidra (a script)
        #[arg(long = "as", value_name = "FORM", value_enum, default_value = "dot")]
        form: GraphForm,
    },
    /// Print the completions of the command line for a shell
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
    /// Write a manual page for each command into a folder
    Manual {
        /// The folder
        #[arg(value_name = "DIR")]
        folder: PathBuf,
    },
    /// List the architectures there are
    Architectures,
    /// Compile a SLEIGH specification; run by everypath itself, in a process of its own
    #[command(hide = true)]
    CompileSleigh {
        /// The specification
        source: PathBuf,
        /// The compiled file to write
        output: PathBuf,
    },
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_arguments_of_every_command_are_consistent() {
        Arguments::command().debug_assert();
    }
}
