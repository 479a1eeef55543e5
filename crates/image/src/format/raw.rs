//! A plain binary, which lies in memory as it lies in the file.

use super::{Format, Input};
use crate::contents::Contents;
use crate::{Permissions, ReadError, Segment};

pub(super) static FORMAT: Format =
    Format { name: "raw", title: "raw binary", only_forced: true, detect: |_| false, read };

fn read(input: &Input<'_>) -> Result<Contents, ReadError> {
    let address = input.options.base.ok_or(ReadError::BaseMissing)?;
    let mut contents = Contents::default();
    // From the base to the last address there is room for one byte more than this says.
    let room = usize::try_from(u64::MAX - address).unwrap_or(usize::MAX).saturating_add(1);
    let length = input.file.len().min(room);
    if length < input.file.len() {
        contents.warnings.file("the file passes the last address; the rest of it is left out");
    }
    contents.segments.push(Segment {
        address,
        size: length as u64,
        permissions: Permissions::ALL,
        space: None,
        name: "raw".into(),
        copy_of: None,
        backing: input.file.clone(),
        range: 0..length,
    });
    Ok(contents)
}
