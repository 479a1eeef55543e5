//! Soundness of the abstract domains, for every operator: transfer functions contain the concrete results, joins
//! contain both sides, and widening terminates.

use everypath_analyze::{Constants, Number, StridedInterval};
use everypath_ir::{Op, Width};
use everypath_testkit::random::Random;

fn width(bits: u32) -> Width {
    Width::new(bits).expect("a width")
}

/// Binary operators on wide numbers, with result and argument width.
fn wide_shapes() -> Vec<(Op, Width, Width)> {
    let mut shapes = Vec::new();
    for op in Op::ALL.iter().copied().filter(|op| !op.is_float() && op.arity() == 2) {
        for bits in [Width::W32, Width::W64] {
            let result =
                [bits, Width::W1].into_iter().find(|result| op.check(*result, &[bits, bits]).is_ok());
            shapes.extend(result.map(|result| (op, result, bits)));
        }
    }
    shapes
}

/// A boundary value, near which operators behave differently.
fn edge(random: &mut Random, width: Width) -> u64 {
    let edges = [0, 1, 2, 7, 1 << 31, (1 << 31) - 1, u64::from(u32::MAX), 1 << 63, u64::MAX - 1, u64::MAX];
    random.pick(&edges) & <u64 as everypath_ir::Word>::mask(width)
}

/// Every operator with the small widths that it allows.
fn shapes() -> Vec<(Op, Width, Vec<Width>)> {
    let mut shapes = Vec::new();
    let mut ops: Vec<Op> = Op::ALL.iter().copied().filter(|op| !op.is_float()).collect();
    ops.extend([Op::Extract(1), Op::Extract(2)]);
    let small = [1, 2, 3, 4].map(width);
    for op in ops {
        for result in [1, 2, 3, 4, 6, 8].map(width) {
            for a in small {
                for b in if op.arity() > 1 { &small[..] } else { &small[..1] } {
                    for c in if op.arity() > 2 { &small[..] } else { &small[..1] } {
                        let arguments = [a, *b, *c][..op.arity()].to_vec();
                        if op.check(result, &arguments).is_ok() {
                            shapes.push((op, result, arguments));
                        }
                    }
                }
            }
        }
    }
    shapes
}

fn all_intervals(width: Width) -> Vec<StridedInterval> {
    let max = (1_u64 << width.bits()) - 1;
    let mut all = Vec::new();
    for low in 0..=max {
        for high in 0..=max {
            for stride in 1..=(high.wrapping_sub(low) & max).max(1) {
                let interval = StridedInterval::new(width, low, high, stride);
                if !all.contains(&interval) {
                    all.push(interval);
                }
            }
        }
    }
    all
}

fn numbers(interval: &StridedInterval) -> Vec<u64> {
    let max = (1_u64 << interval.width().bits()) - 1;
    (0..=max).filter(|number| interval.contains(*number)).collect()
}

/// Calls `each` with every combination of one number from each list.
fn combinations(lists: &[Vec<u64>], mut each: impl FnMut([u64; 3])) {
    let one = vec![0];
    let list = |index: usize| lists.get(index).unwrap_or(&one);
    for a in list(0) {
        for b in list(1) {
            for c in list(2) {
                each([*a, *b, *c]);
            }
        }
    }
}

#[test]
fn every_operator_contains_what_it_computes() {
    let mut random = Random::new(1);
    let mut operators = std::collections::BTreeSet::new();
    for (op, result, widths) in shapes() {
        operators.insert(op.name());
        let choices: Vec<Vec<StridedInterval>> = widths.iter().map(|width| all_intervals(*width)).collect();
        for _ in 0..150 {
            let chosen: Vec<StridedInterval> =
                choices.iter().map(|all| all[random.number_below(all.len() as u64) as usize]).collect();
            let lists: Vec<Vec<u64>> = chosen.iter().map(numbers).collect();
            let interval = StridedInterval::apply(op, result, &chosen);
            let sets: Vec<Option<Constants>> =
                lists.iter().zip(&widths).map(|(list, width)| Constants::of(*width, list.clone())).collect();
            let sets: Option<Vec<Constants>> = sets.into_iter().collect();
            let set =
                sets.as_ref().and_then(|sets| Constants::apply(op, result, &sets.iter().collect::<Vec<_>>()));
            let mixed: Vec<Number> = chosen
                .iter()
                .zip(&lists)
                .map(|(interval, list)| match Constants::of(interval.width(), list.clone()) {
                    Some(set) if random.number_below(2) == 0 => Number::Set(set),
                    _ => Number::Interval(*interval),
                })
                .collect();
            let number = Number::apply(op, result, &mixed);
            combinations(&lists, |[a, b, c]| {
                let expected = op.apply_word(result, widths[0], a, b, c);
                assert!(interval.contains(expected), "{op} of {chosen:?} is {interval:?} without {expected}");
                assert!(number.contains(expected), "{op} of {mixed:?} is {number:?} without {expected}");
                if let Some(set) = &set {
                    assert!(set.contains(expected), "{op} of {lists:?} is {set:?} without {expected}");
                }
            });
        }
    }
    // All integer operators were covered.
    let all = Op::ALL.iter().filter(|op| !op.is_float()).map(|op| op.name()).collect();
    assert_eq!(operators, all);
}

