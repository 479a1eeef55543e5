//! Reads tables of constructors.

use super::identifier::{attribute, element};
use super::{Draft, expression, pattern, template};
use crate::bad::LoadError;
use crate::packed::Reader;
use crate::table::{Constructor, ContextChange, Piece, Span};

/// The maximum number of named sections in a specification.
const SECTION_LIMIT: u32 = 256;

pub(super) fn read_subtable(
    reader: &mut Reader<'_>,
    draft: &mut Draft,
    table: u32,
    symbol: u32,
) -> Result<(), LoadError> {
    let first = draft.tables.constructors.len();
    let mut root = None;
    while let Some(kind) = reader.peek()? {
        if kind == element::CONSTRUCTOR {
            if root.is_some() {
                return Err(LoadError::new(format!("table {symbol} has constructors behind its decisions")));
            }
            let constructor = read_constructor(reader, draft)?;
            draft.tables.constructors.push(constructor);
        } else {
            let constructors = Span::new(first, draft.tables.constructors.len());
            let decision = pattern::read_decision(reader, draft, constructors)?;
            draft.tables.decisions.push(decision);
            root = Some(draft.tables.decisions.len() as u32 - 1);
        }
    }
    let subtable = &mut draft.tables.subtables[table as usize];
    subtable.constructors = Span::new(first, draft.tables.constructors.len());
    subtable.root = root;
    Ok(())
}

fn read_constructor(reader: &mut Reader<'_>, draft: &mut Draft) -> Result<Constructor, LoadError> {
    let content = reader.expect(element::CONSTRUCTOR)?;
    let mut constructor = Constructor {
        minimum_length: content.small(attribute::LENGTH)?,
        mnemonic_end: usize::try_from(content.signed(attribute::FIRST)?).ok(),
        ..Constructor::default()
    };
    let first_operand = draft.operand_symbols.len();
    let first_change = draft.tables.changes.len();
    let first_piece = draft.tables.pieces.len();
    while let Some(kind) = reader.peek()? {
        match kind {
            element::OPERAND => {
                draft.operand_symbols.push(reader.open()?.small(attribute::ID)?);
                reader.close()?;
            }
            element::PRINT => {
                let text = draft.tables.add_text(reader.open()?.text(attribute::PIECE)?);
                draft.tables.pieces.push(Piece::Text(text));
                reader.close()?;
            }
            element::OPERAND_PRINT => {
                draft.tables.pieces.push(Piece::Operand(reader.open()?.small(attribute::ID)?));
                reader.close()?;
            }
            element::CONTEXT_OPERATION | element::COMMIT => {
                let change = read_change(reader, draft)?;
                draft.tables.changes.push(change);
            }
            _ => {
                let (template, section) = template::read_lazily(reader, draft)?;
                match section {
                    None if constructor.template.is_none() => constructor.template = Some(template),
                    None => return Err(LoadError::new("a constructor of the SLEIGH file has two meanings")),
                    Some(number) if number < SECTION_LIMIT => {
                        let number = number as usize;
                        if constructor.named.len() <= number {
                            constructor.named.resize(number + 1, None);
                        }
                        constructor.named[number] = Some(template);
                    }
                    Some(_) => {
                        return Err(LoadError::new(
                            "a named section of the SLEIGH file has an impossible number",
                        ));
                    }
                }
            }
        }
    }
    reader.close()?;
    let Draft { tables, operand_symbols, .. } = draft;
    // The linking pass lays out the operands in the same order.
    constructor.operands = Span::new(first_operand, operand_symbols.len());
    constructor.changes = Span::new(first_change, tables.changes.len());
    constructor.pieces = Span::new(first_piece, tables.pieces.len());
    for template in constructor.templates() {
        tables.templates[template as usize].set_operands(constructor.operands.count);
    }
    let pieces = &tables.pieces[first_piece..];
    if constructor.mnemonic_end.is_some_and(|end| end > pieces.len()) {
        return Err(LoadError::new("a constructor of the SLEIGH file has a mnemonic without an end"));
    }
    if let [Piece::Operand(operand)] = pieces {
        constructor.flow_through = Some(*operand);
    }
    Ok(constructor)
}

fn read_change(reader: &mut Reader<'_>, draft: &mut Draft) -> Result<ContextChange, LoadError> {
    let content = reader.open()?;
    let is_commit = content.id == element::COMMIT;
    let word: u32 = content.small(if is_commit { attribute::NUMBER } else { attribute::CONTEXT_WORD })?;
    if word > 3 {
        return Err(LoadError::new(
            "the SLEIGH file changes a context beyond the 128 bits that are supported",
        ));
    }
    let mask: u32 = content.small(attribute::MASK)?;
    let below = 32 * (3 - word);
    let mask = u128::from(mask) << below;
    let change = if is_commit {
        ContextChange::Commit {
            symbol: content.small(attribute::ID)?,
            mask,
            flows: content.flag(attribute::FLOW)?,
        }
    } else {
        let shift: u32 = content.small(attribute::SHIFT)?;
        if shift > 31 {
            return Err(LoadError::new("the SLEIGH file shifts a context field out of its word"));
        }
        ContextChange::Set { mask, shift: shift + below, value: expression::read(reader, draft)? }
    };
    reader.close()?;
    Ok(change)
}
