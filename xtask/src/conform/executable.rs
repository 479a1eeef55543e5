//! The smallest executable that an executor can be started with: one readable, writable and executable segment.

use super::description::ExecutorChoice;
use everypath_lift::Architecture;

/// The address of the segment.
pub(super) const BASE: u64 = 0x1000_0000;
/// Its size: enough around the data for instructions with program-counter-relative addresses.
pub(super) const SIZE: u64 = 0x80_0000;
/// The address of the data.
pub(super) const DATA: u64 = BASE + SIZE / 2;
/// The size of the data.
pub(super) const DATA_SIZE: u64 = 0x4000;
/// The address of instructions, unless they must be elsewhere.
pub(super) const CODE: u64 = BASE + 0x1_0000;

/// The page size.
pub(super) const PAGE: u64 = 0x1000;

/// The file offset of the contents of a note.
const NOTE: u64 = 0x200;

/// An ELF file for an architecture, as its executor needs it.
///
/// # Errors
/// If the architecture's description has no ELF machine number.
pub(super) fn executable(architecture: &Architecture, choice: &ExecutorChoice) -> Result<Vec<u8>, String> {
    let code = from_hex(&choice.code)?;
    let note = choice.note.as_ref().map(|note| Ok::<_, String>((note.kind, from_hex(&note.bytes)?)));
    let note = note.transpose()?;
    let form = architecture.description().executables.first();
    let form = form.ok_or_else(|| format!("{}: it has no executables", architecture.name()))?;
    let big = architecture.specification().is_big_endian();
    let wide = form.class == Some(64);
    let mut file = Writer { bytes: b"\x7fELF".to_vec(), big, wide };
    file.bytes.extend([if wide { 2 } else { 1 }, if big { 2 } else { 1 }, 1]);
    file.bytes.resize(16, 0);
    let (header, program_header) = if wide { (64, 56) } else { (52, 32) };
    file.half(2); // ET_EXEC
    file.half(form.elf_machine);
    file.word(1);
    file.address(BASE + PAGE);
    file.address(header);
    file.address(0);
    file.word(choice.elf_flags);
    for value in
        [header as u16, program_header, 1 + u16::from(note.is_some()), if wide { 64 } else { 40 }, 0, 0]
    {
        file.half(value);
    }
    let (loaded, all) = (1, 7);
    file.segment(loaded, all, [0, BASE, BASE, 2 * PAGE, SIZE], PAGE);
    if let Some((kind, bytes)) = &note {
        let size = bytes.len() as u64;
        file.segment(*kind, 4, [NOTE, BASE + NOTE, BASE + NOTE, size, size], 8);
        file.bytes.resize(NOTE as usize, 0);
        file.bytes.extend(bytes);
    }
    file.bytes.resize(PAGE as usize, 0);
    file.bytes.extend(code);
    file.bytes.resize(2 * PAGE as usize, 0);
    Ok(file.bytes)
}

struct Writer {
    bytes: Vec<u8>,
    big: bool,
    wide: bool,
}

impl Writer {
    fn segment(&mut self, kind: u32, flags: u32, places: [u64; 5], alignment: u64) {
        self.word(kind);
        if self.wide {
            self.word(flags);
        }
        for value in places {
            self.address(value);
        }
        if !self.wide {
            self.word(flags);
        }
        self.address(alignment);
    }

    fn half(&mut self, value: u16) {
        self.bytes.extend(if self.big { value.to_be_bytes() } else { value.to_le_bytes() });
    }

    fn word(&mut self, value: u32) {
        self.bytes.extend(if self.big { value.to_be_bytes() } else { value.to_le_bytes() });
    }

    fn address(&mut self, value: u64) {
        if self.wide {
            self.bytes.extend(if self.big { value.to_be_bytes() } else { value.to_le_bytes() });
        } else {
            self.word(value as u32);
        }
    }
}

/// The bytes of a hexadecimal text.
///
/// # Errors
/// If it is not hexadecimal.
pub(super) fn from_hex(text: &str) -> Result<Vec<u8>, String> {
    let digits: Option<Vec<u8>> = text.chars().map(|digit| Some(digit.to_digit(16)? as u8)).collect();
    match digits {
        Some(digits) if digits.len().is_multiple_of(2) => {
            Ok(digits.chunks(2).map(|pair| pair[0] << 4 | pair[1]).collect())
        }
        _ => Err(format!("`{text}` is not hexadecimal")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conform::description::Note;
    use everypath_lift::Library;
    use object::{Object, ObjectSegment};

    fn choice(note: Option<Note>) -> ExecutorChoice {
        ExecutorChoice {
            command: None,
            console: false,
            arguments: Vec::new(),
            source: None,
            libraries: Vec::new(),
            packages: Vec::new(),
            elf_flags: 0,
            note,
            inside_lines: Vec::new(),
            code: "ebfe".to_owned(),
        }
    }

    #[test]
    fn files_of_every_class_and_order_are_read_back() {
        for name in ["x86-64", "riscv32", "powerpc"] {
            let architecture = Library::built_in().load(name).expect("it is built in");
            let bytes = executable(&architecture, &choice(None)).expect("it has executables");
            let file = object::File::parse(&*bytes).expect("an ELF file");
            let segments: Vec<_> =
                file.segments().map(|segment| (segment.address(), segment.size())).collect();
            assert_eq!(segments, [(BASE, SIZE)], "{name}");
            assert_eq!(file.entry(), BASE + PAGE, "{name}");
            assert_eq!(file.is_little_endian(), !architecture.specification().is_big_endian());
            assert_eq!(bytes[PAGE as usize..][..2], [0xeb, 0xfe]);
        }
    }

    #[test]
    fn a_note_lies_where_the_header_says() {
        let architecture = Library::built_in().load("mips").expect("it is built in");
        let note = Note { kind: 0x7000_0003, bytes: "0102ff".to_owned() };
        let bytes = executable(&architecture, &choice(Some(note))).expect("it has executables");
        assert_eq!(bytes[NOTE as usize..][..4], [1, 2, 0xff, 0]);
        assert_eq!(bytes[44..46], [0, 2], "two program headers");
    }

    #[test]
    fn what_is_not_hexadecimal_is_refused() {
        assert_eq!(from_hex("00ff1A"), Ok(vec![0, 0xff, 0x1a]));
        assert!(from_hex("0").is_err() && from_hex("0g").is_err());
    }
}
