//! Instructions of a program: their text and delay slots.

use everypath_ir::Context;
use everypath_lift::Architecture;
use everypath_machine::Memory;
use everypath_sleigh as sleigh;
use std::collections::HashMap;

/// An instruction.
#[derive(Clone, Debug)]
pub(super) struct Shape {
    pub(super) text: String,
    /// The addresses of the instructions in its delay slots, which are run as part of it.
    pub(super) slots: Vec<u64>,
}

/// Decodes instructions, each once.
pub(super) struct Shapes<'a> {
    architecture: &'a Architecture,
    known: HashMap<(u64, Context), Shape>,
}

/// The number of bytes that are decoded.
const WINDOW: u64 = 32;

impl<'a> Shapes<'a> {
    pub(super) fn new(architecture: &'a Architecture) -> Self {
        Self { architecture, known: HashMap::new() }
    }

    /// The instruction at an address.
    pub(super) fn at(&mut self, memory: &Memory, address: u64, context: Context) -> &Shape {
        self.known.entry((address, context)).or_insert_with(|| {
            let bytes: Vec<u8> =
                (0..WINDOW).map(|distance| memory.peek(address.wrapping_add(distance))).collect();
            let context = sleigh::DecodingContext(context.0);
            let mut decoder = self.architecture.specification().decoder_from(context);
            match decoder.decode(&bytes, address, context) {
                Ok(instruction) => Shape {
                    text: instruction.text(),
                    slots: instruction.delay_slots().map(|(address, _)| address).collect(),
                },
                Err(bad) => Shape { text: bad.to_string(), slots: Vec::new() },
            }
        })
    }
}
