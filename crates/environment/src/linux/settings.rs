//! The `[linux]` section of a configuration: what a process is given.

use super::stream_size::StreamSize;
use serde::Deserialize;
use std::path::PathBuf;

/// An argument of a process.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(untagged)]
pub enum Argument {
    /// This text.
    Text(String),
    /// Input.
    Input(ArgumentInput),
}

/// An argument that is input: the bytes before the first zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ArgumentInput {
    /// It has at most so many bytes.
    pub bytes: u32,
}

/// An environment variable of a process.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(untagged)]
pub enum EnvironmentVariable {
    /// `NAME=VALUE`.
    Text(String),
    /// A variable whose value is input.
    Input(VariableInput),
}

/// An environment variable whose value is input: the bytes before the first zero.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct VariableInput {
    /// Its name.
    pub name: String,
    /// Its value has at most so many bytes.
    pub bytes: u32,
}

/// A file whose contents are input.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FileInput {
    /// Its path. A relative one is one in the directory in which the process runs.
    pub path: String,
    /// The number of its bytes.
    pub bytes: StreamSize,
}

/// The environment of a Linux process. Every setting is optional.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct LinuxSettings {
    /// The number of bytes of the standard input, which are input.
    pub stdin: Option<StreamSize>,
    /// A file with the contents of the standard input, in place of input.
    pub stdin_file: Option<PathBuf>,
    /// The arguments after the name of the program.
    pub arguments: Vec<Argument>,
    /// The environment variables.
    pub environment: Vec<EnvironmentVariable>,
    /// The files that are input. They take the place of the files of the host at their paths.
    pub files: Vec<FileInput>,
    /// The directory of the host in which absolute paths of the program are looked up. The default is the root.
    pub root: Option<PathBuf>,
}
