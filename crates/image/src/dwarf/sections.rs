//! The sections with debug information, decompressed where the file has them compressed.

use std::borrow::Cow;

use gimli::RunTimeEndian;
use object::elf::{
    CompressionHeader32, CompressionHeader64, ELFCOMPRESS_ZLIB, ELFCOMPRESS_ZSTD, SHF_COMPRESSED,
};
use object::read::elf::CompressionHeader;
use object::{CompressedData, CompressionFormat, Endianness, Pod, ReadRef};

use super::Slice;
use crate::warning::Warnings;
use crate::{Class, Endian, FileMachine, Image, Section};

/// The sections that are read, without their prefix.
const NAMES: [&str; 5] = ["line", "info", "abbrev", "str", "line_str"];

/// Compilers' output shrinks about fivefold; a section that claims a much higher ratio is a decompression bomb.
const LARGEST_RATIO: u64 = 64;

/// The sections with debug information.
pub(super) struct DebugSections<'image> {
    endian: RunTimeEndian,
    found: Vec<(&'static str, Cow<'image, [u8]>)>,
}

impl<'image> DebugSections<'image> {
    pub(super) fn load(image: &'image Image, machine: &FileMachine, warnings: &mut Warnings) -> Self {
        let endian = match machine.endian {
            Endian::Little => RunTimeEndian::Little,
            Endian::Big => RunTimeEndian::Big,
        };
        let mut found = Vec::new();
        for name in NAMES {
            let matching = |section: &&Section| {
                let rest = section.name().strip_prefix(".debug_").or(section.name().strip_prefix(".zdebug_"));
                rest == Some(name)
            };
            let Some(section) = image.sections().iter().find(matching) else { continue };
            match uncompressed(section, machine) {
                Ok(data) => found.push((name, data)),
                Err(text) => {
                    warnings.file(format!("section {} cannot be decompressed: {text}", section.name()));
                }
            }
        }
        Self { endian, found }
    }

    /// A section by the end of its name.
    pub(super) fn slice(&self, name: &str) -> Option<Slice<'_>> {
        let (_, data) = self.found.iter().find(|(found, _)| *found == name)?;
        Some(Slice::new(data, self.endian))
    }
}

fn uncompressed<'image>(
    section: &'image Section,
    machine: &FileMachine,
) -> Result<Cow<'image, [u8]>, String> {
    let data = section.data();
    let compressed = if section.name().starts_with(".zdebug_") {
        let size =
            data.get(4..12).filter(|_| data.starts_with(b"ZLIB")).and_then(|size| size.try_into().ok());
        let size = size.map(u64::from_be_bytes).ok_or("its header is damaged")?;
        CompressedData { format: CompressionFormat::Zlib, data: &data[12..], uncompressed_size: size }
    } else if section.flags() & SHF_COMPRESSED.0 != 0 {
        match machine.class {
            Class::Bits32 => compressed_data::<CompressionHeader32<Endianness>>(data, machine)?,
            Class::Bits64 => compressed_data::<CompressionHeader64<Endianness>>(data, machine)?,
        }
    } else {
        return Ok(Cow::Borrowed(data));
    };
    let size = compressed.uncompressed_size;
    if size > (compressed.data.len() as u64).saturating_mul(LARGEST_RATIO) {
        return Err(format!("it would grow to {size} bytes, from {}", compressed.data.len()));
    }
    compressed.decompress().map_err(|error| error.to_string())
}

fn compressed_data<'data, Header>(
    data: &'data [u8],
    machine: &FileMachine,
) -> Result<CompressedData<'data>, String>
where
    Header: CompressionHeader<Endian = Endianness> + Pod,
{
    let endian = match machine.endian {
        Endian::Little => Endianness::Little,
        Endian::Big => Endianness::Big,
    };
    let header = data.read_at::<Header>(0).map_err(|()| "its header is cut off")?;
    let format = match header.ch_type(endian) {
        ELFCOMPRESS_ZLIB => CompressionFormat::Zlib,
        ELFCOMPRESS_ZSTD => CompressionFormat::Zstandard,
        other => return Err(format!("compression {} is unknown", other.0)),
    };
    Ok(CompressedData {
        format,
        data: &data[size_of::<Header>()..],
        uncompressed_size: header.ch_size(endian).into(),
    })
}
