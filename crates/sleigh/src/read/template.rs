//! Reads p-code templates.

use super::identifier::{attribute, element};
use super::{Draft, missing, space_id};
use crate::bad::LoadError;
use crate::packed::{Element, Reader};
use crate::pcode::{Opcode, Varnode};
use crate::space::{SpecificationSpace, SpecificationSpaceKind, mask};
use crate::table::{Span, Tables};
use crate::template::{
    Action, HandleTemplate, Item, LazyTemplate, OperationTemplate, Part, Template, VarnodeTemplate,
};

/// Opcodes that denote directives in templates.
const BUILD: u8 = 60;
const DELAY_SLOT: u8 = 61;
const LABEL: u8 = 65;
const CROSS_BUILD: u8 = 66;

/// Reads a template, which is parsed at its first use; also returns the number of its named section, if it has one.
pub(super) fn read_lazily(
    reader: &mut Reader<'_>,
    draft: &mut Draft,
) -> Result<(u32, Option<u32>), LoadError> {
    let start = reader.position();
    let content = reader.expect(element::CONSTRUCT_TEMPLATE)?;
    let section = optional(&content, attribute::SECTION)?;
    let delay = optional(&content, attribute::DELAY)?.unwrap_or(0);
    let labels = optional(&content, attribute::LABELS)?.unwrap_or(0);
    if delay > 64 || labels > 0xffff {
        return Err(LoadError::new("the SLEIGH file has an impossible template"));
    }
    let mut mentions_next2 = false;
    reader.close_visiting(|id| mentions_next2 |= id == element::CONST_NEXT2)?;
    let Tables { templates, encoded_templates, .. } = &mut draft.tables;
    let first = encoded_templates.len();
    encoded_templates.extend_from_slice(reader.since(start));
    let encoded = Span::new(first, encoded_templates.len());
    templates.push(LazyTemplate::new(delay, encoded, start as u32, mentions_next2));
    Ok((templates.len() as u32 - 1, section))
}

fn optional(content: &Element<'_>, attribute: u16) -> Result<Option<u32>, LoadError> {
    if content.has(attribute) { content.small(attribute).map(Some) } else { Ok(None) }
}

/// Parses the element of a template, which began at `origin` of the file and whose constructor has this number of
/// operands.
pub(crate) fn parse_template(
    encoded: &[u8],
    origin: u32,
    spaces: &[SpecificationSpace],
    operands: u32,
) -> Result<Template, LoadError> {
    let mut parser =
        TemplateParser { reader: Reader::new(encoded, origin as usize), spaces, varnodes: Vec::new() };
    let content = parser.reader.expect(element::CONSTRUCT_TEMPLATE)?;
    let labels = optional(&content, attribute::LABELS)?.unwrap_or(0);
    let result = if parser.skip_null()? { None } else { Some(parser.handle()?) };
    let mut operations = Vec::new();
    while parser.reader.peek()?.is_some() {
        operations.push(parser.operation()?);
    }
    parser.reader.close()?;
    let template = Template { labels, result, operations, varnodes: parser.varnodes };
    match template.highest_operand() {
        Some(operand) if u32::from(operand) >= operands => Err(missing("operand", u32::from(operand))),
        _ => Ok(template),
    }
}

/// The parser of one template.
struct TemplateParser<'d> {
    reader: Reader<'d>,
    spaces: &'d [SpecificationSpace],
    varnodes: Vec<VarnodeTemplate>,
}

impl TemplateParser<'_> {
    /// Skips the mark of a missing handle or varnode, if it is next.
    fn skip_null(&mut self) -> Result<bool, LoadError> {
        let is_null = self.reader.peek()? == Some(element::NULL);
        if is_null {
            self.reader.open()?;
            self.reader.close()?;
        }
        Ok(is_null)
    }

    fn handle(&mut self) -> Result<HandleTemplate, LoadError> {
        self.reader.expect(element::HANDLE_TEMPLATE)?;
        let handle = HandleTemplate {
            space: self.item()?,
            size: self.item()?,
            pointer_space: self.item()?,
            pointer_offset: self.item()?,
            pointer_size: self.item()?,
            temporary_space: self.item()?,
            temporary_offset: self.item()?,
        };
        self.reader.close()?;
        Ok(handle)
    }

    fn operation(&mut self) -> Result<OperationTemplate, LoadError> {
        let content = self.reader.expect(element::OPERATION_TEMPLATE)?;
        let code: u8 = content.small(attribute::CODE)?;
        let output = if self.skip_null()? {
            None
        } else {
            let (varnode, _) = self.varnode()?;
            self.varnodes.push(varnode);
            Some(self.varnodes.len() as u32 - 1)
        };
        let first = self.varnodes.len();
        let mut numbers = [None; 2];
        while self.reader.peek()?.is_some() {
            let (varnode, offset) = self.varnode()?;
            if let (Some(number), Item::Real(value) | Item::Label(value)) =
                (numbers.get_mut(self.varnodes.len() - first), offset)
            {
                *number = Some(value);
            }
            self.varnodes.push(varnode);
        }
        self.reader.close()?;
        let action = action(code, numbers)?;
        Ok(OperationTemplate { action, output, inputs: Span::new(first, self.varnodes.len()) })
    }

    /// Reads a varnode, and separately the item that is its offset.
    fn varnode(&mut self) -> Result<(VarnodeTemplate, Item), LoadError> {
        self.reader.expect(element::VARNODE_TEMPLATE)?;
        let space = self.item()?;
        let offset = self.item()?;
        let size = self.item()?;
        self.reader.close()?;
        let template = match (space, offset, size) {
            (Item::Space(space), Item::Real(offset), Item::Real(size)) if u32::try_from(size).is_ok() => {
                fixed(self.spaces, Varnode { space, offset, size: size as u32 })
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

    fn item(&mut self) -> Result<Item, LoadError> {
        let content = self.reader.open()?;
        let item = match content.id {
            element::CONST_REAL => Item::Real(content.unsigned(attribute::VALUE)?),
            element::CONST_RELATIVE => Item::Label(content.unsigned(attribute::VALUE)?),
            element::CONST_SPACE => Item::Space(space_id(self.spaces, content.space(attribute::SPACE)?)?),
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
        self.reader.close()?;
        Ok(item)
    }
}

/// The action of an operation. Directives store their number as the offset of a constant, of which `numbers` are the
/// first two.
fn action(code: u8, numbers: [Option<u64>; 2]) -> Result<Action, LoadError> {
    let number = |position: usize| {
        numbers[position].ok_or_else(|| LoadError::new("a directive of the SLEIGH file lacks its number"))
    };
    Ok(match code {
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
    })
}

/// A varnode that is the same in every instruction, normalised for its space.
fn fixed(spaces: &[SpecificationSpace], varnode: Varnode) -> VarnodeTemplate {
    let space = &spaces[varnode.space.index()];
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
