//! The decoding tables of a loaded specification: flat lists that refer to each other by index.

use crate::decision::Decision;
use crate::expression::{Expression, ExpressionId};
use crate::pcode::Varnode;
use crate::template::{HandleTemplate, OperationTemplate, Template, VarnodeTemplate};
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

/// What a symbol of the specification stands for.
#[derive(Clone, Debug)]
pub(crate) enum Symbol {
    /// A symbol that was announced but never defined, or one of no use in decoding.
    Absent,
    /// Nothing; as a value, zero.
    Epsilon,
    /// The number in a field.
    Value(ExpressionId),
    /// The number that a table gives for a field.
    ValueMap { index: ExpressionId, values: Vec<i64> },
    /// A field that is printed as a name.
    Names { index: ExpressionId, names: Vec<Option<String>> },
    /// A register or another fixed place.
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

/// What defines an operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Definition {
    /// A constructor of this table.
    Subtable(u32),
    /// This symbol.
    Symbol(u32),
    /// The value of an expression.
    Expression(ExpressionId),
    /// Nothing: a fault of the file, met only when the operand is used.
    Nothing,
}

/// An operand of a constructor: what it is and where its bytes start.
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

/// A change of context made when a constructor is chosen.
#[derive(Clone, Copy, Debug)]
pub(crate) enum ContextChange {
    /// Sets bits of the context for what is decoded below and after within the instruction.
    Set { mask: u128, shift: u32, value: ExpressionId },
    /// Commits bits of the context to the address that a symbol gives.
    Commit { symbol: u32, mask: u128, flows: bool },
}

/// A piece of a constructor's disassembly text.
#[derive(Clone, Debug)]
pub(crate) enum Piece {
    Text(String),
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
    pub(crate) pieces: Vec<Piece>,
    /// The piece at which the mnemonic ends; `None` if all of it is mnemonic.
    pub(crate) mnemonic_end: Option<usize>,
    /// The operand whose text stands for the whole constructor's.
    pub(crate) flow_through: Option<u16>,
    /// Whether the address of the instruction after the next is needed.
    pub(crate) uses_next2: bool,
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
    pub(crate) names: Vec<String>,
    pub(crate) subtables: Vec<Subtable>,
    pub(crate) constructors: Vec<Constructor>,
    pub(crate) operands: Vec<Operand>,
    pub(crate) changes: Vec<ContextChange>,
    pub(crate) expressions: Vec<Expression>,
    pub(crate) decisions: Vec<Decision>,
    pub(crate) patterns: Vec<crate::decision::Pattern>,
    pub(crate) templates: Vec<Template>,
    pub(crate) operations: Vec<OperationTemplate>,
    pub(crate) varnodes: Vec<VarnodeTemplate>,
    pub(crate) handles: Vec<HandleTemplate>,
}

impl Tables {
    pub(crate) fn operands_of(&self, constructor: u32) -> &[Operand] {
        &self.operands[self.constructors[constructor as usize].operands.range()]
    }
}
