//! Build attributes of an ELF file, in which compilers record the processor variant that they target (the format `A` of
//! "Addenda to, and Errata in, the ABI for the Arm Architecture", which other processors' files use as well).

use crate::Endian;

/// An attribute of the whole file with a numeric value.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Attribute {
    /// The vendor: the name of the subsection.
    pub vendor: String,
    /// Its tag.
    pub tag: u64,
    /// Its value.
    pub value: u64,
}

/// A bound above what any vendor defines: the rest of a hostile file is not read.
const MOST: usize = 256;
/// The tag of attributes that apply to the whole file.
const WHOLE_FILE: u64 = 1;
/// Above this tag, odd tags have string values. Below it, only these tags have.
const BY_PARITY: u64 = 32;
const TEXTS: [u64; 2] = [4, 5];

/// Reads the attributes of a section, up to the first error.
pub(crate) fn read(data: &[u8], endian: Endian) -> Vec<Attribute> {
    let mut attributes = Vec::new();
    let Some((b'A', mut rest)) = data.split_first() else { return attributes };
    while let Some((subsection, after)) = sized(rest, 0, endian) {
        rest = after;
        let Some(end) = subsection.iter().position(|byte| *byte == 0) else { continue };
        let vendor = String::from_utf8_lossy(&subsection[..end]).into_owned();
        let mut parts = &subsection[end + 1..];
        while let Some((&tag, after_tag)) = parts.split_first() {
            // The size of a part includes its tag.
            let Some((part, after)) = sized(after_tag, 1, endian) else { break };
            parts = after;
            if u64::from(tag) == WHOLE_FILE {
                read_part(&vendor, part, &mut attributes);
            }
        }
    }
    attributes
}

fn read_part(vendor: &str, mut part: &[u8], attributes: &mut Vec<Attribute>) {
    while attributes.len() < MOST {
        let Some((tag, after)) = number(part) else { return };
        let is_text = if tag < BY_PARITY { vendor == "aeabi" && TEXTS.contains(&tag) } else { tag % 2 == 1 };
        let is_text = is_text || (vendor != "aeabi" && tag % 2 == 1);
        part = after;
        if !is_text {
            let Some((value, after)) = number(part) else { return };
            attributes.push(Attribute { vendor: vendor.to_owned(), tag, value });
            part = after;
        }
        // One tag has a number and a text.
        if is_text || tag == BY_PARITY {
            let Some(end) = part.iter().position(|byte| *byte == 0) else { return };
            part = &part[end + 1..];
        }
    }
}

/// A piece that begins with its own size, which includes `before` bytes in front of it; and the data after the piece.
fn sized(data: &[u8], before: usize, endian: Endian) -> Option<(&[u8], &[u8])> {
    let size = usize::try_from(endian.number(data.get(..4)?)).ok()?.checked_sub(before)?;
    if size < 4 || size > data.len() {
        return None;
    }
    let (piece, rest) = data.split_at(size);
    Some((&piece[4..], rest))
}

/// A number in LEB128, and the data after it.
fn number(data: &[u8]) -> Option<(u64, &[u8])> {
    let mut value = 0;
    for (place, byte) in data.iter().enumerate().take(9) {
        value |= u64::from(byte & 0x7f) << (7 * place);
        if byte & 0x80 == 0 {
            return Some((value, &data[place + 1..]));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A section as an assembler writes it: the name of the processor (a text), architecture 10, profile `M`.
    const SECTION: &[u8] = b"A\x20\0\0\0aeabi\0\x01\x16\0\0\0\x05processor\0\x06\x0a\x07M\x09\x02";

    #[test]
    fn numbers_are_found_behind_texts() {
        let found = read(SECTION, Endian::Little);
        let profile = Attribute { vendor: "aeabi".to_owned(), tag: 7, value: u64::from(b'M') };
        assert!(found.contains(&profile), "{found:?}");
        assert_eq!(found.len(), 3, "{found:?}");
    }

    #[test]
    fn a_section_that_is_cut_off_gives_what_is_there() {
        for end in 0..SECTION.len() {
            assert!(read(&SECTION[..end], Endian::Little).len() <= 3);
        }
        assert_eq!(read(b"A\xff\xff\xff\xffx\0\x01", Endian::Little), []);
    }
}
