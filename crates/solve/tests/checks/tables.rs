//! Circuits of constant table reads.

use everypath_solve::circuit::{Circuit, Literal, Simulation, read_table};

use everypath_testkit::random::Random;

/// Reads the table at every index of this many bits, some of which may be constant.
fn check(table: &[u8], index_bits: usize, fixed: impl Fn(usize) -> Option<bool>) -> usize {
    let mut circuit = Circuit::new();
    let index: Vec<Literal> =
        (0..index_bits).map(|bit| fixed(bit).map_or_else(|| circuit.input(), Literal::constant)).collect();
    let entry = read_table(&mut circuit, table, &index);
    assert_eq!(entry.len(), 8);
    for at in 0..1_usize << index_bits {
        if (0..index_bits).any(|bit| fixed(bit).is_some_and(|value| value != (at >> bit & 1 == 1))) {
            continue;
        }
        let inputs = index.iter().enumerate().filter(|(_, literal)| literal.as_constant().is_none());
        let inputs = inputs.map(|(bit, &literal)| (literal, (at >> bit & 1) as u64));
        let simulation = Simulation::new(&circuit, inputs);
        let found = entry.iter().rev().fold(0, |byte, &bit| byte << 1 | (simulation.value(bit) & 1) as u8);
        assert_eq!(found, table.get(at).copied().unwrap_or(0), "index {at} of {} entries", table.len());
    }
    circuit.len()
}

#[test]
fn every_index_gives_its_entry_or_zero() {
    let mut random = Random::new(3);
    for length in [1, 2, 3, 5, 8, 16, 100, 256, 257] {
        let table: Vec<u8> = (0..length).map(|_| random.number() as u8).collect();
        for index_bits in [1, 4, 8, 10] {
            check(&table, index_bits, |_| None);
            check(&table, index_bits, |bit| (bit % 3 == 1).then_some(bit % 2 == 0));
        }
    }
}

#[test]
fn parts_that_are_equal_are_shared() {
    let mut random = Random::new(4);
    let part: Vec<u8> = (0..32).map(|_| random.number() as u8).collect();
    let repeated: Vec<u8> = part.iter().copied().cycle().take(256).collect();
    let other: Vec<u8> = (0..256).map(|_| random.number() as u8).collect();
    assert!(check(&repeated, 8, |_| None) * 4 < check(&other, 8, |_| None));
}

#[test]
fn a_table_that_is_linear_becomes_sums() {
    let mut table = [0_u8; 256];
    for (index, entry) in table.iter_mut().enumerate() {
        *entry = (0..8).fold(index as u8, |crc, _| crc << 1 ^ if crc & 0x80 != 0 { 0x07 } else { 0 });
    }
    let gates = check(&table, 8, |_| None);
    assert!(gates < 64, "{gates} gates");
}
