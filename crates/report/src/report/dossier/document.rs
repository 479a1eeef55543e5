//! The dossier as a document in memory, so that Markdown and HTML say the same: headings, statements, tables, lists, commands.
//!
//! Every statement, row and command has an identifier, so that a review can refer to it.

use std::collections::BTreeMap;

use super::prose::Prose;

/// A document that is being written.
#[derive(Debug, Default)]
pub(super) struct DossierDocument {
    /// Its parts, in order.
    pub(super) parts: Vec<DocumentPart>,
    /// Number of statements so far, by the letters of their identifiers.
    counts: BTreeMap<&'static str, usize>,
    /// Number of headings so far, by their levels.
    chapters: [usize; 2],
}

/// A part of a document.
#[derive(Debug)]
pub(super) enum DocumentPart {
    /// A heading with its number; level 1 is a chapter.
    Heading { level: usize, text: String },
    /// A statement.
    Statement(Statement),
    /// Several statements, shown as a list.
    List(Vec<Statement>),
    /// A table; each row is a statement.
    Table(StatementTable),
    /// Commands for a shell.
    Command { identifier: String, lines: Vec<String> },
    /// Lines for a configuration file.
    Entries { identifier: String, lines: Vec<String> },
    /// A place to sign, for something.
    Signature { identifier: String, what: String },
}

/// A sentence with its identifier.
#[derive(Debug)]
pub(super) struct Statement {
    pub(super) identifier: String,
    pub(super) text: Prose,
}

/// A table whose first column has the identifiers of its rows.
#[derive(Debug)]
pub(super) struct StatementTable {
    /// The columns but for the first: their titles and their shares of the width, in percent.
    pub(super) columns: &'static [(&'static str, u8)],
    /// The rows.
    pub(super) rows: Vec<StatementRow>,
}

/// A row of a table.
#[derive(Debug)]
pub(super) struct StatementRow {
    pub(super) identifier: String,
    /// The cells, each of which has lines.
    pub(super) cells: Vec<Vec<Prose>>,
}

/// The identifier of a statement, from its index: `D-0001`.
pub(super) fn identifier(letters: &str, index: usize) -> String {
    let digits = if letters == "A" { 3 } else { 4 };
    format!("{letters}-{:0digits$}", index + 1)
}

impl DossierDocument {
    /// Begins a chapter.
    pub(super) fn chapter(&mut self, title: &str) {
        self.chapters = [self.chapters[0] + 1, 0];
        let text = format!("{} {title}", self.chapters[0]);
        self.parts.push(DocumentPart::Heading { level: 1, text });
    }

    /// Begins a section of a chapter.
    pub(super) fn section(&mut self, title: &str) {
        self.chapters[1] += 1;
        let text = format!("{}.{} {title}", self.chapters[0], self.chapters[1]);
        self.parts.push(DocumentPart::Heading { level: 2, text });
    }

    /// Adds a statement.
    pub(super) fn state(&mut self, letters: &'static str, text: impl Into<Prose>) {
        let identifier = self.next(letters);
        self.parts.push(DocumentPart::Statement(Statement { identifier, text: text.into() }));
    }

    /// Adds a list of statements.
    pub(super) fn list(&mut self, letters: &'static str, texts: impl IntoIterator<Item = Prose>) {
        let statements = texts.into_iter().map(|text| Statement { identifier: self.next(letters), text });
        let statements: Vec<Statement> = statements.collect();
        if !statements.is_empty() {
            self.parts.push(DocumentPart::List(statements));
        }
    }

    /// Adds a table; an empty one is left out.
    pub(super) fn table(
        &mut self,
        letters: &'static str,
        columns: &'static [(&'static str, u8)],
        rows: impl IntoIterator<Item = Vec<Vec<Prose>>>,
    ) {
        let rows = rows.into_iter().map(|cells| StatementRow { identifier: self.next(letters), cells });
        let rows: Vec<StatementRow> = rows.collect();
        if !rows.is_empty() {
            self.parts.push(DocumentPart::Table(StatementTable { columns, rows }));
        }
    }

    /// Adds commands.
    pub(super) fn command(&mut self, lines: Vec<String>) {
        let identifier = self.next("CMD");
        self.parts.push(DocumentPart::Command { identifier, lines });
    }

    /// Adds lines for a configuration file.
    pub(super) fn entries(&mut self, lines: Vec<String>) {
        let identifier = self.next("TOML");
        self.parts.push(DocumentPart::Entries { identifier, lines });
    }

    /// Adds a place to sign.
    pub(super) fn signature(&mut self, what: &str) {
        let identifier = self.next("SIGN");
        self.parts.push(DocumentPart::Signature { identifier, what: what.to_owned() });
    }

    fn next(&mut self, letters: &'static str) -> String {
        let count = self.counts.entry(letters).or_default();
        *count += 1;
        identifier(letters, *count - 1)
    }
}

/// A cell of one line.
pub(super) fn cell(text: impl Into<Prose>) -> Vec<Prose> {
    vec![text.into()]
}
