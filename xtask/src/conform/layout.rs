//! The memory layout of instructions and data on both sides.
//!
//! Executors number all memory consecutively; an address in that numbering is called *flat*. For a processor with one
//! space it is the address itself; otherwise each space begins at its own flat address.

use super::description::{AreaChoice, Contents, Description};
use super::executable::{BASE, CODE, DATA, DATA_SIZE, SIZE};
use super::registers::Registers;
use everypath_ir::SpaceId;
use everypath_lift::Architecture;
use everypath_testkit::random::Random;
use std::ops::Range;

/// The number of equal bytes where an area is filled page by page.
const PAGE: usize = 256;
/// The number of bytes around an access that are compared.
const AROUND: u64 = 32;
/// The alignment of the starts and sizes of compared ranges.
pub(super) const CHUNK: usize = 64;

/// Memory whose contents both sides know.
#[derive(Clone, Debug)]
pub(super) struct Area {
    pub(super) space: SpaceId,
    /// The executor's name for it, if it has names.
    pub(super) memory: String,
    /// The first address in the space.
    pub(super) start: u64,
    /// The flat address of that.
    pub(super) flat: u64,
    /// The initial contents for each case.
    pub(super) contents: Vec<u8>,
    /// Flat addresses that are not compared.
    hidden: Vec<u64>,
    /// Whether all of it is compared occasionally.
    whole: bool,
}

impl Area {
    fn end(&self) -> u64 {
        self.flat + self.contents.len() as u64
    }
}

/// The layout of memory.
#[derive(Clone, Debug)]
pub(super) struct Layout {
    pub(super) areas: Vec<Area>,
    /// The range for instructions: addresses in the code space.
    pub(super) code: Range<u64>,
    /// Whether each instruction has a home address, from which it is moved only if necessary.
    pub(super) homes: bool,
}

impl Layout {
    /// The layout of a description; without areas, that of an executable with one segment.
    ///
    /// # Errors
    /// If a space is named that the architecture does not have.
    pub(super) fn new(
        architecture: &Architecture,
        description: &Description,
        random: &mut Random,
    ) -> Result<Self, String> {
        let specification = architecture.specification();
        let space = |id| architecture.spaces().get(id).ok_or("a space that is none of ours");
        let code_space = space(specification.default_space())?;
        if description.areas.is_empty() {
            let contents = data(architecture, random);
            let area = Area {
                space: code_space,
                memory: String::new(),
                start: DATA,
                flat: DATA,
                contents,
                hidden: Vec::new(),
                whole: true,
            };
            return Ok(Self { areas: vec![area], code: CODE..BASE + SIZE, homes: true });
        }
        let mut areas = Vec::new();
        let mut code = 0..0;
        for AreaChoice { space: name, memory, start, size, flat, contents: kind, hidden, whole } in
            &description.areas
        {
            let id = specification.space_named(name);
            let id = id.ok_or_else(|| format!("there is no space `{name}`"))?;
            let mut contents: Vec<u8> = (0..*size).map(|_| random.number() as u8).collect();
            match kind {
                Contents::Random => {}
                Contents::Pages => contents.chunks_mut(PAGE).for_each(|page| page.fill(page[0])),
                Contents::Zero => contents.fill(0),
            }
            let hidden = hidden.iter().map(|address| address - start + flat).collect();
            let (space, memory, start, flat, whole) = (space(id)?, memory.clone(), *start, *flat, *whole);
            let area = Area { space, memory, start, flat, contents, hidden, whole };
            if area.space == code_space {
                code = start..start + size;
            }
            areas.push(area);
        }
        Ok(Self { areas, code, homes: false })
    }

    /// The flat address of an address, inside an area or not; `None` if the space has no area.
    pub(super) fn flat(&self, space: SpaceId, address: u64) -> Option<u64> {
        let area = self.areas.iter().find(|area| area.space == space)?;
        Some(address.wrapping_sub(area.start).wrapping_add(area.flat))
    }

    /// The area that contains these bytes, and their range in it.
    pub(super) fn find(&self, flat: u64, size: usize) -> Option<(&Area, Range<usize>)> {
        let end = flat.checked_add(size as u64)?;
        let area = self.areas.iter().find(|area| flat >= area.flat && end <= area.end())?;
        let start = (flat - area.flat) as usize;
        Some((area, start..start + size))
    }

    /// The initial contents for each case; empty outside the areas.
    pub(super) fn original(&self, flat: u64, size: usize) -> &[u8] {
        self.find(flat, size).map_or(&[], |(area, range)| &area.contents[range])
    }

    /// The range that is compared around an access.
    pub(super) fn around(&self, (flat, size): (u64, usize)) -> (u64, usize) {
        let Some((area, _)) = self.find(flat, size) else { return (flat, size) };
        let start = flat.saturating_sub(AROUND).max(area.flat) / CHUNK as u64 * CHUNK as u64;
        let end = (flat + size as u64 + AROUND).min(area.end());
        (start.max(area.flat), (end - start.max(area.flat)) as usize)
    }

    /// The areas that are compared as a whole occasionally.
    pub(super) fn whole(&self) -> impl Iterator<Item = (u64, usize)> {
        self.areas.iter().filter(|area| area.whole).map(|area| (area.flat, area.contents.len()))
    }

    /// Excludes memory-mapped registers from the comparison of memory, and initialises those with a constant value.
    pub(super) fn leave_out(&mut self, registers: &Registers) {
        for field in &registers.fields {
            for offset in (field.location.offset..).take(field.width.bytes()) {
                let area = self.areas.iter_mut().find(|area| area.space == field.location.space);
                if let Some(area) = area
                    && let Some(distance) = offset.checked_sub(area.start)
                {
                    area.hidden.push(area.flat + distance);
                    let byte = area.contents.get_mut(distance as usize).zip(field.value);
                    if let Some((byte, value)) = byte {
                        *byte = value.to_le_bytes()[(offset - field.location.offset) as usize % 8];
                    }
                }
            }
        }
    }

    /// Whether none of these bytes is compared.
    pub(super) fn is_hidden(&self, (flat, size): (u64, usize)) -> bool {
        let hides = |place: u64| self.areas.iter().any(|area| area.hidden.contains(&place));
        (flat..).take(size).all(hides)
    }

    /// Clears the bytes that are not compared.
    pub(super) fn hide(&self, flat: u64, bytes: &mut [u8]) {
        for area in &self.areas {
            for place in area.hidden.iter().filter_map(|place| place.checked_sub(flat)) {
                if let Some(byte) = bytes.get_mut(place as usize) {
                    *byte = 0;
                }
            }
        }
    }
}

/// The contents of the data: address-sized numbers; small ones, addresses in the data, and arbitrary ones.
fn data(architecture: &Architecture, random: &mut Random) -> Vec<u8> {
    let specification = architecture.specification();
    let size = specification.space(specification.default_space()).address_size.clamp(1, 8) as usize;
    let word = |_| {
        let value = match random.number_below(4) {
            0 => random.number_below(256),
            1 => DATA + random.number_below(DATA_SIZE) / 16 * 16,
            _ => random.number(),
        };
        if specification.is_big_endian() {
            value.to_be_bytes()[8 - size..].to_vec()
        } else {
            value.to_le_bytes()[..size].to_vec()
        }
    };
    (0..DATA_SIZE as usize / size).flat_map(word).collect()
}
