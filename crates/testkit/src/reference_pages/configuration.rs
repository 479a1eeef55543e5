//! The page on `everypath.toml`, from the types that it is read into.

use super::cell;
use super::rust_types::{Part, RustType, types};
use std::collections::{BTreeMap, VecDeque};
use std::fmt::Write as _;

const HEAD: &str = "# Configuration

Every table and key of an `everypath.toml`, from the types that it is read into. [Running a program once](../run.md#the-configuration)
and [generating tests](../test.md#input) explain them by examples; `everypath init` drafts a file. Unknown keys are refused.

| type | in TOML |
|---|---|
| number | an integer, in decimal or as `0x2000_0000` |
| address or symbol | a number, or the name of a symbol as text |
";

/// The page.
///
/// # Errors
/// If a type is missing.
pub(super) fn page(source: &str) -> Result<String, String> {
    let types = types(source);
    let mut page = HEAD.to_owned();
    let mut pending = VecDeque::from([("Settings".to_owned(), "Configuration".to_owned())]);
    let mut done = Vec::new();
    while let Some((title, name)) = pending.pop_front() {
        if done.contains(&name) {
            continue;
        }
        let item = types.get(&name).ok_or_else(|| format!("there is no type `{name}`"))?;
        let _ =
            write!(page, "\n## {title}\n\n{}\n\n| key | type | default | |\n|---|---|---|---|\n", item.text);
        for part in &item.parts {
            let _ = writeln!(page, "{}", row(part, item, &types));
            pending.extend(table(part, &title, &types));
        }
        done.push(name);
    }
    Ok(page)
}

/// The table of its own that a key opens: title and type.
fn table(part: &Part, parent: &str, types: &BTreeMap<String, RustType>) -> Option<(String, String)> {
    let (name, is_list) = inner(&part.value);
    let is_table = types.get(name)?.parts.iter().all(|part| !part.value.is_empty());
    let title = match (parent, is_list) {
        ("Settings", true) => format!("`[[{}]]`", part.name),
        ("Settings", false) => format!("`[{}]`", part.name),
        (parent, _) => format!("`{}` of {parent}", part.name),
    };
    is_table.then(|| (title, name.to_owned()))
}

/// The type in an option or a list, and whether it is a list.
fn inner(value: &str) -> (&str, bool) {
    let value = value.strip_prefix("Option<").and_then(|rest| rest.strip_suffix('>')).unwrap_or(value);
    match value.strip_prefix("Vec<").and_then(|rest| rest.strip_suffix('>')) {
        Some(item) => (item, true),
        None => (value, false),
    }
}

fn row(part: &Part, item: &RustType, types: &BTreeMap<String, RustType>) -> String {
    let (name, is_list) = inner(&part.value);
    let kind = match name {
        "u8" | "u64" | "usize" => "number".to_owned(),
        "bool" => "true or false".to_owned(),
        "String" => "text".to_owned(),
        "PathBuf" => "file or folder".to_owned(),
        "StreamSize" => "number, or `\"A..B\"`".to_owned(),
        "AddressOrSymbol" => "address or symbol".to_owned(),
        "TargetText" => "[target](../reach.md#targets)".to_owned(),
        "BTreeMap<String, u64>" => "table of numbers".to_owned(),
        other => match types.get(other) {
            Some(choice) if choice.parts.iter().all(|part| part.value.is_empty()) => choices(choice),
            _ => "table".to_owned(),
        },
    };
    let kind = if is_list { format!("list: {kind}") } else { kind };
    let has_default = item.has_defaults || part.default.is_some() || part.value.starts_with("Option<");
    let default = match (&part.default, name, is_list) {
        (Some(value), ..) if !value.is_empty() => format!("`{value}`"),
        _ if !has_default => "needed".to_owned(),
        (_, "bool", false) => "`false`".to_owned(),
        _ => String::new(),
    };
    format!("| `{}` | {} | {default} | {} |", part.name, cell(&kind), cell(&part.text))
}

/// The values of an enumeration without data, the first of which is the default.
fn choices(choice: &RustType) -> String {
    let value = |part: &Part| format!("`\"{}\"` ({})", kebab(&part.name), part.text.trim_end_matches('.'));
    choice.parts.iter().map(value).collect::<Vec<_>>().join(" or ")
}

fn kebab(name: &str) -> String {
    let mut text = String::new();
    for character in name.chars() {
        if character.is_uppercase() && !text.is_empty() {
            text.push('-');
        }
        text.extend(character.to_lowercase());
    }
    text
}
