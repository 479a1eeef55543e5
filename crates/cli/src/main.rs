//! The `everypath` command: parses its arguments, calls the other crates and prints their results.

mod arguments;
mod colour;
mod command;
mod document;
mod failure;
mod input;
mod listing;
mod number;
mod progress;
mod range;
mod results;
mod source;
mod stream;
mod subject;
mod ui;

use arguments::Arguments;
use clap::Parser;
use failure::Failure;
use std::io::{self, BufWriter, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let colour = arguments.options.color;
    let outcome = catch_unwind(AssertUnwindSafe(|| {
        let mut out = BufWriter::with_capacity(1 << 16, io::stdout().lock());
        let done = command::run(&arguments, &mut out);
        // Output before a failure is useful, so it is flushed in any case.
        let flushed = out.flush().map_err(Failure::Output);
        done.and_then(|code| flushed.map(|()| code))
    }));
    match outcome {
        Ok(Ok(code)) => ExitCode::from(code as u8),
        Ok(Err(failure)) => failure.report(colour),
        Err(_) => Failure::Bug("it panicked, as said above".to_owned()).report(colour),
    }
}
