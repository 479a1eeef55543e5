//! Tables, stores and reads.

use everypath_ir::{Op, Width};
use everypath_term::{Evaluation, Input, Model, Terms, View};

#[test]
fn a_table_stands_once_and_is_zero_beyond_its_data() {
    let mut terms = Terms::new();
    let table = terms.table(&[10, 20, 30], Width::W8);
    assert_eq!(table, terms.table(&[10, 20, 30], Width::W8));
    assert_ne!(table, terms.table(&[10, 20, 30], Width::W16));
    assert_ne!(table, terms.table(&[10, 20, 30, 0], Width::W8));
    for (place, byte) in [(0, 10), (2, 30), (3, 0), (255, 0)] {
        let index = terms.constant_u64(place, Width::W8);
        let read = terms.read(table, index);
        assert_eq!(terms.as_u64(read), Some(byte));
    }
    let index = terms.input(Input(0));
    let read = terms.read(table, index);
    let mut evaluation = Evaluation::new(Model::new());
    for (place, byte) in [(0, 10), (1, 20), (2, 30), (3, 0), (255, 0)] {
        evaluation.set_model(Model::from_bytes(&[place]));
        assert_eq!(evaluation.word(&terms, read), Some(byte));
    }
}

#[test]
fn reads_look_through_stores_that_are_elsewhere() {
    let mut terms = Terms::new();
    let [i, j, value, other] = [0, 1, 2, 3].map(|number| terms.input(Input(number)));
    let table = terms.table(&[7; 16], Width::W8);
    let four = terms.constant_u64(4, Width::W8);
    let next = terms.apply(Op::Add, Width::W8, &[i, four]);
    let array = terms.store(table, i, value);
    let array = terms.store(array, next, other);
    // The same index.
    assert_eq!(terms.read(array, next), other);
    // The same base, another offset.
    assert_eq!(terms.read(array, i), value);
    // Perhaps the same index.
    let unknown = terms.read(array, j);
    assert!(matches!(terms.view(unknown), View::Read { array: from, .. } if from == array));
    // A different index by known bits.
    let one = terms.constant_u64(1, Width::W8);
    let odd = terms.or(j, one);
    let even = terms.apply(Op::Mul, Width::W8, &[i, four]);
    let array = terms.store(table, odd, value);
    let read = terms.read(array, even);
    assert!(matches!(terms.view(read), View::Read { array: from, .. } if from == table));
    // A store shadows an earlier one at the same index.
    let twice = terms.store(array, odd, other);
    assert_eq!(twice, terms.store(table, odd, other));
}

#[test]
fn an_array_depends_on_what_was_stored() {
    let mut terms = Terms::new();
    let [i, j, value] = [5, 100, 7000].map(|number| terms.input(Input(number)));
    let table = terms.table(&[], Width::W8);
    let array = terms.store(table, i, value);
    let read = terms.read(array, j);
    let inputs: Vec<u32> = terms.inputs(read).iter().map(|input| input.0).collect();
    assert_eq!(inputs, [5, 100, 7000]);
    assert!(terms.array_inputs(table).is_empty());
    let same = [(Input(5), 3), (Input(100), 3), (Input(7000), 9)];
    assert_eq!(Evaluation::new(same.into_iter().collect()).word(&terms, read), Some(9));
    let different = [(Input(5), 4), (Input(100), 3), (Input(7000), 9)];
    assert_eq!(Evaluation::new(different.into_iter().collect()).word(&terms, read), Some(0));
}
