//! The linking pass of the reader: resolves references between tables and checks them, so that decoding need not.

use super::{Draft, missing};
use crate::bad::LoadError;
use crate::expression::Expression;
use crate::table::{ContextChange, Definition, Operand, Piece, Symbol, Tables};

/// Resolves and checks all references.
pub(super) fn resolve(draft: &mut Draft) -> Result<(), LoadError> {
    lay_out_operands(draft)?;
    number_constructors(draft)?;
    check_symbols(&draft.tables)?;
    for constructor in 0..draft.tables.constructors.len() {
        check_constructor(&draft.tables, constructor)?;
        let uses_next2 = uses_next2(draft, constructor)?;
        draft.tables.constructors[constructor].uses_next2 = uses_next2;
    }
    Ok(())
}

/// Stores the operands of each constructor consecutively.
fn lay_out_operands(draft: &mut Draft) -> Result<(), LoadError> {
    let Draft { tables, operand_symbols, .. } = draft;
    tables.operands.reserve_exact(operand_symbols.len());
    for constructor in &tables.constructors {
        if constructor.minimum_length > 0xffff {
            return Err(LoadError::new("a constructor of the SLEIGH file has an impossible length"));
        }
        for (position, symbol) in operand_symbols[constructor.operands.range()].iter().enumerate() {
            let Some(Symbol::Operand(operand)) = tables.symbols.get(*symbol as usize) else {
                return Err(missing("operand", *symbol));
            };
            let mut operand: Operand = *operand;
            if usize::from(operand.position) != position {
                return Err(LoadError::new("an operand of the SLEIGH file is not where it says it is"));
            }
            if operand.after.is_some_and(|after| usize::from(after) >= position) {
                return Err(LoadError::new("an operand of the SLEIGH file starts behind a later one"));
            }
            if let Definition::Symbol(symbol) = operand.definition {
                match tables.symbols.get(symbol as usize) {
                    Some(Symbol::Subtable(table)) => operand.definition = Definition::Subtable(*table),
                    Some(_) => {}
                    None => return Err(missing("symbol", symbol)),
                }
            }
            if operand.offset > 0xffff || operand.minimum_length > 0xffff {
                return Err(LoadError::new("an operand of the SLEIGH file has an impossible place"));
            }
            tables.operands.push(operand);
        }
    }
    Ok(())
}

/// Replaces the provisional indices in expressions that refer to operands.
fn number_constructors(draft: &mut Draft) -> Result<(), LoadError> {
    let Draft { tables, operand_references, .. } = draft;
    for expression in &mut tables.expressions {
        let Expression::Operand { constructor, .. } = expression else { continue };
        let (symbol, number) = operand_references[*constructor as usize];
        let Some(Symbol::Subtable(table)) = tables.symbols.get(symbol as usize) else {
            return Err(missing("table", symbol));
        };
        let constructors = tables.subtables[*table as usize].constructors;
        if number >= constructors.count {
            return Err(missing("constructor", number));
        }
        *constructor = constructors.start + number;
    }
    Ok(())
}

fn check_symbols(tables: &Tables) -> Result<(), LoadError> {
    for symbol in &tables.symbols {
        if let Symbol::VarnodeList { varnodes, .. } = symbol {
            for register in varnodes.iter().flatten() {
                if !matches!(tables.symbols.get(*register as usize), Some(Symbol::Varnode(_))) {
                    return Err(missing("register", *register));
                }
            }
        }
    }
    Ok(())
}

fn check_constructor(tables: &Tables, number: usize) -> Result<(), LoadError> {
    let constructor = &tables.constructors[number];
    let operands = constructor.operands.count;
    for piece in &tables.pieces[constructor.pieces.range()] {
        if let Piece::Operand(operand) = piece
            && u32::from(*operand) >= operands
        {
            return Err(missing("operand", u32::from(*operand)));
        }
    }
    for change in &tables.changes[constructor.changes.range()] {
        let ContextChange::Commit { symbol, .. } = change else { continue };
        match tables.symbols.get(*symbol as usize) {
            Some(Symbol::Operand(operand)) if u32::from(operand.position) < operands => {}
            None | Some(Symbol::Operand(_)) => return Err(missing("symbol", *symbol)),
            Some(_) => {}
        }
    }
    Ok(())
}

/// Whether a constructor needs the address of the instruction after the next.
fn uses_next2(draft: &Draft, number: usize) -> Result<bool, LoadError> {
    let Draft { tables, spaces, .. } = draft;
    let constructor = &tables.constructors[number];
    let operand_does = tables.operands[constructor.operands.range()].iter().any(|operand| {
        matches!(operand.definition, Definition::Symbol(symbol)
            if matches!(tables.symbols[symbol as usize], Symbol::Next2))
    });
    let mut template_does = false;
    for template in constructor.templates() {
        let template = &tables.templates[template as usize];
        // Few templates mention it, and those must be parsed now.
        if template.mentions_next2 {
            let parsed = template.get(&tables.encoded_templates, spaces).map_err(LoadError::clone)?;
            template_does |= parsed.uses_next2();
        }
    }
    Ok(operand_does || template_does)
}
