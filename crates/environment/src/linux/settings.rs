//! The `[linux]` section of a configuration: what a process is given.

use super::stream_size::StreamSize;
use serde::Deserialize;
use std::path::PathBuf;

/// What a Linux process is given. Everything in it is optional.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct LinuxSettings {
    /// The number of bytes of the standard input, which are input.
    pub stdin: Option<StreamSize>,
    /// A file with the contents of the standard input, in place of input.
    pub stdin_file: Option<PathBuf>,
    /// The arguments behind the name of the program.
    pub arguments: Vec<String>,
    /// The environment variables, as `NAME=VALUE`.
    pub environment: Vec<String>,
    /// The folder of the host in which absolute paths of the program are looked up. The default is the root.
    pub root: Option<PathBuf>,
}
