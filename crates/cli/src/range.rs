//! The bytes that a listing shows.

use crate::arguments::Part;
use crate::failure::Failure;
use everypath_image::{Image, Symbol};
use everypath_lift::{CodeMap, Stretch};

/// Contiguous bytes in memory.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Span<'i> {
    /// Their section or segment.
    pub(crate) name: &'i str,
    /// Their addresses.
    pub(crate) stretch: Stretch<'i>,
}

impl<'i> Span<'i> {
    fn whole(name: &'i str, start: u64, bytes: &'i [u8]) -> Self {
        Self { name, stretch: Stretch { floor: start, start, bytes } }
    }

    /// The part at or after `from` and before `to`.
    fn cut(self, from: u64, to: Option<u64>) -> Option<Self> {
        let Stretch { start, bytes, floor } = self.stretch;
        let skip = usize::try_from(from.saturating_sub(start)).ok()?;
        let bytes = bytes.get(skip..).filter(|bytes| !bytes.is_empty())?;
        let start = start + skip as u64;
        let room = match to {
            Some(to) => usize::try_from(to.checked_sub(start)?).unwrap_or(usize::MAX),
            None => usize::MAX,
        };
        let bytes = &bytes[..bytes.len().min(room)];
        (!bytes.is_empty()).then_some(Self { stretch: Stretch { start, bytes, floor }, ..self })
    }

    /// The address of the last byte.
    pub(crate) fn last(&self) -> u64 {
        self.stretch.start.wrapping_add(self.stretch.bytes.len() as u64).wrapping_sub(1)
    }
}

/// The part of an image that is asked for.
pub(crate) fn spans<'i>(
    image: &'i Image,
    part: &Part,
    map: &mut CodeMap<'_>,
) -> Result<Vec<Span<'i>>, Failure> {
    let (from, to) = match (&part.symbol, part.from) {
        (Some(name), _) => extent(image, symbol(image, name)?),
        (None, Some(from)) => (map.given(from).address, part.to),
        (None, None) => (0, part.to),
    };
    let cut = |spans: Vec<Span<'i>>| -> Vec<Span<'i>> {
        spans.into_iter().filter_map(|span| span.cut(from, to)).collect()
    };
    let mut found = cut(executable(image));
    // A named place is shown even if the file does not mark it as executable.
    if found.is_empty() {
        found = cut(mapped(image));
    }
    if found.is_empty() {
        let to = to.map_or_else(String::new, |to| format!(" and before {to:#x}"));
        return Err(Failure::Input(format!(
            "the file has no bytes at or after {from:#x}{to}; `everypath inspect image` shows what it has"
        )));
    }
    found.sort_by_key(|span| span.stretch.start);
    Ok(found)
}

/// Executable sections; without sections, executable segments; without those, everything.
fn executable(image: &Image) -> Vec<Span<'_>> {
    let sections = image.sections().iter().filter(|section| section.allocated() && section.executable());
    let sections = sections.map(|section| Span::whole(section.name(), section.address(), section.data()));
    let sections: Vec<Span<'_>> = sections.filter(|span| !span.stretch.bytes.is_empty()).collect();
    if !sections.is_empty() {
        return sections;
    }
    let segments = image.segments().iter().filter(|segment| segment.permissions().execute);
    segments.map(|segment| Span::whole(segment.name(), segment.address(), segment.data())).collect()
}

fn mapped(image: &Image) -> Vec<Span<'_>> {
    let segments = image.segments().iter();
    segments.map(|segment| Span::whole(segment.name(), segment.address(), segment.data())).collect()
}

/// The addresses of a symbol: its size, or if it has none up to the next one.
fn extent(image: &Image, symbol: &Symbol) -> (u64, Option<u64>) {
    let start = symbol.address;
    if symbol.size > 0 {
        return (start, start.checked_add(symbol.size));
    }
    let next = image.symbols().iter().find(|other| other.address > start && is_label(other));
    (start, next.map(|next| next.address))
}

/// Whether a symbol names an address in memory.
pub(crate) fn is_label(symbol: &Symbol) -> bool {
    symbol.kind.is_address() && !symbol.name.is_empty()
}

/// Maximum number of names offered in place of an unknown one.
const OFFERED: usize = 5;

/// The symbol of this name.
pub(crate) fn symbol<'i>(image: &'i Image, name: &str) -> Result<&'i Symbol, Failure> {
    if let Some(symbol) = image.symbol_named(name) {
        return Ok(symbol);
    }
    let labels = || image.symbols().iter().filter(|symbol| is_label(symbol));
    if labels().next().is_none() {
        return Err(Failure::Input(format!(
            "there is no symbol `{name}`: the file has no symbols; name the place by its address with --from"
        )));
    }
    let lower = name.to_lowercase();
    let near = labels().filter(|symbol| symbol.name.to_lowercase().contains(&lower)).take(OFFERED);
    let near: Vec<&str> = near.map(|symbol| symbol.name.as_str()).collect();
    let next = if near.is_empty() {
        "`everypath inspect image --all` lists them".to_owned()
    } else {
        format!("there are: {}", near.join(", "))
    };
    Err(Failure::Input(format!("there is no symbol `{name}`; {next}")))
}
