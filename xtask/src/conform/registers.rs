//! The executor's registers and ours: which bits of the one are which register of the other.

use super::description::{Description, Part, RegisterGroup};
use everypath_ir::{Context, Location, Width};
use everypath_lift::Architecture;
use everypath_sleigh::{self as sleigh, ContextField};

/// How many bytes a value has at most.
const PIECE: usize = 16;

/// A register of ours that the executor shows.
#[derive(Clone, Debug)]
pub(super) struct Field {
    /// Our name.
    pub(super) name: String,
    pub(super) location: Location,
    pub(super) width: Width,
    /// How many of its low bits the executor does not show here.
    pub(super) shift: u32,
    /// Where the executor's register starts among the bytes of all of them.
    offset: usize,
    /// How many bytes it has.
    size: usize,
    /// The lowest bit in it.
    bit: u32,
    /// How many bits.
    pub(super) bits: u32,
    pub(super) role: Role,
    /// Its index among the registers that cost extra time to read and set.
    pub(super) extra: Option<usize>,
}

impl Field {
    /// Whether our register has further bits.
    pub(super) fn is_part(&self) -> bool {
        self.role == Role::Bits && self.bits < self.width.bits()
    }
}

/// What values a register is given.
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

/// All registers.
#[derive(Clone, Debug)]
pub(super) struct Registers {
    pub(super) fields: Vec<Field>,
    /// Bits with a fixed value: offset, size, lowest bit, number of bits, value.
    fixed: Vec<(usize, usize, u32, u32, u64)>,
    /// Bits of context fields: offset, size, lowest bit, number of bits, field, how many of its bits are left out.
    contexts: Vec<(usize, usize, u32, u32, ContextField, u32)>,
    /// What context fields must be for the executor to be told the context.
    follows: Vec<(ContextField, u64)>,
    big: bool,
    /// How many bytes all of them have, without the extra ones.
    pub(super) packet: usize,
    /// Number and size of the extra ones.
    pub(super) extra: Vec<(u32, usize)>,
    /// Which of the extra ones decide what other instructions do.
    pub(super) control: Vec<usize>,
    /// Where registers lie that the processor does not have.
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
            fixed: Vec::new(),
            contexts: Vec::new(),
            follows: Vec::new(),
            big: architecture.specification().is_big_endian(),
            packet: 0,
            extra: Vec::new(),
            control: Vec::new(),
            scratch: description.scratch.iter().map(|name| find(name)).collect::<Result<_, _>>()?,
        };
        for (name, value) in &description.executor.follows {
            let field = architecture.specification().context_field(name).cloned();
            let field = field.ok_or_else(|| format!("there is no context field `{name}`"))?;
            all.follows.push((field, *value));
        }
        let mut offset = 0;
        for group in &description.registers {
            let RegisterGroup { size, names, parts, vector, control, addresses, number } = group;
            let first = all.extra.len();
            for (index, name) in names.iter().enumerate() {
                if !name.is_empty() {
                    let (location, width) = find(name)?;
                    let role = match name {
                        _ if *vector => Role::Vector,
                        _ if *name == roles.program_counter => Role::Counter,
                        _ if *addresses || Some(name) == roles.stack_pointer.as_ref() => Role::Address,
                        _ => Role::General,
                    };
                    let extra = number.map(|_| all.extra.len());
                    all.push(name, (location, width), offset, *size, role, extra)?;
                }
                if let Some(number) = number {
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
                    let field = architecture.specification().context_field(name).cloned();
                    let field = field.ok_or_else(|| format!("there is no context field `{name}`"))?;
                    all.contexts.push((offset, *size, part.bit, part.bits, field, part.shift));
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
                all.fields.push(Field { name, location, width, shift, offset, size, bit, bits, role, extra });
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
        Ok(all)
    }

    /// Adds a register; a large one in pieces of the size of a value.
    fn push(
        &mut self,
        name: &str,
        (location, width): (Location, Width),
        offset: usize,
        size: usize,
        role: Role,
        extra: Option<usize>,
    ) -> Result<(), String> {
        if size > PIECE && self.big {
            return Err(format!("{name}: only of a little-endian register the pieces are known"));
        }
        for start in (0..size).step_by(PIECE) {
            let size = PIECE.min(size - start);
            let whole = start == 0 && size >= width.bytes();
            let name = if start == 0 { name.to_owned() } else { format!("{name}[{start}]") };
            let location = Location { offset: location.offset + start as u64, ..location };
            let width = if whole { width } else { Width::of_bytes(size).ok_or("no such width")? };
            let bits = width.bits().min(8 * size as u32);
            let offset = offset + start;
            let (bit, shift) = (0, 0);
            self.fields.push(Field { name, location, width, shift, offset, size, bit, bits, role, extra });
        }
        Ok(())
    }

    /// Whether a place lies in registers that are compared, or that the processor does not have; and if it does, which
    /// of them cost extra time.
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

    /// The value of each field in the executor's bytes.
    pub(super) fn take_apart(&self, bytes: &[u8]) -> Vec<u128> {
        let value = |field: &Field| {
            self.number(&bytes[field.offset..field.offset + field.size]) >> field.bit & mask(field.bits)
        };
        self.fields.iter().map(value).collect()
    }

    /// Whether the executor can be told this context of an instruction.
    pub(super) fn follows_context(&self, context: Context) -> bool {
        let has = |(field, value): &(ContextField, u64)| {
            field.get(sleigh::Context(context.0)) == u128::from(*value)
        };
        !self.contexts.is_empty() && self.follows.iter().all(has)
    }

    /// The bits of the executor's registers that tell it the context of an instruction, one number for each group of them.
    pub(super) fn context_bits(&self, context: Context) -> Vec<u128> {
        let bits = |(.., field, shift): &(usize, usize, u32, u32, ContextField, u32)| {
            field.get(sleigh::Context(context.0)) >> shift
        };
        self.contexts.iter().map(bits).collect()
    }

    /// The executor's bytes with these values and context; what is no field stays as it is in `bytes`.
    pub(super) fn put_together(&self, bytes: &mut [u8], values: &[u128], context: &[u128]) {
        for ((offset, size, bit, bits, ..), value) in self.contexts.iter().zip(context) {
            self.set(&mut bytes[*offset..offset + size], *bit, *bits, *value);
        }
        for (offset, size, bit, bits, value) in &self.fixed {
            self.set(&mut bytes[*offset..offset + size], *bit, *bits, u128::from(*value));
        }
        for (field, value) in self.fields.iter().zip(values) {
            self.set(&mut bytes[field.offset..field.offset + field.size], field.bit, field.bits, *value);
        }
    }

    /// Makes an extra register zero in the executor's bytes.
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

/// The lowest bits.
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
