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

/// Reads a size: a number of bytes, or one with K, M or G behind it, of 1024 bytes and so on.
pub(crate) fn size(text: &str) -> Result<u64, String> {
    let units = [('K', 10), ('M', 20), ('G', 30)];
    let unit = units.into_iter().find_map(|(letter, shift)| {
        let digits = text.strip_suffix([letter, letter.to_ascii_lowercase()])?;
        Some((digits, shift))
    });
    let (digits, shift) = unit.unwrap_or((text, 0));
    let number = parse(digits)?;
    number.checked_mul(1 << shift).ok_or_else(|| format!("{text} is more than any machine has"))
}

#[cfg(test)]
mod tests {
    use super::{parse, size};

    #[test]
    fn sizes_have_units() {
        let cases = [("4096", 4096), ("16K", 16 << 10), ("300M", 300 << 20), ("2g", 2 << 30)];
        for (text, value) in cases {
            assert_eq!(size(text), Ok(value), "{text}");
        }
        for text in ["", "M", "1T", "99999999999G"] {
            assert!(size(text).is_err(), "{text}");
        }
    }

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
