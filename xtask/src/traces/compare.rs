//! Compares the executed instructions and edges of a program with its recovered graph.

use super::executed::Executed;
use super::graph::{Graph, Kind};
use std::collections::BTreeSet;

/// The counts of a comparison, and the errors.
#[derive(Default)]
pub(super) struct Figures {
    /// Distinct executed instructions.
    pub executed: u64,
    /// Those of them that are in the graph.
    pub held: u64,
    /// Executed instructions that begin inside an instruction of the graph, or have another length there.
    pub wrong_boundaries: u64,
    /// Executed indirect jumps, calls and returns; those of them that the graph calls resolved.
    pub indirect: (u64, u64),
    /// Resolved ones that went to an address outside their targets.
    pub wrong_resolved: u64,
    /// Unresolved indirect jumps and calls to an address in the file that the graph does not list for them.
    pub unlisted: u64,
    /// Direct jumps and calls without an edge in the graph.
    pub wrong_edges: u64,
    /// Calls that returned although the graph has no fall-through edge after them.
    pub wrong_no_return: u64,
    /// Called addresses where the graph has no function.
    pub missing_functions: u64,
    /// Differences to look at.
    pub remarks: Vec<String>,
}

impl Figures {
    /// The share of executed instructions that the graph has, in percent.
    pub(super) fn share(&self) -> f64 {
        if self.executed == 0 { 0.0 } else { 100.0 * self.held as f64 / self.executed as f64 }
    }

    /// Whether the graph has no errors, and contains enough of the executed instructions.
    pub(super) fn hold(&self, thousandths: u64) -> bool {
        self.wrong_boundaries + self.wrong_resolved + self.wrong_no_return + self.wrong_edges == 0
            && self.held * 1000 >= self.executed * thousandths
            && self.executed > 0
    }
}

/// The page size. At the end of a page, QEMU counts prefetched bytes as part of an instruction, or omits bytes on the
/// next page, so the length of an instruction there is unreliable.
const PAGE: u64 = 4096;

fn near_page_end(address: u64, length: u8, lengths: &[u8]) -> bool {
    let crosses = |length: &u8| address / PAGE != (address + u64::from(*length) - 1) / PAGE;
    (address + u64::from(length)).is_multiple_of(PAGE) || lengths.iter().any(crosses)
}

/// Compares; with `delay_slots`, an instruction of the graph includes its delay slot.
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
                (Some(lengths), _) if near_page_end(*address, *length, lengths) => figures.held += 1,
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
                // A string instruction repeats itself, and its fall-through needs no edge; everything else ends a
                // block.
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
                && *to != from
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

    /// A call returned if control reached the instruction after it by a return, or from outside the file.
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

#[cfg(test)]
mod tests {
    use super::{Executed, Figures, Graph, Kind, compare};
    use crate::traces::graph::{IndirectExit, Leaving};
    use std::collections::{BTreeMap, BTreeSet, HashMap};

    /// A call at 0x10, a jump through a table at 0x20 and a return at 0x30, each of two bytes.
    fn graph(resumes: bool, targets: &[u64]) -> Graph {
        let exit = |kind: &str, resolved, targets: &[u64]| IndirectExit {
            kind: kind.to_owned(),
            resolved,
            reason: String::new(),
            targets: targets.iter().copied().collect(),
        };
        let mut call = Leaving { ends: BTreeSet::from([0x12]), ..Leaving::default() };
        call.edges.insert((0x30, Kind::Call));
        if resumes {
            call.edges.insert((0x12, Kind::CallFallThrough));
        }
        let table = Leaving {
            ends: BTreeSet::from([0x22]),
            indirect: vec![exit("jump", true, targets)],
            ..Leaving::default()
        };
        let back = Leaving {
            ends: BTreeSet::from([0x32]),
            indirect: vec![exit("return", false, &[])],
            ..Leaving::default()
        };
        let starts = [0x10, 0x12, 0x20, 0x22, 0x30];
        Graph {
            architecture: String::new(),
            instructions: starts.iter().map(|start| (*start, vec![2])).collect(),
            starts: starts.into_iter().collect(),
            functions: BTreeSet::from([0x30]),
            leaving: HashMap::from([(0x10, call), (0x20, table), (0x30, back)]),
        }
    }

    fn executed(instructions: &[(u64, u8)]) -> Executed {
        let edge = |from, to| (Some(from), Some(to));
        let edges = [edge(0x10, 0x30), edge(0x30, 0x12), edge(0x20, 0x10)];
        let instructions: BTreeMap<u64, u8> = instructions.iter().copied().collect();
        Executed { instructions, edges: edges.into_iter().collect(), total: 5 }
    }

    const ALL: [(u64, u8); 5] = [(0x10, 2), (0x12, 2), (0x20, 2), (0x22, 2), (0x30, 2)];

    fn figures(instructions: &[(u64, u8)], resumes: bool, targets: &[u64]) -> Figures {
        compare(&executed(instructions), &graph(resumes, targets), false)
    }

    #[test]
    fn what_holds_is_not_reported() {
        let figures = figures(&ALL, true, &[0x10, 0x22]);
        assert!(figures.hold(1000), "{:?}", figures.remarks);
        assert_eq!((figures.executed, figures.held, figures.indirect), (5, 5, (2, 1)));
    }

    #[test]
    fn every_kind_of_wrong_claim_is_reported() {
        assert_eq!(figures(&ALL, false, &[0x10]).wrong_no_return, 1);
        assert_eq!(figures(&ALL, true, &[0x22]).wrong_resolved, 1);
        let inside = figures(&[(0x10, 2), (0x21, 2)], true, &[0x10]);
        assert_eq!((inside.wrong_boundaries, inside.held), (1, 1));
        assert_eq!(figures(&[(0x10, 4)], true, &[0x10]).wrong_boundaries, 1);
        let missed = figures(&[(0x10, 2), (0x40, 2)], true, &[0x10]);
        assert!(missed.hold(500) && !missed.hold(995), "{:?}", missed.remarks);
        let mut strange = executed(&ALL);
        strange.edges.insert((Some(0x10), Some(0x22)));
        let strange = compare(&strange, &graph(true, &[0x10]), false);
        assert_eq!((strange.wrong_edges, strange.missing_functions), (1, 1));
    }
}
