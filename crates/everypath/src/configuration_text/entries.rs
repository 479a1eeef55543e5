//! The entries of a TOML text with their places in it.

use std::ops::Range;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// The parsed text.
pub(super) struct Entries<'t>(Spanned<DeTable<'t>>);

/// A table of the text, such as one `[[volatile]]`.
pub(super) type Entry<'e, 't> = &'e DeTable<'t>;

impl<'t> Entries<'t> {
    /// Parses the text, if its syntax is right.
    pub(super) fn parse(text: &'t str) -> Option<Entries<'t>> {
        DeTable::parse(text).ok().map(Entries)
    }

    /// The tables of a list, such as all `[[volatile]]`.
    pub(super) fn list(&self, name: &str) -> Vec<Entry<'_, 't>> {
        let list = self.0.get_ref().get(name).and_then(|list| list.get_ref().as_array());
        list.into_iter().flatten().filter_map(|entry| entry.get_ref().as_table()).collect()
    }

    /// The place of a value in a table of the text, such as that of a register in `[registers]`.
    pub(super) fn value(&self, table: &str, name: &str) -> Option<Range<usize>> {
        place(self.0.get_ref().get(table)?.get_ref().as_table()?, name)
    }

    /// The place of what a message names between backticks, or of the value that it is about.
    pub(super) fn named_in(&self, message: &str) -> Option<Range<usize>> {
        self.cell_in(message)
            .or_else(|| message.split('`').skip(1).step_by(2).find_map(|name| named(self.0.get_ref(), name)))
    }

    /// The part of a volatile cell that a message is about.
    fn cell_in(&self, message: &str) -> Option<Range<usize>> {
        let (name, problem) = message.strip_prefix("volatile cell `")?.split_once("`: ")?;
        let is_meant = |cell: &Entry<'_, 't>| text(cell, "name") == Some(name);
        let cell = self.list("volatile").into_iter().find(is_meant)?;
        if problem.contains("outside of the space") {
            return place(cell, "address");
        }
        let value: u64 = problem.strip_prefix("the value ")?.split(' ').next()?.parse().ok()?;
        let values = cell.get("values")?.get_ref().as_array()?;
        values.iter().find(|own| number(own.get_ref()) == Some(value)).map(Spanned::span)
    }
}

/// The place of a value of a table.
pub(super) fn place(table: Entry<'_, '_>, name: &str) -> Option<Range<usize>> {
    table.get(name).map(Spanned::span)
}

fn text<'e>(table: Entry<'e, '_>, name: &str) -> Option<&'e str> {
    table.get(name)?.get_ref().as_str()
}

fn number(value: &DeValue<'_>) -> Option<u64> {
    let integer = value.as_integer()?;
    u64::from_str_radix(integer.as_str(), integer.radix()).ok()
}

/// The first text with these letters, or else the first key, in the order of the text.
fn named(table: Entry<'_, '_>, name: &str) -> Option<Range<usize>> {
    let mut found = Found { name, texts: Vec::new(), keys: Vec::new() };
    found.search_table(table);
    let first = |places: Vec<Range<usize>>| places.into_iter().min_by_key(|place| place.start);
    first(found.texts).or_else(|| first(found.keys))
}

/// The places of a name.
struct Found<'n> {
    name: &'n str,
    texts: Vec<Range<usize>>,
    keys: Vec<Range<usize>>,
}

impl Found<'_> {
    fn search_table(&mut self, table: Entry<'_, '_>) {
        for (key, value) in table {
            if key.get_ref() == self.name {
                self.keys.push(key.span());
            }
            self.search(value);
        }
    }

    fn search(&mut self, value: &Spanned<DeValue<'_>>) {
        match value.get_ref() {
            DeValue::String(text) if text == self.name => self.texts.push(value.span()),
            DeValue::Array(items) => items.iter().for_each(|item| self.search(item)),
            DeValue::Table(table) => self.search_table(table),
            _ => {}
        }
    }
}
