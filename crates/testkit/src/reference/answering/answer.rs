//! Reads the request, and writes each answer immediately.

use super::decode::Decoder;
use super::image::Image;
use crate::reference::{ReferenceOutcome, Request, Work};
use std::io::{BufWriter, Read, Write};
use std::process::ExitCode;
use std::time::Instant;

/// Answers the one request on standard input. Run it in a child process: the decoder may crash.
pub fn answer_request() -> ExitCode {
    let mut output = BufWriter::new(std::io::stdout().lock());
    match begin() {
        Ok((request, decoder)) => match answer(&request, &decoder, &mut output) {
            Ok(()) => ExitCode::SUCCESS,
            // The reader has closed the pipe.
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
    if request.timed {
        let (instructions, seconds) = decode_silently(request, decoder);
        writeln!(output, "timed {instructions:x} {:x}", seconds.as_nanos())?;
    } else {
        answer_each(request, decoder, output)?;
    }
    writeln!(output, "end")?;
    output.flush()
}

fn answer_each(request: &Request, decoder: &Decoder, output: &mut impl Write) -> std::io::Result<()> {
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
            (Work::Sweep(_), ReferenceOutcome::Decoded { length, .. }) => cursor + length,
            (Work::Sweep(sweep), _) => cursor + sweep.step,
        };
        line.clear();
        outcome.write_line(address, &mut line);
        line.push('\n');
        // Flush each answer: the next instruction may crash this process.
        output.write_all(line.as_bytes())?;
        output.flush()?;
        count += 1;
    }
    Ok(())
}

/// Decodes to p-code without output; returns the number of instructions and the time.
fn decode_silently(request: &Request, decoder: &Decoder) -> (u64, std::time::Duration) {
    let start = Instant::now();
    let mut cursor = request.start;
    let (mut count, mut instructions) = (0, 0);
    while count < request.limit && decoder.image().contains(cursor) {
        let address = match request.work {
            Work::Sweep(_) => cursor,
            Work::Words(words) => words.address(cursor),
        };
        let length = decoder.length(address);
        instructions += u64::from(length.is_some());
        cursor += match request.work {
            Work::Words(_) => 1,
            Work::Sweep(sweep) => length.unwrap_or(sweep.step),
        };
        count += 1;
    }
    (instructions, start.elapsed())
}
