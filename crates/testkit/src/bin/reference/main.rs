//! `sleigh-reference`: answers one request for decoding with Ghidra's C++ decoder.
//!
//! It reads a request on its input and writes `ready`, one line for each answer, and `end` on its output;
//! or `error` and a message when it cannot begin. It may die on any instruction: see
//! `everypath_testkit::reference`.

mod decode;
mod image;
mod opcode;
mod processor;

use decode::Decoder;
use everypath_testkit::reference::{Outcome, Request, Work};
use image::Image;
use std::io::{BufWriter, Read, Write};
use std::process::ExitCode;

fn main() -> ExitCode {
    let mut output = BufWriter::new(std::io::stdout().lock());
    match begin() {
        Ok((request, decoder)) => match answer(&request, &decoder, &mut output) {
            Ok(()) => ExitCode::SUCCESS,
            // Nobody reads the answers any more.
            Err(_) => ExitCode::FAILURE,
        },
        Err(message) => {
            let message = message.split_whitespace().collect::<Vec<_>>().join(" ");
            let _ = writeln!(output, "error {message}");
            ExitCode::FAILURE
        }
    }
}

fn begin() -> Result<(Request, Decoder), String> {
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text).map_err(|error| format!("no request: {error}"))?;
    let request = Request::parse(&text)?;
    let image = Image::read(&request)?;
    let decoder = Decoder::new(&request, image)?;
    Ok((request, decoder))
}

fn answer(request: &Request, decoder: &Decoder, output: &mut impl Write) -> std::io::Result<()> {
    writeln!(output, "ready")?;
    output.flush()?;
    let mut line = String::new();
    let mut cursor = request.start;
    let mut count = 0;
    while count < request.limit && decoder.image().contains(cursor) {
        let (address, outcome) = match request.work {
            Work::Sweep(_) => (cursor, decoder.decode(cursor)),
            Work::Words(words) => (words.address(cursor), decoder.decode(words.address(cursor))),
        };
        cursor = match (&request.work, &outcome) {
            (Work::Words(_), _) => cursor + 1,
            (Work::Sweep(_), Outcome::Decoded { length, .. }) => cursor + length,
            (Work::Sweep(sweep), _) => cursor + sweep.step,
        };
        line.clear();
        outcome.write_line(address, &mut line);
        line.push('\n');
        // Each answer goes out at once: the next instruction may be the one that kills this process.
        output.write_all(line.as_bytes())?;
        output.flush()?;
        count += 1;
    }
    writeln!(output, "end")?;
    output.flush()
}
