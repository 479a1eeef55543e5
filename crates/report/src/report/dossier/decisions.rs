//! Chapter 4: the branches of the object code by source line, and what their coverage says about decisions and MC/DC.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use everypath_record::{Address, Judged, ListedLine, SourceFile, Verdict};

use super::condition_graph::ConditionGraph;
use super::document::{DossierDocument, cell};
use super::index::{DossierIndex, file_line, verdict_name};
use super::mcdc::{DecisionLine, McdcClaim};
use super::prose::{Prose, shortened};
use super::source_conditions::SourceConditions;
use crate::number::counted;

const LINES: &[(&str, u8)] = &[
    ("source line and function", 26),
    ("conditions: branch and directions", 30),
    ("outcomes of the decision", 14),
    ("MC/DC by branch coverage", 18),
];
const BRANCHLESS: &[(&str, u8)] = &[("source line and function", 40), ("instructions of the line", 48)];
/// The statements before the table.
const MEANING: [&str; 5] = [
    "Debug information assigns each instruction to a source line. Each conditional branch of a line counts as one condition; a line that several functions contain, such as one of an inline function, has a row for each of them.",
    "Implied: covering all branch directions of the row implies MC/DC of its decision, because it has one condition, or because its conditions are evaluated by a tree of branches, in which each is reached in one way (Comar, Guitton, Hainque and Quinot, “Formalization and Comparison of MCDC and Object Branch Coverage Criteria”, ERTS 2012). MC/DC is shown where the row also says that all directions are covered.",
    "Not implied: evaluation reaches the named condition in two ways, as it reaches `c` in `(a || b) && c`. Branch coverage may then be achieved without MC/DC, which has to be shown by other means. The graph is judged with caution: several statements on a line may have this answer, too.",
    "Unknown: it could not be established that each condition of the decision has its branch. Optimised code may evaluate conditions without a branch: by predicated or conditional-move instructions, by storing flags, or by arithmetic. The results do not tell these instructions apart, so that the text of the line is compared with the branches, as far as it was found.",
    "The answer “implied” has premises that the reviewer confirms: the text of the line is the whole decision (no macro or constant hides conditions); bitwise operators do not combine truth values; debug information assigns each branch to the line of its condition; and the compiler evaluates the conditions in the order of the source. Builds without optimisation, or with an option that preserves control flow, have these properties.",
];

/// A line and a function: the path and the number of the line, and the entry and the name of the function.
type LineKey = (String, u32, Option<(Address, String)>);

/// Writes the chapter.
pub(super) fn write(index: &DossierIndex<'_>, document: &mut DossierDocument) {
    document.chapter("Object code and source decisions");
    document.list("MCDC", MEANING.map(Prose::from));
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
    let rows: Vec<Vec<Vec<Prose>>> = lines
        .iter()
        .map(|(key, directions)| {
            let decision = decision(index, key, directions, &indirect);
            let function = index.listed(directions[0].direction.branch).map(|listed| listed.function);
            let graph = function.map(|function| {
                &*graphs
                    .entry(function)
                    .or_insert_with(|| ConditionGraph::new(&index.data.listing.functions[function]))
            });
            let claim = McdcClaim::of(index, &decision, graph);
            line_row(index, key, &decision, directions, &claim)
        })
        .collect();
    document.section("Lines with branches");
    if rows.is_empty() {
        document.state("MCDC", "No branch has a source line.");
    }
    document.table("LINE", LINES, rows);
    write_branchless(index, &lines, document);
}

