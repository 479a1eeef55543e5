//! Collection frees unreachable terms and preserves the others.

use everypath_ir::{Bits, Op, Width};
use everypath_term::{Evaluation, Input, Terms};

use crate::expressions::{Expressions, Pair};
use everypath_testkit::random::Random;

#[test]
fn what_is_needed_keeps_its_value() {
    let mut random = Random::new(21);
    for _ in 0..200 {
        let mut expressions = Expressions::new(&mut random, false);
        for _ in 0..6 {
            for _ in 0..30 {
                expressions.step();
            }
            let model = expressions.model();
            let kept: Vec<Pair> = {
                let Expressions { random, pairs, .. } = &mut expressions;
                pairs.iter().copied().filter(|_| random.chance(5)).take(12).collect()
            };
            let arrays = expressions.arrays[..2].to_vec();
            let terms = &mut expressions.terms;
            let mut evaluation = Evaluation::new(model);
            let roots = || kept.iter().flat_map(|pair| [pair.plain, pair.simple]);
            let before: Vec<Bits> = roots().map(|term| evaluation.value(terms, term)).collect();
            let inputs: Vec<Vec<Input>> = roots().map(|term| terms.inputs(term).iter().collect()).collect();
            let texts: Vec<String> = roots().map(|term| terms.text(term).to_string()).collect();
            let facts: Vec<_> = roots().map(|term| terms.facts(term)).collect();
            let collected = terms.collect(roots(), arrays.iter().flat_map(|pair| [pair.0, pair.1]));
            assert_eq!(collected.live, terms.live());
            // The same evaluation is reused: it detects the collection.
            let after: Vec<Bits> = roots().map(|term| evaluation.value(terms, term)).collect();
            assert_eq!(before, after);
            for (index, term) in roots().enumerate() {
                assert!(terms.inputs(term).iter().eq(inputs[index].iter().copied()));
                assert_eq!(terms.text(term).to_string(), texts[index]);
                assert_eq!(terms.facts(term), facts[index]);
                assert_eq!(terms.parse(&texts[index]), Ok(vec![term]), "it is found again");
            }
            expressions.keep(kept, arrays);
            let input = expressions.terms.input(Input(0));
            expressions.pairs.push(Pair { plain: input, simple: input, width: Width::W8 });
        }
    }
}

#[test]
fn memory_is_bounded_by_what_is_live() {
    let mut terms = Terms::new();
    let mut sizes = Vec::new();
    for round in 0..20 {
        let mut value = terms.input(Input(0));
        for step in 0..10_000_u32 {
            let other = terms.input(Input(step % 700));
            value = terms.apply(Op::Mul, Width::W8, &[value, other]);
            value = terms.apply(Op::Xor, Width::W8, &[value, other]);
            let wide = Bits::from_u64(u64::from(step + round), Width::W128);
            terms.constant(&wide);
        }
        terms.table(&[round as u8; 1000], Width::W16);
        terms.collect([value], []);
        let live = terms.live();
        terms.collect([], []);
        assert!(terms.live() < live);
        assert_eq!(terms.live(), 0);
        sizes.push(terms.bytes());
    }
    assert!(sizes[19] <= sizes[1], "{sizes:?}");
}

#[test]
fn numbers_depend_on_the_calls_alone() {
    let build = || {
        let mut random = Random::new(5);
        let mut expressions = Expressions::new(&mut random, true);
        let mut numbers = Vec::new();
        for round in 0..20 {
            for _ in 0..20 {
                expressions.step();
            }
            numbers.extend(expressions.pairs.iter().map(|pair| (pair.plain, pair.simple)));
            if round % 5 == 4 {
                expressions.keep(expressions.pairs[..7].to_vec(), expressions.arrays[..2].to_vec());
                let Expressions { terms, pairs, arrays, .. } = &mut expressions;
                let roots: Vec<_> = pairs.iter().flat_map(|pair| [pair.plain, pair.simple]).collect();
                terms.collect(roots, arrays.iter().flat_map(|pair| [pair.0, pair.1]));
            }
        }
        numbers
    };
    assert_eq!(build(), build());
}

#[test]
fn a_term_that_was_collected_is_noticed() {
    let mut terms = Terms::new();
    let input = terms.input(Input(0));
    terms.collect([], []);
    let noticed = std::panic::catch_unwind(|| terms.view(input));
    assert!(noticed.is_err());
}
