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

impl Item {
    pub(crate) fn operand(self) -> Option<u16> {
        match self {
            Self::Handle(operand, _) => Some(operand),
            _ => None,
        }
    }
}

/// A varnode of a template; the frequent forms are told apart when the file is read.
#[derive(Clone, Copy, Debug)]
pub(crate) enum VarnodeTemplate {
    /// The same in every instruction.
    Fixed(Varnode),
    /// A temporary: its offset gets the instruction's own on top.
    Temporary(Varnode),
    /// An operand, whole.
    Operand(u16),
    /// Anything else.
    General { space: Item, offset: Item, size: Item },
}

impl VarnodeTemplate {
    /// The items of which it is made, where it is not one of the frequent forms.
    fn items(&self) -> [Option<Item>; 3] {
        match *self {
            Self::General { space, offset, size } => [Some(space), Some(offset), Some(size)],
            Self::Operand(operand) => [Some(Item::Handle(operand, Part::Offset)), None, None],
            Self::Fixed(_) | Self::Temporary(_) => [None; 3],
        }
    }

    /// The highest number of an operand that it refers to.
    pub(crate) fn highest_operand(&self) -> Option<u16> {
        self.items().into_iter().flatten().filter_map(Item::operand).max()
    }
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

impl HandleTemplate {
    /// The highest number of an operand that it refers to.
    pub(crate) fn highest_operand(&self) -> Option<u16> {
        let items = [self.space, self.size, self.pointer_space, self.pointer_offset, self.pointer_size];
        let more = [self.temporary_space, self.temporary_offset];
        items.into_iter().chain(more).filter_map(Item::operand).max()
    }
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
