//! Reads the symbol table: first the names, then the definitions.

use super::identifier::{attribute, element};
use super::{Draft, constructor, expression, space_id};
use crate::bad::LoadError;
use crate::context::ContextField;
use crate::expression::Expression;
use crate::packed::{Element, Reader};
use crate::pcode::Varnode;
use crate::specification::Register;
use crate::table::{Definition, Operand, Subtable, Symbol};

pub(super) fn read_table(reader: &mut Reader<'_>, draft: &mut Draft) -> Result<(), LoadError> {
    let table = reader.expect(element::SYMBOL_TABLE)?;
    let scopes = table.unsigned(attribute::SCOPE_SIZE)?;
    let symbols = table.unsigned(attribute::SYMBOL_SIZE)?;
    for _ in 0..scopes {
        reader.expect(element::SCOPE)?;
        reader.close()?;
    }
    for position in 0..symbols {
        // Pushing one by one prevents a wrong count from reserving memory that the file does not fill.
        let head = reader.open()?;
        if head.unsigned(attribute::ID)? != position {
            return Err(LoadError::new("the symbols of the SLEIGH file are not in order"));
        }
        let name = head.text(attribute::NAME)?;
        let symbol = if head.id == element::SUBTABLE_SYMBOL_HEAD {
            draft.tables.subtables.push(Subtable { name: name.to_owned(), ..Subtable::default() });
            Symbol::Subtable(draft.tables.subtables.len() as u32 - 1)
        } else {
            Symbol::Absent
        };
        draft.tables.symbols.push(symbol);
        let name = draft.tables.add_text(name);
        draft.tables.names.push(name);
        reader.close()?;
    }
    while reader.peek()?.is_some() {
        let content = reader.open()?;
        let id: u32 = content.small(attribute::ID)?;
        if id as usize >= draft.tables.symbols.len() {
            return Err(LoadError::new(format!("the SLEIGH file defines symbol {id} without a head")));
        }
        read_symbol(reader, draft, &content, id)?;
        reader.close()?;
    }
    reader.close()
}

fn read_symbol(
    reader: &mut Reader<'_>,
    draft: &mut Draft,
    content: &Element<'_>,
    id: u32,
) -> Result<(), LoadError> {
    let name = |draft: &Draft| draft.tables.name(id).to_owned();
    let symbol = match content.id {
        element::USER_OPERATION => {
            draft.user_operations.push((content.small(attribute::INDEX)?, name(draft)));
            Symbol::Absent
        }
        element::EPSILON_SYMBOL => Symbol::Epsilon,
        element::START_SYMBOL => Symbol::Start,
        element::END_SYMBOL => Symbol::End,
        element::NEXT2_SYMBOL => Symbol::Next2,
        element::VALUE_SYMBOL => Symbol::Value(expression::read(reader, draft)?),
        element::VALUE_MAP_SYMBOL => read_value_map(reader, draft)?,
        element::NAME_SYMBOL => read_names(reader, draft)?,
        element::VARNODE_SYMBOL => {
            let varnode = Varnode {
                space: space_id(&draft.spaces, content.space(attribute::SPACE)?)?,
                offset: content.unsigned(attribute::OFFSET)?,
                size: content.small(attribute::SIZE)?,
            };
            draft.registers.push(Register { name: name(draft), varnode });
            Symbol::Varnode(varnode)
        }
        element::CONTEXT_SYMBOL => {
            let name = name(draft);
            read_context_field(reader, draft, content, name)?
        }
        element::VARNODE_LIST_SYMBOL => read_varnode_list(reader, draft)?,
        element::OPERAND_SYMBOL => Symbol::Operand(read_operand(reader, draft, content)?),
        element::SUBTABLE_SYMBOL => {
            let Symbol::Subtable(table) = draft.tables.symbols[id as usize] else {
                let name = name(draft);
                return Err(LoadError::new(format!("`{name}` is announced as something else than a table")));
            };
            constructor::read_subtable(reader, draft, table, id)?;
            return Ok(());
        }
        other => return Err(LoadError::new(format!("the SLEIGH file has a symbol of unknown kind {other}"))),
    };
    draft.tables.symbols[id as usize] = symbol;
    Ok(())
}

