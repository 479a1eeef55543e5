//! The code of a program: the `.text` of an ELF file, or all code in an archive of object files.

use super::list::ProgramEntry;
use object::read::archive::ArchiveFile;
use object::{Object, ObjectSection, SectionKind};
use std::path::Path;

/// Contiguous code.
pub struct Code {
    /// Address of the first byte.
    pub base: u64,
    /// The bytes.
    pub bytes: Vec<u8>,
}

/// The address of an archive's code: not special to any processor.
const ARCHIVE_BASE: u64 = 0x1_0000;
const ALIGNMENT: usize = 16;

/// Reads a program's code, at most `limit` bytes of it.
///
/// # Errors
/// If the file is missing or unreadable, or has no code.
pub fn read_code(entry: &ProgramEntry, limit: usize) -> Result<Code, String> {
    let file = Path::new(&entry.path);
    let contents = std::fs::read(file).map_err(|error| {
        format!("{}: {error}; the Debian package {} has this file", entry.path, entry.package)
    })?;
    let code = if contents.starts_with(b"!<arch>\n") { archive(&contents) } else { text(&contents) };
    let mut code = code.map_err(|error| format!("{}: {error}", entry.path))?;
    if code.bytes.is_empty() {
        return Err(format!("{}: there is no code in it", entry.path));
    }
    code.bytes.truncate(limit);
    Ok(code)
}

fn text(contents: &[u8]) -> Result<Code, object::Error> {
    let file = object::File::parse(contents)?;
    match file.section_by_name(".text") {
        Some(section) => Ok(Code { base: section.address(), bytes: section.data()?.to_vec() }),
        None => Ok(Code { base: 0, bytes: Vec::new() }),
    }
}

/// All code of the members, one after the other, each piece aligned.
fn archive(contents: &[u8]) -> Result<Code, object::Error> {
    let mut bytes = Vec::new();
    for member in ArchiveFile::parse(contents)?.members() {
        let data = member?.data(contents)?;
        if !data.starts_with(b"\x7fELF") {
            continue;
        }
        let file = object::File::parse(data)?;
        for section in file.sections().filter(|section| section.kind() == SectionKind::Text) {
            bytes.extend_from_slice(section.data()?);
            bytes.resize(bytes.len().next_multiple_of(ALIGNMENT), 0);
        }
    }
    Ok(Code { base: ARCHIVE_BASE, bytes })
}
