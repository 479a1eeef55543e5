//! Source lines, from debug information written here and from that of this very executable.

use std::fs;

use crate::elf_writer::file::{ElfFile, SHAPES, SectionBytes};
use crate::elf_writer::samples::{rich, with_lines};
use everypath_image::{Image, ReadOptions, SourceLine};

fn read(file: &ElfFile) -> Image {
    Image::read(file.write(), &ReadOptions::default()).unwrap()
}

/// The line, column and end of the name of the file at an address.
fn line_at(image: &Image, address: u64) -> Option<(u32, Option<u32>, String)> {
    let SourceLine { file, line, column } = image.source_line(address)?;
    Some((line, column, file.to_owned()))
}

fn check_lines(image: &Image) {
    let at = |line, column| Some((line, column, "/home/main.c".to_owned()));
    assert_eq!(line_at(image, 0x1003), None);
    assert_eq!(line_at(image, 0x1004), at(10, Some(3)));
    assert_eq!(line_at(image, 0x1005), at(10, Some(3)));
    assert_eq!(line_at(image, 0x1006), at(12, None));
    assert_eq!(line_at(image, 0x1008), at(12, None));
    assert_eq!(line_at(image, 0x1009), None);
    assert_eq!(image.line_warnings(), []);
}

#[test]
fn lines_are_read_in_every_class_and_byte_order() {
    for shape in SHAPES {
        check_lines(&read(&with_lines(rich(shape))));
    }
}

#[test]
fn without_debug_information_there_are_no_lines_and_no_warnings() {
    let image = read(&rich(SHAPES[0]));
    assert!(image.lines().is_none());
    assert_eq!(image.line_warnings(), []);
}

/// The bytes as a zlib stream that stores them as they are.
fn stored(bytes: &[u8]) -> Vec<u8> {
    let length = u16::try_from(bytes.len()).unwrap();
    let (low, high) = bytes.iter().fold((1_u32, 0_u32), |(low, high), &byte| {
        let low = (low + u32::from(byte)) % 65521;
        (low, (high + low) % 65521)
    });
    let sum = (high << 16 | low).to_be_bytes();
    [&[0x78, 1, 1][..], &length.to_le_bytes(), &(!length).to_le_bytes(), bytes, &sum].concat()
}

/// Compresses each debug section, claiming a size.
fn compress(file: &mut ElfFile, old_style: bool, claim: impl Fn(usize) -> u64) {
    for index in 0..file.sections.len() {
        let section = &file.sections[index];
        let Some(rest) = section.name.strip_prefix(".debug_") else { continue };
        let size = claim(section.bytes.len());
        let data = stored(&section.bytes);
        if old_style {
            let name: &'static str = Box::leak(format!(".zdebug_{rest}").into_boxed_str());
            let bytes = [b"ZLIB".to_vec(), size.to_be_bytes().to_vec(), data].concat();
            file.sections[index] = SectionBytes { name, bytes, ..file.sections[index].clone() };
        } else {
            let padding = if file.class.bytes() == 8 { file.number(0, 4) } else { Vec::new() };
            let header = [file.number(1, 4), padding, file.word(size), file.word(1)].concat();
            file.sections[index].bytes = [header, data].concat();
            file.sections[index].flags |= 1 << 11;
        }
    }
}

#[test]
fn compressed_debug_information_is_read() {
    for shape in SHAPES {
        for old_style in [false, true] {
            let mut file = with_lines(rich(shape));
            compress(&mut file, old_style, |size| size as u64);
            check_lines(&read(&file));
        }
    }
}

#[test]
fn a_claim_to_decompress_to_anything_is_refused() {
    let mut file = with_lines(rich(SHAPES[2]));
    compress(&mut file, false, |_| 1 << 40);
    let image = read(&file);
    assert!(image.lines().is_none());
    assert!(image.line_warnings()[0].text.contains("it would grow to 1099511627776 bytes"));
}

#[test]
fn damaged_lines_give_a_warning() {
    let mut file = with_lines(rich(SHAPES[2]));
    let line = file.sections.iter_mut().find(|section| section.name == ".debug_line").unwrap();
    line.bytes[4] = 0x77;
    let image = read(&file);
    assert!(image.lines().is_none());
    assert!(image.line_warnings()[0].text.contains("is damaged"), "{:?}", image.line_warnings());
}

#[test]
fn lines_that_are_cut_off_give_a_warning() {
    let mut file = with_lines(rich(SHAPES[2]));
    let line = file.sections.iter_mut().find(|section| section.name == ".debug_line").unwrap();
    line.bytes.pop();
    let image = read(&file);
    assert!(image.lines().is_none());
    assert!(image.line_warnings()[0].text.contains("is cut off"), "{:?}", image.line_warnings());
}

#[test]
fn lines_of_code_that_is_not_loaded_are_left_out() {
    let mut file = with_lines(rich(SHAPES[0]));
    file.loads[0].flags = 4;
    assert!(read(&file).lines().is_none(), "removed functions have addresses that are not code");
}

#[test]
fn an_image_can_be_shared_between_threads() {
    let image = read(&with_lines(rich(SHAPES[0])));
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| check_lines(&image));
        }
    });
}

#[inline(never)]
fn a_function_to_look_up_in_this_executable(value: u32) -> u32 {
    std::hint::black_box(value) + 1
}

const LINE_OF_THE_FUNCTION: u32 = line!() - 4;

#[cfg(target_os = "linux")]
#[test]
fn this_executable_has_this_function_on_its_line() {
    assert_eq!(a_function_to_look_up_in_this_executable(1), 2);
    let file = fs::read(std::env::current_exe().unwrap()).unwrap();
    let image = Image::read(file, &ReadOptions::default()).unwrap();
    assert_eq!(image.warnings(), []);
    let named =
        |symbol: &&everypath_image::Symbol| symbol.name.contains("a_function_to_look_up_in_this_executable");
    let function = image.symbols().iter().find(named).unwrap();
    let line = image.source_line(function.address).unwrap();
    assert!(line.file.ends_with("tests/reading/lines.rs"), "{}", line.file);
    assert_eq!(line.line, LINE_OF_THE_FUNCTION);
    assert_eq!(image.symbol_at(function.address + 1), Some(function));
    assert!(image.segment_at(function.address).unwrap().permissions().execute);
    assert!(image.segment_at(image.entries()[0].address).is_some());
    assert_eq!(image.line_warnings(), []);
}

#[cfg(target_os = "linux")]
#[test]
fn programs_of_the_system_are_read_without_warnings() {
    for path in ["/bin/ls", "/bin/sh", "/usr/bin/env", "/lib64/ld-linux-x86-64.so.2"] {
        let Ok(file) = fs::read(path) else { continue };
        let Ok(image) = Image::read(file, &ReadOptions::default()) else { continue };
        assert_eq!(image.warnings(), [], "{path}");
        assert_eq!(image.format().name, "elf");
        let start = image.entries()[0].address;
        assert!(image.segment_at(start).unwrap().permissions().execute, "{path}");
        assert_eq!(image.bytes_at(start, 16).map(|bytes| bytes.len()), Some(16), "{path}");
    }
}
