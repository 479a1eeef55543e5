//! The page on exit codes: the texts are those of the help, and every code that the program has must be among them.

use super::cell;
use super::rust_types::types;
use std::collections::BTreeMap;
use std::fmt::Write as _;

const HEAD: &str = "# Exit codes

Of every command. [Generating tests](../test.md), [comparing](../diff.md) and [drafting](../init.md) say what each means there.

| code | |
|---|---|
";

/// The page, from the help of the command, and the sources of its exit codes.
///
/// # Errors
/// If a code has no text.
pub(super) fn page(help: &str, summary: &str, failure: &str) -> Result<String, String> {
    let rows = rows(help);
    let types = types(summary);
    let codes = types.get("ExitCode").ok_or("there is no type `ExitCode`")?;
    let constants = failure.lines().filter_map(|line| line.strip_prefix("const ")?.split_once("= "));
    let constants = constants.map(|(_, value)| value.trim_end_matches(';'));
    for code in codes.parts.iter().map(|part| part.value.as_str()).chain(constants) {
        let is_there = code.parse().is_ok_and(|code: u8| rows.contains_key(&code));
        is_there.then_some(()).ok_or_else(|| format!("the help does not say what exit code {code} means"))?;
    }
    let mut page = HEAD.to_owned();
    for (code, text) in rows {
        let _ = writeln!(page, "| {code} | {} |", cell(&text));
    }
    Ok(page)
}

/// The codes with their texts in the help, which may go on in further lines.
fn rows(help: &str) -> BTreeMap<u8, String> {
    let mut rows: BTreeMap<u8, String> = BTreeMap::new();
    let list = help.split("\nExit codes:\n").nth(1).unwrap_or_default();
    for line in list.lines().take_while(|line| !line.is_empty()) {
        let (code, text) = line.trim().split_once(' ').unwrap_or_default();
        match (code.parse(), rows.last_entry()) {
            (Ok(code), _) => drop(rows.insert(code, text.trim().to_owned())),
            (Err(_), Some(mut last)) => {
                let _ = write!(last.get_mut(), " {}", line.trim());
            }
            (Err(_), None) => {}
        }
    }
    rows
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_code_without_a_text_is_an_error() {
        let help = "A\n\nExit codes:\n  0   good\n  3   bad,\n      very\n\nExamples:\n";
        let summary =
            "/// Codes.\npub enum ExitCode {\n    /// Good.\n    Good = 0,\n    /// Bad.\n    Bad = 3,\n}\n";
        let page = super::page(help, summary, "const A: u8 = 3;\n").expect("a page");
        assert!(page.ends_with("| 0 | good |\n| 3 | bad, very |\n"), "{page}");
        assert!(super::page(help, summary, "const A: u8 = 70;\n").is_err());
    }
}
