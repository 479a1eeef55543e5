//! Certificates: made for every "none", accepted, and refused when anything in them is changed.

use everypath_solve::Limits;
use everypath_solve::proof::{Uncertified, certify, check_certificate};

use crate::random::Random;
use crate::random_query::{has_model, query};

#[test]
fn every_none_has_a_certificate_that_is_accepted() {
    let mut random = Random::new(11);
    let (mut certificates, mut with_laws) = (0, 0);
    for round in 0..300 {
        let query = query(&mut random, round % 2 == 1);
        match certify(&query.terms, &query.conditions, Limits::default()) {
            Ok(certificate) => {
                assert!(!has_model(&query, &query.conditions));
                let text = certificate.to_string();
                let accepted =
                    check_certificate(&text, Limits::default()).unwrap_or_else(|why| panic!("{why}\n{text}"));
                assert_eq!(accepted.core, certificate.core());
                assert_eq!(accepted.conditions, query.conditions.len());
                certificates += 1;
                with_laws += usize::from(text.contains(" store ") || text.contains(" table\n"));
            }
            Err(Uncertified::Model(_)) => assert!(has_model(&query, &query.conditions)),
            Err(other) => panic!("{other:?}"),
        }
    }
    assert!(
        certificates > 50 && with_laws > 3,
        "{certificates} certificates, {with_laws} with laws of arrays"
    );
}

/// Certificates of random queries, as text.
fn certificates(seed: u64, rounds: u32) -> Vec<String> {
    let mut random = Random::new(seed);
    let queries = (0..rounds).map(|round| query(&mut random, round % 2 == 1));
    let made = queries.filter_map(|query| certify(&query.terms, &query.conditions, Limits::default()).ok());
    made.map(|certificate| certificate.to_string()).collect()
}

#[test]
fn a_certificate_without_one_of_its_lines_is_refused() {
    let mut refused = 0;
    for text in certificates(12, 80) {
        let lines: Vec<&str> = text.lines().collect();
        // Checking it so often takes too long for large ones.
        if lines.len() > 400 {
            continue;
        }
        let query = lines.iter().position(|line| *line == "[query]").expect("a query");
        let inputs = lines.iter().position(|line| *line == "[inputs]").expect("inputs");
        for (number, line) in lines.iter().enumerate() {
            // Nothing depends on the line of the solver, on deletions, which save memory, and on conditions that are
            // not in the core.
            let is_deletion = line.split(' ').nth(1) == Some("d");
            if line.starts_with("solver") || is_deletion || (query < number && number < inputs) {
                continue;
            }
            let mut fewer = lines.clone();
            fewer.remove(number);
            let changed = fewer.join("\n") + "\n";
            assert!(
                check_certificate(&changed, Limits::default()).is_err(),
                "without line {}: {text}",
                number + 1
            );
            refused += 1;
        }
    }
    assert!(refused > 100, "{refused} damaged certificates");
}

#[test]
fn a_proof_of_another_query_is_refused() {
    let parts = |text: &str| {
        let (head, rest) = text.split_once("[query]\n").expect("a query");
        let (query, rest) = rest.split_once("[inputs]\n").expect("inputs");
        [head.to_owned(), query.to_owned(), rest.to_owned()]
    };
    let certificates = certificates(13, 80);
    let mut refused = 0;
    for pair in certificates.windows(2) {
        let ([head, query, rest], [_, other, other_rest]) = (parts(&pair[0]), parts(&pair[1]));
        // All conditions that are false at first sight have the same clauses.
        if rest == other_rest || query == other || rest.contains("p cnf 1 2\n") {
            continue;
        }
        let mixed = format!("{head}[query]\n{other}[inputs]\n{rest}");
        assert!(check_certificate(&mixed, Limits::default()).is_err(), "{mixed}");
        refused += 1;
    }
    assert!(refused > 10, "{refused} mixed certificates");
}
