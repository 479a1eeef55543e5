//! Causes: reasons of open and unsupported directions that differ only in addresses and numbers, with what a user can try.

use std::collections::BTreeMap;

use everypath_record::{Judged, Verdict};
use serde::Serialize;

use super::strings::Strings;

/// A cause.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub(super) struct Cause {
    /// The reason; where its directions have different addresses and numbers, with an ellipsis for each.
    text: String,
    /// What a user can try.
    what_to_try: Option<&'static str>,
    /// Whether a model is missing.
    unsupported: bool,
    /// The strings of the reasons.
    reasons: Vec<usize>,
    /// The directions, by index.
    directions: Vec<usize>,
}

/// The causes of directions, that of most directions first.
pub(super) fn causes<'r>(directions: impl Iterator<Item = &'r Judged>, strings: &mut Strings) -> Vec<Cause> {
    let mut causes: BTreeMap<(bool, String), Cause> = BTreeMap::new();
    for (index, Judged { verdict, .. }) in directions.enumerate() {
        let (reason, unsupported) = match verdict {
            Verdict::Open { reason } => (reason, false),
            Verdict::Unsupported { reason } => (reason, true),
            Verdict::Covered { .. } | Verdict::Infeasible { .. } => continue,
        };
        let pattern = without_numbers(reason);
        let cause = causes.entry((unsupported, pattern)).or_insert_with_key(|(_, pattern)| Cause {
            text: reason.clone(),
            what_to_try: what_to_try(pattern),
            unsupported,
            reasons: Vec::new(),
            directions: Vec::new(),
        });
        cause.directions.push(index);
        let string = strings.intern(reason);
        if !cause.reasons.contains(&string) && cause.reasons.len() < 64 {
            cause.reasons.push(string);
        }
    }
    let named = causes.into_iter().map(|((_, pattern), cause)| match cause.reasons.len() {
        1 => cause,
        _ => Cause { text: pattern, ..cause },
    });
    let mut causes: Vec<Cause> = named.collect();
    causes.sort_by_key(|cause| std::cmp::Reverse(cause.directions.len()));
    causes
}

/// A reason with an ellipsis for each address and number. Digits inside of a word are part of a name.
fn without_numbers(reason: &str) -> String {
    let mut text = String::new();
    let mut characters = reason.chars().peekable();
    let mut in_word = false;
    while let Some(character) = characters.next() {
        let begins_number = character.is_ascii_digit() && !in_word;
        in_word = character.is_alphanumeric() || character == '_';
        if !begins_number {
            text.push(character);
            continue;
        }
        text.push('…');
        while characters.next_if(|next| next.is_alphanumeric()).is_some() {}
    }
    text.replace("…,…", "…").replace("….…", "…")
}

/// Words of a reason, all of which it has, and what to try against it. The first entry that fits is taken.
const SUGGESTIONS: &[(&[&str], &str)] = &[
    (
        &["does not replay"],
        "This is a fault of Everypath: please report it, with the divergences on the ledger page.",
    ),
    (
        &["limit of", " s was reached"],
        "Raise `--seconds`, or focus the exploration: test the function by itself with `[call]`.",
    ),
    (
        &["interrupt", "vector"],
        "Test the handler by itself with `[call]`, or declare the memory that it writes as `[[volatile]]`.",
    ),
    (
        &["blocked"],
        "Paths end before they reach it. Look at the finding or the assumption at that address: map the memory or declare the \
                    register that is missing there, or correct the fault, and run again.",
    ),
    (&["MB of memory"], "Raise `--memory`, or add `--merge`."),
    (&["paths was reached"], "Raise `--paths`, or add `--merge` or `--prove`."),
    (
        &["query", "not answered"],
        "Add a second opinion with `--second-solver z3`, or raise the limit of conflicts of a query.",
    ),
    (
        &["uninitialised"],
        "Set `unwritten = \"input\"` in `everypath.toml` to explore other contents of this memory.",
    ),
    (
        &["peripheral"],
        "Declare the register: the ledger page has the `[[volatile]]` entries to paste into `everypath.toml`.",
    ),
    (&["argument"], "Declare the argument as `[[input]]`."),
    (&["global"], "Declare the variable as `[[input]]`, or give its value in `[[initial]]`."),
    (&["instructions", "reached"], "Raise `--budget`, the number of instructions on a path."),
    (&["decisions", "reached"], "Raise `--budget`, or add `--merge`."),
    (&["model"], "The operation has no model. Cover the direction by a test on the target, or review it."),
    (&["not explored"], "Raise `--seconds` or `--paths`."),
];

/// What to try so that directions with such a reason are decided.
fn what_to_try(pattern: &str) -> Option<&'static str> {
    let fits = |words: &[&str]| words.iter().all(|word| pattern.contains(word));
    SUGGESTIONS.iter().find(|(words, _)| fits(words)).map(|(_, suggestion)| *suggestion)
}

/// What a user can do about an assumption of this kind.
pub(super) fn what_to_do(kind: &str) -> Option<&'static str> {
    Some(match kind {
        "peripheral" => "Paste the `[[volatile]]` entries below into `everypath.toml`.",
        "interrupt" => {
            "Declare the memory that handlers write as `[[volatile]]`; test a handler by itself with `[call]`."
        }
        "argument" => "Declare the argument as `[[input]]`.",
        "global" => "Declare the variable as `[[input]]`, or give its value in `[[initial]]`.",
        "layout" => "Test the function with objects at several addresses.",
        "uninitialised" => "Set `unwritten = \"input\"` to explore other contents.",
        "unanswered" => "Add a second opinion with `--second-solver z3`.",
        "bound" => "Raise the bound that the message names.",
        "divergence" => "This is a fault of Everypath: please report it.",
        "setup" => "Correct the setup as the message says.",
        "unused" => "Check the address of the entry in `everypath.toml`, or remove it.",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use everypath_record::{Address, Direction};

    #[test]
    fn reasons_are_grouped_by_their_words() {
        let reason = |at: u64| format!("blocked: paths end at {at:#x} (read of 4 bytes), behind r3");
        let open = |branch: u64, reason: String| Judged {
            direction: Direction { branch: Address(branch), target: Address(0) },
            verdict: Verdict::Open { reason },
        };
        let limit = "the limit of 10 s was reached".to_owned();
        let directions = [open(1, limit.clone()), open(2, reason(0x10ab)), open(3, reason(0x20))];
        let mut strings = Strings::default();
        let causes = causes(directions.iter(), &mut strings);
        let texts: Vec<&str> = causes.iter().map(|cause| cause.text.as_str()).collect();
        assert_eq!(texts, ["blocked: paths end at … (read of … bytes), behind r3", limit.as_str()]);
        assert_eq!(causes[0].directions, [1, 2]);
        assert_eq!(causes[0].reasons.len(), 2);
        assert!(causes.iter().all(|cause| cause.what_to_try.is_some()));
    }
}
