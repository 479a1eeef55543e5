//! Models: assignments of values to input bytes.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use crate::Input;

/// An assignment of all input bytes; bytes that were not set are zero.
///
/// Models are equal if they assign every byte the same value. A clone shares the bytes until either is changed.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Model {
    /// The nonzero bytes.
    bytes: Arc<BTreeMap<Input, u8>>,
}

impl Model {
    /// The model in which every byte is zero.
    #[must_use]
    pub fn new() -> Model {
        Model::default()
    }

    /// The model in which the first input bytes are these.
    #[must_use]
    pub fn from_bytes(bytes: &[u8]) -> Model {
        bytes.iter().enumerate().map(|(number, &byte)| (Input(number as u32), byte)).collect()
    }

    /// The value of a byte.
    #[inline]
    #[must_use]
    pub fn get(&self, input: Input) -> u8 {
        self.bytes.get(&input).copied().unwrap_or(0)
    }

    /// Sets a byte.
    pub fn set(&mut self, input: Input, value: u8) {
        if self.get(input) == value {
            return;
        }
        let bytes = Arc::make_mut(&mut self.bytes);
        if value == 0 {
            bytes.remove(&input);
        } else {
            bytes.insert(input, value);
        }
    }

    /// The nonzero bytes in ascending order.
    pub fn iter(&self) -> impl Iterator<Item = (Input, u8)> + '_ {
        self.bytes.iter().map(|(&input, &value)| (input, value))
    }
}

impl FromIterator<(Input, u8)> for Model {
    /// The last of several values for one byte wins.
    fn from_iter<I: IntoIterator<Item = (Input, u8)>>(bytes: I) -> Model {
        let mut map: BTreeMap<Input, u8> = bytes.into_iter().collect();
        map.retain(|_, value| *value != 0);
        Model { bytes: Arc::new(map) }
    }
}

impl Extend<(Input, u8)> for Model {
    fn extend<I: IntoIterator<Item = (Input, u8)>>(&mut self, bytes: I) {
        for (input, value) in bytes {
            self.set(input, value);
        }
    }
}

impl fmt::Debug for Model {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_map().entries(self.iter().map(|(input, value)| (input.0, value))).finish()
    }
}
