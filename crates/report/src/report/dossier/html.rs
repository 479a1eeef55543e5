//! The dossier as one HTML file, to be read on a screen and printed to PDF.

use std::fmt::Write;

use super::document::{DocumentPart, DossierDocument, Statement, StatementTable};
use super::prose::{Fragment, Prose, printable};

/// The style sheet, for screen and paper.
const STYLE: &str = include_str!("style.css");

/// The document.
pub(super) fn render(title: &str, document: &DossierDocument) -> String {
    let title = escaped(title);
    let mut page = format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>{title}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n<h1>{title}</h1>\n"
    );
    write_contents(&mut page, document);
    for part in &document.parts {
        write_part(&mut page, part);
    }
    page.push_str("</body>\n</html>\n");
    page
}

/// Writes the list of chapters. Writing to a string does not fail.
fn write_contents(page: &mut String, document: &DossierDocument) {
    page.push_str("<nav>\n");
    for part in &document.parts {
        if let DocumentPart::Heading { level: 1, text } = part {
            let _ = writeln!(page, "<a href=\"#{}\">{}</a>", anchor(text), escaped(text));
        }
    }
    page.push_str("</nav>\n");
}

fn write_part(page: &mut String, part: &DocumentPart) {
    let _ = match part {
        DocumentPart::Heading { level, text } => {
            let level = level + 1;
            writeln!(page, "<h{level} id=\"{}\">{}</h{level}>", anchor(text), escaped(text))
        }
        DocumentPart::Statement(statement) => {
            write_statement(page, "p", statement);
            Ok(())
        }
        DocumentPart::List(statements) => {
            page.push_str("<ul>\n");
            statements.iter().for_each(|statement| write_statement(page, "li", statement));
            writeln!(page, "</ul>")
        }
        DocumentPart::Table(table) => {
            write_table(page, table);
            Ok(())
        }
        DocumentPart::Command { identifier, lines } => {
            let lines: Vec<String> = lines.iter().map(|line| format!("$ {}", escaped(line))).collect();
            writeln!(
                page,
                "<div class=\"command\" id=\"{identifier}\"><b>{identifier}</b><pre>{}</pre></div>",
                lines.join("\n")
            )
        }
        DocumentPart::Entries { identifier, lines } => {
            let lines: Vec<String> = lines.iter().map(|line| escaped(line)).collect();
            writeln!(
                page,
                "<div class=\"command\" id=\"{identifier}\"><b>{identifier}</b><pre>{}</pre></div>",
                lines.join("\n")
            )
        }
        DocumentPart::Signature { identifier, what } => writeln!(
            page,
            "<p class=\"signature\" id=\"{identifier}\"><b>{identifier}</b> {}: name <i></i> date <i></i> signature <i></i></p>",
            escaped(what)
        ),
    };
}

fn write_statement(page: &mut String, element: &str, statement: &Statement) {
    let Statement { identifier, text } = statement;
    let _ = writeln!(page, "<{element} id=\"{identifier}\"><b>{identifier}</b> {}</{element}>", inline(text));
}

fn write_table(page: &mut String, table: &StatementTable) {
    page.push_str("<table>\n<colgroup><col class=\"identifier\">");
    for (_, share) in table.columns {
        let _ = write!(page, "<col style=\"width:{share}%\">");
    }
    page.push_str("</colgroup>\n<thead><tr><th></th>");
    for (title, _) in table.columns {
        let _ = write!(page, "<th>{}</th>", escaped(title));
    }
    page.push_str("</tr></thead>\n<tbody>\n");
    for row in &table.rows {
        let _ = write!(page, "<tr id=\"{0}\"><td>{0}</td>", row.identifier);
        for lines in &row.cells {
            let lines: Vec<String> = lines.iter().map(inline).collect();
            let _ = write!(page, "<td>{}</td>", lines.join("<br>"));
        }
        page.push_str("</tr>\n");
    }
    page.push_str("</tbody>\n</table>\n");
}

fn inline(prose: &Prose) -> String {
    prose.0.iter().map(fragment).collect()
}

fn fragment(fragment: &Fragment) -> String {
    match fragment {
        Fragment::Plain(text) => escaped(text),
        Fragment::Code(code) => format!("<code>{}</code>", escaped(code)),
        Fragment::Verdict(name) => format!("<span class=\"{name}\">{name}</span>"),
        Fragment::Reference(identifier) => format!("<a href=\"#{identifier}\">{identifier}</a>"),
        Fragment::Blank => "<i class=\"blank\"></i>".to_owned(),
    }
}

/// The anchor of a chapter or section, from its number.
fn anchor(title: &str) -> String {
    format!("chapter-{}", title.split(' ').next().unwrap_or_default())
}

/// Text without markup.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in printable(text).chars() {
        match letter {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            _ => escaped.push(letter),
        }
    }
    escaped
}
