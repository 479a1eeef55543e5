//! Names that are near a mistyped one, by the Levenshtein distance.

use strsim::levenshtein;

/// Maximum number of names that a message lists.
pub(super) const NEAR: usize = 5;

/// The names that are nearest to one that does not exist, the nearest first: those that contain it, or differ in at most a third of
/// its letters.
pub(super) fn near_names<'n>(wanted: &str, names: impl Iterator<Item = &'n str>) -> Vec<String> {
    let wanted = wanted.to_lowercase();
    let most = (wanted.chars().count() / 3).max(1);
    let distance = |name: &str| {
        let lower = name.to_lowercase();
        if !wanted.is_empty() && lower.contains(&wanted) { 0 } else { levenshtein(&wanted, &lower) }
    };
    let mut near: Vec<(usize, &str)> = names.map(|name| (distance(name), name)).collect();
    near.retain(|(distance, _)| *distance <= most);
    near.sort_unstable();
    near.dedup();
    near.into_iter().take(NEAR).map(|(_, name)| name.to_owned()).collect()
}

/// The numbers that are nearest to one, in their order.
pub(super) fn near_numbers(wanted: u64, numbers: impl Iterator<Item = u64>) -> Vec<u64> {
    let mut numbers: Vec<u64> = numbers.collect();
    numbers.sort_unstable_by_key(|number| (number.abs_diff(wanted), *number));
    numbers.dedup();
    numbers.truncate(NEAR);
    numbers.sort_unstable();
    numbers
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_names_are_few_and_nearest_first() {
        let names = ["update", "update_alarm", "reset", "upbate"];
        assert_eq!(near_names("pdate", names.into_iter()), ["update", "update_alarm"]);
        assert!(near_names("zzzzzz", names.into_iter()).is_empty());
        assert_eq!(near_numbers(10, [1, 9, 12, 12, 40, 11, 8, 7].into_iter()), [7, 8, 9, 11, 12]);
    }
}
