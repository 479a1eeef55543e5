//! Reads pattern expressions.

use super::Draft;
use super::identifier::{attribute, element};
use crate::bad::LoadError;
use crate::expression::{Binary, Expression, ExpressionId};
use crate::field::TokenField;
use crate::packed::{Element, Reader};

pub(super) fn read(reader: &mut Reader<'_>, draft: &mut Draft) -> Result<ExpressionId, LoadError> {
    let content = reader.open()?;
    let binary = |operator| move |left, right| Expression::Binary(operator, left, right);
    let expression = match content.id {
        element::TOKEN_FIELD => token(&content)?,
        element::CONTEXT_FIELD => context(&content)?,
        element::NUMBER => Expression::Constant(content.signed(attribute::VALUE)?),
        element::OPERAND_EXPRESSION => {
            let reference = (content.small(attribute::TABLE)?, content.small(attribute::CONSTRUCTOR)?);
            draft.operand_references.push(reference);
            // The index of the constructor is known only when all tables are read: see `link`.
            let constructor = draft.operand_references.len() as u32 - 1;
            Expression::Operand { constructor, position: content.small(attribute::INDEX)? }
        }
        element::START_EXPRESSION => Expression::Start,
        element::END_EXPRESSION => Expression::End,
        element::NEXT2_EXPRESSION => Expression::Next2,
        element::ADD => two(reader, draft, binary(Binary::Add))?,
        element::SUBTRACT => two(reader, draft, binary(Binary::Subtract))?,
        element::MULTIPLY => two(reader, draft, binary(Binary::Multiply))?,
        element::SHIFT_LEFT => two(reader, draft, binary(Binary::ShiftLeft))?,
        element::SHIFT_RIGHT => two(reader, draft, binary(Binary::ShiftRight))?,
        element::AND => two(reader, draft, binary(Binary::And))?,
        element::OR => two(reader, draft, binary(Binary::Or))?,
        element::XOR => two(reader, draft, binary(Binary::Xor))?,
        element::DIVIDE => two(reader, draft, binary(Binary::Divide))?,
        element::NEGATE => Expression::Negate(read(reader, draft)?),
        element::NOT => Expression::Not(read(reader, draft)?),
        other => {
            return Err(LoadError::new(format!("the SLEIGH file has an expression of unknown kind {other}")));
        }
    };
    reader.close()?;
    draft.tables.expressions.push(expression);
    Ok(draft.tables.expressions.len() as u32 - 1)
}

fn two(
    reader: &mut Reader<'_>,
    draft: &mut Draft,
    make: impl Fn(ExpressionId, ExpressionId) -> Expression,
) -> Result<Expression, LoadError> {
    let left = read(reader, draft)?;
    let right = read(reader, draft)?;
    Ok(make(left, right))
}

fn token(content: &Element<'_>) -> Result<Expression, LoadError> {
    let start_bit: u32 = content.small(attribute::START_BIT)?;
    let end_bit: u32 = content.small(attribute::END_BIT)?;
    let start_byte: u32 = content.small(attribute::START_BYTE)?;
    let end_byte: u32 = content.small(attribute::END_BYTE)?;
    let shift: u32 = content.small(attribute::SHIFT)?;
    let byte_count = end_byte.wrapping_sub(start_byte).wrapping_add(1);
    if start_bit > end_bit || end_bit - start_bit > 63 || !(1..=8).contains(&byte_count) || shift > 7 {
        return Err(LoadError::new("the SLEIGH file has an impossible token field"));
    }
    Ok(Expression::Token(TokenField {
        big_endian: content.flag(attribute::BIG_ENDIAN)?,
        signed: content.flag(attribute::SIGN_BIT)?,
        top_bit: end_bit - start_bit,
        start_byte,
        byte_count,
        shift,
    }))
}

fn context(content: &Element<'_>) -> Result<Expression, LoadError> {
    let start: u32 = content.small(attribute::START_BIT)?;
    let end: u32 = content.small(attribute::END_BIT)?;
    if start > end || end > 127 || end - start > 63 {
        return Err(LoadError::new("the SLEIGH file has an impossible context field"));
    }
    Ok(Expression::Context { start, size: end - start + 1, signed: content.flag(attribute::SIGN_BIT)? })
}
