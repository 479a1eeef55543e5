//! Source files beside the program, for the text of source lines.

use everypath_record::SourcePosition;
use std::cell::RefCell;
use std::collections::HashMap;
use std::path::Path;

/// Reads lines of source files, each file once.
pub(crate) struct SourceReader<'p> {
    /// The folder that relative paths, and files that have moved, are looked up in.
    folder: &'p Path,
    files: RefCell<HashMap<String, Vec<String>>>,
}

impl<'p> SourceReader<'p> {
    /// A reader that looks in the folder of a program, too.
    pub(crate) fn beside(program: &'p Path) -> SourceReader<'p> {
        let folder = program.parent().unwrap_or(Path::new(""));
        SourceReader { folder, files: RefCell::new(HashMap::new()) }
    }

    /// The text of a line, if the file is found.
    pub(crate) fn line(&self, position: &SourcePosition) -> Option<String> {
        let mut files = self.files.borrow_mut();
        let read = || everypath::source_lines(&position.file, self.folder);
        let lines = files.entry(position.file.clone()).or_insert_with(read);
        lines.get((position.line as usize).checked_sub(1)?).cloned()
    }
}
