//! What a program executed, held against its recovered graph.

use super::executed::Executed;
use super::graph::{Graph, Kind};
use std::collections::BTreeSet;

/// What was compared, and what is wrong.
#[derive(Default)]
pub(super) struct Figures {
    /// Different instructions that were executed.
    pub executed: u64,
    /// Those of them that the graph has.
    pub held: u64,
    /// Executed instructions that begin inside of one of the graph, or have another length there.
    pub wrong_boundaries: u64,
    /// Executed indirect jumps, calls and returns; those of them that the graph calls resolved.
    pub indirect: (u64, u64),
    /// Resolved ones that went to an address that is not among their targets.
    pub wrong_resolved: u64,
    /// Unresolved indirect jumps and calls that went to an address in the file that the graph does not list for them.
    pub unlisted: u64,
    /// Direct jumps and calls that went where no edge leads.
    pub wrong_edges: u64,
    /// Calls that returned although the graph has no edge behind them.
    pub wrong_no_return: u64,
    /// Called addresses where the graph has no function.
    pub missing_functions: u64,
    /// What to look at.
    pub remarks: Vec<String>,
}

impl Figures {
    /// The share of executed instructions that the graph has, in percent.
    pub(super) fn share(&self) -> f64 {
        if self.executed == 0 { 0.0 } else { 100.0 * self.held as f64 / self.executed as f64 }
    }

    /// Whether nothing that the graph says is wrong, and enough of what was executed is there.
    pub(super) fn hold(&self, thousandths: u64) -> bool {
        self.wrong_boundaries + self.wrong_resolved + self.wrong_no_return + self.wrong_edges == 0
            && self.held * 1000 >= self.executed * thousandths
            && self.executed > 0
    }
}

/// The size of a page. QEMU counts what it reads ahead at the end of one to the instruction before.
const PAGE: u64 = 4096;

/// Compares; with `delay_slots`, an instruction of the graph includes the one behind it that is executed before it takes effect.
pub(super) fn compare(executed: &Executed, graph: &Graph, delay_slots: bool) -> Figures {
    let comparison = Comparison { executed, graph, delay_slots };
    let mut figures = Figures::default();
    comparison.instructions(&mut figures);
    comparison.edges(&mut figures);
    comparison.returns(&mut figures);
    figures
}

struct Comparison<'c> {
    executed: &'c Executed,
    graph: &'c Graph,
    delay_slots: bool,
}

