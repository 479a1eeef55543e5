//! The command line: its arguments, and the manual page that `--help` prints.

use crate::number;
use clap::{Args, Parser, Subcommand};
use everypath_image::{ImageFormat, format};
use std::path::PathBuf;

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
  everypath replay firmware.hex firmware.hex.tests --architecture 8051
  everypath report firmware.elf firmware.elf.tests
  everypath explain firmware.elf firmware.elf.tests 0003
  everypath inspect ir blob.bin --format raw --base 0x8000 --architecture powerpc
  everypath architectures";

/// Generates tests from executables, of any processor, without their source.
#[derive(Debug, Parser)]
#[command(name = "everypath", version, about, after_help = EXIT_CODES)]
pub(crate) struct Arguments {
    #[command(flatten)]
    pub(crate) shelf: GlobalOptions,
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
    Run {
        #[command(flatten)]
        file: File,
        #[command(flatten)]
        setting: Setting,
        /// Where the random values of volatile cells come from
        #[arg(long, value_name = "N", value_parser = number::parse)]
        seed: Option<u64>,
        /// Print the address of each instruction that is run
        #[arg(long)]
        trace: bool,
        /// Print the registers at the end that are not zero, and the memory that may be written and has a value
        #[arg(long)]
        dump: bool,
    },
    /// Draft an `everypath.toml`: what the program reads of its peripherals, its memory map, its start
    ///
    /// Explores the program for about a second and writes down the registers that it reads and the interrupts that it enables,
    /// with comments. What is the default stays a comment.
    Init {
        #[command(flatten)]
        file: File,
        /// The file to write; `-` prints it [default: everypath.toml beside the program]
        #[arg(long, short, value_name = "FILE")]
        output: Option<PathBuf>,
        /// A description of the chip (CMSIS-SVD), which names registers and interrupts
        #[arg(long, value_name = "FILE")]
        svd: Option<PathBuf>,
        /// Replace a file that exists
        #[arg(long)]
        force: bool,
    },
    /// Generate tests: cover every branch, or say why not
    ///
    /// Volatile cells without values in `everypath.toml` are the input. What comes out is a folder with a small JSON file for
    /// each test and `summary.json`, which says of each branch direction whether it is covered, infeasible, or open and why.
    Test(TestOptions),
    /// Judge every branch direction by what was executed elsewhere: on a board, in an emulator, by a fuzzer
    ///
    /// A direction is covered by the first trace that takes it. `everypath test --trace` also looks for tests of what they leave open.
    Cover {
        #[command(flatten)]
        file: File,
        #[command(flatten)]
        setting: Setting,
        /// A trace: drcov, a log of QEMU (`-d exec,nochain`), or a list of addresses; can be given more than once
        #[arg(long, value_name = "FILE", required = true)]
        trace: Vec<PathBuf>,
        /// The folder for the results [default: the name of the file with .coverage]
        #[arg(long, short, value_name = "DIR")]
        output: Option<PathBuf>,
    },
    /// Run tests again from the start, and say whether each does what it was made for
    Replay {
        #[command(flatten)]
        file: File,
        /// The folder that `everypath test` wrote, or one test of it
        #[arg(value_name = "TESTS")]
        tests: PathBuf,
        #[command(flatten)]
        setting: Setting,
    },
    /// Write tests for another tool: scripts for a simulator or a debugger, or a replay harness in Python or C
    ///
    /// A script sets the start up, gives each read of a volatile cell its value, and prints the addresses that are run. A harness
    /// runs all tests and also compares their expected outputs: registers, memory and writes to devices.
    Export {
        #[command(flatten)]
        file: File,
        /// The folder that `everypath test` wrote
        #[arg(value_name = "TESTS")]
        tests: PathBuf,
        #[command(flatten)]
        setting: Setting,
        /// The tool: gdb, ucsim, python or c [default: the first that fits the architecture]
        #[arg(long, value_name = "NAME", value_parser = export_format)]
        tool: Option<ExportFormat>,
        /// The folder for the files [default: one with the name of the format, in that of the tests]
        #[arg(long, short, value_name = "DIR")]
        output: Option<PathBuf>,
    },
    /// Write a report of the results: for people, or for another tool
    ///
    /// Each test is run again to see which code it executes. Source files are looked up where the debug information says, and
    /// beside the program.
    Report {
        #[command(flatten)]
        file: File,
        /// The folder that `everypath test` wrote
        #[arg(value_name = "TESTS")]
        tests: PathBuf,
        #[command(flatten)]
        setting: Setting,
        /// The kind of report: html, cobertura, csv, dossier, drcov, ghidra, json, junit, lcov or sarif
        #[arg(long = "as", value_name = "KIND", default_value = "html", value_parser = report_format)]
        kind: &'static everypath_report::ReportFormat,
        /// The folder to write to [default: `report` in the folder of the tests]
        #[arg(long, short, value_name = "DIR")]
        output: Option<PathBuf>,
        /// A folder to look up source files in, in place of that of the program
        #[arg(long, value_name = "DIR")]
        sources: Option<PathBuf>,
    },
    /// Explain a test, a branch direction or a finding, with disassembly and source
    ///
    /// Examples: `everypath explain firmware.elf firmware.elf.tests 0003`, `... update+0xc`, `... alarm.c:41`,
    /// `... '0x1002->0x1008'`, `... finding:1`.
    Explain {
        #[command(flatten)]
        file: File,
        /// The folder that `everypath test` wrote
        #[arg(value_name = "TESTS")]
        tests: PathBuf,
        /// A test, a finding, or the place of a branch: address, function, function+offset, or file:line
        #[arg(value_name = "WHAT")]
        what: String,
        #[command(flatten)]
        setting: Setting,
        /// A folder to look up source files in, in place of that of the program
        #[arg(long, value_name = "DIR")]
        sources: Option<PathBuf>,
    },
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
    /// What was executed elsewhere: drcov, a log of QEMU (`-d exec,nochain`), or a list of addresses; can be given more than once
    ///
    /// Directions that a trace takes are covered by it; tests are kept for what the traces leave open.
    #[arg(long, value_name = "FILE")]
    pub(crate) trace: Vec<PathBuf>,
    /// What to reach: instruction, branch, call, or path
    #[arg(long, value_name = "NAME", default_value = "branch", value_parser = criterion)]
    pub(crate) criterion: everypath_explore::Criterion,
    /// Search strategy: portfolio, coverage, fair, nearest, depth-first, breadth-first, short-inputs, or random-path
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
}

