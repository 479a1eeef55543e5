//! Reads decision trees and the patterns at their leaves.

use super::Draft;
use super::identifier::{attribute, element};
use crate::bad::LoadError;
use crate::decision::{Decision, Pattern};
use crate::packed::Reader;
use crate::table::Span;

/// Reads a decision node and its subtree; `constructors` are those of its table.
pub(super) fn read_decision(
    reader: &mut Reader<'_>,
    draft: &mut Draft,
    constructors: Span,
) -> Result<Decision, LoadError> {
    let content = reader.expect(element::DECISION)?;
    let in_context = content.flag(attribute::CONTEXT)?;
    let start: u16 = content.small(attribute::START_BIT)?;
    let size: u8 = content.small(attribute::SIZE)?;
    if size > 8 || start > 127 {
        return Err(LoadError::new("the SLEIGH file has an impossible decision"));
    }
    if size == 0 {
        let first = draft.tables.patterns.len();
        while reader.peek()?.is_some() {
            let pattern = read_pair(reader, constructors)?;
            draft.tables.patterns.extend(pattern);
        }
        reader.close()?;
        return Ok(Decision::Leaf(Span::new(first, draft.tables.patterns.len())));
    }
    let mut children = Vec::with_capacity(1 << size);
    while reader.peek()?.is_some() {
        children.push(read_decision(reader, draft, constructors)?);
    }
    reader.close()?;
    if children.len() != 1 << size {
        return Err(LoadError::new("a decision of the SLEIGH file lacks some of its cases"));
    }
    let first = draft.tables.decisions.len() as u32;
    draft.tables.decisions.extend(children);
    Ok(Decision::Branch { in_context, start, size, first })
}

/// One pattern and its constructor; `None` for a pattern that can never match.
fn read_pair(reader: &mut Reader<'_>, constructors: Span) -> Result<Option<Pattern>, LoadError> {
    let number: u32 = reader.expect(element::PAIR)?.small(attribute::ID)?;
    if number >= constructors.count {
        return Err(LoadError::new(format!(
            "a pattern of the SLEIGH file names constructor {number}, which its table lacks"
        )));
    }
    let pattern = reader.open()?;
    let always = Some((0, 0));
    let (instruction, context) = match pattern.id {
        element::INSTRUCTION_PATTERN => (read_block(reader)?, always),
        element::CONTEXT_PATTERN => (always, read_block(reader)?),
        element::COMBINED_PATTERN => {
            reader.expect(element::CONTEXT_PATTERN)?;
            let context = read_block(reader)?;
            reader.close()?;
            reader.expect(element::INSTRUCTION_PATTERN)?;
            let instruction = read_block(reader)?;
            reader.close()?;
            (instruction, context)
        }
        other => {
            return Err(LoadError::new(format!("the SLEIGH file has a pattern of unknown kind {other}")));
        }
    };
    reader.close()?;
    reader.close()?;
    let (Some((mask, value)), Some((context_mask, context_value))) = (instruction, context) else {
        return Ok(None);
    };
    let constructor = constructors.start + number;
    Ok(Some(Pattern { mask, value, context_mask, context_value, constructor }))
}

/// The mask and value of a pattern block, its first byte highest; `None` if it matches nothing.
fn read_block(reader: &mut Reader<'_>) -> Result<Option<(u128, u128)>, LoadError> {
    let content = reader.expect(element::PATTERN_BLOCK)?;
    let offset = content.unsigned(attribute::OFFSET)?;
    let length = content.signed(attribute::NON_ZERO)?;
    let (mut mask, mut value) = (0_u128, 0_u128);
    let mut position = offset;
    while reader.peek()?.is_some() {
        let word = reader.expect(element::MASK_WORD)?;
        let word_mask: u32 = word.small(attribute::MASK)?;
        let word_value: u32 = word.small(attribute::VALUE)?;
        reader.close()?;
        let inside = 8 * 16_u32.saturating_sub(position.min(16) as u32);
        if word_mask.checked_shl(inside).unwrap_or(0) != 0 {
            return Err(LoadError::new("a pattern of the SLEIGH file reaches past 16 bytes"));
        }
        // A word may begin in the last bytes; the bits beyond them are masked out, as checked above.
        let place = |word: u32| (u128::from(word) << 96) >> (8 * position);
        if position < 16 {
            mask |= place(word_mask);
            value |= place(word_value);
        }
        position += 4;
    }
    reader.close()?;
    Ok(match length {
        0 => Some((0, 0)),
        length if length < 0 => None,
        _ => Some((mask, value)),
    })
}
