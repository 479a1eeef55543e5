//! Bytes that a configuration declares twice, such as two volatile cells that share an address. Which declaration holds would be
//! a matter of order, and the other one would be without effect, so such a configuration is refused.

use crate::configuration::Configuration;
use crate::guest::{Guest, GuestError};
use everypath_ir::{AddressRange, Location};

/// A declaration of bytes.
struct Declared {
    /// The declaration in words.
    what: String,
    range: AddressRange,
    kind: Kind,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Cell,
    Input,
    /// Initial bytes: a later entry overrides an earlier one, as it overrides the file's.
    Initial,
}

impl Declared {
    /// Whether one of two declarations is without effect where both hold. Initial bytes may be those of a memory that has a cell in it.
    fn contradicts(&self, other: &Declared) -> bool {
        let is_within = |initial: &Declared, cell: &Declared| {
            cell.range.first <= initial.range.first && initial.range.last <= cell.range.last
        };
        self.range.overlaps(&other.range)
            && match (self.kind, other.kind) {
                (Kind::Initial, Kind::Initial) => false,
                (Kind::Initial, Kind::Cell) => is_within(self, other),
                (Kind::Cell, Kind::Initial) => is_within(other, self),
                _ => true,
            }
    }
}

impl Guest {
    /// Rejects a configuration that declares a byte twice: as two cells, as a cell and as input, or as either of them and with
    /// initial contents that nothing sees.
    pub(crate) fn check_overlaps(&self, configuration: &Configuration) -> Result<(), GuestError> {
        let declared = self.declared(configuration)?;
        for (number, later) in declared.iter().enumerate() {
            if let Some(earlier) = declared[..number].iter().find(|earlier| earlier.contradicts(later)) {
                let address = earlier.range.first.max(later.range.first);
                return Err(GuestError::new(format!(
                    "{} and {} overlap at {address:#x}: declare each byte once, by changing an address or a size",
                    earlier.what, later.what
                )));
            }
        }
        Ok(())
    }

    fn declared(&self, configuration: &Configuration) -> Result<Vec<Declared>, GuestError> {
        let mut declared = Vec::new();
        for cell in &configuration.volatiles {
            let range = self.cell_range(cell)?;
            let what = format!("the volatile cell `{}`", cell.name);
            declared.push(Declared { what, range, kind: Kind::Cell });
        }
        for input in self.initial_inputs(configuration)?.values {
            let Some(range) = AddressRange::of_bytes(input.location, input.size) else { continue };
            let kind = if input.object.is_some() { "object" } else { "input" };
            declared.push(Declared {
                what: format!("the {kind} `{}`", input.name),
                range,
                kind: Kind::Input,
            });
        }
        for initial in &configuration.initial {
            let space = self.space(initial.space.as_deref())?;
            let location = Location { space, offset: initial.address };
            let Some(range) = AddressRange::of_bytes(location, initial.bytes.len() as u64) else { continue };
            let what = format!("the initial bytes at {:#x}", initial.address);
            declared.push(Declared { what, range, kind: Kind::Initial });
        }
        Ok(declared)
    }
}
