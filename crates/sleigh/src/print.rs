//! The disassembly text of a parsed instruction.

use crate::expression::Evaluator;
use crate::parse::{Parse, entry};
use crate::table::{Constructor, Definition, Piece, Symbol, Tables};
use std::fmt::{self, Write};

/// Writes the text of one parsed instruction.
pub(crate) struct Printer<'t> {
    pub(crate) tables: &'t Tables,
    pub(crate) parse: &'t Parse,
}

impl Printer<'_> {
    fn constructor(&self, node: u32) -> Option<&Constructor> {
        let constructor = self.parse.nodes[node as usize].constructor?;
        self.tables.constructors.get(constructor as usize)
    }

    /// The node whose text replaces that of `node`: a constructor whose text is one operand delegates to it.
    fn speaker(&self, node: u32) -> u32 {
        let mut node = node;
        while let Some(definition) = self.constructor(node)
            && let Some(operand) = definition.flow_through
            && let child = self.parse.nodes[node as usize].children + u32::from(operand)
            && self.parse.nodes[child as usize].constructor.is_some()
        {
            node = child;
        }
        node
    }

    pub(crate) fn mnemonic(&self, out: &mut dyn Write) -> fmt::Result {
        let node = self.speaker(0);
        let Some(definition) = self.constructor(node) else { return Ok(()) };
        let pieces = &self.tables.pieces[definition.pieces.range()];
        self.pieces(node, &pieces[..definition.mnemonic_end.unwrap_or(pieces.len())], out)
    }

    pub(crate) fn body(&self, out: &mut dyn Write) -> fmt::Result {
        let node = self.speaker(0);
        let Some(definition) = self.constructor(node) else { return Ok(()) };
        let Some(end) = definition.mnemonic_end else { return Ok(()) };
        let pieces = &self.tables.pieces[definition.pieces.range()];
        self.pieces(node, pieces.get(end + 1..).unwrap_or(&[]), out)
    }

    fn pieces(&self, node: u32, pieces: &[Piece], out: &mut dyn Write) -> fmt::Result {
        for piece in pieces {
            match piece {
                Piece::Text(text) => out.write_str(self.tables.text(*text))?,
                Piece::Operand(position) => self.operand(node, *position, out)?,
            }
        }
        Ok(())
    }

    fn operand(&self, node: u32, position: u16, out: &mut dyn Write) -> fmt::Result {
        let parent = &self.parse.nodes[node as usize];
        let Some(constructor) = parent.constructor else { return Ok(()) };
        let Some(operand) = self.tables.operands_of(constructor).get(usize::from(position)) else {
            return Ok(());
        };
        let child = parent.children + u32::from(position);
        let evaluator = Evaluator { tables: self.tables, parse: self.parse };
        let value = |index| evaluator.at_node(index, child).unwrap_or(0);
        match operand.definition {
            Definition::Subtable(_) => {
                let Some(definition) = self.constructor(child) else { return Ok(()) };
                self.pieces(child, &self.tables.pieces[definition.pieces.range()], out)
            }
            Definition::Expression(expression) => number(value(expression), out),
            Definition::Nothing => Ok(()),
            Definition::Symbol(symbol) => match &self.tables.symbols[symbol as usize] {
                Symbol::Epsilon => out.write_char('0'),
                Symbol::Value(index) => number(value(*index), out),
                Symbol::ValueMap { index, values } => {
                    number(entry(values, value(*index)).copied().unwrap_or(0), out)
                }
                Symbol::Names { index, names } => {
                    out.write_str(entry(names, value(*index)).and_then(Option::as_deref).unwrap_or("?"))
                }
                Symbol::Varnode(_) => out.write_str(self.tables.name(symbol)),
                Symbol::VarnodeList { index, varnodes } => {
                    match entry(varnodes, value(*index)).copied().flatten() {
                        Some(chosen) => out.write_str(self.tables.name(chosen)),
                        None => out.write_char('?'),
                    }
                }
                Symbol::Start => number(self.parse.address as i64, out),
                Symbol::End => number(self.parse.next as i64, out),
                Symbol::Next2 => number(self.parse.next2.unwrap_or(0) as i64, out),
                Symbol::Absent | Symbol::Operand(_) | Symbol::Subtable(_) => Ok(()),
            },
        }
    }
}

fn number(value: i64, out: &mut dyn Write) -> fmt::Result {
    let sign = if value < 0 { "-" } else { "" };
    write!(out, "{sign}{:#x}", value.unsigned_abs())
}
