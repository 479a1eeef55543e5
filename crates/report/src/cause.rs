//! The causes of open directions: directions that are open for the same reason, and what the user can do about it.

use std::collections::BTreeMap;

use everypath_record::{Direction, Summary, Verdict};

/// Directions that are open for one reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cause {
    /// The reason, in words.
    pub reason: String,
    /// The directions, in the order of their addresses.
    pub directions: Vec<Direction>,
    /// What the user can try, if anything is known to help.
    pub advice: Option<&'static str>,
}

impl Cause {
    /// The causes of the open and unsupported directions of a summary, the one with most directions first.
    #[must_use]
    pub fn all(summary: &Summary) -> Vec<Cause> {
        let mut by_reason: BTreeMap<&str, Vec<Direction>> = BTreeMap::new();
        for judged in &summary.directions {
            if let Verdict::Open { reason } | Verdict::Unsupported { reason } = &judged.verdict {
                by_reason.entry(reason).or_default().push(judged.direction);
            }
        }
        let cause = |(reason, mut directions): (&str, Vec<Direction>)| {
            directions.sort_unstable();
            Cause { reason: reason.to_owned(), directions, advice: advice(reason) }
        };
        let mut causes: Vec<Cause> = by_reason.into_iter().map(cause).collect();
        causes.sort_by_key(|cause| std::cmp::Reverse(cause.directions.len()));
        causes
    }
}

/// What to try, by a part of the reason; the first one that fits.
const ADVICE: &[(&str, &str)] = &[
    (
        "the time limit",
        "allow more time with --seconds, or test one function by itself with [call] in the configuration",
    ),
    ("interrupted by the user", "let it run longer"),
    ("paths was reached", "allow more paths with --paths, or merge paths with --merge"),
    ("of memory was reached", "allow more memory with --memory, or merge paths with --merge"),
    (
        "test the handler by itself",
        "declare the handler as the entry with [call], and what it reads as [[input]]",
    ),
    (
        "blocked: paths end at",
        "correct what ends the paths there first: a fault of the program, or missing memory in the configuration",
    ),
    (
        "peripheral register that the configuration does not declare",
        "declare it as [[volatile]]: `everypath init` drafts the entries",
    ),
    ("the argument register", "declare the argument with [[input]]"),
    ("the global variable", "declare the variable with [[input]]"),
    ("solver query", "ask a second solver with --second-solver z3"),
    ("its test does not replay", "please report this: it is a fault of everypath"),
];

fn advice(reason: &str) -> Option<&'static str> {
    ADVICE.iter().find(|(part, _)| reason.contains(part)).map(|(_, advice)| *advice)
}
