//! String interning: each string of the report is written once.

use std::collections::HashMap;

/// Strings with their indexes.
#[derive(Default)]
pub(super) struct Strings {
    index: HashMap<String, usize>,
    all: Vec<String>,
}

impl Strings {
    /// The index of a string, which is added if it is new.
    pub(super) fn intern(&mut self, text: &str) -> usize {
        if let Some(index) = self.index.get(text) {
            return *index;
        }
        self.all.push(text.to_owned());
        self.index.insert(text.to_owned(), self.all.len() - 1);
        self.all.len() - 1
    }

    /// All strings in the order of their indexes.
    pub(super) fn all(&self) -> &[String] {
        &self.all
    }
}
