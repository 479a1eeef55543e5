//! P-code templates: operations whose varnodes are instantiated with the operands of a decoded instruction.

use crate::pcode::{Opcode, Varnode};
use crate::space::SpecificationSpaceId;
use crate::table::Span;

/// The part of an operand's handle that a template uses.
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
    Space(SpecificationSpaceId),
    /// A label of the template, for a branch within the instruction.
    Label(u64),
    /// Occurs only in p-code that is injected at calls, which this decoder does not support.
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

/// A varnode of a template; frequent forms are distinguished when the file is read.
#[derive(Clone, Copy, Debug)]
pub(crate) enum VarnodeTemplate {
    /// The same in every instruction.
    Fixed(Varnode),
    /// A temporary, whose offset is relative to the instruction's own.
    Temporary(Varnode),
    /// An operand, whole.
    Operand(u16),
    /// Anything else.
    General { space: Item, offset: Item, size: Item },
}

impl VarnodeTemplate {
    /// Its items, if it is not one of the frequent forms.
    fn items(&self) -> [Option<Item>; 3] {
        match *self {
            Self::General { space, offset, size } => [Some(space), Some(offset), Some(size)],
            Self::Operand(operand) => [Some(Item::Handle(operand, Part::Offset)), None, None],
            Self::Fixed(_) | Self::Temporary(_) => [None; 3],
        }
    }

    /// The highest index of an operand that it refers to.
    pub(crate) fn highest_operand(&self) -> Option<u16> {
        self.items().into_iter().flatten().filter_map(Item::operand).max()
    }
}

/// The action of a template's operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Action {
    /// A p-code operation.
    Emit(Opcode),
    /// Inserts the p-code of an operand's constructor.
    Build(u16),
    /// Inserts the p-code of the delay slot.
    DelaySlot,
    /// Defines a label.
    Label(u64),
    /// Inserts a named section of an instruction at another address.
    CrossBuild(u32),
}

/// An operation of a template.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OperationTemplate {
    pub(crate) action: Action,
    pub(crate) output: Option<u32>,
    pub(crate) inputs: Span,
}

/// A constructor's export: a varnode, or memory behind a pointer.
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
    /// The highest index of an operand that it refers to.
    pub(crate) fn highest_operand(&self) -> Option<u16> {
        let items = [self.space, self.size, self.pointer_space, self.pointer_offset, self.pointer_size];
        let more = [self.temporary_space, self.temporary_offset];
        items.into_iter().chain(more).filter_map(Item::operand).max()
    }
}

/// The p-code of a constructor, or of one of its named sections.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Template {
    /// The size of its delay slot in bytes.
    pub(crate) delay: u32,
    pub(crate) labels: u32,
    pub(crate) result: Option<u32>,
    pub(crate) operations: Span,
}
