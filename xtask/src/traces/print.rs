//! The table of results: one line for each program.

use super::{compare, values};

/// The number of remarks of one kind that are printed by default.
const FEW: usize = 6;

/// The names of the columns.
pub(super) const COLUMNS: &str = "program | executed, different | in the graph | wrong boundaries | indirect, resolved, wrong, unlisted | \
wrong edges | wrong no-return | functions missing | values compared, wrong; by convention | seconds: run, graph, values";

/// The results of one program.
pub(super) struct Row {
    pub name: String,
    /// The number of executed instructions.
    pub total: u64,
    pub graph: compare::Figures,
    /// Without and with the assumption of the calling convention.
    pub values: Option<[values::Figures; 2]>,
    pub seconds: [f64; 3],
    /// The minimum share of executed instructions in the graph, in thousandths.
    pub bar: u64,
}

impl Row {
    /// Whether all thresholds hold. Under the assumption of the calling convention, values may be wrong where a
    /// function violates it.
    pub(super) fn holds(&self) -> bool {
        let values = self.values.as_ref().is_none_or(|[nothing, _]| nothing.wrong == 0);
        self.graph.hold(self.bar) && values
    }

    /// Prints the row, and the remarks.
    pub(super) fn print(&self, all_remarks: bool) {
        let compare::Figures { executed, wrong_boundaries, indirect, wrong_resolved, .. } = &self.graph;
        let compare::Figures { unlisted, wrong_edges, wrong_no_return, missing_functions, .. } = &self.graph;
        let values = self.values.as_ref().map_or("-".to_owned(), |[nothing, convention]| {
            let (more, wrong) = (convention.compared, convention.wrong);
            format!("{}, {}; {more}, {wrong}", nothing.compared, nothing.wrong)
        });
        let [run, graph, analysis] = self.seconds;
        println!(
            "{} | {}, {executed} | {:.3} % | {wrong_boundaries} | {}, {}, {wrong_resolved}, {unlisted} | {wrong_edges} | \
             {wrong_no_return} | {missing_functions} | {values} | {run:.1}, {graph:.1}, {analysis:.1}{}",
            self.name,
            self.total,
            self.graph.share(),
            indirect.0,
            indirect.1,
            if self.holds() { "" } else { "  <- a bar is missed" }
        );
        let values = self.values.iter().flatten().flat_map(|figures| &figures.remarks);
        let mut printed: Vec<(&str, usize)> = Vec::new();
        for remark in self.graph.remarks.iter().chain(values) {
            let kind = remark.split(':').next().unwrap_or_default();
            let position = printed.iter().position(|(other, _)| *other == kind);
            let position = position.unwrap_or_else(|| {
                printed.push((kind, 0));
                printed.len() - 1
            });
            printed[position].1 += 1;
            if all_remarks || (!self.holds() && printed[position].1 <= FEW) {
                println!("  {remark}");
            }
        }
    }
}
