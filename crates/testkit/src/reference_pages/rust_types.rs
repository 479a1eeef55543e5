//! Types in Rust source text with the documentation of their parts. Formatted source has one item on a line, so that lines are
//! enough.

use std::collections::BTreeMap;

/// A structure or an enumeration.
#[derive(Debug, Default)]
pub(super) struct RustType {
    /// Its documentation.
    pub(super) text: String,
    /// Whether all fields have a default.
    pub(super) has_defaults: bool,
    /// Its fields or variants.
    pub(super) parts: Vec<Part>,
}

/// A field or a variant.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Part {
    /// Its name in a file; that of a variant as the source has it.
    pub(super) name: String,
    /// The type of a field, the number of a variant.
    pub(super) value: String,
    /// Its documentation.
    pub(super) text: String,
    /// The default of a field, if it has one: empty for that of its type.
    pub(super) default: Option<String>,
}

/// The lines that precede an item: its doc comment and its attributes.
#[derive(Default)]
struct Before {
    text: Vec<String>,
    attributes: String,
}

impl Before {
    /// The text in an attribute: `rename = "..."`.
    fn attribute(&self, name: &str) -> Option<&str> {
        self.attributes.split_once(&format!("{name} = \""))?.1.split('"').next()
    }
}

/// The public types of a source text by their names.
pub(super) fn types(source: &str) -> BTreeMap<String, RustType> {
    let mut types: BTreeMap<String, RustType> = BTreeMap::new();
    let mut before = Before::default();
    let mut inside: Option<(String, RustType)> = None;
    for line in source.lines() {
        let code = line.trim();
        if let Some(text) = code.strip_prefix("///") {
            before.text.push(text.trim().to_owned());
        } else if code.starts_with("#[") {
            before.attributes.push_str(code);
        } else if line == "}" {
            types.extend(inside.take());
        } else if let Some(name) = opened(line) {
            let has_defaults = before.attributes.contains("default)]");
            inside = Some((name, RustType { text: before.text.join(" "), has_defaults, parts: Vec::new() }));
            before = Before::default();
        } else {
            if let Some((_, item)) = &mut inside {
                item.parts.extend(part(code, &before, source));
            }
            before = Before::default();
        }
    }
    types
}

/// The name of the type that a line opens.
fn opened(line: &str) -> Option<String> {
    let rest = line.strip_prefix("pub struct ").or_else(|| line.strip_prefix("pub enum "))?;
    rest.strip_suffix(" {").map(str::to_owned)
}

/// The field or variant on a line.
fn part(code: &str, before: &Before, source: &str) -> Option<Part> {
    if before.text.is_empty() || before.attributes.contains("serde(skip)") {
        return None;
    }
    let code = code.strip_suffix(',')?;
    let (name, value) = match code.strip_prefix("pub ") {
        Some(field) => field.split_once(": ")?,
        None => code.split_once(" = ").unwrap_or((code, "")),
    };
    let default = match before.attribute("default") {
        Some(function) => Some(returned(source, function)?.to_owned()),
        None => before.attributes.contains("serde(default)").then(String::new),
    };
    let name = before.attribute("rename").unwrap_or(name).to_owned();
    Some(Part { name, value: value.to_owned(), text: before.text.join(" "), default })
}

/// The expression that a function without parameters returns, if it is the first line of the body.
fn returned<'s>(source: &'s str, function: &str) -> Option<&'s str> {
    let body = source.split_once(&format!("fn {function}() -> "))?.1.split_once("{\n")?.1;
    body.lines().next().map(str::trim)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_read_with_documentation_names_and_defaults() {
        let source = "/// A thing.\n/// Two lines.\n#[serde(deny_unknown_fields)]\npub struct A {\n    /// First,\n    \
                      /// and more.\n    #[serde(rename = \"one\", default = \"four\")]\n    pub first: u64,\n    /// No.\n    \
                      #[serde(skip)]\n    pub second: u64,\n}\n\nfn four() -> u64 {\n    4\n}\n\n/// B.\npub enum B {\n    \
                      /// Good.\n    Good = 0,\n}\n";
        let types = types(source);
        let first = Part {
            name: "one".to_owned(),
            value: "u64".to_owned(),
            text: "First, and more.".to_owned(),
            default: Some("4".to_owned()),
        };
        assert_eq!(types["A"].parts, [first]);
        assert_eq!(types["A"].text, "A thing. Two lines.");
        assert_eq!((types["B"].parts[0].name.as_str(), types["B"].parts[0].value.as_str()), ("Good", "0"));
    }
}
