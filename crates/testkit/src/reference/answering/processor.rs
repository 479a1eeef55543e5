//! The processor specification for the decoder: the request's, with its context variables.

use crate::reference::{Request, Work};
use std::fmt::Write;

/// The number of bytes that the reference reads for an instruction.
const WINDOW: u64 = 16;

/// The text of the processor specification. It sets the request's context variables in all of the code space and again
/// at each record's address, or each anchor of a sweep over `length` bytes. That makes each of these a change point, at
/// which context committed below ends.
pub(super) fn processor_specification(request: &Request, length: u64) -> Result<String, String> {
    const END: &str = "</processor_spec>";
    let mut text = match &request.pspec {
        Some(file) => {
            std::fs::read_to_string(file).map_err(|error| format!("{}: {error}", file.display()))?
        }
        None => format!("<processor_spec>{END}"),
    };
    if request.context.is_empty() {
        return Ok(text);
    }
    let place = text.rfind(END).ok_or_else(|| format!("the processor specification has no {END}"))?;
    text.insert_str(place, &context_data(request, length));
    Ok(text)
}

fn context_data(request: &Request, length: u64) -> String {
    let mut values = String::new();
    for (name, value) in &request.context {
        append(&mut values, format_args!("<set name=\"{name}\" val=\"{value}\"/>"));
    }
    let space = &request.code_space;
    let mut data = format!("<context_data><context_set space=\"{space}\">{values}</context_set>");
    for (first, last) in regions(request, length) {
        append(
            &mut data,
            format_args!(
                "<context_set space=\"{space}\" first=\"{first:#x}\" last=\"{last:#x}\">{values}</context_set>"
            ),
        );
    }
    data.push_str("</context_data>");
    data
}

/// First and last address of each region with its own change points.
fn regions(request: &Request, length: u64) -> Vec<(u64, u64)> {
    match request.work {
        Work::Words(words) => {
            let end_of_slots = (request.start / words.slots + 1) * words.slots;
            let indices = request.start..request.start.saturating_add(request.limit).min(end_of_slots);
            indices.map(|index| (words.address(index), words.address(index) + WINDOW - 1)).collect()
        }
        Work::Sweep(_) if request.anchor == 0 => Vec::new(),
        Work::Sweep(sweep) => {
            let offsets = (0..length).step_by(usize::try_from(request.anchor).unwrap_or(usize::MAX));
            offsets.map(|offset| (sweep.base + offset, sweep.base + offset + request.anchor - 1)).collect()
        }
    }
}

fn append(text: &mut String, arguments: std::fmt::Arguments<'_>) {
    text.write_fmt(arguments).expect("writing to a string cannot fail");
}
