//! The packed element stream inside a `.sla` file (Ghidra's `PackedDecode`): nested elements with attributes, seven
//! bits a byte.

use crate::bad::LoadError;
use miniz_oxide::inflate::decompress_to_vec_zlib_with_limit;

/// The largest known specification unpacks to some 30 MiB; a larger file than this is rejected.
const UNPACKED_LIMIT: usize = 256 << 20;
const MAGIC: &[u8] = b"sla";
const FORMAT_VERSION: u8 = 4;
/// The maximum nesting of elements: decision trees and expressions are deep.
const DEPTH_LIMIT: u32 = 200;

/// Checks the header of a `.sla` file and decompresses its body.
pub(crate) fn unpack(file: &[u8]) -> Result<Vec<u8>, LoadError> {
    let Some((header, body)) = file.split_at_checked(4) else {
        return Err(LoadError::new("too short for a compiled SLEIGH file"));
    };
    if &header[..3] != MAGIC {
        return Err(LoadError::new("not a compiled SLEIGH file: it does not start with `sla`"));
    }
    if header[3] != FORMAT_VERSION {
        return Err(LoadError::new(format!(
            "compiled SLEIGH format version {}, but this decoder reads version {FORMAT_VERSION}: compile the specification again with Ghidra 11's compiler",
            header[3]
        )));
    }
    decompress_to_vec_zlib_with_limit(body, UNPACKED_LIMIT)
        .map_err(|error| LoadError::new(format!("the packed part of the SLEIGH file is damaged: {error}")))
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
    /// The attributes' bytes; [`Reader::open`] has checked that they are well-formed.
    attributes: &'d [u8],
}

impl<'d> Element<'d> {
    fn find(&self, attribute: u16) -> Option<Value<'d>> {
        let mut reader = Reader::new(self.attributes);
        while let Ok(header) = reader.byte() {
            if reader.id(header).ok()? == attribute {
                return reader.value().ok();
            }
            reader.skip_value().ok()?;
        }
        None
    }

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

/// Reads the stream from front to back.
pub(crate) struct Reader<'d> {
    data: &'d [u8],
    position: usize,
    depth: u32,
}

const KIND_MASK: u8 = 0xc0;
const START: u8 = 0x40;
const END: u8 = 0x80;
const ATTRIBUTE: u8 = 0xc0;
const EXTENDED: u8 = 0x20;

impl<'d> Reader<'d> {
    pub(crate) fn new(data: &'d [u8]) -> Self {
        Self { data, position: 0, depth: 0 }
    }

    fn ends_early() -> LoadError {
        LoadError::new("the SLEIGH file ends in the middle of an element")
    }

    fn damaged(&self) -> LoadError {
        LoadError::new(format!("the SLEIGH file is damaged at unpacked byte {}", self.position))
    }

    fn byte(&mut self) -> Result<u8, LoadError> {
        let byte = *self.data.get(self.position).ok_or_else(Self::ends_early)?;
        self.position += 1;
        Ok(byte)
    }

    /// The id in a record header whose first byte has been read.
    fn id(&mut self, first: u8) -> Result<u16, LoadError> {
        let mut id = u16::from(first & 0x1f);
        if first & EXTENDED != 0 {
            id = id << 7 | u16::from(self.byte()? & 0x7f);
        }
        Ok(id)
    }

    fn integer(&mut self, length: u8) -> Result<u64, LoadError> {
        let mut value = 0_u64;
        for _ in 0..length {
            value = value << 7 | u64::from(self.byte()? & 0x7f);
        }
        Ok(value)
    }

    fn value(&mut self) -> Result<Value<'d>, LoadError> {
        let kind = self.byte()?;
        let length = kind & 0xf;
        Ok(match kind >> 4 {
            1 => Value::Bool(length != 0),
            2 => Value::Signed(self.integer(length)? as i64),
            3 => Value::Signed((self.integer(length)? as i64).wrapping_neg()),
            4 => Value::Unsigned(self.integer(length)?),
            5 => Value::Space(self.integer(length)?),
            7 => {
                let size = self.integer(length)?;
                let end = usize::try_from(size)
                    .ok()
                    .and_then(|size| self.position.checked_add(size))
                    .filter(|end| *end <= self.data.len())
                    .ok_or_else(Self::ends_early)?;
                let text = std::str::from_utf8(&self.data[self.position..end]).map_err(|_| self.damaged())?;
                self.position = end;
                Value::Text(text)
            }
            _ => return Err(self.damaged()),
        })
    }

    /// Skips the value of an attribute.
    fn skip_value(&mut self) -> Result<(), LoadError> {
        let kind = self.byte()?;
        let length = kind & 0xf;
        let size = match kind >> 4 {
            1 => 0,
            2..=5 => u64::from(length),
            7 => self.integer(length)?,
            _ => return Err(self.damaged()),
        };
        let end = usize::try_from(size).ok().and_then(|size| self.position.checked_add(size));
        self.position = end.filter(|end| *end <= self.data.len()).ok_or_else(Self::ends_early)?;
        Ok(())
    }

    /// The id of the element that starts here; `None` where the surrounding one ends.
    pub(crate) fn peek(&self) -> Result<Option<u16>, LoadError> {
        let mut ahead = Reader { data: self.data, position: self.position, depth: 0 };
        let first = ahead.byte()?;
        match first & KIND_MASK {
            START => ahead.id(first).map(Some),
            END => Ok(None),
            _ => Err(self.damaged()),
        }
    }

    /// Enters the element that starts here.
    pub(crate) fn open(&mut self) -> Result<Element<'d>, LoadError> {
        let first = self.byte()?;
        if first & KIND_MASK != START {
            return Err(self.damaged());
        }
        self.depth += 1;
        if self.depth > DEPTH_LIMIT {
            return Err(LoadError::new("the SLEIGH file nests its elements too deeply"));
        }
        let id = self.id(first)?;
        let start = self.position;
        while let Some(header) = self.data.get(self.position).copied()
            && header & KIND_MASK == ATTRIBUTE
        {
            self.position += 1;
            self.id(header)?;
            self.skip_value()?;
        }
        Ok(Element { id, attributes: &self.data[start..self.position] })
    }

    /// Enters the element that starts here, which must be of this kind.
    pub(crate) fn expect(&mut self, id: u16) -> Result<Element<'d>, LoadError> {
        let element = self.open()?;
        if element.id == id { Ok(element) } else { Err(self.damaged()) }
    }

    /// Leaves the innermost open element, which must have no remaining children.
    pub(crate) fn close(&mut self) -> Result<(), LoadError> {
        let first = self.byte()?;
        if first & KIND_MASK != END {
            return Err(self.damaged());
        }
        self.id(first)?;
        self.depth = self.depth.saturating_sub(1);
        Ok(())
    }

    /// Leaves the innermost open element, skipping its remaining children.
    pub(crate) fn close_skipping(&mut self) -> Result<(), LoadError> {
        while self.peek()?.is_some() {
            self.open()?;
            self.close_skipping()?;
        }
        self.close()
    }
}
