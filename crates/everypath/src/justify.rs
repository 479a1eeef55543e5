//! Judges justifications: each entry of the configuration applies to an open direction of the code that was reviewed, or lapses.

use crate::locator::Locator;
use everypath_environment::{AddressOrSymbol, JustificationEntry};
use everypath_record::{
    Address, Direction, FunctionDigest, Judged, Justification, JustificationStanding, LapseCause, Summary,
    Verdict,
};
use std::collections::BTreeSet;

/// A reason to lapse, with the detail in words.
type Lapse = (LapseCause, String);

/// Records what becomes of the justifications, and the digests of functions with open directions.
pub(crate) fn justify(entries: &[JustificationEntry], locator: &Locator<'_>, summary: &mut Summary) {
    let open = summary.directions.iter().filter(|judged| judged.verdict.is_undecided());
    let functions: BTreeSet<u64> =
        open.filter_map(|judged| locator.entry(judged.direction.branch.0)).collect();
    summary.function_digests =
        functions.into_iter().filter_map(|entry| locator.function_digest(entry)).collect();
    let judge = Judge { locator, directions: &summary.directions, digests: &summary.function_digests };
    let mut justified = BTreeSet::new();
    let justifications = entries.iter().map(|entry| {
        let standing = match judge.direction(entry) {
            Ok(direction) if justified.insert(direction) => JustificationStanding::Valid { direction },
            Ok(direction) => JustificationStanding::Lapsed {
                cause: LapseCause::Duplicate,
                detail: format!("an earlier entry justifies {direction}; remove one of them"),
            },
            Err((cause, detail)) => JustificationStanding::Lapsed { cause, detail },
        };
        recorded(entry, standing)
    });
    summary.justifications = justifications.collect();
}

fn recorded(entry: &JustificationEntry, standing: JustificationStanding) -> Justification {
    let JustificationEntry { function, offset, target, code, reason, by, date } = entry.clone();
    let target = match target {
        AddressOrSymbol::Address(address) => Address(address).to_string(),
        AddressOrSymbol::Symbol(place) => place,
    };
    // In the configuration it may have several lines.
    let reason = reason.split_whitespace().collect::<Vec<_>>().join(" ");
    let given = |text: Option<String>| text.filter(|text| !text.trim().is_empty());
    Justification { function, offset, target, code, reason, by: given(by), date: given(date), standing }
}

/// The verdicts and function digests by which justifications are judged.
struct Judge<'j> {
    locator: &'j Locator<'j>,
    directions: &'j [Judged],
    /// The functions with open directions.
    digests: &'j [FunctionDigest],
}

impl Judge<'_> {
    /// The open direction that an entry justifies.
    fn direction(&self, entry: &JustificationEntry) -> Result<Direction, Lapse> {
        let function = self.function(entry)?;
        let branch = Address(function.wrapping_add(entry.offset));
        let of_branch: Vec<&Judged> =
            self.directions.iter().filter(|judged| judged.direction.branch == branch).collect();
        if of_branch.is_empty() {
            let detail = format!("no instruction branches at {}+{:#x}", entry.function, entry.offset);
            return Err((LapseCause::NoSuchDirection, detail));
        }
        let targets = self.targets(function, &entry.target);
        let mut meant = of_branch.iter().filter(|judged| targets.contains(&judged.direction.target.0));
        let (Some(judged), None) = (meant.next(), meant.next()) else {
            let known: Vec<String> =
                of_branch.iter().map(|judged| target_name(function, self.locator, judged)).collect();
            let detail = format!(
                "the branch at {}+{:#x} has other targets: {}",
                entry.function,
                entry.offset,
                known.join(", ")
            );
            return Err((LapseCause::NoSuchDirection, detail));
        };
        match &judged.verdict {
            Verdict::Open { .. } | Verdict::Unsupported { .. } => Ok(judged.direction),
            verdict @ Verdict::Covered { .. } => {
                let by = verdict.taken_by().unwrap_or_default();
                let detail = format!("the direction is covered now, by {by}; remove the entry");
                Err((LapseCause::Covered, detail))
            }
            Verdict::Infeasible { .. } => {
                let detail = "the direction is infeasible now: there is a proof; remove the entry".to_owned();
                Err((LapseCause::Infeasible, detail))
            }
        }
    }

    /// The entry of the function that was reviewed.
    fn function(&self, entry: &JustificationEntry) -> Result<u64, Lapse> {
        let JustificationEntry { function, code, .. } = entry;
        let named = self.locator.entries_named(function);
        if named.is_empty() {
            let same = self.digests.iter().find(|digest| digest.code == *code);
            let renamed = same.map(|digest| format!("; `{}` has the same code", digest.function));
            let detail = format!("there is no function `{function}`{}", renamed.unwrap_or_default());
            return Err((LapseCause::FunctionGone, detail));
        }
        let digests: Vec<(u64, String)> =
            named.iter().filter_map(|entry| Some((*entry, self.locator.code_digest(*entry)?))).collect();
        let same: Vec<u64> =
            digests.iter().filter(|(_, digest)| digest == code).map(|(entry, _)| *entry).collect();
        match same.as_slice() {
            [entry] => Ok(*entry),
            [] => {
                let now: Vec<&str> = digests.iter().map(|(_, digest)| digest.as_str()).collect();
                let detail = format!(
                    "the code of `{function}` changed since the review: its digest is {} now; review the direction again",
                    now.join(" or ")
                );
                Err((LapseCause::CodeChanged, detail))
            }
            several => {
                let names: Vec<String> = several.iter().map(|entry| format!("`sub_{entry:x}`")).collect();
                let detail = format!(
                    "{} functions `{function}` have this code; name the one that is meant by its address: {}",
                    several.len(),
                    names.join(", ")
                );
                Err((LapseCause::Ambiguous, detail))
            }
        }
    }

    /// The addresses that a target may stand for: an address, `+0x14` in the function, or a place in another function.
    fn targets(&self, function: u64, target: &AddressOrSymbol) -> BTreeSet<u64> {
        let place = match target {
            AddressOrSymbol::Address(address) => return BTreeSet::from([*address]),
            AddressOrSymbol::Symbol(place) => place.trim(),
        };
        if let Some(address) = number(place) {
            return BTreeSet::from([address]);
        }
        let named = self.locator.entries_named(place);
        let (name, offset) = match place.rsplit_once('+') {
            Some((name, offset)) if named.is_empty() => (name.trim(), number(offset.trim())),
            _ => (place, Some(0)),
        };
        let Some(offset) = offset else { return BTreeSet::new() };
        let entries =
            if name.is_empty() { BTreeSet::from([function]) } else { self.locator.entries_named(name) };
        entries.into_iter().map(|entry| entry.wrapping_add(offset)).collect()
    }
}

/// The target of a direction as an entry names it.
fn target_name(function: u64, locator: &Locator<'_>, judged: &Judged) -> String {
    let target = judged.direction.target;
    match locator.entry(target.0) {
        Some(entry) if entry == function => format!("\"+{:#x}\"", target.0 - entry),
        _ => target.to_string(),
    }
}

/// A number, hexadecimal behind `0x`.
fn number(text: &str) -> Option<u64> {
    match text.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16).ok(),
        None => text.parse().ok(),
    }
}
