//! The arguments of commands that print a stage between a file and its tests.

use super::program::File;
use crate::number;
use clap::{Args, Subcommand};

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
