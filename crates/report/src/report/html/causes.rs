//! The causes of open directions, with directions by index.

use std::collections::HashMap;

use everypath_record::{Assumption, Direction, Judged, Summary};
use serde::Serialize;

use super::strings::Strings;
use crate::cause::Cause;

/// Maximum number of reasons of a cause.
const REASONS: usize = 64;

/// A cause.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub(super) struct CauseRow {
    text: String,
    what_to_try: Option<String>,
    unsupported: bool,
    /// The strings of the reasons.
    reasons: Vec<usize>,
    /// The directions, by index.
    directions: Vec<usize>,
}

/// The rows of causes of directions in the order of their indexes.
pub(super) fn cause_rows(causes: Vec<Cause>, directions: &[&Judged], strings: &mut Strings) -> Vec<CauseRow> {
    let indexed = directions.iter().enumerate().map(|(index, judged)| (judged.direction, index));
    let indexes: HashMap<Direction, usize> = indexed.collect();
    let row = |cause: Cause| CauseRow {
        what_to_try: cause.advice.map(as_sentence),
        unsupported: cause.unsupported,
        reasons: cause.reasons.iter().take(REASONS).map(|reason| strings.intern(reason)).collect(),
        directions: cause.directions.iter().map(|direction| indexes[direction]).collect(),
        text: cause.reason,
    };
    causes.into_iter().map(row).collect()
}

/// Words of advice as a sentence.
fn as_sentence(advice: &str) -> String {
    let mut characters = advice.chars();
    let first = characters.next().map(|first| first.to_uppercase().to_string()).unwrap_or_default();
    format!("{first}{}.", characters.as_str())
}

/// Words of a message about a bound, and what to do about it. The first entry that fits is taken.
const BOUNDS: &[(&str, &str)] = &[
    ("bound on instructions", "Allow longer paths with `--budget`."),
    ("bound on decisions", "The bound on decisions has no flag: merge paths with `--merge`."),
    ("bound on guest memory", "Raise `memory_budget` in `everypath.toml`."),
    ("MB of memory", "Allow more memory with `--memory`."),
    ("than the configuration declares", "Raise `count` in `[[object]]`."),
    ("alternative", "The bound on alternatives has no flag: test the function by itself with `[call]`."),
    ("interrupt", "The bound on interrupts has no flag: test the handler by itself with `[call]`."),
    ("faults of this path", "Correct the first faults, and run again."),
    ("loop that it never leaves", "Run again without `--hangs` for what the path does behind that loop."),
];

/// The advice to the user for an assumption, in Markdown; `None` if nothing is known to help.
pub(super) fn what_to_do(assumption: &Assumption, summary: &Summary) -> Option<&'static str> {
    Some(match assumption.kind.as_str() {
        "peripheral" if summary.undeclared_registers.is_empty() => return None,
        "peripheral" => "Paste the `[[volatile]]` entries below into `everypath.toml`.",
        "interrupt" => {
            "Declare the memory that handlers write as `[[volatile]]`; test a handler by itself with `[call]`."
        }
        "register" => "Declare the register as `[[input]]`, or give its value in `registers`.",
        "global" => "Declare the variable as `[[input]]`, or give its value in `[[initial]]`.",
        "layout" => {
            "Set `separate = true` in `[[object]]` if the objects are neither variables nor parts of each other; otherwise test the \
                     function with objects at several addresses."
        }
        "uninitialised" => "Set `unwritten = \"input\"` to explore other contents.",
        "unanswered" => "Add a second opinion with `--second-solver z3`.",
        "bound" => {
            let fits = |(words, _): &&(&str, &str)| assumption.message.contains(words);
            BOUNDS.iter().find(fits).map_or("This bound cannot be changed.", |(_, advice)| advice)
        }
        "divergence" => "This is a fault of Everypath: please report it.",
        "setup" => "Correct the setup as the message says.",
        "steered" => "Run again without `--ui` for a suite that the seed gives again.",
        "unused" => "Check the address of the entry in `everypath.toml`, or remove it.",
        _ => return None,
    })
}
