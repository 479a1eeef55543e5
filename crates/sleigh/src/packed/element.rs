//! An element of the packed stream, and its attributes.

use super::{header_id, header_size};
use crate::bad::LoadError;

/// The first byte of a value: its kind above, and the number of further bytes below; for a text, of the bytes of its
/// length.
const LENGTH_BITS: u32 = 4;
const LENGTH_MASK: u8 = 0xf;
const BOOL: u8 = 1;
const SIGNED: u8 = 2;
const SIGNED_NEGATIVE: u8 = 3;
const UNSIGNED: u8 = 4;
const SPACE: u8 = 5;
const TEXT: u8 = 7;

/// The end of the value that starts at a position; it may be beyond the data. `None` if the value is malformed.
#[inline]
pub(super) fn value_end(data: &[u8], position: usize) -> Option<usize> {
    let kind = *data.get(position)?;
    let end = position + 1 + usize::from(kind & LENGTH_MASK);
    match kind >> LENGTH_BITS {
        SIGNED..=SPACE => Some(end),
        BOOL => Some(position + 1),
        TEXT => end.checked_add(usize::try_from(number(data.get(position + 1..end)?)).ok()?),
        _ => None,
    }
}

/// A number of seven bits a byte, the most significant first.
#[inline]
fn number(digits: &[u8]) -> u64 {
    digits.iter().fold(0, |value, byte| value << 7 | u64::from(byte & 0x7f))
}

/// The value of an attribute.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Value<'d> {
    Bool(bool),
    Signed(i64),
    Unsigned(u64),
    Space(u64),
    Text(&'d str),
}

/// An open element: its id and attributes. Its children follow in the stream.
///
/// Attributes are decoded on demand: most elements have one or two, and a specification has a million elements, so that
/// decoding all of them took half the start-up time.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Element<'d> {
    pub(crate) id: u16,
    /// The attributes' bytes; [`super::Reader::open`] has checked that they are well-formed.
    pub(super) attributes: &'d [u8],
}

impl<'d> Element<'d> {
    fn find(&self, attribute: u16) -> Option<Value<'d>> {
        let mut position = 0;
        while let Some(header) = self.attributes.get(position).copied() {
            let value = position + header_size(header);
            if header_id(self.attributes, position, header) == attribute {
                return self.value_at(value);
            }
            position = value_end(self.attributes, value)?;
        }
        None
    }

    #[inline]
    fn value_at(&self, position: usize) -> Option<Value<'d>> {
        let kind = *self.attributes.get(position)?;
        let start = position + 1;
        let digits = self.attributes.get(start..start + usize::from(kind & LENGTH_MASK));
        Some(match kind >> LENGTH_BITS {
            BOOL => Value::Bool(kind & LENGTH_MASK != 0),
            SIGNED => Value::Signed(number(digits?) as i64),
            SIGNED_NEGATIVE => Value::Signed((number(digits?) as i64).wrapping_neg()),
            UNSIGNED => Value::Unsigned(number(digits?)),
            SPACE => Value::Space(number(digits?)),
            TEXT => {
                let end = value_end(self.attributes, position)?;
                let text = self.attributes.get(start + digits?.len()..end)?;
                Value::Text(std::str::from_utf8(text).ok()?)
            }
            _ => return None,
        })
    }

    #[cold]
    fn missing<T>(&self, attribute: u16, kind: &str) -> Result<T, LoadError> {
        let element = self.id;
        Err(LoadError::new(format!(
            "element {element} of the SLEIGH file lacks {kind} attribute {attribute}"
        )))
    }

    pub(crate) fn has(&self, attribute: u16) -> bool {
        self.find(attribute).is_some()
    }

    pub(crate) fn flag(&self, attribute: u16) -> Result<bool, LoadError> {
        match self.find(attribute) {
            Some(Value::Bool(value)) => Ok(value),
            _ => self.missing(attribute, "the yes-or-no"),
        }
    }

    pub(crate) fn signed(&self, attribute: u16) -> Result<i64, LoadError> {
        match self.find(attribute) {
            Some(Value::Signed(value)) => Ok(value),
            _ => self.missing(attribute, "the signed"),
        }
    }

    pub(crate) fn unsigned(&self, attribute: u16) -> Result<u64, LoadError> {
        match self.find(attribute) {
            Some(Value::Unsigned(value)) => Ok(value),
            Some(Value::Signed(value)) if value >= 0 => Ok(value as u64),
            _ => self.missing(attribute, "the unsigned"),
        }
    }

    /// A number that must fit a small unsigned type, in any encoding.
    pub(crate) fn small<T: TryFrom<u64>>(&self, attribute: u16) -> Result<T, LoadError> {
        let value = self.unsigned(attribute)?;
        T::try_from(value).or_else(|_| self.missing(attribute, "a small enough"))
    }

    pub(crate) fn space(&self, attribute: u16) -> Result<u64, LoadError> {
        match self.find(attribute) {
            Some(Value::Space(value)) => Ok(value),
            _ => self.missing(attribute, "the space"),
        }
    }

    pub(crate) fn text(&self, attribute: u16) -> Result<&'d str, LoadError> {
        match self.find(attribute) {
            Some(Value::Text(value)) => Ok(value),
            _ => self.missing(attribute, "the text"),
        }
    }
}
