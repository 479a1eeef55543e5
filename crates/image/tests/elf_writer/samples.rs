//! ELF files that several checks read.

use everypath_image::{Class, Endian};

use super::file::{EXECUTABLE, ElfFile, Load, SectionBytes, SymbolEntry};

/// A file that has a little of everything: code, data with zero memory, symbols, an array of initialisers,
/// exports.
pub(crate) fn rich(shape: (Class, Endian)) -> ElfFile {
    let mut file = ElfFile::new(shape, EXECUTABLE, 999);
    file.flags = 0x1234;
    file.entry = 0x1004;
    let code: Vec<u8> = (0..16).collect();
    file.loads = vec![
        Load { address: 0x1000, load_address: 0x1000, flags: 5, bytes: code.clone(), memory_size: 16 },
        Load { address: 0x2000, load_address: 0x2000, flags: 6, bytes: vec![0xaa, 0xbb], memory_size: 8 },
    ];
    file.sections = vec![
        SectionBytes {
            name: ".text",
            kind: 1,
            flags: 6,
            address: 0x1000,
            bytes: code,
            ..SectionBytes::default()
        },
        SectionBytes {
            name: ".bss",
            kind: 8,
            flags: 3,
            address: 0x2002,
            zero_size: 6,
            ..SectionBytes::default()
        },
    ];
    let array = [0, 0x1008, 0x2000, 0x100c].map(|address| file.word(address)).concat();
    file.sections.push(SectionBytes {
        name: ".init_array",
        kind: 14,
        bytes: array,
        ..SectionBytes::default()
    });
    let function =
        |name, value, size, binding| SymbolEntry { name, value, size, kind: 2, binding, section: 1 };
    file.symbols = vec![
        function("start", 0x1004, 4, 1),
        function("setup", 0x1008, 4, 0),
        SymbolEntry { name: "counter", value: 0x2002, size: 4, kind: 1, binding: 1, section: 2 },
        SymbolEntry { name: "extern", value: 0, size: 0, kind: 2, binding: 1, section: 0 },
        SymbolEntry { name: "label", value: 0x100e, size: 0, kind: 0, binding: 0, section: 1 },
        SymbolEntry { name: "main.c", value: 0, size: 0, kind: 4, binding: 0, section: 0xfff1 },
    ];
    file.dynamic_symbols = vec![function("start", 0x1004, 4, 1), function("finish", 0x100c, 2, 2)];
    file
}

/// Adds the debug information of a file `main.c` in `/home`: lines 10 at 0x1004 and 12 at 0x1006, up to
/// 0x1009.
pub(crate) fn with_lines(mut file: ElfFile) -> ElfFile {
    let address = |value| file.word(value);
    let address_size = file.class.bytes();
    let header_tail: Vec<u8> = [
        // Instructions of 1 byte, 1 operation each, statements by default, line base -5, range 14, 13
        // opcodes.
        &[1, 1, 1, 0xfb, 14, 13][..],
        &[0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1],
        // No include directories; one file, in the directory of the compiler.
        &[0],
        b"main.c\0\0\0\0\0",
    ]
    .concat();
    let program: Vec<u8> = [
        // Set the address.
        &[0, 1 + address_size, 2][..],
        &address(0x1004),
        // Line 10, column 3; then 2 bytes further line 12; then 3 bytes further the end.
        &[3, 9, 5, 3, 1, 2, 2, 3, 2, 5, 0, 1, 2, 3, 0, 1, 1],
    ]
    .concat();
    let line_body =
        [file.number(4, 2), file.number(header_tail.len() as u64, 4), header_tail, program].concat();
    let line = [file.number(line_body.len() as u64, 4), line_body].concat();
    // A compilation unit without children, with the offset of its lines and the directory of the compiler.
    let abbreviations = vec![1, 0x11, 0, 0x10, 0x17, 0x1b, 0x08, 0, 0, 0];
    let unit_body =
        [file.number(4, 2), file.number(0, 4), vec![address_size, 1], file.number(0, 4), b"/home\0".to_vec()]
            .concat();
    let unit = [file.number(unit_body.len() as u64, 4), unit_body].concat();
    for (name, bytes) in [(".debug_line", line), (".debug_abbrev", abbreviations), (".debug_info", unit)] {
        file.sections.push(SectionBytes { name, kind: 1, bytes, ..SectionBytes::default() });
    }
    file
}
