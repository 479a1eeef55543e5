//! A hexadecimal value with don't-care digits.

use std::fmt;

/// Hexadecimal digits, the most significant first; `?` digits match anything.
#[derive(Clone, PartialEq, Eq)]
pub struct Pattern {
    /// Values 0 to 15, or `None` for `?`.
    digits: Vec<Option<u8>>,
}

impl Pattern {
    /// Parses digits such as `8?`; the error states the problem.
    pub fn parse(text: &str) -> Result<Self, String> {
        if text.is_empty() {
            return Err("a value is missing after `=`".to_owned());
        }
        let digits = text
            .chars()
            .map(|character| match character {
                '?' => Ok(None),
                _ => match character.to_digit(16) {
                    Some(digit) => Ok(Some(digit as u8)),
                    None => Err(format!("`{character}` in `{text}` is not a hexadecimal digit")),
                },
            })
            .collect::<Result<_, _>>()?;
        Ok(Self { digits })
    }

    /// The number of digits.
    pub fn digit_count(&self) -> usize {
        self.digits.len()
    }

    /// Whether every digit is known.
    pub fn is_exact(&self) -> bool {
        self.digits.iter().all(Option::is_some)
    }

    /// The value as bytes, the most significant first, or `None` if a digit is open. An odd digit count
    /// gets a leading zero.
    ///
    /// ```
    /// use everypath_vectors::Pattern;
    /// assert_eq!(Pattern::parse("12a")?.to_bytes(), Some(vec![0x01, 0x2a]));
    /// assert_eq!(Pattern::parse("1?")?.to_bytes(), None);
    /// # Ok::<(), String>(())
    /// ```
    pub fn to_bytes(&self) -> Option<Vec<u8>> {
        self.masked_bytes().into_iter().map(|(value, mask)| (mask == 0xff).then_some(value)).collect()
    }

    /// The value with its mask, byte by byte, the most significant first: open digits are 0 in both.
    pub fn masked_bytes(&self) -> Vec<(u8, u8)> {
        let mut padded = Vec::with_capacity(self.digits.len() + 1);
        if self.digits.len() % 2 == 1 {
            padded.push(Some(0));
        }
        padded.extend_from_slice(&self.digits);
        padded
            .chunks_exact(2)
            .map(|pair| {
                let value = pair[0].unwrap_or(0) << 4 | pair[1].unwrap_or(0);
                let high = if pair[0].is_some() { 0xf0 } else { 0 };
                let low = if pair[1].is_some() { 0x0f } else { 0 };
                (value, high | low)
            })
            .collect()
    }

    /// Whether a number, given as bytes with the most significant first, matches. The shorter of the two is
    /// zero-extended: a register may be wider than the pattern.
    pub fn matches_number(&self, number: &[u8]) -> bool {
        let expected = self.masked_bytes();
        let length = expected.len().max(number.len());
        let missing = length - expected.len();
        (0..length).all(|position| {
            let (value, mask) = match position.checked_sub(missing) {
                Some(index) => expected[index],
                None => (0, 0xff),
            };
            let actual = (position + number.len()).checked_sub(length).map_or(0, |index| number[index]);
            actual & mask == value
        })
    }

    /// Whether bytes in address order match: as many, and equal.
    pub fn matches_bytes(&self, bytes: &[u8]) -> bool {
        let expected = self.masked_bytes();
        expected.len() == bytes.len()
            && expected.iter().zip(bytes).all(|((value, mask), actual)| actual & mask == *value)
    }
}

impl fmt::Display for Pattern {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for digit in &self.digits {
            match digit {
                Some(digit) => write!(formatter, "{digit:x}")?,
                None => formatter.write_str("?")?,
            }
        }
        Ok(())
    }
}

impl fmt::Debug for Pattern {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Pattern({self})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_compared_with_zero_extension() {
        let pattern = Pattern::parse("1?3").unwrap();
        assert!(pattern.matches_number(&[0x01, 0x23]));
        assert!(pattern.matches_number(&[0, 0, 0x01, 0xf3]));
        assert!(!pattern.matches_number(&[0x01, 0x24]));
        assert!(!pattern.matches_number(&[0x11, 0x23]));
        assert!(!pattern.matches_number(&[0x01, 0x01, 0x23]));
        assert!(!pattern.matches_number(&[0x23]));
        assert!(Pattern::parse("0005").unwrap().matches_number(&[5]));
        assert!(Pattern::parse("0").unwrap().matches_number(&[]));
    }

    #[test]
    fn bytes_are_compared_in_full() {
        let pattern = Pattern::parse("55?a").unwrap();
        assert!(pattern.matches_bytes(&[0x55, 0x3a]));
        assert!(!pattern.matches_bytes(&[0x55, 0x3b]));
        assert!(!pattern.matches_bytes(&[0x55]));
        assert!(!pattern.matches_bytes(&[0x55, 0x3a, 0]));
    }

    #[test]
    fn what_is_no_digit_is_named() {
        assert_eq!(Pattern::parse("1g"), Err("`g` in `1g` is not a hexadecimal digit".to_owned()));
        assert!(Pattern::parse("").is_err());
    }

    #[test]
    fn prints_as_written() {
        assert_eq!(Pattern::parse("0A?").unwrap().to_string(), "0a?");
    }
}
