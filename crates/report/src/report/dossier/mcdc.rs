//! Whether covering the branch directions of a source line implies MC/DC of its decision.
//!
//! It does for a decision with one condition, and for one whose conditions are evaluated by a tree of branches (see
//! `condition_graph`), provided that each condition has its branch. The listing does not tell which instructions compute a
//! truth value without a branch (predicated and conditional-move instructions, flags that are stored in a register), so the text
//! of the line must show as many conditions as the code has branches (see `source_conditions`). Where one of these
//! is not known, the answer is "unknown".

use std::collections::BTreeSet;

use everypath_record::{Address, ListedLine, SourceFile};

use super::condition_graph::ConditionGraph;
use super::index::DossierIndex;
use super::source_conditions::SourceConditions;
use crate::number::counted;

/// The claim about MC/DC of a decision, given that all branch directions of its source line are covered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum McdcClaim {
    /// MC/DC follows.
    Implied(&'static str),
    /// MC/DC does not follow: the condition with this branch is reached on two paths.
    NotImplied(Address),
    /// It is not known whether the branches are all conditions.
    Unknown(String),
    /// The branches are indirect, which are no conditions.
    NotApplicable,
}

/// The kinds of claims, in the order of a table.
pub(super) const KINDS: [&str; 6] = [
    "implied, and all directions are covered by tests: shown",
    "implied, and all directions are covered, at least one by a trace: shown if the traces are right",
    "implied, but not all directions are covered",
    "not implied",
    "unknown",
    "not applicable",
];

/// A source line with the branches that one function has for it.
pub(super) struct DecisionLine<'r> {
    /// The file of the line, if the listing has it.
    pub(super) file: Option<&'r SourceFile>,
    /// The number of the line.
    pub(super) number: u32,
    /// The text of the line, if its file was found.
    pub(super) text: Option<&'r str>,
    /// The line in the listing.
    pub(super) line: Option<ListedLine>,
    /// The branches, in the order of their addresses, each with whether it is indirect.
    pub(super) branches: Vec<(Address, bool)>,
    /// Whether one of the indirect branches also continues at the next instruction, as a conditional return does.
    pub(super) has_conditional_exit: bool,
}

impl McdcClaim {
    /// The claim for a line of a function.
    pub(super) fn of(
        index: &DossierIndex<'_>,
        decision: &DecisionLine<'_>,
        graph: Option<&ConditionGraph<'_>>,
    ) -> McdcClaim {
        let unknown = |reason: &str| McdcClaim::Unknown(reason.to_owned());
        if decision.has_conditional_exit {
            return unknown("a branch is conditional and indirect, such as a conditional return");
        }
        let direct = || decision.branches.iter().filter(|(_, is_indirect)| !is_indirect);
        let branches = direct().count();
        if branches == 0 && !decision.branches.is_empty() {
            return McdcClaim::NotApplicable;
        }
        let Some(file) = decision.file.filter(|_| decision.text.is_some()) else {
            return unknown("the source text was not found");
        };
        let shown = SourceConditions::in_file(file, decision.number);
        if let Some(doubt) = shown.doubt {
            return unknown(doubt);
        }
        if shown.conditions != branches {
            return McdcClaim::Unknown(format!(
                "the text shows {} and the number of branches is {branches}: optimised code may evaluate conditions without a branch, or copy them",
                counted(shown.conditions as u64, "condition")
            ));
        }
        if shown.conditions == 1 {
            return McdcClaim::Implied("one condition");
        }
        let Some(graph) = graph else { return unknown("the branches are in no function of the listing") };
        let mut conditions = BTreeSet::new();
        let mut functions = BTreeSet::new();
        for (branch, _) in direct() {
            let Some(listed) = index.listed(*branch) else {
                return unknown("a branch is in no function of the listing");
            };
            let block = &index.data.listing.functions[listed.function].blocks[listed.block];
            if block.last() != *branch || !conditions.insert(listed.block) {
                return unknown("a branch does not end its basic block");
            }
            functions.insert(listed.function);
        }
        if functions.len() > 1 {
            return unknown("the branches are in several functions of the listing");
        }
        match graph.reached_by_two_paths(&conditions, decision.line) {
            Some(branch) => McdcClaim::NotImplied(branch),
            None => McdcClaim::Implied("a tree of conditions"),
        }
    }

    /// The kind of the claim, an index into [`KINDS`]; `is_covered` says whether all directions of the line are covered,
    /// and `is_traced` whether a trace covers one of them.
    pub(super) fn kind(&self, is_covered: bool, is_traced: bool) -> usize {
        match self {
            McdcClaim::Implied(_) if is_covered => usize::from(is_traced),
            McdcClaim::Implied(_) => 2,
            McdcClaim::NotImplied(_) => 3,
            McdcClaim::Unknown(_) => 4,
            McdcClaim::NotApplicable => 5,
        }
    }
}
