//! Fields that do not exist: the nearest name that does, by the Levenshtein distance.

use strsim::levenshtein;

/// The unknown field that an error of the parser names, and the names that it lists.
pub(super) fn unknown_field(message: &str) -> Option<(&str, Vec<&str>)> {
    let rest = message.strip_prefix("unknown field `")?;
    let (wrong, rest) = rest.split_once('`')?;
    // Names stand between backticks, with text between them.
    Some((wrong, rest.split('`').skip(1).step_by(2).collect()))
}

/// Advice for an unknown field: the most similar name, or all names if none is similar.
pub(super) fn advice(wrong: &str, names: &[&str]) -> String {
    let near = names.iter().map(|name| (levenshtein(wrong, name), *name)).min();
    match near {
        Some((distance, name)) if distance <= (wrong.chars().count() / 3).max(1) => {
            format!("a field with a similar name exists: `{name}`")
        }
        _ => format!("there are: {}", names.join(", ")),
    }
}
