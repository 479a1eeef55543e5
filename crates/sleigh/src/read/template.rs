//! Reads p-code templates.

use super::Draft;
use super::identifier::{attribute, element};
use crate::bad::LoadError;
use crate::packed::Reader;
use crate::pcode::{Opcode, Varnode};
use crate::space::{SpecificationSpaceKind, mask};
use crate::table::Span;
use crate::template::{Action, HandleTemplate, Item, OperationTemplate, Part, Template, VarnodeTemplate};

/// Opcodes that denote directives in templates.
const BUILD: u8 = 60;
const DELAY_SLOT: u8 = 61;
const LABEL: u8 = 65;
const CROSS_BUILD: u8 = 66;

/// Reads a template; also returns the number of its named section, if it has one.
pub(super) fn read(reader: &mut Reader<'_>, draft: &mut Draft) -> Result<(u32, Option<u32>), LoadError> {
    let content = reader.expect(element::CONSTRUCT_TEMPLATE)?;
    let optional = |name| if content.has(name) { content.small(name).map(Some) } else { Ok(None) };
    let section: Option<u32> = optional(attribute::SECTION)?;
    let delay: u32 = optional(attribute::DELAY)?.unwrap_or(0);
    let labels: u32 = optional(attribute::LABELS)?.unwrap_or(0);
    if delay > 64 || labels > 0xffff {
        return Err(LoadError::new("the SLEIGH file has an impossible template"));
    }
    let result = if reader.peek()? == Some(element::NULL) {
        reader.open()?;
        reader.close()?;
        None
    } else {
        let handle = read_handle(reader, draft)?;
        draft.tables.handles.push(handle);
        Some(draft.tables.handles.len() as u32 - 1)
    };
    let first = draft.tables.operations.len();
    while reader.peek()?.is_some() {
        let operation = read_operation(reader, draft)?;
        draft.tables.operations.push(operation);
    }
    reader.close()?;
    let operations = Span::new(first, draft.tables.operations.len());
    draft.tables.templates.push(Template { delay, labels, result, operations });
    Ok((draft.tables.templates.len() as u32 - 1, section))
}

fn read_handle(reader: &mut Reader<'_>, draft: &Draft) -> Result<HandleTemplate, LoadError> {
    reader.expect(element::HANDLE_TEMPLATE)?;
    let handle = HandleTemplate {
        space: read_item(reader, draft)?,
        size: read_item(reader, draft)?,
        pointer_space: read_item(reader, draft)?,
        pointer_offset: read_item(reader, draft)?,
        pointer_size: read_item(reader, draft)?,
        temporary_space: read_item(reader, draft)?,
        temporary_offset: read_item(reader, draft)?,
    };
    reader.close()?;
    Ok(handle)
}

fn read_operation(reader: &mut Reader<'_>, draft: &mut Draft) -> Result<OperationTemplate, LoadError> {
    let content = reader.expect(element::OPERATION_TEMPLATE)?;
    let code: u8 = content.small(attribute::CODE)?;
    let output = if reader.peek()? == Some(element::NULL) {
        reader.open()?;
        reader.close()?;
        None
    } else {
        let (varnode, _) = read_varnode(reader, draft)?;
        draft.tables.varnodes.push(varnode);
        Some(draft.tables.varnodes.len() as u32 - 1)
    };
    let first = draft.tables.varnodes.len();
    // Directives store their number as the offset of a constant.
    let mut numbers = Vec::new();
    while reader.peek()?.is_some() {
        let (varnode, offset) = read_varnode(reader, draft)?;
        draft.tables.varnodes.push(varnode);
        numbers.push(match offset {
            Item::Real(value) | Item::Label(value) => Some(value),
            _ => None,
        });
    }
    reader.close()?;
    let number = |position: usize| {
        numbers
            .get(position)
            .copied()
            .flatten()
            .ok_or_else(|| LoadError::new("a directive of the SLEIGH file lacks its number"))
    };
    let action = match code {
        BUILD => Action::Build(
            u16::try_from(number(0)?).map_err(|_| LoadError::new("a build directive names no operand"))?,
        ),
        DELAY_SLOT => Action::DelaySlot,
        LABEL => Action::Label(number(0)?.min(u64::from(u32::MAX))),
        CROSS_BUILD => Action::CrossBuild(
            u32::try_from(number(1)?)
                .map_err(|_| LoadError::new("a cross-build directive names no section"))?,
        ),
        _ => Action::Emit(
            Opcode::from_number(code)
                .ok_or_else(|| LoadError::new(format!("the SLEIGH file has the unknown opcode {code}")))?,
        ),
    };
    Ok(OperationTemplate { action, output, inputs: Span::new(first, draft.tables.varnodes.len()) })
}

