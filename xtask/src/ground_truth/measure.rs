//! Compares the graph recovered from a stripped program with the truth.

use super::recovered::{Jump, Recovered};
use super::truth::Truth;
use std::collections::BTreeSet;
use std::fmt;

/// The figures of a comparison.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Figures {
    /// Functions that are reachable, and those of them that were found.
    pub functions: (usize, usize),
    /// False positives among functions.
    pub extra: usize,
    /// Instructions inside found functions, and those that are not instruction boundaries.
    pub instructions: (usize, usize),
    /// Instructions of found functions that were not reached.
    pub missed: usize,
    /// Jump tables of switches in reachable functions, and those of them whose targets are exactly known.
    pub switches: (usize, usize),
    /// Jumps that reach only a part of a resolved table: the recovered bound says so, and nothing else confirms it.
    pub parts: usize,
    /// The same for tables that programmers wrote.
    pub labels: (usize, usize),
    /// Indirect jumps inside functions; those with targets; those that are fully resolved.
    pub jumps: (usize, usize, usize),
    /// Indirect jumps that leave their function to an address that is not the start of another one.
    pub wrong_jumps: usize,
    /// Differences to look at.
    pub remarks: Vec<String>,
}

/// The names of the columns of [`Figures`].
pub const COLUMNS: &str = "functions | none | instructions, wrong | missed | switches, parts | labels | jumps, with targets, saturated, wrong";

impl fmt::Display for Figures {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let share = |(all, found): (usize, usize)| match all {
            0 => "-".to_owned(),
            _ => format!("{found} of {all} ({:.2} %)", 100.0 * found as f64 / all as f64),
        };
        write!(
            formatter,
            "{} | {} | {}, {} | {} | {}, {} | {} | {}, {}, {}, {}",
            share(self.functions),
            self.extra,
            self.instructions.0,
            self.instructions.1,
            self.missed,
            share(self.switches),
            self.parts,
            share(self.labels),
            self.jumps.0,
            self.jumps.1,
            self.jumps.2,
            self.wrong_jumps
        )
    }
}

/// Compares.
pub fn measure(recovered: &Recovered, truth: &Truth) -> Figures {
    let mut figures = Figures::default();
    figures.functions.0 = truth.reached.len();
    for start in &truth.reached {
        if recovered.functions.contains(start) {
            figures.functions.1 += 1;
        } else {
            figures.remarks.push(format!("not found: {start:#x} {}", truth.name(*start)));
        }
    }
    for start in &recovered.functions {
        if truth.function_of(*start).is_some_and(|owner| owner != *start) {
            figures.extra += 1;
            figures.remarks.push(format!("no function: {start:#x}"));
        }
    }
    for address in &recovered.instructions {
        let Some(owner) = truth.function_of(*address) else { continue };
        figures.instructions.0 += 1;
        if !truth.instructions.contains(address) && !truth.targets.contains(address) {
            figures.instructions.1 += 1;
            figures.remarks.push(format!("no instruction: {address:#x} in {}", truth.name(owner)));
        }
    }
    let mut incomplete = BTreeSet::new();
    for address in truth.instructions.difference(&truth.filling) {
        if let Some(owner) = truth.function_of(*address)
            && recovered.functions.contains(&owner)
            && !recovered.instructions.contains(address)
        {
            figures.missed += 1;
            if incomplete.insert(owner) {
                figures.remarks.push(format!("missed: {address:#x} in {}", truth.name(owner)));
            }
        }
    }
    measure_tables(recovered, truth, &mut figures);
    measure_jumps(recovered, truth, &mut figures);
    figures
}

/// A table is resolved if the jumps of its function that lead only into it together have exactly its targets, or are
/// proved to reach no more of it.
fn measure_tables(recovered: &Recovered, truth: &Truth, figures: &mut Figures) {
    for table in truth.tables.iter().filter(|table| truth.reached.contains(&table.owner)) {
        let near: Vec<&Jump> =
            recovered.jumps.iter().filter(|jump| truth.is_same(table.owner, jump.block)).collect();
        let is_other = |jump: &&&Jump| truth.tables.iter().any(|table| table.targets == jump.targets);
        let exact = near.iter().any(|jump| jump.targets == table.targets);
        let others =
            || near.iter().filter(|jump| !jump.targets.is_disjoint(&table.targets) && !is_other(jump));
        let partial = others().find(|jump| !jump.targets.is_subset(&table.targets)).or_else(|| {
            let together: BTreeSet<u64> = others().flat_map(|jump| jump.targets.iter().copied()).collect();
            others().find(|jump| !exact && together != table.targets && !jump.saturated)
        });
        let parts = others().count();
        let count = if table.switch { &mut figures.switches } else { &mut figures.labels };
        count.0 += 1;
        if (exact || parts > 0) && partial.is_none() {
            count.1 += 1;
            figures.parts += parts;
            continue;
        }
        let name = truth.name(table.owner);
        let kind = if table.switch { "switch" } else { "labels" };
        let (at, length) = (table.address, table.targets.len());
        let remark = match partial {
            Some(jump) => {
                let missing = table.targets.difference(&jump.targets).count();
                let surplus = jump.targets.difference(&table.targets).count();
                let (block, why) = (jump.block, &jump.remark);
                format!("the jump of {block:#x} has {missing} too few, {surplus} too many: {why}")
            }
            None => {
                let open = near.iter().filter(|jump| jump.targets.is_empty());
                let open: Vec<String> =
                    open.map(|jump| format!("{:#x}: {}", jump.block, jump.remark)).collect();
                format!("no jump has any: {}", open.join(", "))
            }
        };
        figures.remarks.push(format!("{kind} at {at:#x} of {length} targets in {name}: {remark}"));
    }
}

fn measure_jumps(recovered: &Recovered, truth: &Truth, figures: &mut Figures) {
    for jump in &recovered.jumps {
        let Some(owner) = truth.function_of(jump.block) else { continue };
        figures.jumps.0 += 1;
        figures.jumps.1 += usize::from(!jump.targets.is_empty());
        figures.jumps.2 += usize::from(jump.saturated);
        let is_wrong = |target: &u64| !truth.is_same(owner, *target) && !truth.functions.contains_key(target);
        if jump.targets.iter().any(is_wrong) {
            figures.wrong_jumps += 1;
            let (block, name) = (jump.block, truth.name(owner));
            figures.remarks.push(format!("the jump of {block:#x} in {name} leaves it"));
        }
    }
}
