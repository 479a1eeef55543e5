//! Numbers that JSON documents hold as text, such as `"0x401000"`.

use serde::{Deserialize, Deserializer, de};

/// A number in hexadecimal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Hexadecimal(pub u64);

impl<'d> Deserialize<'d> for Hexadecimal {
    fn deserialize<D: Deserializer<'d>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let digits = text.strip_prefix("0x").ok_or_else(|| de::Error::custom("no hexadecimal number"))?;
        u64::from_str_radix(digits, 16).map(Self).map_err(de::Error::custom)
    }
}
