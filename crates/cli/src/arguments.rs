//! The command line: what can be asked for, and the manual page that `--help` prints.

use crate::number;
use clap::{Args, Parser, Subcommand};
use everypath_image::{Format, format};
use std::path::PathBuf;

const EXIT_CODES: &str = "\
Exit codes:
  0   it went well
  1   the input could not be used; standard error says why and what to do
  2   the command line is wrong
  70  a fault of everypath itself; please report it

Examples:
  everypath inspect image program
  everypath inspect instructions program --symbol main
  everypath inspect instructions firmware.hex --architecture 8051
  everypath run firmware.hex --architecture 8051 --stop 0x62 --dump
  everypath inspect ir blob.bin --format raw --base 0x8000 --architecture powerpc
  everypath architectures";

/// Looks into executables, of any processor, without their source.
#[derive(Debug, Parser)]
#[command(name = "everypath", version, about, after_help = EXIT_CODES)]
pub(crate) struct Arguments {
    #[command(flatten)]
    pub(crate) shelf: Shelf,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// Where architectures are found, and in which form the answer comes.
#[derive(Debug, Args)]
pub(crate) struct Shelf {
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
    /// Print one stage of the way from a file to a test
    #[command(subcommand)]
    Inspect(Inspect),
    /// Run the program once, with given input, and print how it ended
    ///
    /// The memory map, volatile cells, initial values and stops come from an `everypath.toml` beside the file, or from
    /// --configuration; flags are taken before what it says.
    Run {
        #[command(flatten)]
        file: File,
        /// The configuration [default: everypath.toml beside the file, if there is one]
        #[arg(long, value_name = "FILE")]
        configuration: Option<PathBuf>,
        /// The values that reads of a volatile cell give, one after the other; can be given more than once
        #[arg(long, value_name = "CELL=N,N,...", value_parser = cell_values)]
        input: Vec<(String, Vec<u64>)>,
        /// Stop at this address or symbol; can be given more than once
        #[arg(long, value_name = "PLACE")]
        stop: Vec<String>,
        /// Run so many instructions at most
        #[arg(long, value_name = "N", value_parser = number::parse)]
        budget: Option<u64>,
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
    pub(crate) format: Option<&'static Format>,
    /// Where a raw binary or an object file lies in memory
    #[arg(long, value_name = "ADDR", value_parser = number::parse)]
    pub(crate) base: Option<u64>,
    /// Where execution begins, before what the file says
    #[arg(long, value_name = "ADDR", value_parser = number::parse)]
    pub(crate) entry: Option<u64>,
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

fn file_format(name: &str) -> Result<&'static Format, String> {
    Format::by_name(name).ok_or_else(|| {
        let names: Vec<&str> = format::ALL.iter().map(|format| format.name).collect();
        format!("there are: {}", names.join(", "))
    })
}
