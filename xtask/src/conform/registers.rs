//! The mapping between the executor's registers and ours, bit by bit.

use super::description::{Description, Part, RegisterGroup};
use everypath_ir::{Context, Location, Width};
use everypath_lift::Architecture;
use everypath_sleigh::{self as sleigh, ContextField};
use std::collections::BTreeSet;

/// The maximum size of a value in bytes.
const PIECE: usize = 16;

/// A register of ours that the executor shows.
#[derive(Clone, Debug)]
pub(super) struct Field {
    /// Our name.
    pub(super) name: String,
    pub(super) location: Location,
    pub(super) width: Width,
    /// The number of its low bits that the executor does not show here.
    pub(super) shift: u32,
    /// The offset of the executor's register in the packet of all registers.
    offset: usize,
    /// Its size in bytes.
    size: usize,
    /// The lowest bit in it.
    bit: u32,
    /// The number of bits.
    pub(super) bits: u32,
    pub(super) role: Role,
    /// Its constant value before each case, if any.
    pub(super) value: Option<u64>,
    /// Its index among the registers that cost extra time to read and set.
    pub(super) extra: Option<usize>,
}

impl Field {
    /// Whether our register has further bits.
    pub(super) fn is_part(&self) -> bool {
        self.role == Role::Bits && self.bits < self.width.bits()
    }

    /// The offset and size of the executor's register in the packet.
    pub(super) fn packet_range(&self) -> (usize, usize) {
        (self.offset, self.size)
    }
}

/// The role of a register, which determines its random values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// Numbers and addresses.
    General,
    /// Anything.
    Bits,
    /// Vectors of floating-point numbers.
    Vector,
    /// The address of the instruction.
    Counter,
    /// Addresses only.
    Address,
}

/// Bits of the executor's registers that are those of a context field.
#[derive(Clone, Debug)]
struct ContextBits {
    /// The offset and size of the executor's register.
    offset: usize,
    size: usize,
    /// The lowest bit in it, and the number of bits.
    bit: u32,
    bits: u32,
    field: ContextField,
    /// The number of the field's low bits that are omitted.
    shift: u32,
    /// The contexts in which they apply.
    when: Vec<(ContextField, u64)>,
}

/// All registers.
#[derive(Clone, Debug)]
pub(super) struct Registers {
    pub(super) fields: Vec<Field>,
    /// Frequent values of small registers.
    pub(super) numbers: Vec<u64>,
    /// Parity bits: register, bit, and the register whose parity it is.
    pub(super) parity: Vec<(usize, u32, usize)>,
    /// Bits with a fixed value: offset, size, lowest bit, number of bits, value.
    fixed: Vec<(usize, usize, u32, u32, u64)>,
    /// Bits of context fields.
    contexts: Vec<ContextBits>,
    big: bool,
    /// The size of all of them in bytes, without the extra ones.
    pub(super) packet: usize,
    /// The extra-time registers, read and set one by one: number and size.
    pub(super) extra: Vec<(u32, usize)>,
    /// The extra ones that control other instructions.
    pub(super) control: Vec<usize>,
    /// Those of the extra ones that cannot be set.
    kept: BTreeSet<usize>,
    /// The locations of registers that the processor does not have.
    pub(super) scratch: Vec<(Location, Width)>,
}

