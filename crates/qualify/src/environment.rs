//! The environment of a qualification: the tool, by the digest of its executable, and the host.

use everypath_record::sha256_hexadecimal;
use serde::Serialize;
use std::path::Path;

/// The tool and the host that a kit was run on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct HostEnvironment {
    /// The version of the tool.
    pub version: String,
    /// The file of the command.
    pub command: String,
    /// The digest (SHA-256) of that file; empty if it cannot be read.
    pub command_digest: String,
    /// Its size in bytes.
    pub command_size: u64,
    /// The operating system.
    pub system: String,
    /// The release of its kernel; empty if unknown.
    pub kernel: String,
    /// The architecture of the processor.
    pub processor: String,
}

impl HostEnvironment {
    /// The environment of this process, with the command that is qualified.
    #[must_use]
    pub fn of(command: &Path) -> HostEnvironment {
        let bytes = std::fs::read(command).ok();
        let release = std::fs::read_to_string("/etc/os-release").unwrap_or_default();
        let name = release.lines().find_map(|line| line.strip_prefix("PRETTY_NAME="));
        let name = name.map_or(std::env::consts::OS, |name| name.trim_matches('"'));
        let kernel = std::fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
        HostEnvironment {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            command: command.display().to_string(),
            command_digest: bytes.as_ref().map_or_else(String::new, |bytes| sha256_hexadecimal(bytes)),
            command_size: bytes.map_or(0, |bytes| bytes.len() as u64),
            system: name.to_owned(),
            kernel: kernel.trim().to_owned(),
            processor: std::env::consts::ARCH.to_owned(),
        }
    }
}