fn key(index: &DossierIndex<'_>, address: Address, path: String, line: u32) -> LineKey {
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
    DecisionLine {
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
            let verdict = Prose::verdict(verdict_name(&judged.verdict));
            condition.and("; ").and(index.direction(judged.direction)).and(" ").and(verdict)
        })
    });
    let uncovered = directions.iter().filter(|judged| !matches!(judged.verdict, Verdict::Covered { .. }));
    let uncovered: Vec<&Judged> = uncovered.copied().collect();
    let claim = match claim {
        McdcClaim::Implied(why) if uncovered.is_empty() => format!("implied ({why}): shown"),
        McdcClaim::Implied(why) => format!("implied ({why}), but not all directions are covered"),
        McdcClaim::NotImplied(branch) => {
            format!("not implied: the condition at `{branch}` is reached in two ways")
        }
        McdcClaim::Unknown(reason) => format!("unknown: {reason}"),
        McdcClaim::NotApplicable => "not applicable: an indirect branch is no condition".to_owned(),
    };
    vec![
        place(key, decision.text),
        conditions.collect(),
        cell(outcomes(decision, directions, &uncovered)),
        cell(claim),
    ]
}

/// The outcomes of a decision that tests show, as far as its directions tell.
fn outcomes(decision: &DecisionLine<'_>, directions: &[&Judged], uncovered: &[&Judged]) -> String {
    if decision.branches.iter().all(|(_, is_indirect)| *is_indirect) {
        return format!("{} of {} targets covered", directions.len() - uncovered.len(), directions.len());
    }
    match (uncovered, decision.branches.len()) {
        ([], _) if directions.len() > 1 => "both covered: all directions are".to_owned(),
        ([other], 1) if directions.len() == 2 => {
            format!("one covered, the other is {}", verdict_name(&other.verdict))
        }
        (uncovered, _) => format!(
            "not shown: {} of {} are covered",
            directions.len() - uncovered.len(),
            counted(directions.len() as u64, "direction")
        ),
    }
}

/// The text of a line, which debug information may number 0 if it is of no line.
fn line_text(file: &SourceFile, line: u32) -> Option<&str> {
    file.lines.get((line as usize).checked_sub(1)?).map(String::as_str)
}

/// A line with its text and its function.
fn place((path, line, function): &LineKey, text: Option<&str>) -> Vec<Prose> {
    let mut lines = vec![Prose::code(file_line(path, *line))];
    if let Some(text) = text.map(str::trim).filter(|text| !text.is_empty()) {
        lines.push(Prose::code(shortened(text, 90)));
    }
    lines.extend(function.as_ref().map(|(_, name)| Prose::from("in ").and(Prose::code(name))));
    lines
}

/// Writes the lines whose text shows a decision and whose code has no branch.
fn write_branchless(
    index: &DossierIndex<'_>,
    branching: &BTreeMap<LineKey, Vec<&Judged>>,
    document: &mut DossierDocument,
) {
    let listing = index.data.listing;
    let text = |at: ListedLine| line_text(&listing.sources[at.file], at.line);
    let mut shown: HashMap<ListedLine, bool> = HashMap::new();
    let mut lines: BTreeMap<LineKey, (&str, Vec<&str>)> = BTreeMap::new();
    for function in &listing.functions {
        for instruction in function.instructions() {
            let Some((at, text)) = instruction.source.and_then(|at| Some((at, text(at)?))) else { continue };
            if *shown.entry(at).or_insert_with(|| SourceConditions::of(text).is_plain) {
                let key = key(index, instruction.address, listing.sources[at.file].path.clone(), at.line);
                if !branching.contains_key(&key) {
                    lines.entry(key).or_insert((text, Vec::new())).1.push(&instruction.text);
                }
            }
        }
    }
    document.section("Decisions without a branch");
    document.state(
        "MCDC",
        match lines.len() {
            0 => "No line whose text was found shows a decision without having a branch.".to_owned(),
            count => format!(
                "The text of each line of this table ({}) shows a decision, and its code in that function has no branch: the decision is constant, is evaluated without a branch, or its branch is assigned to another line. Branch coverage says nothing about it.",
                counted(count as u64, "row")
            ),
        },
    );
    let rows = lines.iter().map(|(key, (text, instructions))| {
        vec![place(key, Some(text)), cell(Prose::code(shortened(&instructions.join("; "), 160)))]
    });
    document.table("BRL", BRANCHLESS, rows);
}
