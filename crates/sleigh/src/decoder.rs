//! The decoder: the scratch memory of one thread over a shared specification.

use crate::bad::BadInstruction;
use crate::context::{Commit, DecodingContext};
use crate::emit::{Output, emit};
use crate::handle;
use crate::parse::Parse;
use crate::pcode::{Operation, Varnode};
use crate::print::Printer;
use crate::specification::Specification;
use std::fmt::{self, Write};

/// The maximum number of instructions whose p-code is combined into one: delay slots and cross-builds.
const COMPANION_LIMIT: usize = 64;

/// Buffers that are reused for each instruction.
#[derive(Debug)]
pub(crate) struct Scratch {
    /// The instruction itself, then those in its delay slots or cross-built into it.
    pub(crate) parses: Vec<Parse>,
    pub(crate) used: usize,
    pub(crate) delay_slots: Vec<usize>,
    pub(crate) commits: Vec<Commit>,
    pub(crate) output: Output,
    /// The inputs of the current operation.
    pub(crate) inputs: Vec<Varnode>,
    /// The length with delay slots.
    pub(crate) length: u32,
}

/// The source of instructions: the bytes from one address on.
#[derive(Clone, Copy)]
pub(crate) struct Source<'s> {
    pub(crate) specification: &'s Specification,
    bytes: &'s [u8],
    address: u64,
    context: DecodingContext,
    default: DecodingContext,
}

impl Source<'_> {
    /// Parses a further instruction whose p-code is part of the current one, and returns its index.
    pub(crate) fn companion(self, scratch: &mut Scratch, address: u64) -> Result<usize, BadInstruction> {
        let number = self.parse_companion(scratch, address)?;
        handle::resolve(self.specification, &mut scratch.parses[number])?;
        let Scratch { parses, commits, .. } = scratch;
        handle::commits(self.specification, &parses[number], commits)?;
        Ok(number)
    }

    fn parse_companion(self, scratch: &mut Scratch, address: u64) -> Result<usize, BadInstruction> {
        let distance = address.wrapping_sub(self.address);
        let bytes = usize::try_from(distance).ok().and_then(|distance| self.bytes.get(distance..));
        let bytes = bytes.ok_or(BadInstruction::Truncated)?;
        if scratch.used >= COMPANION_LIMIT {
            return Err(BadInstruction::TooComplex);
        }
        let number = scratch.used;
        if scratch.parses.len() == number {
            scratch.parses.push(Parse::empty());
        }
        scratch.used += 1;
        let context =
            self.specification.successor_context(self.context, self.default, &scratch.commits, address);
        let parsed = scratch.parses[number].run(self.specification, bytes, address, context);
        match parsed {
            Ok(()) => Ok(number),
            Err(BadInstruction::Truncated) => Err(BadInstruction::Truncated),
            Err(_) => Err(BadInstruction::Companion),
        }
    }
}

/// Decodes instructions, one after the other. Make one for each thread.
#[derive(Debug)]
pub struct Decoder<'s> {
    specification: &'s Specification,
    default: DecodingContext,
    scratch: Scratch,
}

impl<'s> Decoder<'s> {
    pub(crate) fn new(specification: &'s Specification, default: DecodingContext) -> Self {
        let scratch = Scratch {
            parses: vec![Parse::empty()],
            used: 1,
            delay_slots: Vec::new(),
            commits: Vec::new(),
            output: Output::default(),
            inputs: Vec::new(),
            length: 0,
        };
        Self { specification, default, scratch }
    }

