//! The session's verdicts against exhaustive enumeration.

use everypath_solve::backend::bitblast::BitBlastSession;
use everypath_solve::{Answer, QueryLimits};
use everypath_term::{Evaluation, Term, Terms};
use everypath_testkit::queries::paths;

use crate::random_query::{Query, has_model, query};
use everypath_testkit::random::Random;

/// Returns true for sat; checks the model, or that the core alone is unsatisfiable.
fn judged(query: &Query, conditions: &[Term], answer: &Answer) -> bool {
    match answer {
        Answer::Sat(model) => {
            assert!(holds(&query.terms, conditions, model), "{model:?}");
            true
        }
        Answer::Unsat(core) => {
            assert!(core.iter().all(|part| conditions.contains(part)));
            assert!(!has_model(query, core), "{}", query.terms.text_of(core));
            false
        }
        Answer::Unknown(reason) => panic!("no limit was set, but {reason}"),
    }
}

fn holds(terms: &Terms, conditions: &[Term], model: &everypath_term::Model) -> bool {
    let mut evaluation = Evaluation::new(model.clone());
    conditions.iter().all(|&condition| evaluation.holds(terms, condition))
}

#[test]
fn answers_are_those_of_trying_all_inputs() {
    let mut random = Random::new(7);
    let mut models = 0;
    let rounds = 600;
    for round in 0..rounds {
        let query = query(&mut random, round % 2 == 1);
        let answer = BitBlastSession::new().check(&query.terms, &query.conditions, QueryLimits::default());
        let expected = has_model(&query, &query.conditions);
        assert_eq!(
            judged(&query, &query.conditions, &answer),
            expected,
            "{}",
            query.terms.text_of(&query.conditions)
        );
        models += u32::from(expected);
    }
    assert!(models > rounds / 10 && models < rounds * 9 / 10, "{models} of {rounds} have a model");
}

#[test]
fn a_session_that_goes_on_answers_like_a_fresh_one() {
    let mut random = Random::new(8);
    for round in 0..60 {
        let query = query(&mut random, round % 2 == 1);
        let opposites: Vec<Term> = {
            let mut terms = query.terms.clone();
            query.conditions.iter().map(|&condition| terms.not(condition)).collect()
        };
        let mut query = query;
        for &condition in &query.conditions.clone() {
            query.terms.not(condition);
        }
        let all: Vec<Term> = query.conditions.iter().chain(&opposites).copied().collect();
        let mut session = BitBlastSession::new();
        for _ in 0..20 {
            let mut conditions: Vec<Term> = all.clone();
            for _ in 0..random.below(all.len()) {
                conditions.remove(random.below(conditions.len()));
            }
            let answer = session.check(&query.terms, &conditions, QueryLimits::default());
            let fresh = BitBlastSession::new().check(&query.terms, &conditions, QueryLimits::default());
            assert_eq!(judged(&query, &conditions, &answer), judged(&query, &conditions, &fresh));
        }
    }
}

#[test]
fn a_collection_of_terms_changes_no_answer() {
    let mut random = Random::new(9);
    let mut session = BitBlastSession::new();
    let mut terms = Terms::new();
    for _ in 0..200 {
        // Numbers of collected terms are reused for other terms.
        let Query { terms: other, conditions } = query(&mut random, true);
        let text = other.text_of(&conditions).to_string();
        let conditions = terms.parse(&text).expect("our own text");
        let query = Query { terms: terms.clone(), conditions };
        let answer = session.check(&terms, &query.conditions, QueryLimits::default());
        assert_eq!(judged(&query, &query.conditions, &answer), has_model(&query, &query.conditions));
        terms.collect(query.conditions.iter().copied().take(random.below(2)), []);
    }
}

#[test]
fn along_paths_a_session_answers_like_a_fresh_one() {
    let mut paths = paths(10, 12, 20, 12);
    let questions = paths.questions();
    let mut session = BitBlastSession::new();
    let mut models = 0;
    for question in &questions {
        let answer = session.check(&paths.terms, question, QueryLimits::default());
        let fresh = BitBlastSession::new().check(&paths.terms, question, QueryLimits::default());
        match (&answer, &fresh) {
            (Answer::Sat(model), Answer::Sat(_)) => {
                assert!(holds(&paths.terms, question, model));
                models += 1;
            }
            (Answer::Unsat(core), Answer::Unsat(_)) => {
                let alone = BitBlastSession::new().check(&paths.terms, core, QueryLimits::default());
                assert!(matches!(alone, Answer::Unsat(_)), "the core alone has no model");
            }
            other => panic!("the session and a fresh one disagree: {other:?}"),
        }
    }
    assert!(models > 20 && models < questions.len(), "{models} of {} have a model", questions.len());
}

#[test]
fn a_small_core_is_one() {
    let mut paths = paths(11, 6, 20, 12);
    let questions = paths.questions();
    let mut session = BitBlastSession::new();
    let (mut cores, mut smaller) = (0, 0);
    for question in &questions {
        let answer = session.check(&paths.terms, question, QueryLimits::default());
        let small = session.small_core(&paths.terms, question, QueryLimits::default());
        match (answer, small) {
            (Answer::Sat(_), None) => {}
            (Answer::Unsat(core), Some(small)) => {
                assert!(small.iter().all(|condition| question.contains(condition)));
                let alone = BitBlastSession::new().check(&paths.terms, &small, QueryLimits::default());
                assert!(matches!(alone, Answer::Unsat(_)));
                cores += 1;
                smaller += usize::from(small.len() < core.len());
            }
            other => panic!("one finds a model, the other none: {other:?}"),
        }
    }
    assert!(cores > 5 && smaller > 0, "{smaller} of {cores} cores are smaller");
}
