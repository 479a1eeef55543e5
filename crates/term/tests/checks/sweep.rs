//! A sweep over one byte agrees with 256 single evaluations.

use everypath_ir::{Op, Width};
use everypath_term::{Evaluation, Input, Model, Sweep, Term, Terms, TruthTables};
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

#[test]
fn truth_tables_agree_with_one_evaluation_for_each_value() {
    let mut divided = 0;
    for seed in 0..100 {
        let mut random = Random::new(seed);
        let mut expressions = Expressions::new(&mut random, false);
        for _ in 0..60 {
            expressions.step();
        }
        let bits = expressions.pairs.iter().filter(|pair| pair.width == Width::W1);
        let conditions: Vec<Term> = bits.flat_map(|pair| [pair.plain, pair.simple]).collect();
        let mut terms = expressions.terms;
        // All bytes but one are constants.
        let kept = Input(seed as u32 % 4);
        let fixed = terms.constant_u64(seed * 37 % 256, Width::W8);
        let conditions = terms.substitute(&conditions, |input| (input != kept).then_some(fixed));
        let mut tables = TruthTables::default();
        for condition in conditions {
            let Some(set) = tables.of(&terms, condition) else {
                assert!(terms.is_constant(condition), "it depends on one byte");
                continue;
            };
            for value in 0..=255 {
                let model: Model = [(kept, value)].into_iter().collect();
                let expected = Evaluation::new(model).holds(&terms, condition);
                assert_eq!(set.contains(value), expected, "seed {seed}, value {value}");
            }
            divided += u32::from((1..256).contains(&set.len()));
        }
    }
    assert!(divided > 100, "{divided} conditions depend on the byte: too few for the check to say anything");
}

/// After a collection the number of a term may denote another one.
#[test]
fn truth_tables_forget_at_a_collection() {
    let mut terms = Terms::new();
    let mut tables = TruthTables::default();
    for limit in 1..10 {
        let byte = terms.input(Input(0));
        let bound = terms.constant_u64(limit, Width::W8);
        let less = terms.apply(Op::Ult, Width::W1, &[byte, bound]);
        assert_eq!(tables.of(&terms, less).map(|set| set.len()), Some(limit as u32));
        terms.collect(Vec::new(), []);
    }
}
