//! The system-call interface of Linux on an architecture: registers, numbers of calls, and layouts that differ between
//! architectures.

use super::interrupts::RegisterCondition;
use serde::Deserialize;
use std::collections::BTreeMap;

/// How a Linux program of an architecture is started, and how it calls the system.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LinuxInterface {
    /// The register that holds the number of a call.
    pub number: String,
    /// The registers that hold its arguments.
    pub arguments: Vec<String>,
    /// The register that receives the result.
    pub result: String,
    /// The condition that tells the program of an error, whose number is then positive. Without it, the result is the negative
    /// number of the error.
    pub error: Option<RegisterCondition>,
    /// The registers that a program sets as thread pointers, and the calls that set them.
    #[serde(default)]
    pub thread_pointers: Vec<ThreadPointer>,
    /// The registers that the system sets at the start of a process, beside the stack pointer; all others are zero.
    #[serde(default)]
    pub registers: BTreeMap<String, u64>,
    /// The name of the processor in the auxiliary vector (`AT_PLATFORM`).
    pub platform: Option<String>,
    /// The name of the machine (`uname -m`).
    pub machine: String,
    /// The capabilities of the processor (`AT_HWCAP`).
    #[serde(default)]
    pub capabilities: u64,
    /// Where a process has its parts.
    pub addresses: ProcessAddresses,
    /// The layout of the status of a file (`struct stat`).
    pub status: StatusLayout,
    /// The size of the action of a signal (`struct sigaction` of the system), which begins with the handler.
    pub action_size: u64,
    /// The numbers of the calls, by name.
    pub calls: BTreeMap<String, u64>,
}

/// A register that holds a thread pointer, and the call that sets it.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ThreadPointer {
    /// The register.
    pub register: String,
    /// The name of the call.
    pub call: String,
    /// The first argument of the call, which says that it sets this register; the second is then the pointer. Without it, the
    /// first is the pointer.
    pub code: Option<u64>,
}

/// Where a process has its parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProcessAddresses {
    /// The address behind the stack.
    pub stack_end: u64,
    /// The address below which memory is mapped.
    pub mappings_end: u64,
    /// The address at which a position-independent program is loaded.
    pub program: u64,
    /// The address at which the dynamic linker is loaded.
    pub linker: u64,
}

/// The layout of the status of a file: offset and size of each field in bytes. All other bytes are zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StatusLayout {
    /// The size of the structure.
    pub size: u64,
    /// The device.
    pub device: (u64, u64),
    /// The number of the file on its device.
    pub inode: (u64, u64),
    /// The kind and the permissions.
    pub mode: (u64, u64),
    /// The number of links.
    pub links: (u64, u64),
    /// The owner.
    pub user: (u64, u64),
    /// The group.
    pub group: (u64, u64),
    /// The size of the file.
    pub length: (u64, u64),
    /// The size of blocks for input and output.
    pub block_size: (u64, u64),
    /// The number of blocks of 512 bytes.
    pub blocks: (u64, u64),
}
