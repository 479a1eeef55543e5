//! The number of bytes of a stream of input, in the notation of the configuration and of flags.

use serde::{Deserialize, Deserializer};
use std::fmt;

/// The number of bytes of a stream of input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StreamSize {
    /// At least so many.
    pub least: u32,
    /// At most so many.
    pub most: u32,
}

impl StreamSize {
    /// The largest size: each byte is a cell read of its own.
    const LARGEST: u32 = 1 << 20;

    /// Parses `N` (up to N bytes) or `A..B` (from A to B bytes).
    ///
    /// # Errors
    /// If it is neither, in words.
    pub fn parse(text: &str) -> Result<StreamSize, String> {
        let number =
            |text: &str| text.trim().parse::<u32>().map_err(|_| format!("`{text}` is no number of bytes"));
        let (least, most) = match text.split_once("..") {
            Some((least, most)) => (number(least)?, number(most)?),
            None => (0, number(text)?),
        };
        if least > most {
            return Err(format!("`{text}`: the least number of bytes is greater than the largest"));
        }
        if most > Self::LARGEST {
            return Err(format!("`{text}`: at most {} bytes of input are possible", Self::LARGEST));
        }
        Ok(StreamSize { least, most })
    }
}

impl fmt::Display for StreamSize {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}..{}", self.least, self.most)
    }
}

impl<'d> Deserialize<'d> for StreamSize {
    fn deserialize<D: Deserializer<'d>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Written {
            Number(u32),
            Range(String),
        }
        let text = match Written::deserialize(deserializer)? {
            Written::Number(number) => number.to_string(),
            Written::Range(range) => range,
        };
        StreamSize::parse(&text).map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_is_the_largest_size_and_a_range_has_both() {
        assert_eq!(StreamSize::parse("4"), Ok(StreamSize { least: 0, most: 4 }));
        assert_eq!(StreamSize::parse("2..4"), Ok(StreamSize { least: 2, most: 4 }));
        for wrong in ["", "x", "4..2", "1..", "99999999"] {
            assert!(StreamSize::parse(wrong).is_err(), "{wrong}");
        }
    }
}
