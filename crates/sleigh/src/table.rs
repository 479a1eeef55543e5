//! The decoding tables of a loaded specification: flat lists that refer to each other by index.

use crate::decision::Decision;
use crate::expression::{Expression, ExpressionId};
use crate::pcode::Varnode;
use crate::template::LazyTemplate;
use std::ops::Range;

/// A range of one of the flat lists.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Span {
    pub(crate) start: u32,
    pub(crate) count: u32,
}

impl Span {
    pub(crate) fn new(start: usize, end: usize) -> Self {
        Self { start: start as u32, count: (end - start) as u32 }
    }

    pub(crate) fn range(self) -> Range<usize> {
        self.start as usize..self.start as usize + self.count as usize
    }
}

/// The definition of a symbol of the specification.
#[derive(Clone, Debug)]
pub(crate) enum Symbol {
    /// A symbol that is declared but never defined, or that decoding does not use.
    Absent,
    /// Nothing; as a value, zero.
    Epsilon,
    /// The number in a field.
    Value(ExpressionId),
    /// A field that indexes a table of numbers.
    ValueMap { index: ExpressionId, values: Vec<i64> },
    /// A field that is printed as a name.
    Names { index: ExpressionId, names: Vec<Option<String>> },
    /// A register or another fixed varnode.
    Varnode(Varnode),
    /// A field that selects a register.
    VarnodeList { index: ExpressionId, varnodes: Vec<Option<u32>> },
    /// An operand of a constructor.
    Operand(Operand),
    /// The address of the instruction.
    Start,
    /// The address of the next instruction.
    End,
    /// The address of the instruction after the next.
    Next2,
    /// A table of constructors, by its number.
    Subtable(u32),
}

/// The definition of an operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Definition {
    /// A constructor of this table.
    Subtable(u32),
    /// This symbol.
    Symbol(u32),
    /// The value of an expression.
    Expression(ExpressionId),
    /// Missing: an error in the file, reported only when the operand is used.
    Nothing,
}

/// An operand of a constructor: its definition and the start of its bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Operand {
    pub(crate) definition: Definition,
    /// The operand after whose end this one starts; `None` for the start of the constructor.
    pub(crate) after: Option<u16>,
    pub(crate) offset: u32,
    pub(crate) minimum_length: u32,
    /// Its position in its constructor.
    pub(crate) position: u16,
}

/// A context change made when a constructor is selected.
#[derive(Clone, Copy, Debug)]
pub(crate) enum ContextChange {
    /// Sets bits of the context for the rest of this instruction's decoding.
    Set { mask: u128, shift: u32, value: ExpressionId },
    /// Commits bits of the context to the address that a symbol gives.
    Commit { symbol: u32, mask: u128, flows: bool },
}

/// A piece of a constructor's disassembly text.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Piece {
    Text(Span),
    Operand(u16),
}

/// A constructor: one line of the specification.
#[derive(Clone, Debug, Default)]
pub(crate) struct Constructor {
    pub(crate) operands: Span,
    pub(crate) minimum_length: u32,
    pub(crate) changes: Span,
    pub(crate) template: Option<u32>,
    /// Templates of named sections, by section number.
    pub(crate) named: Vec<Option<u32>>,
    pub(crate) pieces: Span,
    /// The piece at which the mnemonic ends; `None` if all of it is mnemonic.
    pub(crate) mnemonic_end: Option<usize>,
    /// The operand whose text is the text of the whole constructor.
    pub(crate) flow_through: Option<u16>,
    /// Whether the constructor uses `inst_next2`, the address of the instruction after the next.
    pub(crate) uses_next2: bool,
}

impl Constructor {
    /// Its templates: that of the constructor itself and those of its named sections.
    pub(crate) fn templates(&self) -> impl Iterator<Item = u32> {
        self.template.into_iter().chain(self.named.iter().copied().flatten())
    }
}

/// A table of constructors.
#[derive(Clone, Debug, Default)]
pub(crate) struct Subtable {
    pub(crate) name: String,
    pub(crate) constructors: Span,
    pub(crate) root: Option<u32>,
}

/// All tables.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tables {
    pub(crate) symbols: Vec<Symbol>,
    /// The names of the symbols.
    pub(crate) names: Vec<Span>,
    pub(crate) subtables: Vec<Subtable>,
    pub(crate) constructors: Vec<Constructor>,
    pub(crate) operands: Vec<Operand>,
    pub(crate) pieces: Vec<Piece>,
    /// The names of the symbols and the texts of the pieces, one after the other: there are some 40,000.
    texts: String,
    pub(crate) changes: Vec<ContextChange>,
    pub(crate) expressions: Vec<Expression>,
    pub(crate) decisions: Vec<Decision>,
    pub(crate) patterns: Vec<crate::decision::Pattern>,
    pub(crate) templates: Vec<LazyTemplate>,
    /// The elements of the templates, as in the file.
    pub(crate) encoded_templates: Vec<u8>,
}

impl Tables {
    pub(crate) fn add_text(&mut self, text: &str) -> Span {
        let first = self.texts.len();
        self.texts.push_str(text);
        Span::new(first, self.texts.len())
    }

    pub(crate) fn text(&self, span: Span) -> &str {
        &self.texts[span.range()]
    }

    pub(crate) fn name(&self, symbol: u32) -> &str {
        self.text(self.names[symbol as usize])
    }

    pub(crate) fn operands_of(&self, constructor: u32) -> &[Operand] {
        &self.operands[self.constructors[constructor as usize].operands.range()]
    }
}