impl Registers {
    /// # Errors
    /// If a register is named that the architecture does not have.
    pub(super) fn new(architecture: &Architecture, description: &Description) -> Result<Self, String> {
        let find = |name: &str| {
            let found = architecture.register(name);
            found.ok_or_else(|| format!("{}: there is no register `{name}`", architecture.name()))
        };
        let roles = &architecture.description().registers;
        let mut all = Self {
            fields: Vec::new(),
            numbers: description.numbers.clone(),
            parity: Vec::new(),
            fixed: Vec::new(),
            contexts: Vec::new(),
            big: architecture.specification().is_big_endian(),
            packet: 0,
            extra: Vec::new(),
            control: Vec::new(),
            kept: BTreeSet::new(),
            scratch: description.scratch.iter().map(|name| find(name)).collect::<Result<_, _>>()?,
        };
        let context_field = |name: &str| {
            let field = architecture.specification().context_field(name).cloned();
            field.ok_or_else(|| format!("there is no context field `{name}`"))
        };
        let mut offset = 0;
        for group in &description.registers {
            let RegisterGroup { size, names, bytes, parts, vector, control, value, addresses, number, kept } =
                group;
            let value = *value;
            let first = all.extra.len();
            if let Some(bytes) = bytes {
                let space = architecture.specification().space_named(&bytes.space);
                let space = space.and_then(|space| architecture.spaces().get(space));
                let space = space.ok_or_else(|| format!("there is no space `{}`", bytes.space))?;
                for address in bytes.start..bytes.start + bytes.count {
                    let location = Location { space, offset: address };
                    let name = format!("{}[{address:02x}]", bytes.space);
                    let (width, role) = (Width::W8, Role::General);
                    let (shift, size, bit, bits, extra) = (0, 1, 0, 8, None);
                    all.fields.push(Field {
                        name,
                        location,
                        width,
                        shift,
                        offset,
                        size,
                        bit,
                        bits,
                        role,
                        value,
                        extra,
                    });
                    all.packet += 1;
                    offset += 1;
                }
            }
            for (index, name) in names.iter().enumerate() {
                if !name.is_empty() {
                    let (location, width) = find(name)?;
                    let role = match name {
                        _ if *vector => Role::Vector,
                        _ if *kept => Role::Bits,
                        _ if *name == roles.program_counter => Role::Counter,
                        _ if *addresses || Some(name) == roles.stack_pointer.as_ref() => Role::Address,
                        _ => Role::General,
                    };
                    let (name, extra) = (name.clone(), number.map(|_| all.extra.len()));
                    // A program counter may count words where addresses count bytes.
                    let bits = if role == Role::Counter { 8 * *size as u32 } else { width.bits() };
                    let (size, bit, shift) = (*size, 0, 0);
                    let field =
                        Field { name, location, width, shift, offset, size, bit, bits, role, value, extra };
                    all.push(field)?;
                }
                if let Some(number) = number {
                    all.kept.extend(kept.then_some(all.extra.len()));
                    all.extra.push((number + index as u32, *size));
                } else if all.extra.is_empty() {
                    all.packet += size;
                } else {
                    return Err("registers with numbers come last".to_owned());
                }
                offset += size;
            }
            for part in parts {
                if let Some(name) = &part.context {
                    let when = part.when.iter().map(|(name, value)| Ok((context_field(name)?, *value)));
                    all.contexts.push(ContextBits {
                        offset,
                        size: *size,
                        bit: part.bit,
                        bits: part.bits,
                        field: context_field(name)?,
                        shift: part.shift,
                        when: when.collect::<Result<_, String>>()?,
                    });
                    continue;
                }
                let Some(name) = &part.register else {
                    all.fixed.push((offset, *size, part.bit, part.bits, part.fixed));
                    continue;
                };
                let (location, width) = find(name)?;
                let (name, extra) = (name.clone(), number.map(|_| all.extra.len()));
                let Part { shift, bit, bits, .. } = *part;
                let (size, role) = (*size, Role::Bits);
                let field =
                    Field { name, location, width, shift, offset, size, bit, bits, role, value, extra };
                all.fields.push(field);
            }
            if !parts.is_empty() {
                match number {
                    Some(number) => all.extra.push((*number, *size)),
                    None => all.packet += size,
                }
                offset += size;
            }
            if *control {
                all.control.extend(first..all.extra.len());
            }
        }
        for parity in &description.parity {
            let index = |name: &str| all.fields.iter().position(|field| field.name == name);
            let found = index(&parity.register).zip(index(&parity.of));
            let (register, of) =
                found.ok_or_else(|| format!("`{}` or `{}` is not compared", parity.register, parity.of))?;
            all.parity.push((register, parity.bit, of));
        }
        Ok(all)
    }

