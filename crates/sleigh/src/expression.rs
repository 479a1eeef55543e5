//! Pattern expressions over the fields of an instruction, and their evaluation.

use crate::bad::BadInstruction;
use crate::field::{TokenField, extend};
use crate::parse::Parse;
use crate::table::{Definition, Symbol, Tables};

/// The index of an expression.
pub(crate) type ExpressionId = u32;

/// The maximum nesting of expressions.
const DEPTH_LIMIT: u32 = 64;

/// An operator with two arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Binary {
    Add,
    Subtract,
    Multiply,
    ShiftLeft,
    ShiftRight,
    And,
    Or,
    Xor,
    Divide,
}

/// An expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Expression {
    Token(TokenField),
    Context {
        start: u32,
        size: u32,
        signed: bool,
    },
    Constant(i64),
    /// The value of an operand of an enclosing constructor.
    Operand {
        constructor: u32,
        position: u16,
    },
    Start,
    End,
    Next2,
    Binary(Binary, ExpressionId, ExpressionId),
    Negate(ExpressionId),
    Not(ExpressionId),
}

/// The point of evaluation: a node of the parse tree, and a byte offset.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Point {
    pub(crate) node: u32,
    pub(crate) offset: u32,
}

/// An expression evaluator for one parsed instruction.
#[derive(Clone, Copy)]
pub(crate) struct Evaluator<'t> {
    pub(crate) tables: &'t Tables,
    pub(crate) parse: &'t Parse,
}

impl Evaluator<'_> {
    /// The value of an expression at a node of the parse.
    #[inline]
    pub(crate) fn at_node(self, expression: ExpressionId, node: u32) -> Result<i64, BadInstruction> {
        let offset = self.parse.nodes[node as usize].offset;
        // Most expressions are a single field.
        if let Expression::Token(field) = &self.tables.expressions[expression as usize] {
            return field.read(&self.parse.window, offset as usize);
        }
        self.value(expression, Point { node, offset }, 0)
    }

    fn value(self, expression: ExpressionId, point: Point, depth: u32) -> Result<i64, BadInstruction> {
        if depth > DEPTH_LIMIT {
            return Err(BadInstruction::TooComplex);
        }
        Ok(match self.tables.expressions[expression as usize] {
            Expression::Token(field) => field.read(&self.parse.window, point.offset as usize)?,
            Expression::Context { start, size, signed } => {
                extend(self.parse.context.bits(start, size) as i64, size - 1, signed)
            }
            Expression::Constant(value) => value,
            Expression::Operand { constructor, position } => {
                self.operand(constructor, position, point, depth)?
            }
            Expression::Start => self.units(Some(self.parse.address))?,
            Expression::End => self.units(Some(self.parse.next))?,
            Expression::Next2 => self.units(self.parse.next2)?,
            Expression::Binary(operator, left, right) => {
                let left = self.value(left, point, depth + 1)?;
                let right = self.value(right, point, depth + 1)?;
                apply(operator, left, right)?
            }
            Expression::Negate(inner) => self.value(inner, point, depth + 1)?.wrapping_neg(),
            Expression::Not(inner) => !self.value(inner, point, depth + 1)?,
        })
    }

    /// Converts an address in bytes to units of the code space, in which expressions count.
    fn units(self, address: Option<u64>) -> Result<i64, BadInstruction> {
        Ok((address.ok_or(BadInstruction::Inconsistent)? / self.parse.unit) as i64)
    }

    /// The value of an operand of the nearest enclosing node built by `constructor`.
    fn operand(
        self,
        constructor: u32,
        position: u16,
        point: Point,
        depth: u32,
    ) -> Result<i64, BadInstruction> {
        let Some(operand) = self.tables.operands_of(constructor).get(usize::from(position)).copied() else {
            return Err(BadInstruction::Inconsistent);
        };
        let expression = match operand.definition {
            Definition::Expression(expression) => expression,
            Definition::Symbol(symbol) => match &self.tables.symbols[symbol as usize] {
                Symbol::Value(index)
                | Symbol::ValueMap { index, .. }
                | Symbol::Names { index, .. }
                | Symbol::VarnodeList { index, .. } => *index,
                Symbol::Start => return self.units(Some(self.parse.address)),
                Symbol::End => return self.units(Some(self.parse.next)),
                Symbol::Next2 => return self.units(self.parse.next2),
                _ => return Ok(0),
            },
            Definition::Subtable(_) | Definition::Nothing => return Ok(0),
        };
        let mut node = point.node;
        let mut offset = point.offset;
        while self.parse.nodes[node as usize].constructor != Some(constructor) {
            node = self.parse.nodes[node as usize].parent.ok_or(BadInstruction::Inconsistent)?;
            offset = self.parse.nodes[node as usize].offset;
        }
        // Context changes are evaluated before the operands are placed, so the position of an operand that starts with
        // its constructor is computed here; the others are known.
        let offset = match operand.after {
            None => offset + operand.offset,
            Some(_) => {
                let first = self.parse.nodes[node as usize].children;
                self.parse.nodes[(first + u32::from(position)) as usize].offset
            }
        };
        self.value(expression, Point { node, offset }, depth + 1)
    }
}

fn apply(operator: Binary, left: i64, right: i64) -> Result<i64, BadInstruction> {
    Ok(match operator {
        Binary::Add => left.wrapping_add(right),
        Binary::Subtract => left.wrapping_sub(right),
        Binary::Multiply => left.wrapping_mul(right),
        Binary::ShiftLeft => left.wrapping_shl(right as u32),
        Binary::ShiftRight => left.wrapping_shr(right as u32),
        Binary::And => left & right,
        Binary::Or => left | right,
        Binary::Xor => left ^ right,
        Binary::Divide if right == 0 => return Err(BadInstruction::Inconsistent),
        Binary::Divide => left.wrapping_div(right),
    })
}
