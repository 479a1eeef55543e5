//! The causes of open directions: directions that are open for the same reason, and what the user can do about it.

use std::collections::BTreeMap;

use everypath_record::{Direction, Judged, Summary, Verdict};
use serde_json::Value;

/// Directions that are open for one reason. Reasons that differ only in addresses and numbers are one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cause {
    /// The reason, in words; if there are several, with an ellipsis for each address and number.
    pub reason: String,
    /// The reasons in full, each once.
    pub reasons: Vec<String>,
    /// Whether a model is missing, so that the directions are unsupported.
    pub unsupported: bool,
    /// The directions, in the order of their addresses.
    pub directions: Vec<Direction>,
    /// Advice to the user, if anything is known to help.
    pub advice: Option<&'static str>,
}

impl Cause {
    /// The causes of the open and unsupported directions of a summary, the one with most directions first.
    #[must_use]
    pub fn all(summary: &Summary) -> Vec<Cause> {
        Cause::of(summary, summary.directions.iter())
    }

    /// The causes of those that are not justified.
    pub(crate) fn unjustified(summary: &Summary) -> Vec<Cause> {
        let justified = summary.justified();
        let is_unjustified = |judged: &&Judged| !justified.contains_key(&judged.direction);
        Cause::of(summary, summary.directions.iter().filter(is_unjustified))
    }

    fn of<'j>(summary: &Summary, directions: impl Iterator<Item = &'j Judged>) -> Vec<Cause> {
        let mut directions: Vec<&Judged> = directions.collect();
        directions.sort_by_key(|judged| judged.direction);
        let mut causes: BTreeMap<(bool, String), Cause> = BTreeMap::new();
        for Judged { direction, verdict } in directions {
            let (reason, unsupported) = match verdict {
                Verdict::Open { reason } => (reason, false),
                Verdict::Unsupported { reason } => (reason, true),
                Verdict::Covered { .. } | Verdict::Infeasible { .. } => continue,
            };
            let pattern = without_numbers(reason);
            let cause = causes.entry((unsupported, pattern)).or_insert_with(|| Cause {
                reason: reason.clone(),
                reasons: Vec::new(),
                unsupported,
                directions: Vec::new(),
                advice: advice_on(reason, summary),
            });
            cause.directions.push(*direction);
            if !cause.reasons.contains(reason) {
                cause.reasons.push(reason.clone());
            }
        }
        let named = causes.into_iter().map(|((_, pattern), cause)| match cause.reasons.len() {
            1 => cause,
            _ => Cause { reason: pattern, ..cause },
        });
        let mut causes: Vec<Cause> = named.collect();
        causes.sort_by_key(|cause| std::cmp::Reverse(cause.directions.len()));
        causes
    }
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
const ADVICE: &[(&[&str], &str)] = &[
    (&["does not replay"], "please report this: it is a fault of everypath"),
    (
        &["time limit"],
        "allow more time with `--seconds`, or test one function by itself with `[call]` in the configuration",
    ),
    (&["interrupted by the user"], "let it run longer"),
    (
        &["only the interrupt"],
        "test the handler by itself with `[call]`, or declare the memory that it writes as `[[volatile]]`",
    ),
    (
        &["blocked"],
        "look at the finding or the assumption at that place: correct the fault, map the memory or declare the register that is \
         missing there, and run again",
    ),
    (&["MB of memory"], "allow more memory with `--memory`, or merge paths with `--merge`"),
    (&["paths was reached"], "allow more paths with `--paths`, or merge paths with `--merge`"),
    (
        &["is not translated"],
        "everypath's own solver does not decide this operation: ask a second solver with `--second-solver z3`",
    ),
    (
        &["limit of conflicts"],
        "the bound on the work of a query has no flag: ask a second solver with `--second-solver z3`",
    ),
    (
        &["limit of gates"],
        "the bound on the size of a query has no flag: ask a second solver with `--second-solver z3`",
    ),
    (&["query", "not answered"], "ask a second solver with `--second-solver z3`"),
    (&["peripheral"], "declare the register as `[[volatile]]`: `everypath init` drafts the entries"),
    (&["register"], "declare the register as `[[input]]`, or give its value in `registers`"),
    (&["global variable"], "declare the variable as `[[input]]`, or give its value in `[[initial]]`"),
    (&["instructions", "reached"], "allow longer paths with `--budget`"),
    (&["decisions", "reached"], "the bound on decisions has no flag: merge paths with `--merge`"),
    (&["model"], "the operation has no model: cover the direction by a test on the target, or review it"),
    (&["not explored"], "allow more time with `--seconds`, or more paths with `--paths`"),
];

/// Advice against a time limit that was reached long after the last new direction: by the flags that the run has not had.
fn advice_on_stagnation(plan: &Value) -> &'static str {
    match (plan["merge"] == true, plan["prove"].is_u64()) {
        (false, false) => {
            "more than half of the paths covered nothing new, so that more time alone may not help: merge paths with `--merge`, \
             show directions infeasible with `--prove`, or test one function by itself with `[call]` in the configuration"
        }
        (false, true) => {
            "more than half of the paths covered nothing new, so that more time alone may not help: merge paths with `--merge`, or \
             test one function by itself with `[call]` in the configuration"
        }
        (true, false) => {
            "more than half of the paths covered nothing new, so that more time alone may not help: show directions infeasible with \
             `--prove`, or test one function by itself with `[call]` in the configuration"
        }
        (true, true) => {
            "more than half of the paths covered nothing new, so that more time alone may not help: test one function by itself \
             with `[call]` in the configuration"
        }
    }
}

/// Whether more than half of the paths of a search were run behind the last one that covered anything new.
fn stagnated(summary: &Summary) -> bool {
    summary.coverage_curve.last().is_some_and(|last| last.paths < summary.paths / 2)
}

fn advice_on(reason: &str, summary: &Summary) -> Option<&'static str> {
    if reason.contains("time limit") && stagnated(summary) {
        return Some(advice_on_stagnation(&summary.plan));
    }
    let fits = |words: &[&str]| words.iter().all(|word| reason.contains(word));
    ADVICE.iter().find(|(words, _)| fits(words)).map(|(_, advice)| *advice)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_left_out_but_not_those_in_names() {
        let reason = "blocked: paths end at 0x10ab (read of 4 bytes), behind r3";
        assert_eq!(without_numbers(reason), "blocked: paths end at … (read of … bytes), behind r3");
        assert!(ADVICE.iter().any(|(words, _)| words.iter().all(|word| reason.contains(word))));
    }
}