    /// Adds a register; a large one is split into pieces of the size of a value.
    fn push(&mut self, field: Field) -> Result<(), String> {
        if field.size <= PIECE {
            let bits = field.bits.min(8 * field.size as u32);
            self.fields.push(Field { bits, ..field });
            return Ok(());
        }
        if self.big {
            return Err(format!("{}: only of a little-endian register the pieces are known", field.name));
        }
        for start in (0..field.size).step_by(PIECE) {
            let size = PIECE.min(field.size - start);
            let name = if start == 0 { field.name.clone() } else { format!("{}[{start}]", field.name) };
            let location = Location { offset: field.location.offset + start as u64, ..field.location };
            let width = Width::of_bytes(size).ok_or("no such width")?;
            let (offset, bits) = (field.offset + start, width.bits());
            self.fields.push(Field { name, location, width, offset, size, bits, ..field });
        }
        Ok(())
    }

    /// If a location is in registers that are compared, or that the processor does not have, returns which of them are
    /// extra ones.
    pub(super) fn shows(&self, place: Location, size: u64) -> Option<Vec<usize>> {
        let mut extra = Vec::new();
        for offset in place.offset..place.offset + size {
            let has = |location: &Location, width: &Width| {
                location.space == place.space
                    && (location.offset..location.offset + width.bytes() as u64).contains(&offset)
            };
            match self.fields.iter().find(|field| has(&field.location, &field.width)) {
                Some(field) => extra.extend(field.extra),
                None if self.scratch.iter().any(|(location, width)| has(location, width)) => {}
                None => return None,
            }
        }
        Some(extra)
    }

    /// Records the values that a case left in registers that cannot be set. `extra` are those that were read.
    pub(super) fn leave(&self, left: &mut [u128], values: &[u128], extra: &[usize]) {
        for ((field, left), value) in self.fields.iter().zip(left).zip(values) {
            if field.extra.is_some_and(|index| self.kept.contains(&index) && extra.contains(&index)) {
                *left = *value;
            }
        }
    }

    /// The value of each field in the executor's bytes.
    pub(super) fn take_apart(&self, bytes: &[u8]) -> Vec<u128> {
        let value = |field: &Field| {
            self.number(&bytes[field.offset..field.offset + field.size]) >> field.bit & mask(field.bits)
        };
        self.fields.iter().map(value).collect()
    }

    /// Whether the executor can be told the context of an instruction.
    pub(super) fn tells_context(&self) -> bool {
        !self.contexts.is_empty()
    }

    /// The bits of the executor's registers that encode the context of an instruction, one number for each group that
    /// applies in this context.
    pub(super) fn context_bits(&self, context: Context) -> Vec<Option<u128>> {
        let value = |field: &ContextField| field.get(sleigh::DecodingContext(context.0));
        let bits = |bits: &ContextBits| {
            let counts = bits.when.iter().all(|(field, wanted)| value(field) == u128::from(*wanted));
            counts.then(|| value(&bits.field) >> bits.shift)
        };
        self.contexts.iter().map(bits).collect()
    }

    /// Whether there are registers that cannot be set.
    pub(super) fn keeps(&self) -> bool {
        !self.kept.is_empty()
    }

    /// Replaces the values of registers that cannot be set by their current ones, `left`.
    pub(super) fn keep(&self, values: &mut [u128], left: &[u128]) {
        for ((field, value), left) in self.fields.iter().zip(values).zip(left) {
            if field.extra.is_some_and(|index| self.kept.contains(&index)) {
                *value = *left;
            }
        }
    }

