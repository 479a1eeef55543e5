//! Simplification preserves the semantics, and known bits and ranges are sound.

use everypath_ir::Width;
use everypath_term::Evaluation;

use crate::expressions::Expressions;
use everypath_testkit::random::Random;

/// Builds at least `count` terms of every operator and width, and compares them under random models.
fn compare(seed: u64, count: usize) {
    let mut random = Random::new(seed);
    let (mut made, mut smaller) = (0, 0);
    while made < count {
        let floats = random.chance(3);
        let mut expressions = Expressions::new(&mut random, floats);
        let length = expressions.random.below(60) + 10;
        for _ in 0..length {
            expressions.step();
        }
        let models: Vec<_> = (0..6).map(|_| expressions.model()).collect();
        let Expressions { terms, pairs, .. } = expressions;
        for model in models {
            let mut evaluation = Evaluation::new(model);
            for pair in &pairs {
                let expected = evaluation.value(&terms, pair.plain);
                let found = evaluation.value(&terms, pair.simple);
                let both = || {
                    let (plain, simple) = (terms.text(pair.plain), terms.text(pair.simple));
                    format!("under {:?}:\n{plain}\nis\n{simple}", evaluation.model())
                };
                assert_eq!(expected, found, "{}", both());
                assert_eq!(found.width(), pair.width, "{}", both());
                if pair.width > Width::W64 {
                    continue;
                }
                let value = found.to_u64().expect("a narrow value");
                for term in [pair.plain, pair.simple] {
                    let facts = terms.facts(term);
                    let text = || format!("{value:#x} {facts:x?} of {}", terms.text(term));
                    assert_eq!(value & facts.zeros, 0, "{}", text());
                    assert_eq!(!value & facts.ones, 0, "{}", text());
                    assert!(facts.least <= value && value <= facts.greatest, "{}", text());
                }
                for input in terms.inputs(pair.simple).iter() {
                    assert!(terms.inputs(pair.plain).contains(input), "{}", both());
                }
            }
        }
        made += pairs.len();
        smaller += pairs.iter().filter(|pair| pair.plain != pair.simple).count();
    }
    assert!(smaller * 4 > made, "{smaller} of {made} terms changed");
}

#[test]
fn simplified_terms_have_the_same_values() {
    compare(1, 40_000);
}

/// The long version of the test above.
#[test]
#[ignore = "takes minutes"]
fn a_million_simplified_terms_have_the_same_values() {
    compare(2, 1_000_000);
}
