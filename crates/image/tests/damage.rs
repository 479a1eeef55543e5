//! Damaged files are read without a panic and in bounded memory, and every query of the image succeeds.

mod elf_writer;

use std::fs;
use std::path::Path;

use elf_writer::file::SHAPES;
use elf_writer::samples::{rich, with_lines};
use everypath_image::{Image, ReadOptions, format};

/// Performs every query of an image.
fn touch(image: &Image) {
    let mut last: Option<(Option<&str>, u64)> = None;
    for segment in image.segments() {
        assert!(segment.size() > 0 && segment.data().len() as u64 <= segment.size());
        if let Some((space, end)) = last {
            assert!(space != segment.space() || end < segment.address(), "segments overlap");
        }
        last = Some((segment.space(), segment.last()));
        for address in [segment.address(), segment.last()] {
            assert!(image.bytes_at(address, 1).is_some());
            image.bytes_at(address, 33);
            image.symbol_at(address);
            image.source_line(address);
        }
        image.bytes_at(segment.address(), usize::try_from(segment.size()).unwrap_or(usize::MAX));
    }
    for section in image.sections() {
        assert!(section.data().len() as u64 <= section.size());
    }
    for entry in image.entries() {
        image.bytes_at(entry.address, 16);
        image.source_line(entry.address);
    }
    if let Some(lines) = image.lines() {
        assert!(lines.ranges().windows(2).all(|pair| pair[0].end <= pair[1].start));
        assert!(lines.ranges().iter().all(|range| (range.file as usize) < lines.files().len()));
    }
    image.line_warnings();
    image.describe();
}

fn read_in_all_formats(bytes: &[u8]) {
    for format in [None].into_iter().chain(format::ALL.iter().copied().map(Some)) {
        let options = ReadOptions { format, base: Some(u64::MAX - 100), ..ReadOptions::default() };
        match Image::read(bytes.to_vec(), &options) {
            Ok(image) => touch(&image),
            Err(error) => assert!(!error.to_string().is_empty()),
        }
    }
}

fn samples() -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/images");
    let mut files: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    let texts = files.iter().map(|file| fs::read(file).unwrap());
    texts.chain(SHAPES.map(|shape| with_lines(rich(shape)).write())).collect()
}

struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % bound
    }
}

/// The peak virtual memory of the process in KiB.
fn peak() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmPeak:"))?;
    line.split_whitespace().nth(1)?.parse().ok()
}

/// All in one check, so that nothing else adds to the memory of the process.
#[test]
fn damaged_files_are_read_in_bounded_memory() {
    let before = peak();
    let samples = samples();
    assert!(samples.len() > 20);
    let mut random = Random(7);
    for sample in &samples {
        for length in 0..=sample.len() {
            read_in_all_formats(&sample[..length]);
        }
        for round in 0..2000 {
            let mut damaged = sample.clone();
            for _ in 0..=round % 4 {
                let place = random.below(damaged.len());
                damaged[place] = match random.below(4) {
                    0 => 0xff,
                    1 => 0,
                    2 => damaged[place] ^ 1 << random.below(8),
                    _ => random.below(256) as u8,
                };
            }
            read_in_all_formats(&damaged);
        }
    }
    if let (Some(before), Some(after)) = (before, peak()) {
        // The samples have at most a few kilobytes; copies that a caller asks for have at most 16 MiB.
        assert!(after - before < 100 * 1024, "memory grew by {} KiB", after - before);
    }
}
