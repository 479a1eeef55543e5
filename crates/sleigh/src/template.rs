//! P-code templates: operations whose varnodes are instantiated with the operands of a decoded instruction.

use crate::bad::LoadError;
use crate::pcode::{Opcode, Varnode};
use crate::read;
use crate::space::{SpecificationSpace, SpecificationSpaceId};
use crate::table::Span;
use std::sync::OnceLock;

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
#[derive(Clone, Debug)]
pub(crate) struct Template {
    pub(crate) labels: u32,
    pub(crate) result: Option<HandleTemplate>,
    pub(crate) operations: Vec<OperationTemplate>,
    /// The varnodes of all operations, which refer to them by index.
    pub(crate) varnodes: Vec<VarnodeTemplate>,
}

impl Template {
    /// The highest index of an operand that it refers to.
    pub(crate) fn highest_operand(&self) -> Option<u16> {
        let built = self.operations.iter().filter_map(|operation| match operation.action {
            Action::Build(operand) => Some(operand),
            _ => None,
        });
        let used = self.varnodes.iter().filter_map(VarnodeTemplate::highest_operand);
        let exported = self.result.as_ref().and_then(HandleTemplate::highest_operand);
        built.chain(used).chain(exported).max()
    }

    /// Whether it needs the address of the instruction after the next.
    pub(crate) fn uses_next2(&self) -> bool {
        let is_next2 = |varnode: &VarnodeTemplate| {
            matches!(varnode, VarnodeTemplate::General { offset: Item::Next2, .. })
        };
        self.operations.iter().any(|operation| {
            matches!(operation.action, Action::Emit(_) | Action::CrossBuild(_))
                && self.varnodes[operation.inputs.range()].iter().any(is_next2)
        })
    }
}

/// A template that is parsed when it is first used.
///
/// A program uses a few hundred of the thousands of constructors, and parsing all their templates took half the
/// start-up time. When the file is read, a template is only checked to be a well-formed element.
#[derive(Clone, Debug)]
pub(crate) struct LazyTemplate {
    /// The size of its delay slot in bytes.
    pub(crate) delay: u32,
    /// Number of operands of its constructor.
    operands: u32,
    /// Whether `inst_next2` occurs in it, if only in an item that is never evaluated.
    pub(crate) mentions_next2: bool,
    encoded: Span,
    /// The position of its element in the unpacked file.
    origin: u32,
    parsed: OnceLock<Result<Box<Template>, LoadError>>,
}

impl LazyTemplate {
    /// A template whose element is this range of the encoded templates, of a constructor without operands.
    pub(crate) fn new(delay: u32, encoded: Span, origin: u32, mentions_next2: bool) -> Self {
        Self { delay, operands: 0, mentions_next2, encoded, origin, parsed: OnceLock::new() }
    }

    /// Sets the number of operands of its constructor, which is known at the constructor's end. To be called before the first use:
    /// what the template refers to is checked when it is parsed.
    pub(crate) fn set_operands(&mut self, operands: u32) {
        self.operands = operands;
    }

    /// The parsed template. The error is the same at every use.
    #[inline]
    pub(crate) fn get(&self, encoded: &[u8], spaces: &[SpecificationSpace]) -> Result<&Template, &LoadError> {
        let parse = || {
            let encoded = &encoded[self.encoded.range()];
            read::parse_template(encoded, self.origin, spaces, self.operands).map(Box::new)
        };
        self.parsed.get_or_init(parse).as_deref()
    }
}
