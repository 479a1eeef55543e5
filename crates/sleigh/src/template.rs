//! P-code templates: operations whose varnodes are filled in from the operands of a decoded instruction.

use crate::pcode::{Opcode, Varnode};
use crate::space::SpaceId;
use crate::table::Span;

/// Which part of an operand's handle a template takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    Space,
    Offset,
    Size,
    /// The offset plus a truncation: bytes to add in the low 16 bits, bytes to shift a constant above them.
    OffsetPlus(u64),
}

/// A number or a space that a template names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Item {
    Real(u64),
    Handle(u16, Part),
    Start,
    Next,
    Next2,
    CurrentSpace,
    CurrentSpaceSize,
    Space(SpaceId),
    /// A label of the template, for a branch within the instruction.
    Label(u64),
    /// Stands only in p-code that is injected at calls, which this decoder has none of.
    FlowAddress,
}

/// A varnode of a template; the two frequent forms are told apart when the file is read.
#[derive(Clone, Copy, Debug)]
pub(crate) enum VarnodeTemplate {
    /// The same in every instruction (temporaries get the instruction's own offset on top).
    Fixed(Varnode),
    /// An operand, whole.
    Operand(u16),
    /// Anything else.
    General { space: Item, offset: Item, size: Item },
}

/// What an operation of a template does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Action {
    /// A p-code operation.
    Emit(Opcode),
    /// The p-code of an operand's constructor goes here.
    Build(u16),
    /// The p-code of the delay slot goes here.
    DelaySlot,
    /// A label stands here.
    Label(u64),
    /// A named section of an instruction at another address goes here.
    CrossBuild(u32),
}

/// An operation of a template.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OperationTemplate {
    pub(crate) action: Action,
    pub(crate) output: Option<u32>,
    pub(crate) inputs: Span,
}

/// What a constructor exports: a varnode, or a place behind a pointer.
#[derive(Clone, Copy, Debug)]
pub(crate) struct HandleTemplate {
    pub(crate) space: Item,
    pub(crate) size: Item,
    pub(crate) pointer_space: Item,
    pub(crate) pointer_offset: Item,
    pub(crate) pointer_size: Item,
    pub(crate) temporary_space: Item,
    pub(crate) temporary_offset: Item,
}

/// The p-code of a constructor, or of one of its named sections.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Template {
    /// How many bytes of delay slot it takes in.
    pub(crate) delay: u32,
    pub(crate) labels: u32,
    pub(crate) result: Option<u32>,
    pub(crate) operations: Span,
}
