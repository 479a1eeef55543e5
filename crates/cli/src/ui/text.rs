//! Text in a given number of columns.

/// Text of at most so many characters; what does not fit is replaced by an ellipsis.
pub(super) fn fitted(text: &str, width: usize) -> String {
    if text.chars().count() <= width {
        return text.to_owned();
    }
    let mut kept: String = text.chars().take(width.saturating_sub(1)).collect();
    if width > 0 {
        kept.push('…');
    }
    kept
}

/// The plural of a word with an `s`, unless there is one of the thing.
pub(super) fn plural(number: u64, singular: &str) -> String {
    let ending = if number == 1 { "" } else { "s" };
    format!("{singular}{ending}")
}

/// A number with a unit prefix, of at most six characters.
pub(super) fn short(number: f64) -> String {
    let (divisor, prefix) = match number {
        _ if number >= 1e9 => (1e9, " G"),
        _ if number >= 1e6 => (1e6, " M"),
        _ if number >= 1e3 => (1e3, " k"),
        _ => (1.0, ""),
    };
    let scaled = number / divisor;
    if scaled >= 100.0 || divisor == 1.0 {
        format!("{scaled:.0}{prefix}")
    } else {
        format!("{scaled:.1}{prefix}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_cut_where_it_does_not_fit() {
        assert_eq!(fitted("größer", 6), "größer");
        assert_eq!(fitted("größer", 5), "größ…");
        assert_eq!(fitted("größer", 0), "");
    }

    #[test]
    fn numbers_stay_short() {
        let texts = [0.0, 999.0, 1_500.0, 250_000.0, 1.25e6, 3e9].map(short);
        assert_eq!(texts, ["0", "999", "1.5 k", "250 k", "1.2 M", "3.0 G"]);
    }
}