#[derive(Debug, Subcommand)]
pub(crate) enum Inspect {
    /// Print what was read from the file: format, machine, entry points, memory, symbols
    Image {
        #[command(flatten)]
        file: File,
        /// Print all symbols, not only the first ones
        #[arg(long)]
        all: bool,
    },
    /// Print the instructions, as a disassembler does
    ///
    /// Goes through the executable sections (or, where there are none, the executable memory) from the first byte to
    /// the last. Bytes that are no instruction are printed as such with the reason.
    Instructions {
        #[command(flatten)]
        file: File,
        #[command(flatten)]
        part: Part,
        /// Print below each instruction what it does, in raw p-code
        #[arg(long)]
        p_code: bool,
    },
    /// Print the functions, and how each was found
    Functions {
        #[command(flatten)]
        file: File,
    },
    /// Print what registers can hold where blocks begin, relative to the entry of their function
    Values {
        #[command(flatten)]
        file: File,
        /// Only the function that begins at this address
        #[arg(long, value_name = "ADDR", value_parser = number::parse)]
        function: Option<u64>,
        /// Take it for granted that functions keep to the calling convention; more is known, if that is so
        #[arg(long)]
        convention: bool,
    },
    /// Print blocks of intermediate representation, found by following jumps and calls
    ///
    /// Starts at the entry points, or at --symbol or --from.
    Ir {
        #[command(flatten)]
        file: File,
        /// Start at this symbol
        #[arg(long, value_name = "NAME", conflicts_with = "from")]
        symbol: Option<String>,
        /// Start at this address
        #[arg(long, value_name = "ADDR", value_parser = number::parse)]
        from: Option<u64>,
        /// Stop at so many blocks
        #[arg(long, value_name = "N", default_value_t = 1000)]
        limit: usize,
        /// Print places in place of register names, and no comments: the form that can be read back
        #[arg(long)]
        plain: bool,
    },
}

/// The forms of a graph.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
pub(crate) enum GraphForm {
    /// The language of Graphviz
    Dot,
    /// A picture, drawn by Graphviz
    Svg,
    /// One JSON document
    Json,
    /// A coverage file with every block
    Drcov,
    /// A script for Ghidra
    Ghidra,
}

