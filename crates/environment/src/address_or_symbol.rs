//! A place that the configuration names: by an address or by a symbol.

use serde::Deserialize;

/// An address, or the name of a symbol.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(untagged)]
pub enum AddressOrSymbol {
    /// An address.
    Address(u64),
    /// A symbol.
    Symbol(String),
}

impl From<u64> for AddressOrSymbol {
    fn from(address: u64) -> Self {
        Self::Address(address)
    }
}

impl From<&str> for AddressOrSymbol {
    fn from(symbol: &str) -> Self {
        Self::Symbol(symbol.to_owned())
    }
}
