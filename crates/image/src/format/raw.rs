//! A raw binary, mapped to memory unchanged.

use super::{ImageFormat, Input};
use crate::contents::Contents;
use crate::{ReadError, Segment, SegmentPermissions};

pub(super) static FORMAT: ImageFormat =
    ImageFormat { name: "raw", title: "raw binary", only_forced: true, detect: |_| false, read };

fn read(input: &Input<'_>) -> Result<Contents, ReadError> {
    let address = input.options.base.ok_or(ReadError::BaseMissing)?;
    let mut contents = Contents::default();
    // The number of addresses from the base to the last one is one more than this difference.
    let room = usize::try_from(u64::MAX - address).unwrap_or(usize::MAX).saturating_add(1);
    let length = input.file.len().min(room);
    if length < input.file.len() {
        contents.warnings.file("the file passes the last address; the rest of it is left out");
    }
    contents.segments.push(Segment {
        address,
        size: length as u64,
        permissions: SegmentPermissions::ALL,
        space: None,
        name: "raw".into(),
        copy_of: None,
        backing: input.file.clone(),
        range: 0..length,
    });
    Ok(contents)
}
