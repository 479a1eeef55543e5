//! The certification dossier: what was tested, each verdict with its ground, the assumptions, and places for a reviewer to sign.
//!
//! It is written twice from one document in memory: as Markdown, for a repository, and as HTML that prints to PDF. There is no
//! date in it, so that the same results give the same files; the reviewer writes it.

mod assumptions;
mod branchless;
mod commands;
mod condition_graph;
mod conformance;
mod criterion;
mod decisions;
mod document;
mod findings;
mod html;
mod identification;
mod index;
mod infeasible;
mod justifications;
mod limits;
mod markdown;
mod mcdc;
mod neighbouring_lines;
mod open;
mod prose;
mod reproduce;
mod results;
mod source_conditions;
mod test_cases;
mod unreached;

use everypath_record::OutputFile;

use super::ReportData;
use commands::Commands;
use document::DossierDocument;
use index::DossierIndex;

/// The dossier in both forms.
pub(super) fn files(data: &ReportData<'_>) -> Vec<OutputFile> {
    let title = format!("Structural coverage of {}: certification dossier", data.suite.summary.program);
    let document = document(data);
    let file = |path: &str, text: String| OutputFile { path: path.to_owned(), contents: text.into_bytes() };
    vec![
        file("dossier.md", markdown::render(&title, &document)),
        file("dossier.html", html::render(&title, &document)),
    ]
}

/// The chapters.
fn document(data: &ReportData<'_>) -> DossierDocument {
    let index = DossierIndex::new(data);
    let commands = Commands::new(&index);
    let mut document = DossierDocument::default();
    identification::write(&index, &mut document);
    criterion::write(&index, &mut document);
    results::write(&index, &mut document);
    unreached::write(&index, &mut document);
    decisions::write(&index, &mut document);
    infeasible::write(&index, &commands, &mut document);
    open::write(&index, &mut document);
    assumptions::write(&index, &mut document);
    findings::write(&index, &mut document);
    test_cases::write(&index, &mut document);
    reproduce::write(&index, &commands, &mut document);
    limits::write(&index, &mut document);
    document.signature("Dossier reviewed");
    document
}
