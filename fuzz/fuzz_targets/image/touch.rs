//! Reads bytes as an image, and asks it everything.

use everypath_image::{Image, ImageFormat, ReadOptions};

/// Reads bytes in a format (`None`: as detected) and asks the image everything; what holds of any image is
/// checked.
pub fn read_and_touch(bytes: &[u8], format: Option<&str>) {
    let format = format.map(|name| ImageFormat::by_name(name).expect("the format exists"));
    let Ok(image) = Image::read(bytes.to_vec(), &ReadOptions { format, ..ReadOptions::default() }) else {
        return;
    };
    let mut end = None;
    for segment in image.segments() {
        assert!(end.is_none_or(|end| end < segment.address()), "segments overlap");
        end = Some(segment.last());
        assert!(segment.data().len() as u64 <= segment.size());
        for address in [segment.address(), segment.last()] {
            assert!(image.bytes_at(address, 1).is_some());
            image.bytes_at(address, 33);
            image.symbol_at(address);
            image.source_line(address);
        }
    }
    for section in image.sections() {
        assert!(section.data().len() as u64 <= section.size());
    }
    for symbol in image.symbols() {
        image.bytes_at(symbol.address, 4);
    }
    for entry in image.entries() {
        image.bytes_at(entry.address, 16);
        image.source_line(entry.address);
    }
    if let Some(lines) = image.lines() {
        assert!(lines.ranges().windows(2).all(|pair| pair[0].end <= pair[1].start));
    }
    image.line_warnings();
    image.describe();
}