impl Comparison<'_> {
    /// The instruction of the graph that a control transfer belongs to.
    fn transfer(&self, address: u64) -> u64 {
        let inside = || self.delay_slots && !self.graph.leaving.contains_key(&address);
        if inside() { self.graph.around(address).unwrap_or(address) } else { address }
    }

    fn instructions(&self, figures: &mut Figures) {
        let mut missed: Vec<(u64, u64, u64)> = Vec::new();
        for (address, length) in &self.executed.instructions {
            figures.executed += 1;
            let around = self.graph.around(*address);
            match (self.graph.instructions.get(address), around) {
                (Some(lengths), _) if self.delay_slots || lengths.contains(length) => figures.held += 1,
                (Some(lengths), _)
                    if (address + u64::from(*length)).is_multiple_of(PAGE)
                        && lengths.iter().all(|known| known < length) =>
                {
                    figures.held += 1;
                }
                (Some(lengths), _) => {
                    figures.wrong_boundaries += 1;
                    figures.remarks.push(format!(
                        "wrong boundary: {address:#x} has {length} bytes, in the graph {lengths:?}"
                    ));
                }
                (None, Some(start))
                    if self.delay_slots && self.executed.instructions.contains_key(&start) =>
                {
                    figures.held += 1;
                }
                (None, Some(start)) => {
                    figures.wrong_boundaries += 1;
                    figures.remarks.push(format!("wrong boundary: {address:#x} lies inside {start:#x}"));
                }
                (None, None) => match missed.last_mut() {
                    Some((_, end, count)) if *end == *address => {
                        *end += u64::from(*length);
                        *count += 1;
                    }
                    _ => missed.push((*address, *address + u64::from(*length), 1)),
                },
            }
        }
        missed.sort_unstable_by_key(|(start, _, count)| (u64::MAX - count, *start));
        for (start, end, count) in missed {
            let reaching = self.executed.edges.iter().filter(|(_, to)| *to == Some(start));
            let reaching: Vec<String> = reaching.map(|(from, _)| name(*from)).collect();
            figures.remarks.push(format!(
                "missed: {start:#x}..{end:#x}, {count} instructions, from {}",
                reaching.join(" ")
            ));
        }
    }

    fn edges(&self, figures: &mut Figures) {
        let mut seen = BTreeSet::new();
        let mut missing = BTreeSet::new();
        for (from, to) in &self.executed.edges {
            let Some(from) = from.map(|from| self.transfer(from)) else { continue };
            let Some(leaving) = self.graph.leaving.get(&from) else {
                // A string instruction repeats itself, and what follows needs no edge; everything else ends a block.
                let lengths = self.graph.instructions.get(&from);
                let next = |length: &u8| *to == Some(from + u64::from(*length));
                if lengths.is_some_and(|lengths| !lengths.iter().any(next)) && *to != Some(from) {
                    figures.wrong_edges += 1;
                    figures.remarks.push(format!("wrong edge: {from:#x} to {} ends no block", name(*to)));
                }
                continue;
            };
            let resolved = leaving.indirect.iter().all(|exit| exit.resolved);
            if !leaving.indirect.is_empty() && seen.insert(from) {
                figures.indirect.0 += 1;
                figures.indirect.1 += u64::from(resolved);
            }
            if let Some(to) = to
                && leaving.calls()
                && !leaving.edges.iter().any(|(other, kind)| other == to && *kind != Kind::Call)
                && !leaving.has("return")
                && !self.graph.functions.contains(to)
                && missing.insert(*to)
            {
                figures.missing_functions += 1;
                figures.remarks.push(format!("no function: {to:#x}, called from {from:#x}"));
            }
            let known = to.is_some_and(|to| {
                leaving.edges.iter().any(|(other, kind)| *other == to && *kind != Kind::CallFallThrough)
                    || leaving.indirect.iter().any(|exit| exit.targets.contains(&to))
                    || (to == from && leaving.ends.iter().all(|end| *end != to))
            });
            if known {
                continue;
            }
            if leaving.indirect.is_empty() {
                figures.wrong_edges += 1;
                figures.remarks.push(format!("wrong edge: {from:#x} to {} is not there", name(*to)));
            } else if resolved {
                figures.wrong_resolved += 1;
                let reason = &leaving.indirect[0].reason;
                let count = leaving.indirect.iter().map(|exit| exit.targets.len()).sum::<usize>();
                figures.remarks.push(format!(
                    "wrong resolved: {from:#x} went to {}, {count} targets known: {reason}",
                    name(*to)
                ));
            } else if to.is_some() && !leaving.has("return") {
                figures.unlisted += 1;
                let reason = &leaving.indirect[0].reason;
                figures.remarks.push(format!("unlisted: {from:#x} went to {}: {reason}", name(*to)));
            }
        }
    }

    /// A call returned if control came back behind it by a return, or from outside the file.
    fn returns(&self, figures: &mut Figures) {
        let returns = |from: &Option<u64>| {
            let leaving = from.map(|from| self.graph.leaving.get(&self.transfer(from)));
            leaving.is_none_or(|leaving| leaving.is_some_and(|leaving| leaving.has("return")))
        };
        let returned: BTreeSet<u64> =
            self.executed.edges.iter().filter(|(from, _)| returns(from)).filter_map(|(_, to)| *to).collect();
        let callers: BTreeSet<u64> =
            self.executed.edges.iter().filter_map(|(from, _)| from.map(|from| self.transfer(from))).collect();
        for call in callers {
            let Some(leaving) = self.graph.leaving.get(&call).filter(|leaving| leaving.calls()) else {
                continue;
            };
            for end in leaving.ends.iter().filter(|end| returned.contains(end)) {
                if !leaving.leads(*end, Kind::CallFallThrough) && !leaving.leads(*end, Kind::Inside) {
                    figures.wrong_no_return += 1;
                    figures.remarks.push(format!("wrong no-return: the call at {call:#x} returned"));
                }
            }
        }
    }
}

fn name(address: Option<u64>) -> String {
    address.map_or("outside".to_owned(), |address| format!("{address:#x}"))
}
