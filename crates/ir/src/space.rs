//! Address spaces and user operations, to which blocks refer by number.

use std::fmt;
use std::ops::Index;

use crate::Width;

/// The index of a space in its [`Layout`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct SpaceId(pub u8);

/// The kinds of address space, by the side effects of an access.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum SpaceKind {
    /// Memory that the guest addresses: an access may fault or reach a memory-mapped device, so every access is
    /// observable.
    Memory,
    /// Registers: an access has no side effect, and nothing outside the block changes them while it runs.
    Register,
    /// Registers that live only within one instruction; their contents are undefined after it. Only blocks that are
    /// parts of one instruction (see [`crate::Place`]) pass them on.
    Temporary,
}

impl SpaceKind {
    /// Every kind.
    pub const ALL: [SpaceKind; 3] = [SpaceKind::Memory, SpaceKind::Register, SpaceKind::Temporary];

    /// The word in the text form.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            SpaceKind::Memory => "memory",
            SpaceKind::Register => "register",
            SpaceKind::Temporary => "temporary",
        }
    }
}

impl fmt::Display for SpaceKind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

/// The order of the bytes of a value in a space.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Endian {
    /// The least significant byte comes first.
    Little,
    /// The most significant byte comes first.
    Big,
}

impl Endian {
    /// Every order.
    pub const ALL: [Endian; 2] = [Endian::Little, Endian::Big];

    /// The word in the text form.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Endian::Little => "little",
            Endian::Big => "big",
        }
    }

    /// Decodes at most eight bytes in this order.
    ///
    /// ```
    /// use everypath_ir::Endian;
    /// assert_eq!(Endian::Little.number(&[0x33, 0x22]), 0x2233);
    /// assert_eq!(Endian::Big.number(&[0x11, 0x22, 0x33]), 0x11_2233);
    /// ```
    #[inline]
    #[must_use]
    pub fn number(self, bytes: &[u8]) -> u64 {
        // Each usual size compiles to one instruction; copying another number of bytes is a call.
        let value = match *bytes {
            [a] => u64::from(a),
            [a, b] => u64::from(u16::from_le_bytes([a, b])),
            [a, b, c, d] => u64::from(u32::from_le_bytes([a, b, c, d])),
            [a, b, c, d, e, f, g, h] => u64::from_le_bytes([a, b, c, d, e, f, g, h]),
            _ => bytes.iter().rev().fold(0, |number, byte| number << 8 | u64::from(*byte)),
        };
        match self {
            Endian::Little => value,
            Endian::Big if bytes.is_empty() => 0,
            Endian::Big => value.swap_bytes() >> (64 - 8 * bytes.len() as u32),
        }
    }

    /// The offset in memory of a byte of a value, where `byte` counts from the least significant one.
    ///
    /// ```
    /// use everypath_ir::Endian;
    /// assert_eq!(Endian::Little.place(0, 4), 0);
    /// assert_eq!(Endian::Big.place(0, 4), 3);
    /// ```
    #[inline]
    #[must_use]
    pub const fn place(self, byte: usize, size: usize) -> usize {
        match self {
            Endian::Little => byte,
            Endian::Big => size - 1 - byte,
        }
    }

    /// So many bytes that hold a number in this order; those beyond the eighth are zero.
    ///
    /// ```
    /// use everypath_ir::Endian;
    /// assert_eq!(Endian::Little.bytes(0x1122, 3), [0x22, 0x11, 0]);
    /// assert_eq!(Endian::Big.bytes(0x11_2233, 2), [0x22, 0x33]);
    /// ```
    #[must_use]
    pub fn bytes(self, number: u64, size: usize) -> Vec<u8> {
        let mut bytes = vec![0; size];
        for (byte, value) in number.to_le_bytes().into_iter().enumerate().take(size) {
            bytes[self.place(byte, size)] = value;
        }
        bytes
    }

    /// Encodes the low bytes of a number in this order, as many as `room` holds, at most eight.
    ///
    /// ```
    /// use everypath_ir::Endian;
    /// let mut bytes = [0; 2];
    /// Endian::Big.put(0x11_2233, &mut bytes);
    /// assert_eq!(bytes, [0x22, 0x33]);
    /// ```
    #[inline]
    pub fn put(self, number: u64, room: &mut [u8]) {
        let value = match self {
            Endian::Little => number,
            Endian::Big if room.is_empty() => return,
            Endian::Big => number.swap_bytes() >> (64 - 8 * room.len() as u32),
        };
        match room {
            [a] => *a = value as u8,
            [a, b] => [*a, *b] = (value as u16).to_le_bytes(),
            [a, b, c, d] => [*a, *b, *c, *d] = (value as u32).to_le_bytes(),
            [a, b, c, d, e, f, g, h] => [*a, *b, *c, *d, *e, *f, *g, *h] = value.to_le_bytes(),
            _ => {
                for (byte, from) in room.iter_mut().zip(value.to_le_bytes()) {
                    *byte = from;
                }
            }
        }
    }
}

