//! Numbers for people.

/// A number with a comma between each three digits: `518,980`.
///
/// ```
/// assert_eq!(everypath_report::with_separators(999), "999");
/// assert_eq!(everypath_report::with_separators(1_518_980), "1,518,980");
/// ```
#[must_use]
pub fn with_separators(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A number of things: `1 path`, `2,000 paths`. The plural is the singular with an `s`.
pub(crate) fn counted(number: u64, singular: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{} {singular}{plural}", with_separators(number))
}
