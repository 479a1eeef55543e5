//! The dossier as Markdown (CommonMark with the tables of GitHub).

use std::fmt::Write;

use super::document::{DocumentPart, DossierDocument, StatementTable};
use super::prose::{Fragment, Prose, printable};

/// A place to write.
const BLANK: &str = "\\_\\_\\_\\_\\_\\_\\_\\_";

/// The document.
pub(super) fn render(title: &str, document: &DossierDocument) -> String {
    let mut text = format!("# {}\n", escaped(title));
    for part in &document.parts {
        text.push('\n');
        write_part(&mut text, part);
    }
    text
}

/// Writes a part and ends its last line. Writing to a string does not fail.
fn write_part(text: &mut String, part: &DocumentPart) {
    let _ = match part {
        DocumentPart::Heading { level, text: title } => {
            writeln!(text, "{} {}", "#".repeat(level + 1), escaped(title))
        }
        DocumentPart::Statement(statement) => {
            writeln!(text, "**{}** {}", statement.identifier, inline(&statement.text))
        }
        DocumentPart::List(statements) => statements.iter().try_for_each(|statement| {
            writeln!(text, "- **{}** {}", statement.identifier, inline(&statement.text))
        }),
        DocumentPart::Table(table) => {
            write_table(text, table);
            Ok(())
        }
        DocumentPart::Command { identifier, lines } => {
            let lines: String = lines.iter().map(|line| format!("    $ {}\n", printable(line))).collect();
            write!(text, "**{identifier}**\n\n{lines}")
        }
        DocumentPart::Entries { identifier, lines } => {
            let lines: String = lines.iter().map(|line| format!("    {}\n", printable(line))).collect();
            write!(text, "**{identifier}**\n\n{lines}")
        }
        DocumentPart::Signature { identifier, what } => {
            writeln!(text, "**{identifier}** {}: name {BLANK} date {BLANK} signature {BLANK}", escaped(what))
        }
    };
}

fn write_table(text: &mut String, table: &StatementTable) {
    let titles: Vec<&str> = table.columns.iter().map(|(title, _)| *title).collect();
    let _ = writeln!(text, "| | {} |\n|---|{}", titles.join(" | "), "---|".repeat(titles.len()));
    for row in &table.rows {
        let _ = write!(text, "| {} |", row.identifier);
        for lines in &row.cells {
            let lines: Vec<String> = lines.iter().map(inline).collect();
            let _ = write!(text, " {} |", lines.join("<br>"));
        }
        text.push('\n');
    }
}

fn inline(prose: &Prose) -> String {
    prose.0.iter().map(fragment).collect()
}

fn fragment(fragment: &Fragment) -> String {
    match fragment {
        // A bar would end the cell of a table, and an accent the code.
        Fragment::Code(code) if code.contains(['`', '|']) || code.trim() != code => escaped(code),
        Fragment::Code(code) => format!("`{}`", printable(code)),
        Fragment::Plain(text) => escaped(text),
        Fragment::Verdict(name) => (*name).to_owned(),
        Fragment::Reference(identifier) => identifier.clone(),
        Fragment::Blank => BLANK.to_owned(),
    }
}

/// Text without markup.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in printable(text).chars() {
        if "\\`*_{}[]<>#|~&$!".contains(letter) {
            escaped.push('\\');
        }
        escaped.push(letter);
    }
    escaped
}