/// The file, and what the user knows of it.
#[derive(Debug, Args)]
pub(crate) struct File {
    /// The executable
    #[arg(value_name = "FILE")]
    pub(crate) path: PathBuf,
    /// The processor, by a name that `everypath architectures` lists [default: what the file says]
    #[arg(long, value_name = "NAME")]
    pub(crate) architecture: Option<String>,
    /// The format of the file: elf, ihex, srec or raw [default: by its content]
    #[arg(long, value_name = "FORMAT", value_parser = file_format)]
    pub(crate) format: Option<&'static ImageFormat>,
    /// Load address of a raw binary or an object file
    #[arg(long, value_name = "ADDR", value_parser = number::parse)]
    pub(crate) base: Option<u64>,
    /// Entry address; overrides the file's
    #[arg(long, value_name = "ADDR", value_parser = number::parse)]
    pub(crate) entry: Option<u64>,
}

/// The world that the program runs in: what is said before an `everypath.toml`.
#[derive(Debug, Args)]
pub(crate) struct Setting {
    /// The configuration [default: everypath.toml beside the file, if there is one]
    #[arg(long, value_name = "FILE")]
    pub(crate) configuration: Option<PathBuf>,
    /// The values that reads of a volatile cell give, one after the other; can be given more than once
    #[arg(long, value_name = "CELL=N,N,...", value_parser = cell_values)]
    pub(crate) input: Vec<(String, Vec<u64>)>,
    /// Stop at this address or symbol; can be given more than once
    #[arg(long, value_name = "PLACE")]
    pub(crate) stop: Vec<String>,
    /// Run so many instructions at most
    #[arg(long, value_name = "N", value_parser = number::parse)]
    pub(crate) budget: Option<u64>,
}

/// The part of a program that is asked for.
#[derive(Debug, Args)]
pub(crate) struct Part {
    /// Only from this address on
    #[arg(long, value_name = "ADDR", value_parser = number::parse)]
    pub(crate) from: Option<u64>,
    /// Only up to this address, which is not included
    #[arg(long, value_name = "ADDR", value_parser = number::parse)]
    pub(crate) to: Option<u64>,
    /// Only this symbol
    #[arg(long, value_name = "NAME", conflicts_with_all = ["from", "to"])]
    pub(crate) symbol: Option<String>,
}

/// Reads the values of a volatile cell.
fn cell_values(text: &str) -> Result<(String, Vec<u64>), String> {
    let (name, values) = text.split_once('=').ok_or("a cell's name, `=`, and values are wanted")?;
    let values = values.split(',').filter(|value| !value.is_empty()).map(number::parse);
    Ok((name.to_owned(), values.collect::<Result<_, _>>()?))
}

fn criterion(name: &str) -> Result<everypath_explore::Criterion, String> {
    use everypath_explore::Criterion;
    match name {
        "instruction" => Ok(Criterion::Instruction),
        "branch" => Ok(Criterion::Branch),
        "call" => Ok(Criterion::Call),
        "path" => Ok(Criterion::Path),
        _ => Err("there are: instruction, branch, call, path".to_owned()),
    }
}

fn strategy(text: &str) -> Result<String, String> {
    let names: Vec<&str> = everypath_explore::STRATEGIES.iter().map(|strategy| strategy.name).collect();
    if names.contains(&text) {
        return Ok(text.to_owned());
    }
    Err(format!("unknown strategy `{text}`; available: {}", names.join(", ")))
}

fn oracle(text: &str) -> Result<String, String> {
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

fn export_format(text: &str) -> Result<ExportFormat, String> {
    let scripts = everypath_report::SCRIPTS.iter().map(|format| format.name);
    let names: Vec<&str> =
        scripts.chain(everypath_report::HARNESSES.iter().map(|format| format.name)).collect();
    ExportFormat::by_name(text).ok_or_else(|| format!("there are: {}", names.join(", ")))
}

fn report_format(text: &str) -> Result<&'static everypath_report::ReportFormat, String> {
    let names: Vec<&str> = everypath_report::REPORTS.iter().map(|format| format.name).collect();
    everypath_report::ReportFormat::by_name(text).ok_or_else(|| format!("there are: {}", names.join(", ")))
}

fn second_solver(name: &str) -> Result<everypath_solve::SolverProgram, String> {
    use everypath_solve::SolverProgram;
    let known = [SolverProgram::z3(), SolverProgram::cvc5(), SolverProgram::bitwuzla()];
    let named = known.into_iter().find(|program| program.name == name);
    let program = named.ok_or("there are: z3, cvc5, bitwuzla")?;
    match program.version() {
        Some(_) => Ok(program),
        None => Err(format!("`{name} --version` cannot be run: is it installed?")),
    }
}

fn file_format(name: &str) -> Result<&'static ImageFormat, String> {
    ImageFormat::by_name(name).ok_or_else(|| {
        let names: Vec<&str> = format::ALL.iter().map(|format| format.name).collect();
        format!("there are: {}", names.join(", "))
    })
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