impl fmt::Display for Endian {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

/// A flat, byte-addressed address space.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Space {
    /// The name, unique in its layout; see [`is_plain_name`].
    pub name: String,
    /// The kind of the space.
    pub kind: SpaceKind,
    /// The order of the bytes of a value.
    pub endian: Endian,
    /// The width of an address.
    pub address: Width,
    /// The size in bytes of the *processor's* addressable unit: 2 where code addresses count words. Offsets and
    /// addresses in blocks always count bytes.
    pub unit: u8,
}

impl Space {
    /// The width of an offset in bytes, which needs more bits than an address where one address spans several bytes.
    #[must_use]
    pub fn offset_width(&self) -> Width {
        let bits = self.address.bits() + u32::from(self.unit.max(1)).next_power_of_two().ilog2();
        // Offsets are `u64`.
        Width::new(bits).unwrap_or(Width::W64).min(Width::W64)
    }

    /// The number of bytes that can be addressed.
    #[must_use]
    pub fn size(&self) -> u128 {
        // No address is wider than 64 bits: offsets are `u64`.
        (u128::from(self.unit.max(1)) << self.address.bits().min(64)).min(1 << 64)
    }
}

/// The address spaces of a processor and the names of its user operations.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Layout {
    /// The spaces, by [`SpaceId`].
    pub spaces: Vec<Space>,
    /// The names of user operations, by number.
    pub user_operations: Vec<String>,
    /// Registers whose every write is kept, even if it is overwritten before it is read. Observers watch them, for
    /// example the stack pointer.
    pub watched: Vec<crate::Location>,
}

impl Layout {
    /// The space with this index.
    #[must_use]
    pub fn space(&self, id: SpaceId) -> Option<&Space> {
        self.spaces.get(usize::from(id.0))
    }

    /// The index of the space with this name.
    #[must_use]
    pub fn find_space(&self, name: &str) -> Option<SpaceId> {
        let index = self.spaces.iter().position(|space| space.name == name)?;
        u8::try_from(index).ok().map(SpaceId)
    }
}

/// The space with an index that comes from this layout; [`Layout::space`] takes any index.
///
/// # Panics
/// If the layout has no such space.
impl Index<SpaceId> for Layout {
    type Output = Space;

    #[inline]
    fn index(&self, id: SpaceId) -> &Space {
        &self.spaces[usize::from(id.0)]
    }
}

/// Whether a name is valid in the text form: letters, digits, `_`, `.` and `$`, not beginning with a digit.
#[must_use]
pub fn is_plain_name(name: &str) -> bool {
    !name.is_empty()
        && !name.starts_with(|first: char| first.is_ascii_digit())
        && name.bytes().all(is_name_byte)
}

/// Whether a byte can be part of a plain name.
pub(crate) fn is_name_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'$')
}
