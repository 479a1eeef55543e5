//! The page on JSON, from the schema that is kept of the types.

use super::cell;
use serde_json::{Map, Value};
use std::fmt::Write as _;

const HEAD: &str = "# JSON

The document of `everypath report --as json`, from its [schema](../../schema/report.schema.json). `summary.json` and the files in `tests`,
which `everypath test` writes, are its types Summary and TestCase. Every document of `--json` begins with its
`format` and `version`; a version changes when a reader of the old one would misunderstand the new one.
[The graph](../graph-json.md) and [comparisons](../diff.md#json) have pages of their own.
";

/// The page.
///
/// # Errors
/// If the schema has another form.
pub(super) fn page(schema: &str) -> Result<String, String> {
    let schema: Value = serde_json::from_str(schema).map_err(|error| format!("the schema: {error}"))?;
    let types = schema["$defs"].as_object().ok_or("the schema has no types")?;
    let mut page = HEAD.to_owned();
    section(&mut page, "The document", &schema);
    for (name, definition) in types {
        section(&mut page, name, definition);
    }
    Ok(page)
}

fn section(page: &mut String, title: &str, definition: &Value) {
    let text = definition["description"].as_str().unwrap_or_default();
    let _ = write!(page, "\n## {title}\n\n{text}\n");
    let rows = rows(definition);
    if !rows.is_empty() {
        let _ = write!(page, "\n| key | type | |\n|---|---|---|\n{rows}");
    }
    for choice in definition["oneOf"].as_array().into_iter().flatten() {
        let text = choice["description"].as_str().unwrap_or_default();
        let _ = write!(page, "\n{text}\n\n| key | type | |\n|---|---|---|\n{}", self::rows(choice));
    }
}

fn rows(definition: &Value) -> String {
    let none = Map::new();
    let required = definition["required"].as_array().into_iter().flatten();
    let required: Vec<&str> = required.filter_map(Value::as_str).collect();
    let mut rows = String::new();
    for (key, value) in definition["properties"].as_object().unwrap_or(&none) {
        let optional = if required.contains(&key.as_str()) { "" } else { ", optional" };
        let text = cell(value["description"].as_str().unwrap_or_default());
        let _ = writeln!(rows, "| `{key}` | {}{optional} | {text} |", cell(&kind(value)));
    }
    rows
}

/// The type of a value, in words.
fn kind(value: &Value) -> String {
    if let Some(name) = value["$ref"].as_str().and_then(|reference| reference.rsplit('/').next()) {
        return format!("[{name}](#{})", name.to_lowercase());
    }
    if let Some(constant) = value.get("const") {
        return format!("`{constant}`");
    }
    if let Some(choices) = value["anyOf"].as_array() {
        return choices.iter().map(kind).collect::<Vec<_>>().join(" or ");
    }
    match &value["type"] {
        Value::String(name) if name == "array" => format!("list of {}", kind(&value["items"])),
        Value::String(name) => name.clone(),
        Value::Array(names) => names.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(" or "),
        _ => "any".to_owned(),
    }
}
