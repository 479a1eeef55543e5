//! Bit vectors, their text form, and the documented sizes of types.

use std::mem::size_of;

use everypath_ir::{Bits, Operand, OperandKind, Statement, Temp, Width};

use everypath_testkit::random::Random;

#[test]
fn every_form_leads_back_to_the_value() {
    let mut random = Random::new(3);
    for bits in [1, 7, 8, 63, 64, 65, 127, 128, 129, 511, 512] {
        let width = Width::new(bits).expect("a width");
        for _ in 0..200 {
            let value = random.bits(width);
            assert_eq!(value.to_string().parse(), Ok(value.clone()));
            assert_eq!(value.to_bytes_le().len(), width.bytes());
            assert_eq!(Bits::from_bytes_le(&value.to_bytes_le(), width), value);
            assert_eq!(Bits::from_word(value.to_word::<everypath_ir::Wide>(), width), value);
            assert_eq!(value.is_zero(), value == Bits::zero(width));
            assert_eq!(value.is_ones(), value == Bits::ones(width));
            assert_eq!(value.is_ones(), (0..bits).all(|index| value.bit(index)));
            assert!(!value.bit(bits) && !value.bit(u32::MAX));
            let top = (0..bits).rev().find(|&index| value.bit(index));
            assert_eq!(value.to_u64().is_some(), top.is_none_or(|top| top < 64));
            assert_eq!(value.to_u128().is_some(), top.is_none_or(|top| top < 128));
            if let Some(number) = value.to_u128() {
                assert_eq!(Bits::from_u128(number, width), value);
            }
            let other = random.bits(width);
            let by_bits = (0..bits).rev().map(|index| value.bit(index).cmp(&other.bit(index)));
            let order = by_bits.fold(std::cmp::Ordering::Equal, std::cmp::Ordering::then);
            assert_eq!(value.cmp(&other), order, "{value} {other}");
        }
    }
}

#[test]
fn texts_that_are_no_values() {
    for text in
        ["", "0x", "0x:8", "1:8", "0x1", "0x1:0", "0x1:513", "0x100:8", "0x1:+8", "0x-1:8", "0xg:8", "0x1:8 "]
    {
        assert!(text.parse::<Bits>().is_err(), "{text:?}");
    }
    let long = format!("0x{}1:4", "0".repeat(1000));
    assert_eq!(long.parse(), Ok(Bits::from_u64(1, Width::new(4).expect("a width"))));
    assert!(format!("0x{}:512", "1".repeat(129)).parse::<Bits>().is_err());
}

#[test]
fn sizes() {
    assert!(size_of::<Statement>() <= 24);
    assert_eq!(size_of::<Operand>(), 4);
    assert_eq!(size_of::<Option<Operand>>(), 4);
    assert_eq!(size_of::<Option<Temp>>(), 4);
    assert_eq!(size_of::<Bits>(), 16);
}

#[test]
fn operands_are_what_they_were_made_of() {
    for number in [0, 1, 2, 1000, u32::MAX / 2 - 2] {
        assert_eq!(Temp::new(number).index(), number as usize);
        assert_eq!(Operand::temp(Temp::new(number)).kind(), OperandKind::Temp(Temp::new(number)));
        let constant = Operand::constant(number as usize);
        assert_eq!(constant.kind(), OperandKind::Constant(number as usize));
        assert!(constant.is_constant() && constant != Operand::FILLER);
    }
}
