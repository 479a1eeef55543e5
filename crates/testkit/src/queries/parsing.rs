//! Parsing queries: long dependency chains over many bytes.

use everypath_ir::Op;
use everypath_term::{Input, Term};

use super::Question;
use super::question::width;

pub(super) fn questions() -> Vec<Question> {
    vec![
        digits(16, true),
        digits(20, false),
        digits(64, true),
        digits(64, false),
        checksum(4),
        checksum(8),
        checksum(16),
    ]
}

/// Parses digits into 64 bits; the number is compared for equality or for order.
fn digits(count: u32, exact: bool) -> Question {
    let kind = if exact { "equal" } else { "greater" };
    let mut question = Question::new(format!("number of {count} digits, {kind}"), true);
    let (ten, zero) = (question.constant(10, 64), question.constant(u64::from(b'0'), 8));
    let nine = question.constant(9, 8);
    let mut number = question.constant(0, 64);
    let mut target = 0_u64;
    for place in 0..count {
        let input = question.terms.input(Input(place));
        let digit = question.same(Op::Sub, input, zero);
        let valid = question.compare(Op::Ule, digit, nine);
        question.require(valid);
        let digit = question.extend(digit, 64);
        number = question.same(Op::Mul, number, ten);
        number = question.same(Op::Add, number, digit);
        target = target.wrapping_mul(10).wrapping_add(u64::from(place % 7 + 1));
    }
    let target = question.constant(target, 64);
    let condition =
        if exact { question.terms.eq(number, target) } else { question.compare(Op::Ult, target, number) };
    question.require(condition);
    question
}

/// Inverts a CRC-32 that is computed by the usual table of 256 entries, byte by byte, for a value that some input has.
fn checksum(count: u32) -> Question {
    let mut question = Question::new(format!("CRC of {count} bytes by table"), true);
    let entries: Vec<u32> = (0..256)
        .map(|index| (0..8).fold(index, |crc, _| crc >> 1 ^ if crc & 1 == 1 { 0xedb8_8320 } else { 0 }))
        .collect();
    let bytes: Vec<u8> = entries.iter().flat_map(|entry| entry.to_le_bytes()).collect();
    let table = question.terms.table(&bytes, width(32));
    let mut crc = question.constant(0xffff_ffff, 32);
    let mut target = u32::MAX;
    for place in 0..count {
        let input = question.terms.input(Input(place));
        let low = question.terms.extract(crc, 0, width(8));
        let index = question.same(Op::Xor, low, input);
        let index = question.extend(index, 32);
        let two = question.constant(2, 32);
        let index = question.same(Op::Shl, index, two);
        let read: Vec<Term> = (0..4)
            .map(|byte| {
                let offset = question.constant(byte, 32);
                let index = question.same(Op::Add, index, offset);
                question.terms.read(table, index)
            })
            .collect();
        let entry =
            read.into_iter().reduce(|low, high| question.terms.concat(high, low)).expect("four bytes");
        let eight = question.constant(8, 32);
        let shifted = question.same(Op::Lshr, crc, eight);
        crc = question.same(Op::Xor, shifted, entry);
        let value = u32::from(b'a') + place;
        target = target >> 8 ^ entries[((target ^ value) & 0xff) as usize];
    }
    let target = question.constant(u64::from(target), 32);
    let right = question.terms.eq(crc, target);
    question.require(right);
    question
}