    /// Encodes these values and context into the executor's bytes; all other bits of `bytes` are unchanged.
    pub(super) fn put_together(&self, bytes: &mut [u8], values: &[u128], context: &[Option<u128>]) {
        for (ContextBits { offset, size, bit, bits, .. }, value) in self.contexts.iter().zip(context) {
            if let Some(value) = value {
                self.set(&mut bytes[*offset..offset + size], *bit, *bits, *value);
            }
        }
        for (offset, size, bit, bits, value) in &self.fixed {
            self.set(&mut bytes[*offset..offset + size], *bit, *bits, u128::from(*value));
        }
        for (field, value) in self.fields.iter().zip(values) {
            self.set(&mut bytes[field.offset..field.offset + field.size], field.bit, field.bits, *value);
        }
    }

    /// Clears an extra register in the executor's bytes.
    pub(super) fn clear(&self, bytes: &mut [u8], extra: usize) {
        let size = |(_, size): &(u32, usize)| *size;
        let offset = self.packet + self.extra[..extra].iter().map(size).sum::<usize>();
        bytes[offset..offset + size(&self.extra[extra])].fill(0);
    }

    fn set(&self, bytes: &mut [u8], bit: u32, bits: u32, value: u128) {
        let old = self.number(bytes) & !(mask(bits) << bit);
        let new = old | (value & mask(bits)) << bit;
        let size = bytes.len();
        if self.big {
            bytes.copy_from_slice(&new.to_be_bytes()[16 - size..]);
        } else {
            bytes.copy_from_slice(&new.to_le_bytes()[..size]);
        }
    }

    fn number(&self, bytes: &[u8]) -> u128 {
        let join = |value: u128, byte: &u8| value << 8 | u128::from(*byte);
        if self.big { bytes.iter().fold(0, join) } else { bytes.iter().rev().fold(0, join) }
    }
}

/// A mask of the lowest bits.
pub(super) fn mask(bits: u32) -> u128 {
    if bits >= 128 { u128::MAX } else { (1 << bits) - 1 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use everypath_lift::Library;

    const DESCRIPTION: &str = r#"
        architecture = "powerpc"
        scratch = ["r2Save"]
        executor = { command = "none" }
        program = { path = "", package = "", step = 4 }
        [[register]]
        size = 4
        names = ["r0", "", "pc"]
        [[register]]
        size = 4
        parts = [{ register = "cr0", bit = 28, bits = 4 }, { fixed = 1, bit = 0 }]
        [[register]]
        size = 8
        number = 71
        vector = true
        names = ["f0"]
    "#;

    fn registers() -> (Registers, std::sync::Arc<Architecture>) {
        let architecture = Library::built_in().load("powerpc").expect("it is built in");
        let description = toml::from_str(DESCRIPTION).expect("a description");
        (Registers::new(&architecture, &description).expect("registers that exist"), architecture)
    }

    #[test]
    fn values_go_where_the_executor_has_them() {
        let (registers, _) = registers();
        assert_eq!((registers.packet, registers.extra.clone()), (16, vec![(71, 8)]));
        let mut bytes = vec![0xee; 24];
        let values = [0x1234_5678, 0x1000, 0xa, 0x3ff0_0000_0000_0000];
        registers.put_together(&mut bytes, &values, &[]);
        let expected =
            [0x12, 0x34, 0x56, 0x78, 0xee, 0xee, 0xee, 0xee, 0, 0, 0x10, 0, 0xae, 0xee, 0xee, 0xef];
        assert_eq!(bytes[..16], expected);
        assert_eq!(registers.take_apart(&bytes), values);
    }

    #[test]
    fn what_is_shown_is_known_byte_by_byte() {
        let (registers, architecture) = registers();
        let shows = |name: &str| {
            let (location, width) = architecture.register(name).expect("a register");
            registers.shows(location, width.bytes() as u64)
        };
        assert_eq!(shows("r0"), Some(vec![]));
        assert_eq!(shows("r2Save"), Some(vec![]));
        assert_eq!(shows("r1"), None);
        assert_eq!(shows("f0").map(|extra| extra.contains(&0)), Some(true));
    }
}
