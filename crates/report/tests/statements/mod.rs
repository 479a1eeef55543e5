//! Reads the statements of a dossier back from both of its forms, by their identifiers and without markup and white space.

use std::collections::BTreeMap;

/// The texts of the statements by their identifiers. An identifier that occurs twice is a fault.
pub(crate) type Statements = BTreeMap<String, String>;

/// The statements of a Markdown file.
pub(crate) fn of_markdown(text: &str) -> Statements {
    let mut statements = Statements::new();
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        let line = line.strip_prefix("- ").unwrap_or(line);
        if let Some(row) = line.strip_prefix("| ") {
            let cells = cells(row);
            if !cells[0].is_empty() {
                add(&mut statements, &cells[0], &cells[1..].concat());
            }
        } else if let Some((identifier, rest)) =
            line.strip_prefix("**").and_then(|line| line.split_once("**"))
        {
            let mut rest = cells(rest).concat();
            if rest.is_empty() {
                lines.next_if_eq(&"");
                while let Some(command) = lines.next_if(|line| line.starts_with("    ")) {
                    rest.push_str(command);
                }
            }
            add(&mut statements, identifier, &rest);
        }
    }
    statements
}

/// The cells of a row, without markup.
fn cells(row: &str) -> Vec<String> {
    let mut cells = vec![String::new()];
    let mut letters = row.replace("<br>", " ").chars().collect::<Vec<char>>().into_iter();
    let mut is_code = false;
    while let Some(letter) = letters.next() {
        let cell = cells.last_mut().expect("a cell");
        match letter {
            '`' => is_code = !is_code,
            '\\' if !is_code => cell.extend(letters.next()),
            '|' if !is_code => cells.push(String::new()),
            '*' | '<' | '_' if !is_code => panic!("markup in {row}"),
            _ => cell.push(letter),
        }
    }
    assert!(!is_code, "code does not end in {row}");
    cells.iter().map(|cell| cell.trim().to_owned()).collect()
}

/// The statements of an HTML file.
pub(crate) fn of_html(text: &str) -> Statements {
    let mut statements = Statements::new();
    for element in ["p", "li", "tr", "div"] {
        let (start, end) = (format!("<{element} "), format!("</{element}>"));
        for part in text.split(&start).skip(1) {
            let (attributes, rest) = part.split_once('>').expect("a tag");
            let Some((_, identifier)) = attributes.split_once("id=\"") else { continue };
            let identifier = identifier.trim_end_matches('"');
            let body = without_tags(rest.split_once(&end).expect("an end").0);
            let body = body.trim_start().strip_prefix(identifier).expect("the identifier is shown");
            add(&mut statements, identifier, body);
        }
    }
    statements
}

/// Text of HTML without its tags, with its references replaced.
fn without_tags(text: &str) -> String {
    let parts = text.split('<').enumerate();
    let texts = parts.map(|(number, part)| match number {
        0 => part,
        _ => part.split_once('>').expect("a tag").1,
    });
    let text: String = texts.collect();
    let text = text.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"");
    assert!(!text.replace("&amp;", "").contains('&'), "a reference in {text}");
    text.replace("&amp;", "&")
}

fn add(statements: &mut Statements, identifier: &str, text: &str) {
    let text: String = text.replace("________", "").split_whitespace().collect();
    let before = statements.insert(identifier.to_owned(), text);
    assert_eq!(before, None, "{identifier} is there twice");
}
