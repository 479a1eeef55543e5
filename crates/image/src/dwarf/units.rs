//! Properties of line programs from their compilation units: the directory of the compiler, and the size of addresses.

use std::collections::HashMap;
use std::rc::Rc;

use gimli::{
    Abbreviations, AttributeValue, DebugAbbrev, DebugAbbrevOffset, DebugInfo, EntriesCursor, Reader,
    UnitHeader,
};

use super::Slice;
use super::sections::DebugSections;
use crate::names::clip;
use crate::warning::Warnings;

/// The properties that a compilation unit gives its line program.
#[derive(Debug, Clone, Copy)]
pub(super) struct Unit<'data> {
    /// The directory that the compiler ran in.
    pub(super) directory: Option<Slice<'data>>,
    /// The size of an address in bytes.
    pub(super) address_size: u8,
}

/// The units by the offset of their line program.
pub(super) fn by_line_program<'data>(
    sections: &'data DebugSections<'_>,
    warnings: &mut Warnings,
) -> HashMap<usize, Unit<'data>> {
    let mut units = HashMap::new();
    let (Some(information), Some(abbreviations)) = (sections.slice("info"), sections.slice("abbrev")) else {
        return units;
    };
    let mut headers = Vec::new();
    let mut iterator = DebugInfo::from(information).units();
    loop {
        match iterator.next() {
            Ok(Some(header)) => headers.push(header),
            Ok(None) => break,
            Err(error) => {
                warnings.file(format!("the compilation units are damaged: {error}"));
                break;
            }
        }
    }
    // A root entry has a dozen attributes. Abbreviations can list attributes that take no space in the units,
    // so that a small file could have any number of them: together they may not be more than the bytes of
    // the section.
    let mut attributes_left = information.len();
    for (header, table) in with_abbreviations(headers, abbreviations) {
        let Some(table) = table else { continue };
        let Some(size) = root_size(&header, &table) else { continue };
        let Some(left) = attributes_left.checked_sub(size) else { break };
        attributes_left = left;
        if let Some((program, unit)) = read_root(&mut header.entries(&table), &header, sections) {
            units.entry(program).or_insert(unit);
        }
    }
    units
}

type Header<'data> = UnitHeader<Slice<'data>>;

/// The units, each with its table of abbreviations, which several in a row may share.
///
/// Tables follow one another, so each is read only up to where the next begins: a table that overlaps others,
/// as a hostile file has them, costs no more than its own part.
fn with_abbreviations<'data>(
    mut headers: Vec<Header<'data>>,
    section: Slice<'data>,
) -> impl Iterator<Item = (Header<'data>, Option<Rc<Abbreviations>>)> {
    headers.sort_by_key(|header| header.debug_abbrev_offset().0);
    let mut starts: Vec<usize> = headers.iter().map(|header| header.debug_abbrev_offset().0).collect();
    starts.dedup();
    let mut last: Option<(usize, Option<Rc<Abbreviations>>)> = None;
    headers.into_iter().map(move |header| {
        let start = header.debug_abbrev_offset().0;
        if let Some((known, table)) = &last
            && *known == start
        {
            return (header, table.clone());
        }
        let next = starts[starts.partition_point(|&other| other <= start)..].first();
        let end = next.map_or(section.len(), |&next| next.min(section.len()));
        let table = section.slice().get(start.min(end)..end);
        let table = table.and_then(|bytes| {
            let part = DebugAbbrev::from(Slice::new(bytes, section.endian()));
            part.abbreviations(DebugAbbrevOffset(0)).ok().map(Rc::new)
        });
        last = Some((start, table.clone()));
        (header, table)
    })
}

/// The number of attributes of a unit's root entry, which is found without reading them.
fn root_size(header: &Header<'_>, table: &Abbreviations) -> Option<usize> {
    let mut entries = header.range_from(header.root_offset()..).ok()?;
    let code = entries.read_uleb128().ok()?;
    Some(table.get(code)?.attributes().len())
}

fn read_root<'data>(
    entries: &mut EntriesCursor<'_, Slice<'data>>,
    header: &Header<'data>,
    sections: &'data DebugSections<'_>,
) -> Option<(usize, Unit<'data>)> {
    let root = entries.next_dfs().ok()??;
    let AttributeValue::DebugLineRef(program) = root.attr_value(gimli::DW_AT_stmt_list)? else { return None };
    let directory = match root.attr_value(gimli::DW_AT_comp_dir) {
        Some(AttributeValue::String(text)) => Some(text),
        Some(AttributeValue::DebugStrRef(offset)) => text_at(sections.slice("str"), offset.0),
        Some(AttributeValue::DebugLineStrRef(offset)) => text_at(sections.slice("line_str"), offset.0),
        _ => None,
    };
    Some((program.0, Unit { directory, address_size: header.address_size() }))
}

/// The text at an offset of a section of strings, cut to a bounded length.
pub(super) fn text_at(section: Option<Slice<'_>>, offset: usize) -> Option<Slice<'_>> {
    let section = section?;
    let bytes = section.slice().get(offset..)?;
    Some(Slice::new(clip(bytes), section.endian()))
}
