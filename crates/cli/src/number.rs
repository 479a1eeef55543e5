//! Numbers on the command line.

/// Reads an address: decimal, or hexadecimal after `0x`; `_` may stand between digits.
pub(crate) fn parse(text: &str) -> Result<u64, String> {
    let digits = text.replace('_', "");
    let hexadecimal = digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X"));
    let parsed = match hexadecimal {
        Some(digits) if !digits.starts_with('+') => u64::from_str_radix(digits, 16),
        Some(_) => return Err("hexadecimal digits are to follow `0x`".to_owned()),
        None => digits.parse(),
    };
    parsed.map_err(|error| format!("{error}; write it in decimal, or in hexadecimal as 0x8000"))
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn both_bases_are_read() {
        let cases = [("0", 0), ("42", 42), ("0x2a", 42), ("0X2A", 42), ("0xffff_ffff_ffff_ffff", u64::MAX)];
        for (text, value) in cases {
            assert_eq!(parse(text), Ok(value), "{text}");
        }
    }

    #[test]
    fn anything_else_is_refused() {
        for text in ["", "0x", "2a", "-1", "0x+1", "0x1_0000_0000_0000_0000"] {
            assert!(parse(text).is_err(), "{text}");
        }
    }
}
