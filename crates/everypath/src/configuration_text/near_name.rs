//! Fields that do not exist: the nearest name that does, by the Levenshtein distance.

/// The unknown field that an error of the parser names, and the names that it lists.
pub(super) fn unknown_field(message: &str) -> Option<(&str, Vec<&str>)> {
    let rest = message.strip_prefix("unknown field `")?;
    let (wrong, rest) = rest.split_once('`')?;
    // Names stand between backticks, with text between them.
    Some((wrong, rest.split('`').skip(1).step_by(2).collect()))
}

/// What to write in place of an unknown field.
pub(super) fn advice(wrong: &str, names: &[&str]) -> String {
    let near = names.iter().map(|name| (distance(wrong, name), *name)).min();
    match near {
        Some((distance, name)) if distance <= (wrong.chars().count() / 3).max(1) => {
            format!("a field with a similar name exists: `{name}`")
        }
        _ => format!("there are: {}", names.join(", ")),
    }
}

/// The smallest number of letters to insert, remove or replace that makes one text the other.
fn distance(one: &str, other: &str) -> usize {
    let other: Vec<char> = other.chars().collect();
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (index, letter) in one.chars().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], index + 1);
        for (column, wanted) in other.iter().enumerate() {
            let replaced = diagonal + usize::from(letter != *wanted);
            diagonal = row[column + 1];
            row[column + 1] = replaced.min(diagonal + 1).min(row[column] + 1);
        }
    }
    row[other.len()]
}
