//! The state that a vector describes, byte by byte.

use crate::vectors::{Assignment, Pattern, VectorTarget};
use everypath_ir::{Endian, SpaceId};
use everypath_lift::Architecture;
use std::collections::BTreeMap;

/// A byte of which some bits are known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Masked {
    pub(super) value: u8,
    pub(super) mask: u8,
}

/// Bytes by location.
pub(super) type Bytes = BTreeMap<(SpaceId, u64), Masked>;

/// Applies assignments; later ones replace earlier ones.
pub(super) fn assign<'a>(
    architecture: &Architecture,
    assignments: impl IntoIterator<Item = &'a Assignment>,
    bytes: &mut Bytes,
) -> Result<(), String> {
    for assignment in assignments {
        match &assignment.target {
            VectorTarget::Register(name) => register(architecture, name, &assignment.value, bytes)?,
            VectorTarget::Memory { space, address } => {
                let Some(id) = architecture.layout().find_space(space) else {
                    return Err(format!("there is no space `{space}`"));
                };
                for (index, (value, mask)) in assignment.value.masked_bytes().into_iter().enumerate() {
                    let offset = address.checked_add(index as u64);
                    let size = architecture.layout()[id].size();
                    let Some(offset) = offset.filter(|offset| u128::from(*offset) < size) else {
                        return Err(format!("`{assignment}` goes beyond the end of the space"));
                    };
                    bytes.insert((id, offset), Masked { value, mask });
                }
            }
        }
    }
    Ok(())
}

fn register(
    architecture: &Architecture,
    name: &str,
    value: &Pattern,
    bytes: &mut Bytes,
) -> Result<(), String> {
    let Some((location, width)) = architecture.register(name) else {
        return Err(format!("there is no register `{name}`"));
    };
    let mut digits = value.masked_bytes();
    digits.reverse();
    if digits.iter().skip(width.bytes()).any(|(value, mask)| *value != 0 || *mask != 0xff) {
        return Err(format!("`{value}` does not fit into `{name}`, which has {width} bits"));
    }
    digits.resize(width.bytes(), (0, 0xff));
    if architecture.layout()[location.space].endian == Endian::Big {
        digits.reverse();
    }
    for (index, (value, mask)) in digits.into_iter().enumerate() {
        bytes.insert((location.space, location.offset + index as u64), Masked { value, mask });
    }
    Ok(())
}

/// The name of a location for messages: the register that contains this byte, or space and address.
pub(super) fn place_name(architecture: &Architecture, space: SpaceId, offset: u64) -> String {
    let specification = architecture.specification();
    let holds = |varnode: everypath_sleigh::Varnode| {
        architecture.spaces().get(varnode.space) == Some(space)
            && (varnode.offset..varnode.offset + u64::from(varnode.size)).contains(&offset)
    };
    let registers = specification.registers().iter().filter(|register| holds(register.varnode));
    let name = &architecture.layout()[space].name;
    match registers.min_by_key(|register| register.varnode.size) {
        Some(register) => format!("{} ({name}[{offset:x}])", register.name),
        None => format!("{name}[{offset:x}]"),
    }
}
