//! Terms of loops over the input grow linearly in the number of iterations.

use everypath_ir::{Op, Width};
use everypath_term::{Evaluation, Input, Model, Term, Terms};

const W: Width = Width::W64;

fn apply(terms: &mut Terms, op: Op, x: Term, y: u64) -> Term {
    let y = terms.constant_u64(y, W);
    terms.apply(op, W, &[x, y])
}

/// The value of a digit, zero-extended.
fn digit(terms: &mut Terms, number: u32) -> Term {
    let byte = terms.input(Input(number));
    let zero = terms.constant_u64(u64::from(b'0'), Width::W8);
    let digit = terms.apply(Op::Sub, Width::W8, &[byte, zero]);
    terms.apply(Op::Zext, W, &[digit])
}

/// Ten times the value, as compilers emit it.
type TimesTen = fn(&mut Terms, Term) -> Term;

const TIMES_TEN: [TimesTen; 3] = [
    |terms, value| apply(terms, Op::Mul, value, 10),
    |terms, value| {
        let four = apply(terms, Op::Shl, value, 2);
        let five = terms.apply(Op::Add, W, &[four, value]);
        apply(terms, Op::Shl, five, 1)
    },
    |terms, value| {
        let eight = apply(terms, Op::Shl, value, 3);
        let two = terms.apply(Op::Add, W, &[value, value]);
        terms.apply(Op::Add, W, &[eight, two])
    },
];

/// The number of live terms after parsing a number of this many digits and comparing it.
fn parsed(times_ten: TimesTen, digits: u32) -> usize {
    let mut terms = Terms::new();
    let mut value = terms.constant_u64(0, W);
    for number in 0..digits {
        let ten = times_ten(&mut terms, value);
        let digit = digit(&mut terms, number);
        value = terms.apply(Op::Add, W, &[ten, digit]);
    }
    let constant = terms.constant_u64(1_234_567, W);
    let equal = terms.eq(value, constant);
    let below = terms.apply(Op::Ult, Width::W1, &[value, constant]);
    let text = format!("{:0>length$}", 1_234_567, length = digits as usize);
    let mut evaluation = Evaluation::new(Model::from_bytes(text.as_bytes()));
    assert!(evaluation.holds(&terms, equal), "{text}");
    assert!(!evaluation.holds(&terms, below), "{text}");
    terms.collect([equal, below], []);
    terms.live()
}

#[test]
fn parsing_digits_is_linear() {
    for times_ten in TIMES_TEN {
        let (some, more) = (parsed(times_ten, 64), parsed(times_ten, 128));
        assert!(some <= 64 * 10, "{some} terms for 64 digits");
        assert!(more <= some * 2 + 10, "{some} terms for 64 digits, {more} for 128");
    }
}

/// A table-driven CRC, whose table entries are read byte by byte as from memory.
fn crc(bytes: u32) -> usize {
    let mut terms = Terms::new();
    let table: Vec<u8> = (0..1024_u32).map(|index| (index.wrapping_mul(0x9e37_79b1) >> 13) as u8).collect();
    let table = terms.table(&table, Width::W32);
    let mut value = terms.constant_u64(0xffff_ffff, Width::W32);
    let constant = |terms: &mut Terms, value: u64| terms.constant_u64(value, Width::W32);
    for number in 0..bytes {
        let byte = terms.input(Input(number));
        let byte = terms.apply(Op::Zext, Width::W32, &[byte]);
        let index = terms.apply(Op::Xor, Width::W32, &[value, byte]);
        let (low, two, eight) =
            (constant(&mut terms, 0xff), constant(&mut terms, 2), constant(&mut terms, 8));
        let index = terms.apply(Op::And, Width::W32, &[index, low]);
        let index = terms.apply(Op::Shl, Width::W32, &[index, two]);
        let mut entry = None;
        for offset in 0..4 {
            let offset = constant(&mut terms, offset);
            let place = terms.apply(Op::Add, Width::W32, &[index, offset]);
            let read = terms.read(table, place);
            entry = Some(entry.map_or(read, |entry| terms.concat(read, entry)));
        }
        let rest = terms.apply(Op::Lshr, Width::W32, &[value, eight]);
        value = terms.apply(Op::Xor, Width::W32, &[entry.expect("four bytes"), rest]);
    }
    terms.collect([value], []);
    terms.live()
}

#[test]
fn a_crc_by_table_is_linear() {
    let (some, more) = (crc(64), crc(128));
    assert!(some <= 64 * 30, "{some} terms for 64 bytes");
    assert!(more <= some * 2 + 10, "{some} terms for 64 bytes, {more} for 128");
}
