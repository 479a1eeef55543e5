//! Any bytes are read as a trace in each format, or refused; and what is read can be credited.
#![no_main]

use everypath::{Binary, ExecutionTrace, TRACES};
use libfuzzer_sys::fuzz_target;
use std::sync::LazyLock;

/// movx a,@dptr; jz 4; inc a; sjmp 4
static PROGRAM: LazyLock<Binary> = LazyLock::new(|| {
    let options = Binary::options().architecture("8051").raw(0);
    options.read(b"\xe0\x60\x01\x04\x80\xfe").expect("a program")
});

fuzz_target!(|data: &[u8]| {
    for format in TRACES {
        if let Ok(execution) = PROGRAM.parse_trace(format, data) {
            let trace = ExecutionTrace { name: format.name.to_owned(), hash: String::new(), execution };
            // A trace with no instruction of the program is refused.
            let _ = PROGRAM.cover(&[trace]);
        }
    }
});
