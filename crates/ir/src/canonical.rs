//! Canonical renumbering of a block after statements were removed.

use crate::{ArgumentRange, Bits, Block, Operand, OperandKind, Statement, Temp, Width};

/// Keeps the statements that `keep` selects; renumbers temporaries in definition order, constants and pooled arguments
/// in order of first use.
///
/// Each operand of a kept statement must be defined by a kept statement.
pub(crate) fn rebuild(block: &mut Block, keep: impl Fn(usize) -> bool) {
    let mut order = Order {
        temps: vec![None; block.temps.len()],
        constants: vec![None; block.constants.len()],
        new_temps: Vec::with_capacity(block.temps.len()),
        new_constants: Vec::with_capacity(block.constants.len()),
    };
    let mut pool = Vec::with_capacity(block.argument_pool.len());
    let mut statements = Vec::with_capacity(block.statements.len());
    for (index, statement) in block.statements.iter().enumerate() {
        if !keep(index) {
            continue;
        }
        let mut statement = *statement;
        if let Statement::User { arguments, .. } = &mut statement {
            let start = pool.len() as u32;
            for &argument in block.pooled(*arguments) {
                pool.push(order.operand(block, argument));
            }
            *arguments = ArgumentRange { start, count: arguments.count };
        }
        statement.for_each_operand(|operand| *operand = order.operand(block, *operand));
        if let Some(result) = statement.result() {
            statement.set_result(order.define(block, result));
        }
        statements.push(statement);
    }
    let mut exits = std::mem::take(&mut block.exits);
    for exit in &mut exits {
        exit.for_each_operand(|operand| *operand = order.operand(block, *operand));
    }
    block.temps = order.new_temps;
    block.constants = order.new_constants;
    block.argument_pool = pool;
    block.statements = statements;
    block.exits = exits;
}

struct Order {
    temps: Vec<Option<Temp>>,
    constants: Vec<Option<Operand>>,
    new_temps: Vec<Width>,
    new_constants: Vec<Bits>,
}

impl Order {
    fn define(&mut self, block: &Block, temp: Temp) -> Temp {
        let new = Temp::new(self.new_temps.len() as u32);
        self.new_temps.push(block.temps[temp.index()]);
        self.temps[temp.index()] = Some(new);
        new
    }

    fn operand(&mut self, block: &Block, operand: Operand) -> Operand {
        match operand.kind() {
            OperandKind::Temp(temp) => self.temps[temp.index()].expect("defined before its use").into(),
            OperandKind::Constant(index) => *self.constants[index].get_or_insert_with(|| {
                self.new_constants.push(block.constants[index].clone());
                Operand::constant(self.new_constants.len() - 1)
            }),
        }
    }
}
