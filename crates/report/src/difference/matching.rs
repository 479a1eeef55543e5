//! Matching of code between two suites: by function and offset, or by address.
//!
//! The addresses of the same program are the same code. Those of another build are not, but offsets in a function that did not
//! change are. A function counts as changed if its branches or their targets are at other offsets; a change that moves none of them
//! goes unnoticed.

use std::collections::{BTreeMap, BTreeSet};

use everypath_record::{Address, CodeLocation, Summary, Verdict};
use serde::Serialize;

/// How directions were matched.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Matching {
    /// Whether both suites are of the same program, so that addresses can be compared.
    pub same_program: bool,
    /// Number of directions that were matched by function and offset.
    pub by_function: usize,
    /// Number of directions that were matched by address.
    pub by_address: usize,
}

/// Directions by verdict.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct VerdictTally {
    /// Covered directions.
    pub covered: usize,
    /// Infeasible directions.
    pub infeasible: usize,
    /// Open directions.
    pub open: usize,
    /// Unsupported directions.
    pub unsupported: usize,
}

/// A function whose branches or their targets are at other offsets.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FunctionChange {
    /// Its name.
    pub name: String,
    /// Its directions in the first run.
    pub before: VerdictTally,
    /// Its directions in the second run.
    pub after: VerdictTally,
}

impl FunctionChange {
    /// Whether more of its directions are open or unsupported than before.
    #[must_use]
    pub fn is_worse(&self) -> bool {
        self.after.undecided() > self.before.undecided()
    }
}

impl VerdictTally {
    /// Counts verdicts.
    pub(super) fn of<'v>(verdicts: impl Iterator<Item = &'v Verdict>) -> VerdictTally {
        let mut tally = VerdictTally::default();
        verdicts.for_each(|verdict| tally.count(verdict));
        tally
    }

    /// Counts one more verdict.
    fn count(&mut self, verdict: &Verdict) {
        *match verdict {
            Verdict::Covered { .. } => &mut self.covered,
            Verdict::Infeasible { .. } => &mut self.infeasible,
            Verdict::Open { .. } => &mut self.open,
            Verdict::Unsupported { .. } => &mut self.unsupported,
        } += 1;
    }

    /// Open and unsupported directions.
    #[must_use]
    pub fn undecided(&self) -> usize {
        self.open + self.unsupported
    }

    /// All directions.
    #[must_use]
    pub fn total(&self) -> usize {
        self.covered + self.infeasible + self.undecided()
    }
}

/// A function: its name, and its number among those of the same name in the order of their addresses.
pub(super) type FunctionKey = (String, usize);

/// A position: a function, and the offset in it.
pub(super) type Position = (FunctionKey, u64);

/// The functions that a summary locates code in.
pub(super) struct Functions<'s> {
    pub(super) summary: &'s Summary,
    /// The entries of the functions of each name.
    entries: BTreeMap<&'s str, BTreeSet<u64>>,
}

impl<'s> Functions<'s> {
    fn of(summary: &'s Summary) -> Functions<'s> {
        let mut entries: BTreeMap<&str, BTreeSet<u64>> = BTreeMap::new();
        for CodeLocation { address, function, .. } in &summary.locations {
            if let Some(function) = function {
                entries.entry(&function.name).or_default().insert(address.0.wrapping_sub(function.offset));
            }
        }
        Functions { summary, entries }
    }

    /// The function of an address, and the offset in it.
    pub(super) fn place(&self, address: Address) -> Option<Position> {
        let location = self.summary.location(address);
        let function = location.function.as_ref()?;
        let entry = address.0.wrapping_sub(function.offset);
        let number = self.entries.get(function.name.as_str())?.range(..entry).count();
        Some(((function.name.clone(), number), function.offset))
    }

    /// The edges of each function: the offset of the branch, and the position of the target if its function is known.
    fn edges(&self) -> BTreeMap<FunctionKey, BTreeSet<(u64, Option<Position>)>> {
        let mut edges: BTreeMap<FunctionKey, BTreeSet<_>> = BTreeMap::new();
        for judged in &self.summary.directions {
            if let Some((function, offset)) = self.place(judged.direction.branch) {
                let target = self.place(judged.direction.target);
                edges.entry(function).or_default().insert((offset, target));
            }
        }
        edges
    }

    /// The directions of the branches in each function, by verdict.
    fn tallies(&self) -> BTreeMap<FunctionKey, VerdictTally> {
        let mut tallies: BTreeMap<FunctionKey, VerdictTally> = BTreeMap::new();
        for judged in &self.summary.directions {
            if let Some((function, _)) = self.place(judged.direction.branch) {
                tallies.entry(function).or_default().count(&judged.verdict);
            }
        }
        tallies
    }
}

/// Two suites whose code is matched.
pub(super) struct Matcher<'s> {
    pub(super) before: Functions<'s>,
    pub(super) after: Functions<'s>,
    pub(super) same_program: bool,
    /// The functions that are in both and changed.
    changed: BTreeSet<FunctionKey>,
}

