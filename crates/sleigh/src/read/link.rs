//! The linking pass of the reader: resolves references between tables and checks them, so that decoding need not.

use super::Draft;
use crate::bad::LoadError;
use crate::expression::Expression;
use crate::table::{ContextChange, Definition, Operand, Piece, Span, Symbol, Tables};
use crate::template::{Action, Item, VarnodeTemplate};

pub(super) fn operands(draft: &mut Draft) -> Result<(), LoadError> {
    lay_out_operands(draft)?;
    number_constructors(draft)?;
    check_symbols(&draft.tables)?;
    for constructor in 0..draft.tables.constructors.len() {
        check_constructor(&draft.tables, constructor)?;
        let uses_next2 = uses_next2(&draft.tables, constructor);
        draft.tables.constructors[constructor].uses_next2 = uses_next2;
    }
    Ok(())
}

fn missing(what: &str, number: u32) -> LoadError {
    LoadError::new(format!("the SLEIGH file refers to {what} {number}, which it lacks"))
}

/// Stores the operands of each constructor consecutively.
fn lay_out_operands(draft: &mut Draft) -> Result<(), LoadError> {
    for (number, symbols) in std::mem::take(&mut draft.constructor_operands).into_iter().enumerate() {
        let first = draft.tables.operands.len();
        for (position, symbol) in symbols.into_iter().enumerate() {
            let Some(Symbol::Operand(operand)) = draft.tables.symbols.get(symbol as usize) else {
                return Err(missing("operand", symbol));
            };
            let mut operand: Operand = *operand;
            if usize::from(operand.position) != position {
                return Err(LoadError::new("an operand of the SLEIGH file is not where it says it is"));
            }
            if operand.after.is_some_and(|after| usize::from(after) >= position) {
                return Err(LoadError::new("an operand of the SLEIGH file starts behind a later one"));
            }
            if let Definition::Symbol(symbol) = operand.definition {
                match draft.tables.symbols.get(symbol as usize) {
                    Some(Symbol::Subtable(table)) => operand.definition = Definition::Subtable(*table),
                    Some(_) => {}
                    None => return Err(missing("symbol", symbol)),
                }
            }
            if operand.offset > 0xffff || operand.minimum_length > 0xffff {
                return Err(LoadError::new("an operand of the SLEIGH file has an impossible place"));
            }
            draft.tables.operands.push(operand);
        }
        let span = Span::new(first, draft.tables.operands.len());
        let constructor = &mut draft.tables.constructors[number];
        if constructor.minimum_length > 0xffff {
            return Err(LoadError::new("a constructor of the SLEIGH file has an impossible length"));
        }
        constructor.operands = span;
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
    for piece in &constructor.pieces {
        if let Piece::Operand(operand) = piece
            && u32::from(*operand) >= operands
        {
            return Err(missing("operand", u32::from(*operand)));
        }
    }
    for template in constructor.template.into_iter().chain(constructor.named.iter().copied().flatten()) {
        let template = &tables.templates[template as usize];
        let exported = template.result.and_then(|result| tables.handles[result as usize].highest_operand());
        let used = tables.operations[template.operations.range()].iter().filter_map(|operation| {
            let inputs = tables.varnodes[operation.inputs.range()].iter();
            let output = operation.output.map(|output| &tables.varnodes[output as usize]);
            let built = match operation.action {
                Action::Build(operand) => Some(operand),
                _ => None,
            };
            inputs.chain(output).filter_map(VarnodeTemplate::highest_operand).chain(built).max()
        });
        if let Some(operand) = used.chain(exported).max()
            && u32::from(operand) >= operands
        {
            return Err(missing("operand", u32::from(operand)));
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
fn uses_next2(tables: &Tables, number: usize) -> bool {
    let constructor = &tables.constructors[number];
    let operand_does = tables.operands[constructor.operands.range()].iter().any(|operand| {
        matches!(operand.definition, Definition::Symbol(symbol)
            if matches!(tables.symbols[symbol as usize], Symbol::Next2))
    });
    let template_does =
        constructor.template.into_iter().chain(constructor.named.iter().copied().flatten()).any(|template| {
            let operations = tables.templates[template as usize].operations;
            tables.operations[operations.range()].iter().any(|operation| {
                let inputs = &tables.varnodes[operation.inputs.range()];
                let next2 = |varnode: &VarnodeTemplate| {
                    matches!(varnode, VarnodeTemplate::General { offset: Item::Next2, .. })
                };
                matches!(operation.action, Action::Emit(_) | Action::CrossBuild(_))
                    && inputs.iter().any(next2)
            })
        });
    operand_does || template_does
}
