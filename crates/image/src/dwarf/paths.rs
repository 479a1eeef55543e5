//! The names of source files, assembled from the components in line programs.

use std::collections::HashMap;

use gimli::{AttributeValue, LineProgramHeader};

use super::Slice;
use super::sections::DebugSections;
use super::units::text_at;
use crate::names::{Names, clip};

/// The files of all line programs, each once.
pub(super) struct Paths<'data> {
    sections: &'data DebugSections<'data>,
    names: Names,
    files: Vec<String>,
    known: HashMap<String, u32>,
}

impl<'data> Paths<'data> {
    pub(super) fn new(sections: &'data DebugSections<'data>, names: Names) -> Self {
        Self { sections, names, files: Vec::new(), known: HashMap::new() }
    }

    pub(super) fn into_files(self) -> Vec<String> {
        self.files
    }

    /// The index of a line program's file number; `None` if it has no such file.
    pub(super) fn index(&mut self, header: &LineProgramHeader<Slice<'data>>, number: u64) -> Option<u32> {
        let file = header.file(number)?;
        let mut path = self.text(file.path_name())?;
        let directory = file.directory(header).and_then(|directory| self.text(directory));
        let compiler = header.directory(0).and_then(|directory| self.text(directory));
        for directory in [directory, compiler].into_iter().flatten() {
            path = join(&directory, path);
        }
        self.names.spend(path.len())?;
        if let Some(&index) = self.known.get(&path) {
            return Some(index);
        }
        let index = u32::try_from(self.files.len()).ok()?;
        self.files.push(path.clone());
        self.known.insert(path, index);
        Some(index)
    }

    fn text(&self, value: AttributeValue<Slice<'data>>) -> Option<String> {
        let text = match value {
            AttributeValue::String(text) => text,
            AttributeValue::DebugStrRef(offset) => text_at(self.sections.slice("str"), offset.0)?,
            AttributeValue::DebugLineStrRef(offset) => text_at(self.sections.slice("line_str"), offset.0)?,
            _ => return None,
        };
        Some(String::from_utf8_lossy(clip(text.slice())).into_owned())
    }
}

/// Resolves a path against a directory; the file may come from another operating system.
fn join(directory: &str, path: String) -> String {
    let has_drive = path.as_bytes().get(1) == Some(&b':') && path.as_bytes()[0].is_ascii_alphabetic();
    if directory.is_empty() || path.starts_with(['/', '\\']) || has_drive {
        return path;
    }
    let separator = if directory.ends_with(['/', '\\']) { "" } else { "/" };
    format!("{directory}{separator}{path}")
}

#[cfg(test)]
mod tests {
    use super::join;

    #[test]
    fn a_path_is_seen_from_its_directory_unless_it_is_absolute() {
        let cases = [
            ("/home", "main.c", "/home/main.c"),
            ("/home/", "main.c", "/home/main.c"),
            ("", "main.c", "main.c"),
            ("/home", "/usr/main.c", "/usr/main.c"),
            ("/home", "C:\\main.c", "C:\\main.c"),
        ];
        for (directory, path, expected) in cases {
            assert_eq!(join(directory, path.into()), expected);
        }
    }
}
