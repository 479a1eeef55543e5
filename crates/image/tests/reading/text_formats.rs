//! Reads each text file of `tests/images` and compares the image with the description beside it.
//!
//! A file `name.hex` has its description in `name.hex.expect`. One that ends in `.bytes` is hexadecimal text with
//! comments, which is decoded first; `name.raw.bytes` is read as raw bytes at 0x8000.

use std::fs;
use std::path::{Path, PathBuf};

use everypath_image::{Image, ImageFormat, ReadError, ReadOptions};

fn samples() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/images");
    let mut files: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|file| file.extension().is_some_and(|extension| extension != "expect"));
    files.sort();
    files
}

fn read_sample(file: &Path, name: &str) -> Result<Image, ReadError> {
    let content = fs::read(file).unwrap();
    if !name.ends_with(".bytes") {
        return Image::read(content, &ReadOptions::default());
    }
    let text = String::from_utf8(content).unwrap();
    let digits = text.lines().flat_map(|line| line.split('#').next().unwrap_or_default().split_whitespace());
    let bytes: Vec<u8> = digits.map(|pair| u8::from_str_radix(pair, 16).unwrap()).collect();
    let raw = name.ends_with(".raw.bytes");
    let options = ReadOptions {
        format: raw.then(|| ImageFormat::by_name("raw").unwrap()),
        base: raw.then_some(0x8000),
        ..ReadOptions::default()
    };
    Image::read(bytes, &options)
}

#[test]
fn each_sample_reads_as_described() {
    let samples = samples();
    assert!(samples.len() >= 10, "the samples are missing");
    let mut failures = String::new();
    for file in samples {
        let name = file.file_name().unwrap().to_string_lossy().into_owned();
        let image = read_sample(&file, &name);
        let seen = image.map_or_else(|error| format!("error {error}\n"), |image| image.describe());
        let expected = fs::read_to_string(file.with_file_name(format!("{name}.expect"))).unwrap_or_default();
        if seen != expected {
            failures += &format!("--- {name}: expected\n{expected}--- {name}: seen\n{seen}");
        }
    }
    assert!(failures.is_empty(), "{failures}");
}

#[test]
fn detection_and_force_agree() {
    for file in
        samples().into_iter().filter(|file| file.extension().is_some_and(|extension| extension != "bytes"))
    {
        let bytes = fs::read(&file).unwrap();
        let detected = Image::read(bytes.clone(), &ReadOptions::default()).unwrap();
        let options = ReadOptions { format: Some(detected.format()), ..ReadOptions::default() };
        let forced = Image::read(bytes, &options).unwrap();
        assert_eq!(forced.describe(), detected.describe());
    }
}

#[test]
fn a_text_format_forced_on_something_else_says_what_it_saw() {
    for name in ["ihex", "srec"] {
        let options = ReadOptions { format: ImageFormat::by_name(name), ..ReadOptions::default() };
        let error = Image::read(b"#!/bin/sh\n".to_vec(), &options).unwrap_err().to_string();
        assert!(error.contains(name) && error.contains("line 1"), "{error}");
    }
}

#[test]
fn a_space_and_an_entry_can_be_given() {
    let options =
        ReadOptions { space: Some("code".into()), entry: Some(3), base: Some(0), ..ReadOptions::default() };
    let image = Image::read(b":0400000012345678E8\n:00000001FF\n".to_vec(), &options).unwrap();
    assert_eq!(
        image.describe(),
        "format ihex\n\
         segment 0x0..=0x3 rwx data in code: 12 34 56 78\n\
         entry 0x3 given\n\
         warning the base address is not used: the records state their addresses\n"
    );
    assert_eq!(image.bytes_at(2, 2).as_deref(), Some(&[0x56, 0x78][..]));
    assert!(image.segment_in(Some("code"), 0).is_some());
    assert!(image.segment_in(None, 0).is_none());
    assert!(image.segment_in(Some("data"), 0).is_none());
}
