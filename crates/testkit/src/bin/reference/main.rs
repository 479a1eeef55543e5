//! `sleigh-reference`: answers one decoding request with Ghidra's C++ decoder, which may crash the process.

use std::process::ExitCode;

fn main() -> ExitCode {
    everypath_testkit::reference::answer_request()
}
