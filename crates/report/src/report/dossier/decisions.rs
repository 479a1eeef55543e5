//! Chapter 4: the branches of the object code by source line, and what their coverage says about decisions and MC/DC.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use everypath_record::{Address, Direction, Judged, SourceFile, Verdict};

use super::branchless;
use super::condition_graph::ConditionGraph;
use super::document::{DossierDocument, cell};
use super::index::{DossierIndex, file_line};
use super::mcdc::{DecisionLine, KINDS, McdcClaim};
use super::prose::{Prose, shortened};
use crate::number::counted;
use crate::with_separators;

const LINES: &[(&str, u8)] = &[
    ("source line and function", 26),
    ("conditions: branch and directions", 30),
    ("outcomes of the decision", 14),
    ("MC/DC by branch coverage", 18),
];
const TALLIES: &[(&str, u8)] = &[("MC/DC by branch coverage", 44), ("rows", 44)];
/// The statements before the table.
const MEANING: [&str; 5] = [
    "Debug information assigns each instruction to a source line. Each conditional branch of a line counts as one condition; a line that several functions contain, such as one of an inline function, has a row for each of them.",
    "Implied: covering all branch directions of the row implies MC/DC of its decision, because it has one condition, or because its conditions are evaluated by a tree of branches, in which each is reached on one path (Comar, Guitton, Hainque and Quinot, “Formalization and Comparison of MCDC and Object Branch Coverage Criteria”, ERTS 2012). MC/DC is shown where the row also says that all directions are covered.",
    "Not implied: evaluation reaches the named condition on two paths, as it reaches `c` in `(a || b) && c`. Branch coverage may then be achieved without MC/DC, which has to be shown by other means. The graph is judged with caution: several statements on a line may have this answer, too.",
    "Unknown: it could not be established that each condition of the decision has its branch. Optimised code may evaluate conditions without a branch: by predicated or conditional-move instructions, by storing flags, or by arithmetic. The results do not tell these instructions apart, so that the text of the line is compared with the branches, as far as it was found.",
    "The answer “implied” has premises that the reviewer confirms: the text of the line is the whole decision (no macro or constant hides conditions); where the text shows as many conditions as the code has branches, each condition has one of them, and not one several and another none; bitwise operators do not combine truth values; debug information assigns each branch to the line of its condition; and the compiler evaluates the conditions in the order of the source. Builds without optimisation, or with an option that preserves control flow, have these properties.",
];

/// A line and a function: the path and the number of the line, and the entry and the name of the function.
pub(super) type LineKey = (String, u32, Option<(Address, String)>);

/// Writes the chapter.
pub(super) fn write(index: &DossierIndex<'_>, document: &mut DossierDocument) {
    document.chapter("Object code and source decisions");
    document.list("MCDC", MEANING.map(Prose::from));
    if !index.traces().is_empty() {
        document.state(
            "MCDC",
            "Directions that a trace covers count as covered here. A trace was not replayed, and one of blocks without an order (drcov) does not record which direction was taken when: where a row says that MC/DC is shown if the traces are right, the reviewer confirms that each trace shows its directions, and that no evaluation of the decision was cut off.",
        );
    }
    let mut lines: BTreeMap<LineKey, Vec<&Judged>> = BTreeMap::new();
    let mut without = 0;
    for judged in &index.directions {
        let branch = judged.direction.branch;
        match index.source(branch) {
            Some((path, line)) => lines.entry(key(index, branch, path, line)).or_default().push(judged),
            None => without += 1,
        }
    }
    if without > 0 {
        document.state(
            "MCDC",
            format!("{} of branches without a source line cannot be assigned to a decision; they are in the table of directions only.", counted(without, "direction")),
        );
    }
    let indirect: BTreeSet<Address> = index.summary().indirect_exits.iter().map(|exit| exit.branch).collect();
    let mut graphs: HashMap<usize, ConditionGraph<'_>> = HashMap::new();
    let mut tallies = [0; KINDS.len()];
    let mut rows = Vec::new();
    for (key, directions) in &lines {
        let decision = decision(index, key, directions, &indirect);
        let function = index.listed(directions[0].direction.branch).map(|listed| listed.function);
        let graph = function.map(|function| {
            let listed = &index.data.listing.functions[function];
            &*graphs.entry(function).or_insert_with(|| ConditionGraph::new(listed))
        });
        let claim = McdcClaim::of(index, &decision, graph);
        let is_covered = directions.iter().all(|judged| matches!(judged.verdict, Verdict::Covered { .. }));
        tallies[claim.kind(is_covered, is_traced(directions))] += 1;
        rows.push(line_row(index, key, &decision, directions, &claim));
    }
    let tallies = KINDS.iter().zip(tallies);
    let tallies = tallies.map(|(kind, count)| vec![cell(*kind), cell(with_separators(count))]);
    document.table("MCT", TALLIES, tallies);
    document.section("Lines with branches");
    if rows.is_empty() {
        document.state("MCDC", "No branch has a source line.");
    }
    document.table("LINE", LINES, rows);
    branchless::write(index, &lines, document);
}

