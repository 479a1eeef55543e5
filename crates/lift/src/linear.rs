//! Linear-sweep disassembly (Schwarz, Debray and Andrews 2002), guided by the map of code and data.

use crate::architecture::Architecture;
use crate::code_map::{CodeMap, Mark};
use everypath_ir::Context;
use everypath_sleigh::{self as sleigh, BadInstruction, Decoder, Instruction};

/// The number of bytes given to the decoder for one instruction: itself, its delay slots, and the instruction after it.
const WINDOW: usize = 64;

/// The size in bytes of one data item.
const DATA: usize = 4;

/// Contiguous bytes.
#[derive(Clone, Copy, Debug)]
pub struct Stretch<'b> {
    /// The address of the first.
    pub start: u64,
    /// The bytes.
    pub bytes: &'b [u8],
    /// The start of the section or segment: marks before it do not apply to these bytes.
    pub floor: u64,
}

/// One item of a disassembly.
#[derive(Debug)]
pub struct Item<'i> {
    /// The address.
    pub address: u64,
    /// Its bytes.
    pub bytes: &'i [u8],
    /// The kind of the item.
    pub kind: ItemKind<'i>,
}

/// The kinds of items.
#[derive(Debug)]
pub enum ItemKind<'i> {
    /// An instruction, with the reason if p-code was requested but there is none.
    Instruction(Instruction<'i>, Option<BadInstruction>),
    /// No instruction.
    Bad(BadInstruction),
    /// Data, according to the map.
    Data,
}

/// A linear-sweep disassembler.
#[derive(Debug)]
pub struct LinearSweep<'a> {
    architecture: &'a Architecture,
    map: &'a CodeMap<'a>,
    decoder: Decoder<'a>,
    p_code: bool,
}

impl<'a> LinearSweep<'a> {
    /// A sweep, with p-code or without.
    pub fn new(architecture: &'a Architecture, map: &'a CodeMap<'a>, p_code: bool) -> Self {
        let default = sleigh::DecodingContext(architecture.default_context().0);
        let decoder = architecture.specification().decoder_from(default);
        Self { architecture, map, decoder, p_code }
    }

    /// Disassembles some bytes and visits each item, until the end or until `visit` fails.
    ///
    /// # Errors
    /// The error of `visit`.
    pub fn run<E>(
        &mut self,
        stretch: &Stretch<'_>,
        mut visit: impl FnMut(&Item<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut mark = self.map.at(stretch.start, stretch.floor);
        let mut coming = self.map.after(stretch.start).iter().peekable();
        let mut done = 0;
        while done < stretch.bytes.len() {
            let address = stretch.start.wrapping_add(done as u64);
            let rest = &stretch.bytes[done..];
            let length = match mark {
                Mark::Data => {
                    let next = coming.peek().and_then(|(next, _)| usize::try_from(next - address).ok());
                    let length = DATA.min(rest.len()).min(next.unwrap_or(DATA));
                    visit(&Item { address, bytes: &rest[..length], kind: ItemKind::Data })?;
                    length
                }
                Mark::Code(context) => {
                    let (length, context) = self.code(address, rest, context, &mut visit)?;
                    mark = Mark::Code(context);
                    length
                }
            };
            done += length;
            let reached = stretch.start.wrapping_add(done as u64);
            while let Some((_, passed)) = coming.next_if(|(next, _)| *next <= reached) {
                mark = *passed;
            }
        }
        Ok(())
    }

    /// Visits the item at the start of `rest`; returns its length and the context after it.
    fn code<E>(
        &mut self,
        address: u64,
        rest: &[u8],
        context: Context,
        visit: &mut impl FnMut(&Item<'_>) -> Result<(), E>,
    ) -> Result<(usize, Context), E> {
        let architecture = self.architecture;
        let window = &rest[..rest.len().min(WINDOW)];
        let decoding = sleigh::DecodingContext(context.0);
        let mut show = |instruction: Instruction<'_>, no_p_code| {
            let length = (instruction.length() as usize).clamp(1, rest.len());
            visit(&Item {
                address,
                bytes: &rest[..length],
                kind: ItemKind::Instruction(instruction, no_p_code),
            })?;
            let next = address.wrapping_add(length as u64);
            Ok((length, architecture.successor_context(context, instruction.commits(), next)))
        };
        let mut no_p_code = None;
        if self.p_code {
            match self.decoder.decode(window, address, decoding) {
                Ok(instruction) => return show(instruction, None),
                Err(bad) => no_p_code = Some(bad),
            }
        }
        let bad = match self.decoder.disassemble(window, address, decoding) {
            Ok(instruction) => return show(instruction, no_p_code),
            Err(bad) => bad,
        };
        let alignment = u64::from(architecture.specification().alignment().max(1));
        let length = ((alignment - address % alignment) as usize).min(rest.len());
        visit(&Item { address, bytes: &rest[..length], kind: ItemKind::Bad(bad) })?;
        Ok((length, architecture.successor_context(context, &[], address.wrapping_add(length as u64))))
    }
}
