//! The mapping from the spaces of a SLEIGH specification to those of the IR.

use everypath_ir::{Endian, Layout, Location, Space, SpaceId, SpaceKind, Width};
use everypath_sleigh as sleigh;

/// The IR space of each space of a specification.
#[derive(Clone, Debug)]
pub struct SpaceMap {
    layout: Layout,
    /// By index of the specification's space; `None` for those that no instruction accesses.
    spaces: Vec<Option<SpaceId>>,
}

impl SpaceMap {
    /// Lays out the spaces of a specification; those in `register_spaces` hold registers, the others memory.
    ///
    /// # Errors
    /// If the name of a space is not valid in IR text, or its addressable unit is empty.
    pub fn new(specification: &sleigh::Specification, register_spaces: &[String]) -> Result<Self, String> {
        let mut layout = Layout { spaces: Vec::new(), user_operations: Vec::new(), watched: Vec::new() };
        let mut spaces = Vec::new();
        for space in specification.spaces() {
            let kind = match space.kind {
                sleigh::SpecificationSpaceKind::Constant | sleigh::SpecificationSpaceKind::Other => {
                    spaces.push(None);
                    continue;
                }
                sleigh::SpecificationSpaceKind::Unique => SpaceKind::Temporary,
                sleigh::SpecificationSpaceKind::Processor if register_spaces.contains(&space.name) => {
                    SpaceKind::Register
                }
                sleigh::SpecificationSpaceKind::Processor => SpaceKind::Memory,
            };
            let endian = if space.big_endian { Endian::Big } else { Endian::Little };
            let Some(address) = Width::new(8 * space.address_size) else {
                return Err(format!("space `{}` has addresses of no bytes", space.name));
            };
            let Ok(unit) = u8::try_from(space.word_size) else {
                return Err(format!("space `{}` has units of {} bytes", space.name, space.word_size));
            };
            spaces.push(Some(SpaceId(layout.spaces.len() as u8)));
            layout.spaces.push(Space { name: space.name.clone(), kind, endian, address, unit });
        }
        layout.user_operations = specification.user_operations().to_vec();
        everypath_ir::verify_layout(&layout)
            .map_err(|faults| faults.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))?;
        Ok(Self { layout, spaces })
    }

    /// Marks a register as watched: every write to it is kept.
    pub(crate) fn watch(&mut self, location: Location) {
        self.layout.watched.push(location);
    }

    /// The layout of IR blocks.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// The IR space of a space of the specification.
    pub fn get(&self, space: sleigh::SpecificationSpaceId) -> Option<SpaceId> {
        self.spaces.get(usize::from(space.0)).copied().flatten()
    }

    /// The specification's space of an IR space.
    pub fn back(&self, space: SpaceId) -> Option<sleigh::SpecificationSpaceId> {
        self.spaces
            .iter()
            .position(|known| *known == Some(space))
            .map(|index| sleigh::SpecificationSpaceId(index as u8))
    }
}
