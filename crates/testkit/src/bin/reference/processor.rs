//! The processor specification that the decoder is given: the request's, and its context variables.

use everypath_testkit::reference::{Request, Work};
use std::fmt::Write;

/// What the reference reads of an instruction at once.
const WINDOW: u64 = 16;

/// The text of the processor specification, with the request's context variables set in all of the code
/// space and, for records, once more at each record's address: that makes each of these a change point,
/// where context that another record paints comes to its end.
pub(crate) fn processor_specification(request: &Request) -> Result<String, String> {
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
    text.insert_str(place, &context_data(request));
    Ok(text)
}

fn context_data(request: &Request) -> String {
    let mut values = String::new();
    for (name, value) in &request.context {
        append(&mut values, format_args!("<set name=\"{name}\" val=\"{value}\"/>"));
    }
    let space = &request.code_space;
    let mut data = format!("<context_data><context_set space=\"{space}\">{values}</context_set>");
    if let Work::Words(words) = request.work {
        let end_of_slots = (request.start / words.slots + 1) * words.slots;
        for index in request.start..request.start.saturating_add(request.limit).min(end_of_slots) {
            let first = words.address(index);
            let last = first + WINDOW - 1;
            append(
                &mut data,
                format_args!(
                    "<context_set space=\"{space}\" first=\"{first:#x}\" last=\"{last:#x}\">{values}</context_set>"
                ),
            );
        }
    }
    data.push_str("</context_data>");
    data
}

fn append(text: &mut String, arguments: std::fmt::Arguments<'_>) {
    text.write_fmt(arguments).expect("writing to a string cannot fail");
}
