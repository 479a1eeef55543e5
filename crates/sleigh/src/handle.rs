//! Handles: the varnode, or the memory behind a pointer, that each operand of an instruction denotes.

use crate::bad::BadInstruction;
use crate::context::Commit;
use crate::expression::Evaluator;
use crate::parse::{Parse, entry};
use crate::space::SpecificationSpaceId;
use crate::specification::Specification;
use crate::table::{Definition, Symbol};
use crate::template::{HandleTemplate, Item, Part};

/// The storage that an operand denotes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Handle {
    pub(crate) space: SpecificationSpaceId,
    pub(crate) size: u32,
    /// The offset of the varnode; for memory behind a pointer, the offset of the pointer.
    pub(crate) offset: u64,
    /// The pointer's space, if this is memory behind a pointer.
    pub(crate) pointer_space: Option<SpecificationSpaceId>,
    pub(crate) pointer_size: u32,
    /// The temporary that holds the contents of the memory behind the pointer.
    pub(crate) temporary_space: SpecificationSpaceId,
    pub(crate) temporary_offset: u64,
}

impl Default for Handle {
    fn default() -> Self {
        Self {
            space: SpecificationSpaceId::CONSTANT,
            size: 0,
            offset: 0,
            pointer_space: None,
            pointer_size: 0,
            temporary_space: SpecificationSpaceId::CONSTANT,
            temporary_offset: 0,
        }
    }
}

impl Handle {
    fn place(space: SpecificationSpaceId, offset: u64, size: u32) -> Self {
        Self { space, offset, size, ..Self::default() }
    }

    fn constant(value: i64) -> Self {
        Self::place(SpecificationSpaceId::CONSTANT, value as u64, 0)
    }
}

/// A node of a parsed instruction, in whose scope template items are evaluated.
#[derive(Clone, Copy)]
pub(crate) struct Scope<'t> {
    pub(crate) specification: &'t Specification,
    pub(crate) parse: &'t Parse,
    /// The instruction that defines `inst_start` and `inst_next`: another one in a cross-build.
    pub(crate) addresses: &'t Parse,
    pub(crate) node: u32,
}

impl<'t> Scope<'t> {
    /// The handle of an operand of the node. The reader has checked that a template refers only to operands of its
    /// constructor.
    #[inline]
    pub(crate) fn handle(&self, operand: u16) -> &'t Handle {
        let children = self.parse.nodes[self.node as usize].children as usize;
        &self.parse.nodes[children + usize::from(operand)].handle
    }

    /// The value of an item that is a number.
    pub(crate) fn number(&self, item: Item) -> Result<u64, BadInstruction> {
        Ok(match item {
            Item::Real(value) | Item::Label(value) => value,
            Item::Start => self.addresses.address,
            Item::Next => self.addresses.fall,
            Item::Next2 => self.addresses.next2.ok_or(BadInstruction::Inconsistent)?,
            Item::CurrentSpace => u64::from(self.specification.default_space.0),
            Item::CurrentSpaceSize => u64::from(self.specification.code_space().address_size),
            Item::Space(space) => u64::from(space.0),
            Item::FlowAddress => return Err(BadInstruction::Inconsistent),
            Item::Handle(operand, part) => {
                let handle = self.handle(operand);
                let dynamic = handle.pointer_space.is_some();
                let offset = if dynamic { handle.temporary_offset } else { handle.offset };
                match part {
                    Part::Space if dynamic => u64::from(handle.temporary_space.0),
                    Part::Space => u64::from(handle.space.0),
                    Part::Offset => offset,
                    Part::Size => u64::from(handle.size),
                    // Truncating a constant selects its higher bytes; truncating a varnode moves its start.
                    Part::OffsetPlus(plus) if handle.space == SpecificationSpaceId::CONSTANT => {
                        offset.checked_shr(8 * (plus >> 16) as u32).unwrap_or(0)
                    }
                    Part::OffsetPlus(plus) => offset.wrapping_add(plus & 0xffff),
                }
            }
        })
    }

    /// The value of an item that is a space.
    pub(crate) fn space(&self, item: Item) -> Result<SpecificationSpaceId, BadInstruction> {
        match item {
            Item::CurrentSpace => Ok(self.specification.default_space),
            Item::Space(space) => Ok(space),
            Item::Handle(operand, Part::Space) => {
                let handle = self.handle(operand);
                Ok(if handle.pointer_space.is_some() { handle.temporary_space } else { handle.space })
            }
            _ => Err(BadInstruction::Inconsistent),
        }
    }

    fn size(&self, item: Item) -> Result<u32, BadInstruction> {
        u32::try_from(self.number(item)?).map_err(|_| BadInstruction::Inconsistent)
    }

    /// The handle that a constructor exports.
    fn export(&self, template: &HandleTemplate) -> Result<Handle, BadInstruction> {
        let mut handle = Handle::default();
        if matches!(template.pointer_space, Item::Real(_)) {
            // A varnode is exported; it may itself be an operand behind a pointer.
            handle.space = match template.space {
                Item::Handle(operand, Part::Space) => self.handle(operand).space,
                other => self.space(other)?,
            };
            handle.size = self.size(template.size)?;
            if let Item::Handle(operand, _) = template.pointer_offset {
                let other = self.handle(operand);
                handle.pointer_space = other.pointer_space;
                handle.offset = other.offset;
                handle.pointer_size = other.pointer_size;
                handle.temporary_space = other.temporary_space;
                handle.temporary_offset = other.temporary_offset;
            } else {
                let space = self.specification.space(handle.space);
                handle.offset = space.wrap(self.number(template.pointer_offset)?);
            }
            return Ok(handle);
        }
        handle.space = self.space(template.space)?;
        handle.size = self.size(template.size)?;
        handle.offset = self.number(template.pointer_offset)?;
        let pointer_space = self.space(template.pointer_space)?;
        if pointer_space == SpecificationSpaceId::CONSTANT {
            // The pointer is constant, so this is a fixed location. Pointers count address units.
            let space = self.specification.space(handle.space);
            handle.offset = space.wrap(handle.offset.wrapping_mul(u64::from(space.word_size)));
        } else {
            handle.pointer_space = Some(pointer_space);
            handle.pointer_size = self.size(template.pointer_size)?;
            handle.temporary_space = self.space(template.temporary_space)?;
            handle.temporary_offset = self.number(template.temporary_offset)?;
        }
        Ok(handle)
    }

    fn symbol(&self, symbol: u32, node: u32) -> Result<Handle, BadInstruction> {
        let tables = &self.specification.tables;
        let evaluator = Evaluator { tables, parse: self.parse };
        let missing = BadInstruction::Inconsistent;
        Ok(match &tables.symbols[symbol as usize] {
            Symbol::Epsilon => Handle::default(),
            Symbol::Value(index) | Symbol::Names { index, .. } => {
                Handle::constant(evaluator.at_node(*index, node)?)
            }
            Symbol::ValueMap { index, values } => {
                Handle::constant(*entry(values, evaluator.at_node(*index, node)?).ok_or(missing)?)
            }
            Symbol::Varnode(varnode) => Handle::place(varnode.space, varnode.offset, varnode.size),
            Symbol::VarnodeList { index, varnodes } => {
                let chosen = entry(varnodes, evaluator.at_node(*index, node)?).copied().flatten();
                match chosen.map(|symbol| &tables.symbols[symbol as usize]) {
                    Some(Symbol::Varnode(varnode)) => {
                        Handle::place(varnode.space, varnode.offset, varnode.size)
                    }
                    _ => return Err(missing),
                }
            }
            Symbol::Start => self.address(self.addresses.address),
            Symbol::End => self.address(self.addresses.next),
            Symbol::Next2 => self.address(self.addresses.next2.ok_or(missing)?),
            Symbol::Absent | Symbol::Operand(_) | Symbol::Subtable(_) => return Err(missing),
        })
    }

    fn address(&self, address: u64) -> Handle {
        Handle::place(self.specification.default_space, address, self.specification.code_space().address_size)
    }
}

