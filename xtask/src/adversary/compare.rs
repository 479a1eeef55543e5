//! Compares the claims of Everypath about a program with the behaviour of every input.

use super::claim::{Claim, Summary};
use super::input::Domain;
use super::shape::Shapes;
use super::truth::{Ending, Truth};
use std::collections::{BTreeMap, BTreeSet, HashSet};

/// A claim that the ground truth refutes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Wrong {
    /// The kind of claim; also the name under which a reproducer is kept.
    pub(super) kind: &'static str,
    /// The claim and the truth.
    pub(super) what: String,
}

impl Wrong {
    /// Whether it is about a result of an exploration, not about certificates or recorded tests.
    pub(super) fn is_of_exploration(&self) -> bool {
        self.what.starts_with("branch:")
            || self.what.starts_with("path:")
            || self.what.starts_with("function:")
            || self.kind == "resolved-without-a-target"
    }

    /// The explorations that reproduce it.
    pub(super) fn reproduced_by(&self) -> &'static [&'static str] {
        match self.what.split(':').next() {
            Some("branch") => &["branch"],
            Some("path") => &["path"],
            Some("function") => &["function"],
            _ => &super::examine::EXPLORATIONS,
        }
    }
}

/// Wrong claims, and the number of comparisons.
#[derive(Clone, Debug, Default)]
pub(super) struct Comparison {
    pub(super) wrong: Vec<Wrong>,
    pub(super) directions: u64,
    /// The claims that a run could have refuted: infeasible directions, resolved exits, and that all directions are listed.
    pub(super) claims: u64,
}

impl Comparison {
    pub(super) fn add(&mut self, kind: &'static str, what: String) {
        // One of a kind is enough for one program.
        if !self.wrong.iter().any(|wrong| wrong.kind == kind) {
            self.wrong.push(Wrong { kind, what });
        }
    }
}

/// The program under comparison.
pub(super) struct Case<'c> {
    pub(super) truth: &'c Truth,
    pub(super) domain: &'c Domain,
    /// Whether the program was generated with a fault, so that a run may fault.
    pub(super) faulty: bool,
}

/// Compares one claim.
pub(super) fn compare(claim: &Claim, case: &Case<'_>, shapes: &mut Shapes<'_>) -> Comparison {
    let mut comparison = Comparison::default();
    let compared = transitions(claim, case.truth, &|_| true, shapes, &mut comparison);
    let Some((summary, taken, verdicts)) = compared else { return comparison };
    covered_were_taken(claim, &taken, &verdicts, shapes, &mut comparison);
    if claim.criterion == "path" && (summary.complete || summary.criterion_reached) {
        paths(claim, case, &mut comparison);
    }
    findings(claim, summary, case, &mut comparison);
    comparison
}

/// Compares a claim about a function, for all its arguments, with the transitions that runs of the whole program make within it.
pub(super) fn compare_function(
    claim: &Claim,
    truth: &Truth,
    is_inside: &dyn Fn(u64) -> bool,
    shapes: &mut Shapes<'_>,
) -> Comparison {
    let mut comparison = Comparison::default();
    transitions(claim, truth, is_inside, shapes, &mut comparison);
    comparison
}

/// Compares what a claim says of the transitions that runs make between such addresses. Returns them with the claim's verdicts, unless
/// the command failed.
fn transitions<'c>(
    claim: &'c Claim,
    truth: &Truth,
    is_inside: &dyn Fn(u64) -> bool,
    shapes: &mut Shapes<'_>,
    comparison: &mut Comparison,
) -> Option<(&'c Summary, Edges, Verdicts<'c>)> {
    let summary = summary(claim, comparison)?;
    let taken = taken(truth, is_inside, shapes);
    let observed = directions(&taken, shapes);
    comparison.directions = observed.len() as u64;
    let verdicts = verdicts(summary, shapes);
    let infeasible =
        verdicts.iter().filter(|((branch, _), verdict)| **verdict == "infeasible" && is_inside(*branch));
    let resolved = summary.indirect_exits.iter().filter(|jump| jump.resolved && is_inside(jump.branch.0));
    let lists_all = u64::from(summary.directions_exact) + u64::from(claim.says_all());
    comparison.claims = (infeasible.count() + resolved.count()) as u64 + lists_all;
    observed_are_claimed(claim, summary, &observed, &verdicts, shapes, comparison);
    indirect(summary, &taken, shapes, comparison);
    Some((summary, taken, verdicts))
}

