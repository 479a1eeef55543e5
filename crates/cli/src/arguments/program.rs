//! The program that a command is about, and its setup.

use super::process::ProcessSetup;
use super::values::{cell_values, file_format, stream_size};
use crate::number;
use clap::Args;
use everypath_image::ImageFormat;
use std::path::PathBuf;

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
    /// The number of bytes of a Linux program's standard input, each of which is input: up to N, or from A to B
    #[arg(long, value_name = "N|A..B", value_parser = stream_size, conflicts_with = "stdin_file")]
    pub(crate) stdin: Option<everypath_environment::StreamSize>,
    /// A file with the standard input of a Linux program
    #[arg(long, value_name = "FILE")]
    pub(crate) stdin_file: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) process: ProcessSetup,
    /// Run so many instructions at most
    #[arg(long, value_name = "N", value_parser = number::parse)]
    pub(crate) budget: Option<u64>,
}
