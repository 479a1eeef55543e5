//! A sweep over one byte agrees with 256 single evaluations.

use everypath_ir::Width;
use everypath_term::{Evaluation, Input, Model, Sweep, Term};
use everypath_testkit::random::Random;

use crate::expressions::Expressions;

#[test]
fn it_agrees_with_one_evaluation_for_each_value() {
    let mut divided = 0;
    for seed in 0..200 {
        let mut random = Random::new(seed);
        let mut expressions = Expressions::new(&mut random, false);
        for _ in 0..60 {
            expressions.step();
        }
        let model = expressions.model();
        let bits = expressions.pairs.iter().filter(|pair| pair.width == Width::W1);
        let conditions: Vec<Term> = bits.flat_map(|pair| [pair.plain, pair.simple]).collect();
        let terms = expressions.terms;
        let input = Input(seed as u32 % 4);
        let mut evaluation = Evaluation::new(Model::new());
        let mut sweep = Sweep::new(&mut evaluation, model.clone(), input);
        let mut left: Vec<u8> = (0..=255).collect();
        let mut expected = left.clone();
        for condition in conditions {
            let before = left.clone();
            sweep.retain(&terms, condition, &mut left);
            expected.retain(|value| {
                let mut model = model.clone();
                model.set(input, *value);
                Evaluation::new(model).holds(&terms, condition)
            });
            assert_eq!(left, expected, "seed {seed}");
            divided += u32::from(!left.is_empty() && left.len() < before.len());
            if left.is_empty() {
                (left, expected) = (before.clone(), before);
            }
        }
    }
    assert!(divided > 100, "{divided} conditions depend on the byte: too few for the check to say anything");
}