/// A list of numbers, selected by an expression.
fn read_value_map(reader: &mut Reader<'_>, draft: &mut Draft) -> Result<Symbol, LoadError> {
    let index = expression::read(reader, draft)?;
    let values = read_entries(reader, |entry| entry.signed(attribute::VALUE))?;
    Ok(Symbol::ValueMap { index, values })
}

/// The remaining children of an element, one value for each.
fn read_entries<T>(
    reader: &mut Reader<'_>,
    mut read: impl FnMut(&Element<'_>) -> Result<T, LoadError>,
) -> Result<Vec<T>, LoadError> {
    let mut entries = Vec::new();
    while reader.peek()?.is_some() {
        entries.push(read(&reader.open()?)?);
        reader.close()?;
    }
    Ok(entries)
}

/// A list of names, selected by an expression; `_` and a tabulator stand for an encoding without a name.
fn read_names(reader: &mut Reader<'_>, draft: &mut Draft) -> Result<Symbol, LoadError> {
    let index = expression::read(reader, draft)?;
    let names = read_entries(reader, |entry| {
        let text = if entry.has(attribute::NAME) { entry.text(attribute::NAME)? } else { "_" };
        Ok((!matches!(text, "_" | "\t")).then(|| text.to_owned()))
    })?;
    Ok(Symbol::Names { index, names })
}

/// A list of registers, selected by an expression; it may have gaps.
fn read_varnode_list(reader: &mut Reader<'_>, draft: &mut Draft) -> Result<Symbol, LoadError> {
    let index = expression::read(reader, draft)?;
    let varnodes = read_entries(reader, |entry| match entry.id {
        element::VARIABLE => entry.small(attribute::ID).map(Some),
        _ => Ok(None),
    })?;
    Ok(Symbol::VarnodeList { index, varnodes })
}

/// A field of the decoding context, which the draft lists as well.
fn read_context_field(
    reader: &mut Reader<'_>,
    draft: &mut Draft,
    content: &Element<'_>,
    name: String,
) -> Result<Symbol, LoadError> {
    let flows = content.has(attribute::FLOW) && content.flag(attribute::FLOW)?;
    let value = expression::read(reader, draft)?;
    // The symbol's own bits are those in the context register, in the numbering of the specification's author.
    // The compiler packs fields: patterns and expressions use the packed position.
    let Expression::Context { start, size, .. } = draft.tables.expressions[value as usize] else {
        return Err(LoadError::new(format!("context field `{name}` is no field of the context")));
    };
    draft.context_fields.push(ContextField::new(name, start, size, flows));
    draft.context_register = Some(content.small(attribute::VARNODE)?);
    Ok(Symbol::Value(value))
}

fn read_operand(
    reader: &mut Reader<'_>,
    draft: &mut Draft,
    content: &Element<'_>,
) -> Result<Operand, LoadError> {
    let after = match content.signed(attribute::BASE)? {
        base if base < 0 => None,
        base => Some(u16::try_from(base).map_err(|_| LoadError::new("an operand has an impossible base"))?),
    };
    // The first expression is the operand itself, which its position already states.
    expression::read(reader, draft)?;
    let definition = if reader.peek()?.is_some() {
        Definition::Expression(expression::read(reader, draft)?)
    } else if content.has(attribute::SUBSYMBOL) {
        Definition::Symbol(content.small(attribute::SUBSYMBOL)?)
    } else {
        Definition::Nothing
    };
    Ok(Operand {
        definition,
        after,
        offset: content.small(attribute::OFFSET)?,
        minimum_length: content.small(attribute::MINIMUM_LENGTH)?,
        position: content.small(attribute::INDEX)?,
    })
}
