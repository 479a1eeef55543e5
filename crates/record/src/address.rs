//! Addresses, serialised as hexadecimal text.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// An address.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct Address(pub u64);

/// The words that precede the address of an instruction in a message. Other numbers may be addresses of data.
const BEFORE_CODE: [&str; 2] = ["at ", "paths end at "];

impl Address {
    /// The instruction that a message of a verdict or an assumption names, and where its text ends in the message.
    #[must_use]
    pub fn of_code_in(message: &str) -> Option<(usize, Address)> {
        let is_first = message.starts_with(BEFORE_CODE[0]);
        let start = match is_first {
            true => BEFORE_CODE[0].len(),
            false => message.find(BEFORE_CODE[1])? + BEFORE_CODE[1].len(),
        };
        let digits = message[start..].strip_prefix("0x")?;
        let length = digits.find(|letter: char| !letter.is_ascii_hexdigit()).unwrap_or(digits.len());
        let address = u64::from_str_radix(&digits[..length], 16).ok()?;
        Some((start + 2 + length, Address(address)))
    }
}

impl fmt::Display for Address {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{:#x}", self.0)
    }
}

impl fmt::Debug for Address {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, formatter)
    }
}

impl From<Address> for String {
    fn from(address: Address) -> String {
        address.to_string()
    }
}

impl FromStr for Address {
    type Err = String;

    fn from_str(text: &str) -> Result<Address, String> {
        let digits = text.strip_prefix("0x").ok_or_else(|| format!("`{text}` does not begin with 0x"))?;
        u64::from_str_radix(digits, 16).map(Address).map_err(|error| format!("`{text}`: {error}"))
    }
}

impl TryFrom<String> for Address {
    type Error = String;

    fn try_from(text: String) -> Result<Address, String> {
        text.parse()
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for Address {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Address".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "description": "An address, in hexadecimal.",
            "type": "string",
            "pattern": "^0x[0-9a-f]{1,16}$",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_name_the_instruction_that_they_are_about() {
        let named = |message| Address::of_code_in(message).map(|(end, address)| (&message[..end], address));
        let blocked = "blocked: paths end at 0x1f0 (a fault), so the code behind was not explored";
        assert_eq!(named(blocked), Some(("blocked: paths end at 0x1f0", Address(0x1f0))));
        assert_eq!(named("at 0x20, 2 times: a bound"), Some(("at 0x20", Address(0x20))));
        assert_eq!(named("the register at 0x40 was assumed"), None);
    }
}
