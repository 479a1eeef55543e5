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
    let kind = match types.get(name) {
        Some(choice) if choice.parts.iter().all(|part| part.value.is_empty()) => choices(choice, types),
        _ => plain(name).to_owned(),
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

/// The words for a type that is no enumeration.
fn plain(name: &str) -> &'static str {
    match name {
        "u8" | "u32" | "u64" | "usize" => "number",
        "bool" => "true or false",
        "String" => "text",
        "PathBuf" => "file or folder",
        "StreamSize" => "number, or `\"A..B\"`",
        "AddressOrSymbol" => "address or symbol",
        "TargetText" => "[target](../reach.md#targets)",
        "BTreeMap<String, u64>" => "table of numbers",
        _ => "table",
    }
}

/// The values of an enumeration, the first of which is the default: the name of a variant without data, and the type of one with
/// data, which stands for itself.
fn choices(choice: &RustType, types: &BTreeMap<String, RustType>) -> String {
    let value = |part: &Part| {
        let data = part.name.split_once('(').and_then(|(_, data)| data.strip_suffix(')'));
        let value = data.map_or_else(|| format!("`\"{}\"`", kebab(&part.name)), |data| inline(data, types));
        format!("{value} ({})", part.text.trim_end_matches('.'))
    };
    choice.parts.iter().map(value).collect::<Vec<_>>().join(" or ")
}

/// A type within a line: `{ bytes = number }` for a table.
fn inline(name: &str, types: &BTreeMap<String, RustType>) -> String {
    let Some(table) = types.get(name) else { return plain(name).to_owned() };
    let key = |part: &Part| format!("{} = {}", part.name, plain(&part.value));
    format!("`{{ {} }}`", table.parts.iter().map(key).collect::<Vec<_>>().join(", "))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_choice_between_types_is_shown_as_what_a_file_has() {
        let source = "/// Given or not.\npub enum Value {\n    /// As it is.\n    Text(String),\n    /// Input.\n    \
                      Input(Size),\n}\n\n/// A size.\npub struct Size {\n    /// So many.\n    pub bytes: u32,\n    /// Its name.\n    \
                      pub name: String,\n}\n\n/// Which.\npub enum Order {\n    /// One.\n    FirstFit,\n}\n";
        let types = types(source);
        let shown = "text (As it is) or `{ bytes = number, name = text }` (Input)";
        assert_eq!(choices(&types["Value"], &types), shown);
        assert_eq!(choices(&types["Order"], &types), "`\"first-fit\"` (One)");
    }
}
