//! Array multiplication with carry-save column compression, and multiplication by constants in non-adjacent form
//! (Reitwiesner 1960).

use super::add::{add, complement};
use super::{Circuit, Literal};

/// The low half of a product.
pub(super) fn multiply(circuit: &mut Circuit, a: &[Literal], b: &[Literal]) -> Vec<Literal> {
    debug_assert_eq!(a.len(), b.len(), "a product has operands of one width");
    if let Some(constant) = constant_bits(a) {
        return multiply_by_constant(circuit, b, &constant);
    }
    if let Some(constant) = constant_bits(b) {
        return multiply_by_constant(circuit, a, &constant);
    }
    let width = a.len();
    let mut columns = vec![Vec::new(); width];
    for (row, &b) in b.iter().enumerate() {
        for (index, &a) in a[..width - row].iter().enumerate() {
            columns[row + index].push(circuit.and(a, b));
        }
    }
    sum_columns(circuit, columns)
}

fn constant_bits(bits: &[Literal]) -> Option<Vec<bool>> {
    bits.iter().map(|bit| bit.as_constant()).collect()
}

/// Recodes the constant into digits -1, 0 and 1 of which no two adjacent ones are nonzero (non-adjacent form), and adds
/// or subtracts the shifted value for each nonzero digit.
fn multiply_by_constant(circuit: &mut Circuit, value: &[Literal], constant: &[bool]) -> Vec<Literal> {
    let width = value.len();
    let mut product = vec![Literal::FALSE; width];
    let mut carry = false;
    for place in 0..width {
        let one = constant[place] != carry;
        let next = constant.get(place + 1).copied().unwrap_or(false);
        if one {
            let (shifted, high) = (&value[..width - place], &product[place..]);
            let sum = if next {
                add(circuit, high, &complement(shifted), Literal::TRUE)
            } else {
                add(circuit, high, shifted, Literal::FALSE)
            };
            product[place..].copy_from_slice(&sum.bits);
            carry = next;
        } else {
            carry = carry && constant[place];
        }
    }
    product
}

/// Sums bits, those of column `i` with weight `2^i`, by full adders; carries beyond the last column are dropped.
pub(super) fn sum_columns(circuit: &mut Circuit, mut columns: Vec<Vec<Literal>>) -> Vec<Literal> {
    let mut sum = Vec::with_capacity(columns.len());
    for index in 0..columns.len() {
        let mut column = std::mem::take(&mut columns[index]);
        let mut carries = Vec::new();
        fold_pairs(&mut column, &mut carries);
        // First in, first out: the sums just produced are added last, which keeps the adder tree shallow.
        let mut taken = 0;
        while column.len() - taken > 1 {
            let third = column.get(taken + 2).copied().unwrap_or(Literal::FALSE);
            let (bit, carry) = circuit.full_adder(column[taken], column[taken + 1], third);
            taken = (taken + 3).min(column.len());
            column.push(bit);
            carries.push(carry);
        }
        sum.push(column.get(taken).copied().unwrap_or(Literal::FALSE));
        if let Some(next) = columns.get_mut(index + 1) {
            next.extend(carries.into_iter().filter(|&carry| carry != Literal::FALSE));
        }
    }
    sum
}

/// Replaces two equal bits by one bit of the next column, and a bit plus its complement by a one; squares have many
/// such pairs.
fn fold_pairs(column: &mut Vec<Literal>, carries: &mut Vec<Literal>) {
    column.sort_unstable();
    let mut ones = 0;
    let mut kept: Vec<Literal> = Vec::with_capacity(column.len());
    for &bit in &*column {
        match (bit.as_constant(), kept.last()) {
            (Some(value), _) => ones += usize::from(value),
            (None, Some(&last)) if last == bit => {
                kept.pop();
                carries.push(bit);
            }
            (None, Some(&last)) if last == !bit => {
                kept.pop();
                ones += 1;
            }
            _ => kept.push(bit),
        }
    }
    carries.extend(std::iter::repeat_n(Literal::TRUE, ones / 2));
    if ones % 2 == 1 {
        kept.push(Literal::TRUE);
    }
    *column = kept;
}