#[test]
fn joins_contain_both_sides_and_widening_ends() {
    let width = width(4);
    let all = all_intervals(width);
    for a in &all {
        for b in &all {
            let (joined, widened) = (a.join(b), a.widen(b, &[3, 9]));
            for number in numbers(a).into_iter().chain(numbers(b)) {
                assert!(joined.contains(number) && widened.contains(number), "{a:?} {b:?}");
            }
        }
    }
    let mut random = Random::new(2);
    let all = all_intervals(Width::new(5).expect("a width"));
    for _ in 0..2000 {
        let mut at = Number::Interval(all[random.number_below(all.len() as u64) as usize]);
        let mut changes = 0;
        for _ in 0..100 {
            let next = at.widen(&Number::Interval(all[random.number_below(all.len() as u64) as usize]), &[5]);
            changes += u32::from(next != at);
            at = next;
        }
        assert!(changes < 24, "{changes}");
    }
}

#[test]
fn every_operator_backwards_keeps_what_can_have_been() {
    let mut random = Random::new(4);
    for (op, result, widths) in shapes() {
        let choices: Vec<Vec<StridedInterval>> = widths.iter().map(|width| all_intervals(*width)).collect();
        let results = if result.bits() <= 4 { all_intervals(result) } else { Vec::new() };
        for _ in 0..150 {
            let chosen: Vec<StridedInterval> =
                choices.iter().map(|all| all[random.number_below(all.len() as u64) as usize]).collect();
            let wanted = match results.is_empty() {
                false => results[random.number_below(results.len() as u64) as usize],
                true => {
                    let (a, b) =
                        (random.number_below(1 << result.bits()), random.number_below(1 << result.bits()));
                    StridedInterval::new(result, a, b, 1 + random.number_below(3))
                }
            };
            let arguments: Vec<Number> = chosen.iter().map(|chosen| Number::Interval(*chosen)).collect();
            let refined = Number::arguments(op, result, &Number::Interval(wanted), &arguments);
            let lists: Vec<Vec<u64>> = chosen.iter().map(numbers).collect();
            combinations(&lists, |given| {
                if wanted.contains(op.apply_word(result, widths[0], given[0], given[1], given[2])) {
                    let refined = refined.as_ref().unwrap_or_else(|| {
                        panic!("{op} of {chosen:?} is said never to be in {wanted:?}, and is for {given:?}")
                    });
                    for (number, refined) in given.iter().zip(refined) {
                        assert!(
                            refined.contains(*number),
                            "{op} of {chosen:?} in {wanted:?}: {refined:?} lacks {number}"
                        );
                    }
                }
            });
        }
    }
}

#[test]
fn wide_operators_backwards_are_right_at_the_edges() {
    let mut random = Random::new(5);
    let mut cut = std::collections::BTreeSet::new();
    for (op, result, bits) in wide_shapes() {
        for _ in 0..3000 {
            let mut edge = |bits| edge(&mut random, bits);
            let [a, b] = [(edge(bits), edge(bits)), (edge(bits), edge(bits))]
                .map(|(low, high)| StridedInterval::new(bits, low, high, 1));
            let wanted = StridedInterval::new(result, edge(result), edge(result), 1);
            let arguments = [a, b].map(Number::Interval);
            let refined = Number::arguments(op, result, &Number::Interval(wanted), &arguments);
            if refined.as_ref().is_none_or(|refined| refined[..] != arguments) {
                cut.insert(op.name());
            }
            for x in [a.low(), a.high()] {
                for y in [b.low(), b.high()] {
                    if wanted.contains(op.apply_word(result, bits, x, y, 0)) {
                        let refined = refined.as_ref().expect("what can be");
                        assert!(
                            refined[0].contains(x) && refined[1].contains(y),
                            "{op} of {a:?} and {b:?} in {wanted:?}: {refined:?} lacks {x:#x} or {y:#x}"
                        );
                    }
                }
            }
        }
    }
    for op in [Op::Ult, Op::Ule, Op::Slt, Op::Sle, Op::Eq, Op::Ne, Op::Add, Op::Sub, Op::Carry] {
        assert!(cut.contains(op.name()), "{op} never cuts anything");
    }
}

#[test]
fn wide_intervals_are_right_at_the_edges() {
    let mut random = Random::new(3);
    for (op, result, bits) in wide_shapes() {
        for _ in 0..3000 {
            let mut pick = || {
                let (a, b) = (edge(&mut random, bits), edge(&mut random, bits));
                StridedInterval::new(bits, a, b, 1 + random.number_below(3))
            };
            let (a, b) = (pick(), pick());
            let value = StridedInterval::apply(op, result, &[a, b]);
            for x in [a.low(), a.high()] {
                for y in [b.low(), b.high()] {
                    let expected = op.apply_word(result, bits, x, y, 0);
                    assert!(
                        value.contains(expected),
                        "{op} of {a:?} and {b:?} is {value:?} without {expected:#x}"
                    );
                }
            }
        }
    }
}
