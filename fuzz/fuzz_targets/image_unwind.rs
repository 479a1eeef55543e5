//! Reads any bytes as a table for unwinding the stack: the first byte says of which kind.

#![no_main]

use everypath_image::{Image, ReadOptions};

/// Where code and table lie in memory.
const CODE: u32 = 0x1000;
const TABLE: u32 = 0x8000;
/// The names of sections, and where each begins among them.
const NAMES: &[u8] = b"\0.text\0.eh_frame\0.index\0.names\0";
const TEXT: u32 = 1;
const FRAMES: u32 = 7;
const INDEX: u32 = 17;
const STRINGS: u32 = 24;
/// An index of functions is a section of this kind, for this machine only.
const INDEX_KIND: u32 = 0x7000_0001;
const INDEX_MACHINE: u16 = 40;
const HEADER: u32 = 52;
const SEGMENT: u32 = 32;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let Some((kind, table)) = bytes.split_first() else { return };
    let file = file(table, kind & 1 == 1);
    let image = Image::read(file, &ReadOptions::default()).expect("the file itself is sound");
    let ranges = image.unwind_ranges();
    assert!(ranges.windows(2).all(|pair| pair[0].0 < pair[1].0), "functions are in order, each once");
    assert!(ranges.iter().all(|(start, end)| start & !1 < *end), "no function is empty");
});

/// A file with some memory and one table.
fn file(table: &[u8], is_index: bool) -> Vec<u8> {
    let mut file = Vec::new();
    let start = HEADER + SEGMENT;
    let names = start + table.len() as u32;
    let sections = names + NAMES.len() as u32;
    let half = |file: &mut Vec<u8>, number: u16| file.extend(number.to_le_bytes());
    let words = |file: &mut Vec<u8>, numbers: &[u32]| {
        numbers.iter().for_each(|number| file.extend(number.to_le_bytes()));
    };
    file.extend(b"\x7fELF\x01\x01\x01\0\0\0\0\0\0\0\0\0");
    half(&mut file, 2);
    half(&mut file, if is_index { INDEX_MACHINE } else { 3 });
    words(&mut file, &[1, CODE, HEADER, sections, 0]);
    [HEADER as u16, SEGMENT as u16, 1, 40, 4, 3].iter().for_each(|number| half(&mut file, *number));
    // Memory that is loaded: readable and executable.
    words(&mut file, &[1, start, CODE, CODE, 0, 0xf000, 5, 1]);
    file.extend(table);
    file.extend(NAMES);
    words(&mut file, &[0; 10]);
    words(&mut file, &[TEXT, 8, 6, CODE, start, 0x1000, 0, 0, 1, 0]);
    let (name, kind) = if is_index { (INDEX, INDEX_KIND) } else { (FRAMES, 1) };
    words(&mut file, &[name, kind, 2, TABLE, start, table.len() as u32, 0, 0, 1, 0]);
    words(&mut file, &[STRINGS, 3, 0, 0, names, NAMES.len() as u32, 0, 0, 1, 0]);
    file
}
