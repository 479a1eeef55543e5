//! The model of a test input: a value for each input byte.

use std::collections::BTreeMap;

use everypath_environment::InputOrigin;
use everypath_ir::Location;
use everypath_record::Address;
use everypath_term::Model;

use crate::path::inputs::SymbolicInputs;
use crate::path::test_input::TestInput;

impl SymbolicInputs<'_> {
    /// The model that describes a test input: the inverse of [`SymbolicInputs::test_input`].
    pub(crate) fn model_of(&mut self, test: &TestInput) -> Model {
        let SymbolicInputs { guest, world, table, initial, .. } = self;
        let mut model = Model::new();
        let mut set = |origin: InputOrigin, byte: u8| {
            if byte != 0 {
                model.set(table.number(origin), byte);
            }
        };
        for (cell, name) in (0_u32..).zip(world.cells()) {
            let values = test.scripts().find(|(own, _)| *own == name).map_or(&[][..], |(_, values)| values);
            for (ordinal, value) in (0_u32..).zip(values) {
                for (byte, part) in (0_u32..).zip(value.to_le_bytes()) {
                    set(InputOrigin::Reading { cell, ordinal, byte }, part);
                }
            }
        }
        let layout = guest.architecture().layout();
        let mut memory: BTreeMap<Location, u8> = BTreeMap::new();
        for range in &test.memory {
            let Some(space) = layout.find_space(&range.space) else { continue };
            let offsets = (0..).map(|index| range.address.0.wrapping_add(index));
            memory
                .extend(offsets.zip(&range.bytes).map(|(offset, byte)| (Location { space, offset }, *byte)));
        }
        for (number, input) in (0_u32..).zip(&initial.values) {
            let register = input.register.as_ref();
            let value = register.and_then(|name| test.registers.iter().find(|(own, _)| own == name));
            for byte in 0..input.size {
                let location =
                    Location { offset: input.location.offset.wrapping_add(byte), ..input.location };
                let part = match value {
                    Some((_, Address(value))) => {
                        // The place of a byte and its significance are each other's inverse.
                        let significance = input.endian.place(byte as usize, input.size as usize);
                        value.checked_shr(8 * significance as u32).unwrap_or(0) as u8
                    }
                    None => memory.remove(&location).unwrap_or(0),
                };
                set(InputOrigin::Initial { input: number, byte: byte as u32 }, part);
            }
        }
        for (location, byte) in memory {
            set(InputOrigin::Unwritten { location }, byte);
        }
        model
    }
}
