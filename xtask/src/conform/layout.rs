//! Where instructions and data lie, on both sides.
//!
//! Executors number all memory in one row: a place there is called *flat*. Where a processor has one space it is the
//! address itself; where it has several, each begins at its own flat place.

use super::description::{AreaChoice, Contents, Description};
use super::executable::{BASE, CODE, DATA, DATA_SIZE, SIZE};
use super::registers::Registers;
use everypath_ir::SpaceId;
use everypath_lift::Architecture;
use everypath_testkit::random::Random;
use std::ops::Range;

/// How many bytes are the same where an area is filled page by page.
const PAGE: usize = 256;
/// How many bytes around an access are compared.
const AROUND: u64 = 32;
/// What starts and sizes of compared ranges are multiples of.
pub(super) const CHUNK: usize = 64;

/// Memory whose contents both sides know.
#[derive(Clone, Debug)]
pub(super) struct Area {
    pub(super) space: SpaceId,
    /// The executor's name for it, if it has names.
    pub(super) memory: String,
    /// The first address in the space.
    pub(super) start: u64,
    /// Where that is in the executor's row.
    pub(super) flat: u64,
    /// What is there before each case.
    pub(super) contents: Vec<u8>,
    /// Flat places that are not compared.
    hidden: Vec<u64>,
    /// Whether all of it is compared from time to time.
    whole: bool,
}

impl Area {
    fn end(&self) -> u64 {
        self.flat + self.contents.len() as u64
    }
}

/// Where everything lies.
#[derive(Clone, Debug)]
pub(super) struct Layout {
    pub(super) areas: Vec<Area>,
    /// Where instructions may lie: addresses in the code space.
    pub(super) code: Range<u64>,
    /// Whether each instruction has a home, from which it is moved only in need; else it lies anywhere.
    pub(super) homes: bool,
}

impl Layout {
    /// What a description says; without areas, that of an executable with one segment.
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

    /// The flat place of an address, whether it lies in an area or not; `None` if the space has no area.
    pub(super) fn flat(&self, space: SpaceId, address: u64) -> Option<u64> {
        let area = self.areas.iter().find(|area| area.space == space)?;
        Some(address.wrapping_sub(area.start).wrapping_add(area.flat))
    }

    /// The area that has these bytes, and where they are in it.
    pub(super) fn find(&self, flat: u64, size: usize) -> Option<(&Area, Range<usize>)> {
        let end = flat.checked_add(size as u64)?;
        let area = self.areas.iter().find(|area| flat >= area.flat && end <= area.end())?;
        let start = (flat - area.flat) as usize;
        Some((area, start..start + size))
    }

    /// What is there before each case; nothing outside the areas.
    pub(super) fn original(&self, flat: u64, size: usize) -> &[u8] {
        self.find(flat, size).map_or(&[], |(area, range)| &area.contents[range])
    }

    /// What is compared around an access.
    pub(super) fn around(&self, (flat, size): (u64, usize)) -> (u64, usize) {
        let Some((area, _)) = self.find(flat, size) else { return (flat, size) };
        let start = flat.saturating_sub(AROUND).max(area.flat) / CHUNK as u64 * CHUNK as u64;
        let end = (flat + size as u64 + AROUND).min(area.end());
        (start.max(area.flat), (end - start.max(area.flat)) as usize)
    }

    /// All that is compared from time to time.
    pub(super) fn whole(&self) -> impl Iterator<Item = (u64, usize)> {
        self.areas.iter().filter(|area| area.whole).map(|area| (area.flat, area.contents.len()))
    }

    /// Has bytes that are registers compared as such only, and those with a fixed value hold it from the beginning.
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

    /// Makes what is not compared the same on all sides.
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

/// What lies in the data: numbers of the size of an address; small ones, addresses in the data, and any.
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