/// The line and the function of an instruction.
pub(super) fn key(index: &DossierIndex<'_>, address: Address, path: String, line: u32) -> LineKey {
    (path, line, index.function(address).map(|(name, entry)| (entry, name)))
}

fn decision<'r>(
    index: &DossierIndex<'r>,
    (path, line, _): &LineKey,
    directions: &[&Judged],
    indirect: &BTreeSet<Address>,
) -> DecisionLine<'r> {
    let branches: BTreeSet<Address> = directions.iter().map(|judged| judged.direction.branch).collect();
    let listed = index.listed(directions[0].direction.branch).and_then(|listed| listed.instruction.source);
    let sources = &index.data.listing.sources;
    let file = match listed {
        Some(listed) => sources.get(listed.file),
        None => sources.iter().find(|source| source.path == *path),
    };
    let falls_through = |judged: &&Judged| {
        let Direction { branch, target } = judged.direction;
        let length = index.listed(branch).map(|listed| u64::from(listed.instruction.length));
        indirect.contains(&branch) && length.is_some_and(|length| branch.0.wrapping_add(length) == target.0)
    };
    DecisionLine {
        has_conditional_exit: directions.iter().any(falls_through),
        file,
        number: *line,
        text: file.and_then(|file| line_text(file, *line)),
        line: listed,
        branches: branches.into_iter().map(|branch| (branch, indirect.contains(&branch))).collect(),
    }
}

fn line_row(
    index: &DossierIndex<'_>,
    key: &LineKey,
    decision: &DecisionLine<'_>,
    directions: &[&Judged],
    claim: &McdcClaim,
) -> Vec<Vec<Prose>> {
    let conditions = decision.branches.iter().map(|(branch, is_indirect)| {
        let text = index.listed(*branch).map_or("", |listed| listed.instruction.text.as_str());
        let mut condition = Prose::code(format!("{branch} {}", shortened(text, 40)).trim_end());
        if *is_indirect {
            condition = condition.and(" (indirect)");
        }
        let own = directions.iter().filter(|judged| judged.direction.branch == *branch);
        own.fold(condition, |condition, judged| {
            let verdict = Prose::verdict(judged.verdict.name());
            condition.and("; ").and(index.direction(judged.direction)).and(" ").and(verdict)
        })
    });
    let uncovered = directions.iter().filter(|judged| !matches!(judged.verdict, Verdict::Covered { .. }));
    let uncovered: Vec<&Judged> = uncovered.copied().collect();
    let outcomes = outcomes(decision, directions, &uncovered, claim);
    let claim = match claim {
        McdcClaim::Implied(why) if uncovered.is_empty() && is_traced(directions) => {
            format!("implied ({why}): shown if the traces are right")
        }
        McdcClaim::Implied(why) if uncovered.is_empty() => format!("implied ({why}): shown"),
        McdcClaim::Implied(why) => format!("implied ({why}), but not all directions are covered"),
        McdcClaim::NotImplied(branch) => {
            format!("not implied: the condition at `{branch}` is reached on two paths")
        }
        McdcClaim::Unknown(reason) => format!("unknown: {reason}"),
        McdcClaim::NotApplicable => "not applicable: an indirect branch is no condition".to_owned(),
    };
    vec![place(key, decision.text), conditions.collect(), cell(outcomes), cell(claim)]
}

/// Whether a trace covers one of these directions.
fn is_traced(directions: &[&Judged]) -> bool {
    directions.iter().any(|judged| judged.verdict.is_covered_elsewhere())
}

/// The outcomes of a decision that tests or traces show, as far as its directions tell: if it is not known that the branches are the
/// whole decision, its outcomes are not known either.
fn outcomes(
    decision: &DecisionLine<'_>,
    directions: &[&Judged],
    uncovered: &[&Judged],
    claim: &McdcClaim,
) -> String {
    let covered = directions.len() - uncovered.len();
    let is_known = matches!(claim, McdcClaim::Implied(_) | McdcClaim::NotImplied(_));
    match (uncovered, decision.branches.len()) {
        ([], _) if is_known => "both: all directions are covered".to_owned(),
        ([other], 1) if is_known && covered == 1 => {
            format!("one is covered, the other is {}", other.verdict.name())
        }
        _ if *claim == McdcClaim::NotApplicable => {
            format!("{covered} of {} covered", counted(directions.len() as u64, "target"))
        }
        _ => format!("not shown: {covered} of {} covered", counted(directions.len() as u64, "direction")),
    }
}

/// The text of a line, which debug information may number 0 if it is of no line.
pub(super) fn line_text(file: &SourceFile, line: u32) -> Option<&str> {
    file.lines.get((line as usize).checked_sub(1)?).map(String::as_str)
}

/// A line with its text and its function.
pub(super) fn place((path, line, function): &LineKey, text: Option<&str>) -> Vec<Prose> {
    let mut lines = vec![Prose::code(file_line(path, *line))];
    if let Some(text) = text.map(str::trim).filter(|text| !text.is_empty()) {
        lines.push(Prose::code(shortened(text, 90)));
    }
    lines.extend(function.as_ref().map(|(_, name)| Prose::from("in ").and(Prose::code(name))));
    lines
}
