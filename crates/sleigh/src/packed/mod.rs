//! The packed element stream inside a `.sla` file (Ghidra's `PackedDecode`): nested elements with attributes, seven
//! bits a byte.

mod element;

use crate::bad::LoadError;
pub(crate) use element::Element;
use element::value_end;
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

/// Reads the stream from front to back.
pub(crate) struct Reader<'d> {
    data: &'d [u8],
    /// The position of `data` in the whole stream, for messages.
    origin: usize,
    position: usize,
    depth: u32,
}

const KIND_MASK: u8 = 0xc0;
const START: u8 = 0x40;
const END: u8 = 0x80;
const ATTRIBUTE: u8 = 0xc0;
const EXTENDED: u8 = 0x20;
const ID_MASK: u8 = 0x1f;

/// The size of a record header, by its first byte.
#[inline]
fn header_size(first: u8) -> usize {
    1 + usize::from(first & EXTENDED != 0)
}

/// The id in the record header at a position, whose first byte is given; if the second byte is missing, any.
#[inline]
fn header_id(data: &[u8], position: usize, first: u8) -> u16 {
    let id = u16::from(first & ID_MASK);
    if first & EXTENDED == 0 {
        return id;
    }
    id << 7 | data.get(position + 1).map_or(0, |second| u16::from(second & 0x7f))
}

/// The end of the attributes that start at a position; it may be beyond the data. `None` if one is malformed.
#[inline]
fn attributes_end(data: &[u8], mut position: usize) -> Option<usize> {
    while let Some(header) = data.get(position).copied()
        && header & KIND_MASK == ATTRIBUTE
    {
        position = value_end(data, position + header_size(header))?;
    }
    Some(position)
}

impl<'d> Reader<'d> {
    /// A reader of data that begin at `origin` of the whole stream.
    pub(crate) fn new(data: &'d [u8], origin: usize) -> Self {
        Self { data, origin, position: 0, depth: 0 }
    }

    #[cold]
    fn ends_early() -> LoadError {
        LoadError::new("the SLEIGH file ends in the middle of an element")
    }

    #[cold]
    fn damaged(&self) -> LoadError {
        self.damaged_at(self.position)
    }

    #[cold]
    fn damaged_at(&self, position: usize) -> LoadError {
        let position = self.origin + position;
        LoadError::new(format!("the SLEIGH file is damaged at unpacked byte {position}"))
    }

    #[cold]
    fn too_deep() -> LoadError {
        LoadError::new("the SLEIGH file nests its elements too deeply")
    }

    /// The kind and the id of the record that starts here, and the position after its header.
    #[inline]
    fn header(&self) -> Result<(u8, u16, usize), LoadError> {
        let first = *self.data.get(self.position).ok_or_else(Self::ends_early)?;
        let end = self.position + header_size(first);
        if end > self.data.len() {
            return Err(Self::ends_early());
        }
        Ok((first & KIND_MASK, header_id(self.data, self.position, first), end))
    }

    /// The position in the stream, for [`Reader::since`].
    pub(crate) fn position(&self) -> usize {
        self.position
    }

    /// The bytes between an earlier position and this one.
    pub(crate) fn since(&self, start: usize) -> &'d [u8] {
        &self.data[start..self.position]
    }

    /// The id of the element that starts here; `None` where the surrounding one ends.
    #[inline]
    pub(crate) fn peek(&self) -> Result<Option<u16>, LoadError> {
        match self.header()? {
            (START, id, _) => Ok(Some(id)),
            (END, ..) => Ok(None),
            _ => Err(self.damaged()),
        }
    }

    /// Enters the element that starts here.
    pub(crate) fn open(&mut self) -> Result<Element<'d>, LoadError> {
        let (START, id, end) = self.header()? else { return Err(self.damaged()) };
        self.position = end;
        self.depth += 1;
        if self.depth > DEPTH_LIMIT {
            return Err(Self::too_deep());
        }
        self.position = attributes_end(self.data, end).ok_or_else(|| self.damaged())?;
        let attributes = self.data.get(end..self.position).ok_or_else(Self::ends_early)?;
        Ok(Element { id, attributes })
    }

    /// Enters the element that starts here, which must be of this kind.
    pub(crate) fn expect(&mut self, id: u16) -> Result<Element<'d>, LoadError> {
        let element = self.open()?;
        if element.id == id { Ok(element) } else { Err(self.damaged()) }
    }

    /// Leaves the innermost open element, which must have no remaining children.
    #[inline]
    pub(crate) fn close(&mut self) -> Result<(), LoadError> {
        let (END, _, end) = self.header()? else { return Err(self.damaged()) };
        self.position = end;
        self.depth = self.depth.saturating_sub(1);
        Ok(())
    }

    /// Leaves the innermost open element, skipping its remaining children.
    pub(crate) fn close_skipping(&mut self) -> Result<(), LoadError> {
        self.close_visiting(|_| {})
    }

    /// Leaves the innermost open element, skipping its remaining children; `visit` gets the id of each descendant. The
    /// skipped elements are checked to be well-formed: nested, within the stream, attributes before children.
    pub(crate) fn close_visiting(&mut self, mut visit: impl FnMut(u16)) -> Result<(), LoadError> {
        let outside = self.depth.saturating_sub(1);
        // Local variables stay in registers: this loop passes over most of a file.
        let (data, mut position, mut depth) = (self.data, self.position, self.depth);
        loop {
            let first = *data.get(position).ok_or_else(Self::ends_early)?;
            let end = position + header_size(first);
            match first & KIND_MASK {
                START => {
                    visit(header_id(data, position, first));
                    depth += 1;
                    if depth > DEPTH_LIMIT {
                        return Err(Self::too_deep());
                    }
                    position = attributes_end(data, end).ok_or_else(|| self.damaged_at(end))?;
                }
                END => {
                    position = end;
                    depth = depth.saturating_sub(1);
                    if depth <= outside {
                        break;
                    }
                }
                _ => return Err(self.damaged_at(position)),
            }
        }
        if position > data.len() {
            return Err(Self::ends_early());
        }
        (self.position, self.depth) = (position, depth);
        Ok(())
    }
}
