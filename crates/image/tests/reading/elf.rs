//! Reads ELF files of both classes and byte orders, and compares with what was written.

use crate::elf_writer::file::{EXECUTABLE, ElfFile, Load, SHAPES, SectionBytes, SymbolEntry};
use crate::elf_writer::samples::rich;
use everypath_image::{Class, Endian, Image, ReadOptions};

/// The types of a relocatable object and of a position-independent file.
const RELOCATABLE: u16 = 1;
const SHARED: u16 = 3;

const SMALL: (Class, Endian) = (Class::Bits32, Endian::Little);
const LARGE: (Class, Endian) = (Class::Bits64, Endian::Big);

fn read(file: &ElfFile) -> Image {
    Image::read(file.write(), &ReadOptions::default()).unwrap()
}

fn load(address: u64, flags: u32, bytes: &[u8], memory_size: u64) -> Load {
    Load { address, load_address: address, flags, bytes: bytes.to_vec(), memory_size }
}

fn warnings(image: &Image) -> Vec<String> {
    image.warnings().iter().map(ToString::to_string).collect()
}

#[test]
fn every_class_and_byte_order_reads_alike() {
    for (class, endian) in SHAPES {
        let image = read(&rich((class, endian)));
        let order = if endian == Endian::Little { "little" } else { "big" };
        let (array_size, symbol_size) = if class == Class::Bits64 { (0x20, 24) } else { (0x10, 16) };
        let expected = format!(
            "format elf
machine 999 {}-bit {order} flags 0x1234 Executable
segment 0x1000..=0x100f r-x load 0: 00 01 02 03 04 05 06 07 08 09 0a 0b 0c 0d 0e 0f
segment 0x2000..=0x2007 rw- load 1: aa bb then 6 zero
section .text 0x1000 size 0x10 flags 0x6
section .bss 0x2002 size 0x6 flags 0x3
section .init_array 0x0 size {array_size:#x} flags 0x0
section .symtab 0x0 size {:#x} flags 0x0
section .strtab 0x0 size 0x29 flags 0x0
section .dynsym 0x0 size {:#x} flags 0x0
section .dynstr 0x0 size 0xe flags 0x0
section .shstrtab 0x0 size 0x43 flags 0x0
symbol 0x1004 size 0x4 global function dynamic start
symbol 0x1008 size 0x4 local function setup
symbol 0x100c size 0x2 weak function dynamic finish
symbol 0x100e size 0x0 local label label
symbol 0x2002 size 0x4 global object counter
entry 0x1004 start
entry 0x1008 initializer
entry 0x100c initializer
",
            class.bits(),
            7 * symbol_size,
            3 * symbol_size
        );
        assert_eq!(image.describe(), expected);
    }
}

#[test]
fn bytes_are_read_across_data_zeros_and_segments() {
    let mut file = ElfFile::new(LARGE, EXECUTABLE, 999);
    file.loads = vec![load(0x10, 4, &[1, 2], 4), load(0x14, 4, &[3], 1), load(u64::MAX, 4, &[9], 1)];
    let image = read(&file);
    assert_eq!(image.bytes_at(0x10, 2).as_deref(), Some(&[1, 2][..]));
    assert_eq!(image.bytes_at(0x11, 4).as_deref(), Some(&[2, 0, 0, 3][..]));
    assert_eq!(image.bytes_at(0x13, 2).as_deref(), Some(&[0, 3][..]));
    assert_eq!(image.bytes_at(0x13, 3), None);
    assert_eq!(image.bytes_at(0xf, 1), None);
    assert_eq!(image.bytes_at(0xf, 0).as_deref(), Some(&[][..]));
    assert_eq!(image.bytes_at(u64::MAX, 1).as_deref(), Some(&[9][..]));
    assert_eq!(image.bytes_at(u64::MAX, 2), None);
    let mut buffer = [7; 8];
    assert_eq!(image.read_at(0x12, &mut buffer), 3);
    assert_eq!(buffer, [0, 0, 3, 7, 7, 7, 7, 7]);
}

#[test]
fn what_a_loader_settles_ends_with_the_bytes_of_the_file() {
    let mut file = ElfFile::new(SMALL, EXECUTABLE, 999);
    let protected = load(0x1000, 4, &[1, 2], 8);
    file.loads = vec![load(0x1000, 6, &[1, 2], 8), protected.clone(), protected];
    let mut bytes = file.write();
    // The second program header is PT_GNU_RELRO; what lies behind its bytes, up to its size in memory, are variables.
    bytes[52 + 32..][..4].copy_from_slice(&0x6474_e552_u32.to_le_bytes());
    // The third is PT_INTERP: a dynamic linker loads the file.
    bytes[52 + 64..][..4].copy_from_slice(&3_u32.to_le_bytes());
    let image = Image::read(bytes.clone(), &ReadOptions::default()).unwrap();
    assert_eq!(image.settled_ranges(), [(0x1000, 0x1002)]);
    // Without one, the program writes there itself before it protects its memory.
    bytes[52 + 64..][..4].copy_from_slice(&4_u32.to_le_bytes());
    let image = Image::read(bytes, &ReadOptions::default()).unwrap();
    assert_eq!(image.settled_ranges(), []);
}

#[test]
fn relocations_of_a_linked_file_are_listed_by_address() {
    for shape in SHAPES {
        let mut file = ElfFile::new(shape, EXECUTABLE, 999);
        file.loads = vec![load(0x1000, 6, &[0; 64], 64)];
        let wide = file.class == Class::Bits64;
        let information =
            |symbol: u64, kind: u64| if wide { symbol << 32 | kind } else { symbol << 8 | kind };
        let entry = |address: u64, symbol: u64, kind: u64, addend: u64| {
            [file.word(address), file.word(information(symbol, kind)), file.word(addend)].concat()
        };
        let explicit = [entry(0x1010, 0, 8, 0x1234), entry(0x1008, 0, 37, 0x1040)].concat();
        let implicit = [file.word(0x1020), file.word(information(0, 22))].concat();
        // A word of an address, and one whose second bit says that the word behind the next is relocated, too.
        let compact = [file.word(0x1028), file.word(0b101)].concat();
        let table =
            |name, kind, bytes| SectionBytes { name, kind, flags: 2, bytes, ..SectionBytes::default() };
        file.sections = vec![
            table(".rela.dyn", 4, explicit),
            table(".rel.dyn", 9, implicit),
            table(".relr.dyn", 19, compact),
        ];
        let image = read(&file);
        let size = u64::from(file.class.bytes());
        let found: Vec<_> =
            image.relocations().iter().map(|one| (one.address, one.kind, one.addend)).collect();
        let expected = [
            (0x1008, Some(37), Some(0x1040)),
            (0x1010, Some(8), Some(0x1234)),
            (0x1020, Some(22), None),
            (0x1028, None, None),
            (0x1028 + 2 * size, None, None),
        ];
        assert_eq!(found, expected, "{shape:?}");
    }
}

#[test]
fn the_bit_that_selects_an_instruction_set_is_no_part_of_an_address() {
    for machine in [40, 8, 999] {
        let mut file = ElfFile::new(SMALL, EXECUTABLE, machine);
        file.entry = 0x101;
        file.loads = vec![load(0x100, 5, &[0; 16], 16)];
        let symbol =
            |name, value, kind, binding| SymbolEntry { name, value, size: 4, kind, binding, section: 1 };
        file.symbols = vec![
            symbol("handler", 0x105, 2, 1),
            symbol("table", 0x109, 1, 1),
            symbol("$t", 0x104, 0, 0),
            symbol("$d.1", 0x108, 0, 0),
            symbol("$a", 0x10c, 0, 0),
            symbol("$d", 0x10c, 0, 1),
        ];
        let image = read(&file);
        let symbols: Vec<String> = image
            .symbols()
            .iter()
            .map(|symbol| {
                format!("{:x} {} {} {}", symbol.address, symbol.name, symbol.kind, symbol.alternate)
            })
            .collect();
        let handler = if machine == 999 { "105 handler function false" } else { "104 handler function true" };
        let mut expected = vec![
            "104 $t maps-alternate-code false",
            handler,
            "108 $d.1 maps-data false",
            "109 table object false",
            "10c $a maps-code false",
            "10c $d label false",
        ];
        expected.sort_unstable();
        assert_eq!(symbols, expected);
        let entry = &image.entries()[0];
        assert_eq!(
            (entry.address, entry.alternate),
            if machine == 999 { (0x101, false) } else { (0x100, true) }
        );
        assert_eq!(
            image.symbol_at(0x106).unwrap().name,
            "handler",
            "mapping symbols are not what is asked for"
        );
    }
}

#[test]
fn an_object_file_is_laid_out() {
    for (base, text, data) in [(None, 0, 0x10), (Some(0x8003), 0x8004, 0x8014)] {
        let mut file = ElfFile::new(SMALL, RELOCATABLE, 999);
        let section = |name, kind, flags, bytes: &[u8], zero_size, alignment| SectionBytes {
            name,
            kind,
            flags,
            bytes: bytes.to_vec(),
            zero_size,
            alignment,
            ..SectionBytes::default()
        };
        file.sections = vec![
            section(".text", 1, 6, &[1; 13], 0, 4),
            section(".comment", 1, 0, b"no", 0, 1),
            section(".data", 1, 3, &[2, 3], 0, 4),
            section(".bss", 8, 3, &[], 5, 1),
        ];
        file.symbols = vec![
            SymbolEntry { name: "run", value: 4, size: 1, kind: 2, binding: 1, section: 1 },
            SymbolEntry { name: "helper", value: 8, size: 1, kind: 2, binding: 0, section: 1 },
            SymbolEntry { name: "value", value: 1, size: 1, kind: 1, binding: 0, section: 3 },
            SymbolEntry { name: "fixed", value: 0x77, size: 0, kind: 0, binding: 0, section: 0xfff1 },
        ];
        let image = Image::read(file.write(), &ReadOptions { base, ..ReadOptions::default() }).unwrap();
        let found: Vec<(&str, u64, u64)> = image
            .segments()
            .iter()
            .map(|segment| (segment.name(), segment.address(), segment.size()))
            .collect();
        assert_eq!(found, [(".text", text, 13), (".data", data, 2), (".bss", data + 2, 5)]);
        assert_eq!(image.symbol_named("run").unwrap().address, text + 4);
        assert_eq!(image.symbol_named("value").unwrap().address, data + 1);
        assert_eq!(image.symbol_named("fixed").unwrap().address, 0x77);
        let entries: Vec<(u64, Option<&str>)> =
            image.entries().iter().map(|entry| (entry.address, entry.name.as_deref())).collect();
        assert_eq!(entries, [(text + 4, Some("run"))]);
        assert!(
            image.sections().iter().any(|section| section.name() == ".data" && section.address() == data)
        );
        assert_eq!(warnings(&image).len(), 1);
        assert!(warnings(&image)[0].contains("relocations are not applied"));
    }
}

#[test]
fn initial_data_is_also_where_start_up_code_copies_it_from() {
    let mut file = ElfFile::new(SMALL, EXECUTABLE, 999);
    file.loads = vec![
        load(0x1000, 5, &[1, 2, 3, 4], 4),
        Load { address: 0x2000_0000, load_address: 0x1004, flags: 6, bytes: vec![5, 6], memory_size: 8 },
        Load { address: 0x3000_0000, load_address: 0x1003, flags: 6, bytes: vec![7], memory_size: 1 },
        Load { address: 0x4000_0000, load_address: 0, flags: 6, bytes: vec![8], memory_size: 1 },
    ];
    let image = read(&file);
    assert_eq!(image.bytes_at(0x1000, 6).as_deref(), Some(&[1, 2, 3, 4, 5, 6][..]), "a copy hides no code");
    assert_eq!(image.bytes_at(0x2000_0000, 3).as_deref(), Some(&[5, 6, 0][..]));
    assert_eq!(image.segment_at(0x1004).unwrap().copy_of(), Some(0x2000_0000));
    assert!(image.segment_at(0).is_none(), "a load address of 0 is not meant");
    assert!(image.warnings().is_empty(), "{:?}", image.warnings());
}

#[test]
fn claimed_memory_costs_nothing() {
    let mut file = ElfFile::new(LARGE, EXECUTABLE, 999);
    file.loads = vec![load(0x1000, 7, &[1], 1 << 60)];
    file.sections =
        vec![SectionBytes { name: ".bss", kind: 8, flags: 3, zero_size: 1 << 60, ..SectionBytes::default() }];
    let image = read(&file);
    assert_eq!(image.segments()[0].size(), 1 << 60);
    assert_eq!(image.bytes_at(1 << 59, 3).as_deref(), Some(&[0, 0, 0][..]));
    assert_eq!(image.bytes_at(0x1000, 1 << 40), None, "more than anyone wants copied");
}

#[test]
fn what_the_file_lacks_is_not_mapped() {
    let mut file = ElfFile::new(SMALL, EXECUTABLE, 999);
    file.loads = vec![load(0x1000, 5, &[1; 100], 200)];
    let bytes = file.write();
    let start = bytes.windows(100).position(|window| window == [1; 100]).unwrap();
    let image = Image::read(bytes[..start + 40].to_vec(), &ReadOptions::default()).unwrap();
    assert_eq!(image.bytes_at(0x1000, 40).as_deref(), Some(&[1; 40][..]));
    assert_eq!(image.bytes_at(0x1000 + 40, 1), None, "missing bytes are not zeros");
    assert_eq!(image.bytes_at(0x1000 + 100, 100).as_deref(), Some(&[0; 100][..]), "these are");
    let text = warnings(&image).join("\n");
    assert!(text.contains("of 100 bytes, 40 are in the file"), "{text}");
    assert!(text.contains("section headers: of 2 entries, 0 are in the file"), "{text}");
}

#[test]
fn later_segments_hide_earlier_ones() {
    let mut file = ElfFile::new(SMALL, EXECUTABLE, 999);
    file.loads =
        vec![load(0x1000, 5, &[1; 8], 8), load(0x1002, 6, &[2; 2], 2), load(0xffff_fffe, 4, &[3; 4], 4)];
    let image = read(&file);
    assert_eq!(image.bytes_at(0x1000, 8).as_deref(), Some(&[1, 1, 2, 2, 1, 1, 1, 1][..]));
    assert_eq!(image.bytes_at(0xffff_fffe, 2).as_deref(), Some(&[3, 3][..]));
    assert_eq!(
        warnings(&image),
        [
            "load 1 covers 0x1002 to 0x1003, which were loaded before",
            "load 2 at 0xfffffffe passes the last address; the rest of it is left out"
        ]
    );
}

#[test]
fn symbols_are_found_by_address_and_name() {
    let image = read(&rich(SMALL));
    let at = |address| image.symbol_at(address).map(|symbol| symbol.name.as_str());
    assert_eq!(at(0x1004), Some("start"));
    assert_eq!(at(0x1007), Some("start"));
    assert_eq!(at(0x1000), None);
    assert_eq!(at(0x100d), Some("finish"));
    assert_eq!(at(0x100f), Some("label"), "a symbol without size reaches to the end of its segment");
    assert_eq!(at(0x2007), None);
    assert_eq!(image.symbol_named("counter").unwrap().address, 0x2002);
    assert_eq!(image.symbol_named("extern"), None, "it is defined elsewhere");
}

#[test]
fn a_library_is_entered_at_its_exports() {
    let mut file = rich(LARGE);
    file.kind = SHARED;
    file.entry = 0;
    file.sections.pop();
    let image = read(&file);
    let entries: Vec<String> =
        image.entries().iter().map(|entry| format!("{:x} {}", entry.address, entry.reason)).collect();
    assert_eq!(entries, ["1004 exported", "100c exported"]);
}

#[test]
fn address_0_is_a_start_only_where_code_is() {
    for (address, expected) in [(0, 1), (0x1000, 0)] {
        let mut file = ElfFile::new(SMALL, EXECUTABLE, 999);
        file.loads = vec![load(address, 5, &[1; 8], 8)];
        assert_eq!(read(&file).entries().len(), expected);
    }
}

#[test]
fn names_that_share_one_long_string_do_not_fill_memory() {
    let mut file = ElfFile::new(SMALL, EXECUTABLE, 999);
    file.loads = vec![load(0, 5, &[1], 1)];
    // 4000 symbols whose names are the tails of one string of 200 KB: 800 MB if they were all copied.
    let long: &'static str = Box::leak("x".repeat(200_000).into_boxed_str());
    let symbol = |name, value| SymbolEntry { name, value, size: 0, kind: 0, binding: 1, section: 0xfff1 };
    file.symbols = vec![symbol(long, 0)];
    file.symbols.extend((1..=4000).map(|value| symbol("", value)));
    let mut bytes = file.write();
    let table = {
        let image = Image::read(bytes.clone(), &ReadOptions::default()).unwrap();
        let data =
            image.sections().iter().find(|section| section.name() == ".symtab").unwrap().data().to_vec();
        bytes.windows(data.len()).position(|window| window == data).unwrap()
    };
    for index in 1..4001_u32 {
        let place = table + 16 * (1 + index as usize);
        bytes[place..place + 4].copy_from_slice(&(1 + index).to_le_bytes());
    }
    let size = bytes.len();
    let image = Image::read(bytes, &ReadOptions::default()).unwrap();
    let total: usize = image.symbols().iter().map(|symbol| symbol.name.len()).sum();
    assert!(total > size && total < 10 * size, "{total} bytes of names");
    assert!(warnings(&image).join("\n").contains("names of the symbols are larger than the file"));
}

#[test]
fn errors_say_what_was_seen_and_what_to_do() {
    let read = |bytes: &[u8], format: Option<&str>| {
        let format = format.map(|name| everypath_image::ImageFormat::by_name(name).unwrap());
        Image::read(bytes.to_vec(), &ReadOptions { format, ..ReadOptions::default() })
            .unwrap_err()
            .to_string()
    };
    assert_eq!(
        read(b"MZ\x90\0", None),
        "the file begins with 4d 5a 90 00 (\"MZ\u{fffd}\\0\"), which is none of ELF, Intel HEX, Motorola S-record; \
         for a plain binary use --format raw --base ADDRESS"
    );
    assert_eq!(read(b"", None), "the file is empty");
    assert!(read(b"x", Some("raw")).contains("--base"));
    assert!(read(b"x", Some("elf")).contains("ELF mark"));
    assert!(read(b"\x7fELF\x01", None).contains("cut off"));
    assert!(read(b"\x7fELF\x09", None).contains("class 9"));
    assert!(read(&ElfFile::new(SMALL, EXECUTABLE, 999).write(), None).contains("no memory to load"));
}

#[test]
fn a_raw_binary_lies_where_it_is_put() {
    let format = everypath_image::ImageFormat::by_name("raw");
    let options = ReadOptions { format, base: Some(0x8000), entry: Some(0x8002), space: None };
    let image = Image::read(vec![1, 2, 3], &options).unwrap();
    assert_eq!(
        image.describe(),
        "format raw\nsegment 0x8000..=0x8002 rwx raw: 01 02 03\nentry 0x8002 given\n"
    );
    let image = Image::read(vec![1, 2, 3], &ReadOptions { base: Some(u64::MAX - 1), ..options }).unwrap();
    assert_eq!(image.bytes_at(u64::MAX - 1, 2).as_deref(), Some(&[1, 2][..]));
    assert_eq!(warnings(&image), ["the file passes the last address; the rest of it is left out"]);
}
