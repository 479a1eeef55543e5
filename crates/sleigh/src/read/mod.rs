//! The reader of the unpacked contents of a `.sla` file; it checks that the tables are consistent.

mod constructor;
mod expression;
mod identifier;
mod link;
mod pattern;
mod symbol;
mod template;

use crate::bad::LoadError;
use crate::context::ContextField;
use crate::packed::Reader;
use crate::pcode::Varnode;
use crate::space::{SpecificationSpace, SpecificationSpaceId, SpecificationSpaceKind};
use crate::specification::{Register, Specification};
use crate::table::Tables;
use identifier::{attribute, element};
pub(crate) use template::parse_template;

/// Addresses have at most eight bytes.
const ADDRESS_SIZE_LIMIT: u32 = 8;
const SPACE_LIMIT: usize = 64;

/// The tables read so far, and the references that the linking pass resolves.
pub(super) struct Draft {
    pub(super) tables: Tables,
    pub(super) spaces: Vec<SpecificationSpace>,
    pub(super) registers: Vec<Register>,
    pub(super) user_operations: Vec<(u32, String)>,
    pub(super) context_fields: Vec<ContextField>,
    pub(super) context_register: Option<u32>,
    /// The symbols that are the operands of the constructors, one constructor after the other.
    pub(super) operand_symbols: Vec<u32>,
    /// For each `Expression::Operand`, by its provisional index: table symbol and constructor number.
    pub(super) operand_references: Vec<(u32, u32)>,
}

fn missing(what: &str, number: u32) -> LoadError {
    LoadError::new(format!("the SLEIGH file refers to {what} {number}, which it lacks"))
}

fn space_id(spaces: &[SpecificationSpace], number: u64) -> Result<SpecificationSpaceId, LoadError> {
    match u8::try_from(number) {
        Ok(number) if usize::from(number) < spaces.len() => Ok(SpecificationSpaceId(number)),
        _ => Err(LoadError::new(format!("the SLEIGH file refers to space {number}, which it lacks"))),
    }
}

pub(crate) fn specification(data: &[u8]) -> Result<Specification, LoadError> {
    let mut reader = Reader::new(data, 0);
    let sleigh = reader.expect(element::SLEIGH)?;
    let big_endian = sleigh.flag(attribute::BIG_ENDIAN)?;
    let alignment: u32 = sleigh.small(attribute::ALIGNMENT)?;
    let unique_base = sleigh.unsigned(attribute::UNIQUE_BASE)?;
    let unique_mask =
        if sleigh.has(attribute::UNIQUE_MASK) { sleigh.unsigned(attribute::UNIQUE_MASK)? } else { 0 };
    let mut draft = Draft {
        tables: Tables::default(),
        spaces: Vec::new(),
        registers: Vec::new(),
        user_operations: Vec::new(),
        context_fields: Vec::new(),
        context_register: None,
        operand_symbols: Vec::new(),
        operand_references: Vec::new(),
    };
    reader.expect(element::SOURCE_FILES)?;
    reader.close_skipping()?;
    let default_name = read_spaces(&mut reader, &mut draft)?;
    symbol::read_table(&mut reader, &mut draft)?;
    reader.close_skipping()?;
    link::resolve(&mut draft)?;

    let named = |name: &str| draft.spaces.iter().position(|space| space.name == name);
    let default_space = named(&default_name)
        .ok_or_else(|| LoadError::new(format!("the default space `{default_name}` does not exist")))?;
    let unique_space = draft
        .spaces
        .iter()
        .position(|space| space.kind == SpecificationSpaceKind::Unique)
        .ok_or_else(|| LoadError::new("the SLEIGH file has no space for temporaries"))?;
    let root = draft
        .tables
        .subtables
        .iter()
        .position(|table| table.name == "instruction" && table.root.is_some())
        .ok_or_else(|| LoadError::new("the SLEIGH file has no table of instructions"))?;
    let context_register = draft.context_register.and_then(|symbol| draft.varnode_symbol(symbol));
    let mut user_operations = Vec::new();
    for (index, name) in draft.user_operations {
        let index = index as usize;
        // Indices are dense in a valid file; a damaged one must not make the list huge.
        if index > draft.tables.symbols.len() {
            return Err(LoadError::new(format!("user operation `{name}` has the impossible index {index}")));
        }
        if user_operations.len() <= index {
            user_operations.resize(index + 1, String::new());
        }
        user_operations[index] = name;
    }
    // Listings use the first name of a location.
    let mut register_names = std::collections::HashMap::new();
    for (index, register) in draft.registers.iter().enumerate() {
        register_names.entry(register.varnode).or_insert(index as u32);
    }
    let fleeting =
        draft.context_fields.iter().filter(|field| !field.flows).fold(0, |mask, field| mask | field.mask);
    Ok(Specification {
        fleeting,
        tables: draft.tables,
        spaces: draft.spaces,
        default_space: SpecificationSpaceId(default_space as u8),
        unique_space: SpecificationSpaceId(unique_space as u8),
        unique_base,
        unique_mask,
        alignment,
        big_endian,
        root: root as u32,
        registers: draft.registers,
        register_names,
        user_operations,
        context_fields: draft.context_fields,
        context_register,
    })
}

impl Draft {
    fn varnode_symbol(&self, symbol: u32) -> Option<Varnode> {
        match self.tables.symbols.get(symbol as usize) {
            Some(crate::table::Symbol::Varnode(varnode)) => Some(*varnode),
            _ => None,
        }
    }
}

fn read_spaces(reader: &mut Reader<'_>, draft: &mut Draft) -> Result<String, LoadError> {
    let spaces = reader.expect(element::SPACES)?;
    let default_name = spaces.text(attribute::DEFAULT_SPACE)?.to_owned();
    draft.spaces.push(SpecificationSpace::new("const", SpecificationSpaceKind::Constant, false, 8, 1));
    while reader.peek()?.is_some() {
        let space = reader.open()?;
        let kind = match space.id {
            element::SPACE => SpecificationSpaceKind::Processor,
            element::SPACE_UNIQUE => SpecificationSpaceKind::Unique,
            element::SPACE_OTHER => SpecificationSpaceKind::Other,
            _ => return Err(LoadError::new("the SLEIGH file has an unknown kind of space")),
        };
        let index: usize = space.small(attribute::INDEX)?;
        let address_size: u32 = space.small(attribute::SIZE)?;
        let word_size: u32 =
            if space.has(attribute::WORD_SIZE) { space.small(attribute::WORD_SIZE)? } else { 1 };
        if index == 0 || index >= SPACE_LIMIT || word_size == 0 || address_size > ADDRESS_SIZE_LIMIT {
            return Err(LoadError::new("the SLEIGH file has an impossible address space"));
        }
        while draft.spaces.len() <= index {
            draft.spaces.push(SpecificationSpace::new("", SpecificationSpaceKind::Other, false, 1, 1));
        }
        let big_endian = space.flag(attribute::BIG_ENDIAN)?;
        let name = space.text(attribute::NAME)?;
        draft.spaces[index] = SpecificationSpace::new(name, kind, big_endian, address_size, word_size);
        reader.close()?;
    }
    reader.close()?;
    Ok(default_name)
}