/// The summary of a claim, unless the command failed.
fn summary<'c>(claim: &'c Claim, comparison: &mut Comparison) -> Option<&'c Summary> {
    let criterion = claim.criterion;
    let Some(summary) = &claim.summary else {
        let kind = match claim.code {
            Some(1) => "refused",
            Some(_) => "crash",
            None => "hang",
        };
        comparison.add(kind, format!("{criterion}: exit code {:?}: {}", claim.code, claim.complaint.trim()));
        return None;
    };
    if !matches!(claim.code, Some(0 | 3 | 4)) {
        comparison
            .add("crash", format!("{criterion}: exit code {:?}: {}", claim.code, claim.complaint.trim()));
    }
    if let Some(divergence) = summary.divergences.first() {
        comparison.add("divergence", format!("{criterion}: {divergence}"));
    }
    Some(summary)
}

/// Transitions between instructions, each with an input that makes it.
type Edges = BTreeMap<(u64, u64), u64>;

/// The transitions of all runs from and to such addresses; those out of a delay slot are attributed to its branch.
fn taken(truth: &Truth, is_inside: &dyn Fn(u64) -> bool, shapes: &mut Shapes<'_>) -> Edges {
    let mut taken = Edges::new();
    for ((from, to), input) in truth.edges.iter().filter(|((from, to), _)| is_inside(*from) && is_inside(*to))
    {
        let from = shapes.branch_of(*from).unwrap_or(*from);
        taken.entry((from, *to)).or_insert(*input);
    }
    taken
}

/// The branch directions among the transitions.
///
/// An indirect jump or call with one single target may become a direct one by constant folding (`auipc` and `jalr`), so
/// its only target need not be listed.
fn directions(taken: &Edges, shapes: &mut Shapes<'_>) -> Edges {
    let mut directions = Edges::new();
    for ((from, to), input) in taken {
        let Some(shape) = shapes.at(*from) else { continue };
        // From a branch to its own delay slot, or an instruction that repeats itself.
        let is_inside = from == to || shape.slots.contains(to);
        let several = || taken.range((*from, 0)..=(*from, u64::MAX)).count() > 1;
        if !is_inside && (shape.conditional || shape.indirect && several()) {
            directions.insert((*from, *to), *input);
        }
    }
    directions
}

/// The verdict of each direction; those of a delay slot are attributed to its branch.
type Verdicts<'s> = BTreeMap<(u64, u64), &'s str>;

fn verdicts<'s>(summary: &'s Summary, shapes: &mut Shapes<'_>) -> Verdicts<'s> {
    let mut verdicts = Verdicts::new();
    for ((branch, target), verdict) in summary.verdicts() {
        let branch = shapes.branch_of(branch).unwrap_or(branch);
        verdicts.insert((branch, target), verdict);
    }
    verdicts
}

fn observed_are_claimed(
    claim: &Claim,
    summary: &Summary,
    observed: &Edges,
    verdicts: &Verdicts<'_>,
    shapes: &mut Shapes<'_>,
    comparison: &mut Comparison,
) {
    let criterion = claim.criterion;
    let mut text = |address: u64| shapes.at(address).map_or_else(String::new, |shape| shape.text.clone());
    for ((branch, target), input) in observed {
        let at =
            format!("{criterion}: {branch:#x} -> {target:#x} ({}), taken by input {input:#x}", text(*branch));
        match verdicts.get(&(*branch, *target)) {
            Some(&"infeasible") => {
                comparison.add("infeasible-but-taken", format!("{at}, is called infeasible"));
            }
            Some(&"covered") => {}
            Some(verdict) if claim.says_all() => {
                let claims = format!("complete {}, reached {}", summary.complete, summary.criterion_reached);
                comparison.add("complete-but-open", format!("{at}, is {verdict}, though {claims}"));
            }
            Some(_) => {}
            None if summary.directions_exact || claim.says_all() => {
                let claims = format!(
                    "exact {}, complete {}, reached {}",
                    summary.directions_exact, summary.complete, summary.criterion_reached
                );
                comparison.add("direction-not-listed", format!("{at}, is not listed, though {claims}"));
            }
            None => {}
        }
    }
}

