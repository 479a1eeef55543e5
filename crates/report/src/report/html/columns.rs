//! Values of columns: optional indexes and numbers of 64 bits, as JavaScript can read them.

use serde::{Serialize, Serializer};

/// An index, or nothing, which is written as -1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Index(pub(super) Option<usize>);

impl Serialize for Index {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            Some(index) => serializer.serialize_u64(index as u64),
            None => serializer.serialize_i64(-1),
        }
    }
}

/// A number, written as hexadecimal text if JavaScript would round it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Number(pub(super) u64);

/// The largest integer below which a double represents all of them: `Number.MAX_SAFE_INTEGER`.
const SAFE: u64 = (1 << 53) - 1;

impl Serialize for Number {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.0 <= SAFE {
            serializer.serialize_u64(self.0)
        } else {
            serializer.serialize_str(&format!("{:#x}", self.0))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_number_is_rounded() {
        let text = |value: u64| serde_json::to_string(&Number(value)).expect("it is a number");
        assert_eq!(text(SAFE), "9007199254740991");
        assert_eq!(text(SAFE + 1), "\"0x20000000000000\"");
        assert_eq!(serde_json::to_string(&[Index(Some(3)), Index(None)]).expect("indexes"), "[3,-1]");
    }
}
