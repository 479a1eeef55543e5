//! A constant table read at a symbolic index: a multiplexer tree (Shannon expansion) over the index bits.

use super::compare::any;
use super::{Circuit, Literal};

/// The entry of the table at the index, least significant bit first; zero beyond the end of the table.
///
/// Each of the eight bits of an entry has its own tree. Structural hashing shares equal parts of the table within a
/// tree and between trees. A constant bit of the index halves the table.
pub fn read_table(circuit: &mut Circuit, table: &[u8], index: &[Literal]) -> Vec<Literal> {
    let places = index.len().min(table.len().next_power_of_two().trailing_zeros() as usize);
    let (inside, beyond) = index.split_at(places);
    let inside_table = !any(circuit, beyond);
    let entries = reachable(table, inside);
    let inside: Vec<Literal> = inside.iter().copied().filter(|bit| bit.as_constant().is_none()).collect();
    (0..8)
        .map(|bit| {
            let values: Vec<bool> = entries.iter().map(|entry| entry >> bit & 1 == 1).collect();
            let value = match linear(&values) {
                Some((constant, terms)) => sum_of(circuit, constant, &terms, &inside),
                None => tree(circuit, &values, &inside),
            };
            circuit.and(value, inside_table)
        })
        .collect()
}

/// The entries selected by the constant bits of the index, in the order of the other bits; a power of two of them.
fn reachable(table: &[u8], index: &[Literal]) -> Vec<u8> {
    let mut entries = table.to_vec();
    entries.resize(1 << index.len(), 0);
    let mut free = 0;
    for bit in index {
        if let Some(value) = bit.as_constant() {
            let half = 1 << free;
            entries = entries
                .chunks(2 * half)
                .flat_map(|pair| &pair[usize::from(value) * half..][..half])
                .copied()
                .collect();
        } else {
            free += 1;
        }
    }
    entries
}

/// If the values are an affine function of the index bits over GF(2), as in a CRC table: the value at zero, and for
/// each index bit whether it occurs.
fn linear(values: &[bool]) -> Option<(bool, Vec<bool>)> {
    let constant = values[0];
    let places = values.len().trailing_zeros();
    let terms: Vec<bool> = (0..places).map(|place| values[1 << place] != constant).collect();
    let holds = (1..values.len()).all(|index| {
        // By induction over the highest bit of the index.
        let place = index.ilog2();
        values[index] == values[index ^ 1 << place] ^ terms[place as usize]
    });
    holds.then_some((constant, terms))
}

fn sum_of(circuit: &mut Circuit, constant: bool, terms: &[bool], index: &[Literal]) -> Literal {
    let taking_part = index.iter().zip(terms).filter(|(_, taken)| **taken);
    taking_part.fold(Literal::constant(constant), |sum, (&bit, _)| circuit.xor(sum, bit))
}

fn tree(circuit: &mut Circuit, values: &[bool], index: &[Literal]) -> Literal {
    let mut level: Vec<Literal> = values.iter().map(|&value| Literal::constant(value)).collect();
    for &bit in index {
        level = level.chunks(2).map(|pair| circuit.select(bit, pair[1], pair[0])).collect();
    }
    level[0]
}