/// Reads a varnode, and separately the item that is its offset.
fn read_varnode(reader: &mut Reader<'_>, draft: &Draft) -> Result<(VarnodeTemplate, Item), LoadError> {
    reader.expect(element::VARNODE_TEMPLATE)?;
    let space = read_item(reader, draft)?;
    let offset = read_item(reader, draft)?;
    let size = read_item(reader, draft)?;
    reader.close()?;
    let template = match (space, offset, size) {
        (Item::Space(space), Item::Real(offset), Item::Real(size)) if u32::try_from(size).is_ok() => {
            fixed(draft, Varnode { space, offset, size: size as u32 })
        }
        (
            Item::Handle(one, Part::Space),
            Item::Handle(two, Part::Offset),
            Item::Handle(three, Part::Size),
        ) if one == two && two == three => VarnodeTemplate::Operand(one),
        _ => VarnodeTemplate::General { space, offset, size },
    };
    Ok((template, offset))
}

/// A varnode that is the same in every instruction, normalised for its space.
fn fixed(draft: &Draft, varnode: Varnode) -> VarnodeTemplate {
    let space = &draft.spaces[varnode.space.index()];
    match space.kind {
        SpecificationSpaceKind::Constant => {
            VarnodeTemplate::Fixed(Varnode { offset: varnode.offset & mask(varnode.size), ..varnode })
        }
        SpecificationSpaceKind::Unique => VarnodeTemplate::Temporary(varnode),
        SpecificationSpaceKind::Processor | SpecificationSpaceKind::Other => {
            VarnodeTemplate::Fixed(Varnode { offset: space.wrap(varnode.offset), ..varnode })
        }
    }
}

fn read_item(reader: &mut Reader<'_>, draft: &Draft) -> Result<Item, LoadError> {
    let content = reader.open()?;
    let item = match content.id {
        element::CONST_REAL => Item::Real(content.unsigned(attribute::VALUE)?),
        element::CONST_RELATIVE => Item::Label(content.unsigned(attribute::VALUE)?),
        element::CONST_SPACE => Item::Space(draft.space_id(&content, attribute::SPACE)?),
        element::CONST_START => Item::Start,
        element::CONST_NEXT => Item::Next,
        element::CONST_NEXT2 => Item::Next2,
        element::CONST_CURRENT_SPACE => Item::CurrentSpace,
        element::CONST_CURRENT_SPACE_SIZE => Item::CurrentSpaceSize,
        element::CONST_FLOW_REFERENCE..=element::CONST_FLOW_DESTINATION_SIZE => Item::FlowAddress,
        element::CONST_HANDLE => {
            let part = match content.unsigned(attribute::SELECT)? {
                0 => Part::Space,
                1 => Part::Offset,
                2 => Part::Size,
                3 => Part::OffsetPlus(content.unsigned(attribute::PLUS)?),
                other => {
                    return Err(LoadError::new(format!(
                        "a template of the SLEIGH file takes the unknown part {other} of an operand"
                    )));
                }
            };
            Item::Handle(content.small(attribute::VALUE)?, part)
        }
        other => {
            return Err(LoadError::new(format!(
                "the SLEIGH file has a template item of unknown kind {other}"
            )));
        }
    };
    reader.close()?;
    Ok(item)
}
