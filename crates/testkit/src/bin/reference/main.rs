//! `sleigh-reference`: answers one request for decoding with Ghidra's C++ decoder, and may die of it.

use std::process::ExitCode;

fn main() -> ExitCode {
    everypath_testkit::reference::answer_request()
}