fn covered_were_taken(
    claim: &Claim,
    taken: &Edges,
    verdicts: &Verdicts<'_>,
    shapes: &mut Shapes<'_>,
    comparison: &mut Comparison,
) {
    let criterion = claim.criterion;
    let mut text = |address: u64| shapes.at(address).map_or_else(String::new, |shape| shape.text.clone());
    for ((branch, target), verdict) in verdicts {
        if *verdict == "covered" && !taken.contains_key(&(*branch, *target)) {
            let at = format!("{criterion}: {branch:#x} -> {target:#x} ({})", text(*branch));
            comparison.add("covered-but-never-taken", format!("{at} is called covered; no input takes it"));
        }
    }
}

fn indirect(summary: &Summary, taken: &Edges, shapes: &mut Shapes<'_>, comparison: &mut Comparison) {
    for jump in summary.indirect_exits.iter().filter(|jump| jump.resolved) {
        let branch = shapes.branch_of(jump.branch.0).unwrap_or(jump.branch.0);
        let Some(shape) = shapes.at(branch) else { continue };
        let (next, slots) = (shape.next, shape.slots.clone());
        let known: BTreeSet<u64> = jump.targets.iter().map(|target| target.0).collect();
        for ((branch, target), input) in taken.range((branch, 0)..=(branch, u64::MAX)) {
            if !known.contains(target) && *target != next && !slots.contains(target) {
                let what = format!(
                    "{} {branch:#x} is called resolved without {target:#x}, which input {input:#x} takes",
                    jump.kind
                );
                comparison.add("resolved-without-a-target", what);
            }
        }
    }
}

fn paths(claim: &Claim, case: &Case<'_>, comparison: &mut Comparison) {
    let mut shown = HashSet::new();
    for test in &claim.tests {
        let cells: Vec<(String, Vec<u64>)> =
            test.cells.iter().map(|cell| (cell.name.clone(), cell.values.clone())).collect();
        match case.domain.number(&cells).and_then(|number| case.truth.runs.get(number as usize)) {
            Some(run) => {
                shown.insert(run.path);
            }
            None => {
                let what = format!("test {} reads input more often than any run does: {cells:?}", test.name);
                comparison.add("impossible-test", what);
            }
        }
    }
    let mut all: BTreeMap<u64, u64> = BTreeMap::new();
    for (run, input) in case.truth.runs.iter().zip(0_u64..) {
        all.entry(run.path).or_insert(input);
    }
    if let Some((_, input)) = all.iter().find(|(path, _)| !shown.contains(path)) {
        let (tests, paths) = (shown.len(), all.len());
        let what = format!(
            "path: complete or reached, but the tests take {tests} of {paths} paths; not that of input {input:#x}"
        );
        comparison.add("path-missing", what);
    }
}

fn findings(claim: &Claim, summary: &Summary, case: &Case<'_>, comparison: &mut Comparison) {
    let mut faults: BTreeMap<u64, u64> = BTreeMap::new();
    let mut division = None;
    for (run, input) in case.truth.runs.iter().zip(0_u64..) {
        if let Ending::Faulted(at) = run.ending {
            faults.entry(at).or_insert(input);
        }
        if run.divides_by_zero {
            division = division.or(Some(input));
        }
    }
    let criterion = claim.criterion;
    for finding in &summary.findings {
        let holds = faults.contains_key(&finding.address.0)
            || (finding.oracle == "division-by-zero" && division.is_some())
            // Without the address of the faulting instruction.
            || (case.faulty && faults.contains_key(&0));
        if !holds {
            let (oracle, address, what) = (&finding.oracle, finding.address.0, &finding.message);
            comparison.add(
                "false-finding",
                format!("{criterion}: {oracle} at {address:#x}: {what}; no input faults there"),
            );
        }
    }
    if !claim.says_all() {
        return;
    }
    let kind = if criterion == "path" { "fault-missed" } else { "fault-missed-by-branches" };
    let found = |at: u64| {
        at == 0 && !summary.findings.is_empty()
            || summary.findings.iter().any(|finding| finding.address.0 == at)
    };
    if let Some((at, input)) = faults.iter().find(|(at, _)| !found(**at)) {
        comparison.add(kind, format!("{criterion}: input {input:#x} faults at {at:#x}; no finding says so"));
    }
    let is_division = |oracle: &str| oracle == "division-by-zero";
    if let Some(input) = division.filter(|_| faults.is_empty())
        && !summary.findings.iter().any(|finding| is_division(&finding.oracle))
    {
        comparison.add(kind, format!("{criterion}: input {input:#x} divides by zero; no finding says so"));
    }
}