    /// Decodes the instruction at the start of `bytes`, whose first byte is at `address` (in bytes).
    ///
    /// Pass the bytes after the instruction, too, if there are any: a delay slot, or a skip over the next instruction,
    /// needs them. 64 bytes are enough for every known processor.
    pub fn decode(
        &mut self,
        bytes: &[u8],
        address: u64,
        context: DecodingContext,
    ) -> Result<Instruction<'_>, BadInstruction> {
        let source =
            Source { specification: self.specification, bytes, address, context, default: self.default };
        self.prepare(source)?;
        let scratch = &mut self.scratch;
        scratch.output.clear();
        emit(source, scratch)?;
        Ok(Instruction { specification: self.specification, scratch: &self.scratch })
    }

    /// Decodes without p-code, for disassembly.
    pub fn disassemble(
        &mut self,
        bytes: &[u8],
        address: u64,
        context: DecodingContext,
    ) -> Result<Instruction<'_>, BadInstruction> {
        self.prepare(Source {
            specification: self.specification,
            bytes,
            address,
            context,
            default: self.default,
        })?;
        self.scratch.output.clear();
        Ok(Instruction { specification: self.specification, scratch: &self.scratch })
    }

    /// Parses the instruction and its companions, so that p-code can be generated.
    fn prepare(&mut self, source: Source<'_>) -> Result<(), BadInstruction> {
        let specification = self.specification;
        if specification.alignment > 1 && !source.address.is_multiple_of(u64::from(specification.alignment)) {
            return Err(BadInstruction::Unaligned);
        }
        let scratch = &mut self.scratch;
        scratch.used = 1;
        scratch.delay_slots.clear();
        scratch.commits.clear();
        scratch.parses[0].run(specification, source.bytes, source.address, source.context)?;
        scratch.length = scratch.parses[0].length;
        if scratch.parses[0].uses_next2 {
            let next = scratch.parses[0].next;
            let after = source.parse_companion(scratch, next)?;
            scratch.parses[0].next2 = Some(scratch.parses[after].next);
        }
        handle::resolve(specification, &mut scratch.parses[0])?;
        let Scratch { parses, commits, .. } = scratch;
        handle::commits(specification, &parses[0], commits)?;
        let delay = scratch.parses[0].delay;
        let mut taken = 0;
        while taken < delay {
            let address = source.address.wrapping_add(u64::from(scratch.length));
            let number = source.companion(scratch, specification.code_space().wrap(address))?;
            let length = scratch.parses[number].length;
            if length == 0 {
                return Err(BadInstruction::Companion);
            }
            scratch.delay_slots.push(number);
            scratch.length += length;
            taken += length;
        }
        if delay > 0 {
            let next = source.address.wrapping_add(u64::from(scratch.length));
            scratch.parses[0].fall = specification.code_space().wrap(next);
        }
        Ok(())
    }
}

/// A decoded instruction; it borrows the decoder until the next one is decoded.
#[derive(Clone, Copy, Debug)]
pub struct Instruction<'d> {
    specification: &'d Specification,
    scratch: &'d Scratch,
}

impl<'d> Instruction<'d> {
    /// Its address.
    pub fn address(&self) -> u64 {
        self.scratch.parses[0].address
    }

    /// Its length in bytes, without delay slots.
    pub fn length(&self) -> u32 {
        self.scratch.parses[0].length
    }

    /// Its length in bytes, with delay slots.
    pub fn full_length(&self) -> u32 {
        self.scratch.length
    }

    /// Address and length of each instruction in its delay slots.
    pub fn delay_slots(&self) -> impl Iterator<Item = (u64, u32)> + use<'d> {
        let Scratch { parses, delay_slots, .. } = self.scratch;
        delay_slots.iter().map(|slot| (parses[*slot].address, parses[*slot].length))
    }

    /// Its p-code, including that of its delay slots. Empty after [`Decoder::disassemble`].
    pub fn operations(&self) -> impl ExactSizeIterator<Item = Operation<'d>> + use<'d> {
        let Output { operations, varnodes, .. } = &self.scratch.output;
        operations.iter().map(move |operation| operation.view(varnodes))
    }

    /// The context changes it makes for itself and other addresses.
    pub fn commits(&self) -> &'d [Commit] {
        &self.scratch.commits
    }

    fn printer(&self) -> Printer<'d> {
        Printer { tables: &self.specification.tables, parse: &self.scratch.parses[0] }
    }

    /// Its mnemonic.
    pub fn mnemonic(&self) -> String {
        let mut text = String::new();
        // Writing to a string cannot fail.
        let _ = self.printer().mnemonic(&mut text);
        text
    }

    /// Writes its disassembly text: mnemonic, a blank, operands.
    pub fn write_text(&self, out: &mut dyn Write) -> fmt::Result {
        let printer = self.printer();
        printer.mnemonic(out)?;
        let mut body = String::new();
        printer.body(&mut body)?;
        if body.is_empty() { Ok(()) } else { write!(out, " {body}") }
    }

    /// Its disassembly text.
    pub fn text(&self) -> String {
        let mut text = String::new();
        let _ = self.write_text(&mut text);
        text
    }
}
