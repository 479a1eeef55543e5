//! A value does not depend on inputs that are not demanded.

use everypath_ir::{Op, Width};
use everypath_term::{Evaluation, Input, Terms};
use everypath_testkit::random::Random;

use crate::expressions::Expressions;

#[test]
fn other_inputs_do_not_change_a_value() {
    let mut random = Random::new(7);
    let (mut made, mut spared) = (0, 0);
    while made < 20_000 {
        let mut expressions = Expressions::new(&mut random, false);
        for _ in 0..40 {
            expressions.step();
        }
        let models: Vec<_> = (0..4).map(|_| expressions.model()).collect();
        let byte = expressions.random.below(256) as u8;
        let Expressions { terms, pairs, .. } = expressions;
        for pair in &pairs {
            made += 1;
            for term in [pair.plain, pair.simple] {
                let demanded = terms.demanded_inputs(term);
                let others: Vec<Input> =
                    terms.inputs(term).iter().filter(|input| !demanded.contains(input)).collect();
                spared += usize::from(!others.is_empty());
                for model in models.iter().filter(|_| !others.is_empty()) {
                    let mut changed = model.clone();
                    others.iter().for_each(|input| changed.set(*input, byte));
                    let value = |model| Evaluation::new(model).value(&terms, term);
                    assert_eq!(value(model.clone()), value(changed), "{others:?} in {}", terms.text(term));
                }
            }
        }
    }
    assert!(spared > 100, "{spared} of {made} terms have such inputs");
}

#[test]
fn the_low_byte_of_a_sum_depends_on_low_bytes() {
    let mut terms = Terms::new();
    let bytes: Vec<_> = (0..4).map(|number| terms.input(Input(number))).collect();
    let mut word = |high, low| terms.apply(Op::Concat, Width::W16, &[bytes[high], bytes[low]]);
    let (x, y) = (word(1, 0), word(3, 2));
    let sum = terms.apply(Op::Add, Width::W16, &[x, y]);
    let low = terms.apply(Op::Extract(0), Width::W8, &[sum]);
    assert_eq!(terms.demanded_inputs(low).into_iter().collect::<Vec<_>>(), [Input(0), Input(2)]);
    assert_eq!(terms.demanded_inputs(sum).len(), 4);
}