/// Resolves the handles of all operands of a parsed instruction, bottom-up.
pub(crate) fn resolve(specification: &Specification, parse: &mut Parse) -> Result<(), BadInstruction> {
    let tables = &specification.tables;
    // Operands have higher indices than their constructor, so a backward pass is bottom-up.
    for node in (0..parse.nodes.len() as u32).rev() {
        let Some(constructor) = parse.nodes[node as usize].constructor else { continue };
        let definition = &tables.constructors[constructor as usize];
        let children = parse.nodes[node as usize].children;
        for (position, operand) in tables.operands[definition.operands.range()].iter().enumerate() {
            let child = children + position as u32;
            let scope = Scope { specification, parse, addresses: parse, node };
            let handle = match operand.definition {
                Definition::Subtable(_) => continue,
                Definition::Symbol(symbol) => scope.symbol(symbol, child)?,
                Definition::Expression(expression) => {
                    Handle::constant(Evaluator { tables, parse }.at_node(expression, child)?)
                }
                Definition::Nothing => return Err(BadInstruction::Inconsistent),
            };
            parse.nodes[child as usize].handle = handle;
        }
        let Some(template) = definition.template else { continue };
        if let Some(result) = &specification.template(template)?.result {
            let scope = Scope { specification, parse, addresses: parse, node };
            parse.nodes[node as usize].handle = scope.export(result)?;
        }
    }
    Ok(())
}

/// The context changes that a parsed instruction commits, with their addresses.
pub(crate) fn commits(
    specification: &Specification,
    parse: &Parse,
    out: &mut Vec<Commit>,
) -> Result<(), BadInstruction> {
    for pending in &parse.commits {
        let scope = Scope { specification, parse, addresses: parse, node: pending.node };
        let handle = match &specification.tables.symbols[pending.symbol as usize] {
            Symbol::Operand(operand) => *scope.handle(operand.position),
            _ => scope.symbol(pending.symbol, 0)?,
        };
        let address = if handle.space == SpecificationSpaceId::CONSTANT {
            handle.offset.wrapping_mul(u64::from(specification.code_space().word_size))
        } else {
            handle.offset
        };
        out.push(Commit { address, mask: pending.mask, value: pending.value, flows: pending.flows });
    }
    Ok(())
}