impl<'s> Matcher<'s> {
    pub(super) fn new(before: &'s Summary, after: &'s Summary) -> Matcher<'s> {
        let same_program = before.program_hash == after.program_hash;
        let (before, after) = (Functions::of(before), Functions::of(after));
        let mut changed = BTreeSet::new();
        if !same_program {
            let new = after.edges();
            for (function, edges) in before.edges() {
                if new.get(&function).is_some_and(|new| *new != edges) {
                    changed.insert(function);
                }
            }
        }
        Matcher { before, after, same_program, changed }
    }

    /// Whether an address of one of the suites is in a changed function.
    pub(super) fn is_changed(&self, suite: &Functions<'_>, address: Address) -> bool {
        suite.place(address).is_some_and(|(function, _)| self.changed.contains(&function))
    }

    /// The changed functions with their directions.
    pub(super) fn changed_functions(&self) -> Vec<FunctionChange> {
        let (before, after) = (self.before.tallies(), self.after.tallies());
        let change = |function: &FunctionKey| FunctionChange {
            name: function.0.clone(),
            before: before.get(function).copied().unwrap_or_default(),
            after: after.get(function).copied().unwrap_or_default(),
        };
        self.changed.iter().map(change).collect()
    }

    /// The entries that only the first, and only the second suite has. An entry is the same if its kind and place are; in a changed
    /// function, if its kind and message are, whose addresses may differ.
    pub(super) fn unmatched<'t, T, L>(
        &self,
        before: &'t [T],
        after: &'t [T],
        parts: impl Fn(&'t T) -> (&'t str, Address, &'t str),
        located: impl Fn(&T, CodeLocation) -> L,
    ) -> (Vec<L>, Vec<L>) {
        let key = |suite: &Functions<'_>, entry: &'t T| {
            let (kind, address, message) = parts(entry);
            let place = match suite.place(address).filter(|_| !self.same_program) {
                Some((function, _)) if self.changed.contains(&function) => {
                    (Some(function), None, without_addresses(message))
                }
                Some((function, offset)) => (Some(function), Some(offset), String::new()),
                None => (None, Some(address.0), String::new()),
            };
            (kind, place)
        };
        let mut old: BTreeMap<_, Vec<&T>> = BTreeMap::new();
        for entry in before {
            old.entry(key(&self.before, entry)).or_default().push(entry);
        }
        let mut appeared = Vec::new();
        for entry in after {
            let same = old.get_mut(&key(&self.after, entry));
            if same.and_then(|same| (!same.is_empty()).then(|| same.remove(0))).is_none() {
                let location = self.after.summary.location(parts(entry).1).into_owned();
                appeared.push(located(entry, location));
            }
        }
        let disappeared = old
            .into_values()
            .flatten()
            .map(|entry| located(entry, self.before.summary.location(parts(entry).1).into_owned()));
        (disappeared.collect(), appeared)
    }
}

/// A message with `0x` for each hexadecimal number in it.
fn without_addresses(message: &str) -> String {
    let mut parts = message.split("0x");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |text, part| {
        text + "0x" + part.trim_start_matches(|digit: char| digit.is_ascii_hexdigit())
    })
}
