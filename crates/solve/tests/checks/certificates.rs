//! Certificates: generated for every unsat query, accepted, and refused after any change.

use everypath_solve::proof::{Certificate, ProofStep, Uncertified, certify, check_certificate};
use everypath_solve::{QueryLimits, SolverProgram};
use everypath_testkit::programs::installed;
use everypath_testkit::queries::{Question, families};

use crate::random_query::{has_model, query};
use everypath_testkit::random::Random;

#[test]
fn every_none_has_a_certificate_that_is_accepted() {
    let mut random = Random::new(11);
    let (mut certificates, mut with_laws) = (0, 0);
    for round in 0..300 {
        let query = query(&mut random, round % 2 == 1);
        match certify(&query.terms, &query.conditions, QueryLimits::default()) {
            Ok(certificate) => {
                assert!(!has_model(&query, &query.conditions));
                let text = certificate.to_string();
                let accepted = check_certificate(&text, QueryLimits::default())
                    .unwrap_or_else(|why| panic!("{why}\n{text}"));
                assert_eq!(accepted.core, certificate.core());
                assert_eq!(accepted.conditions, query.conditions.len());
                assert!(accepted_elsewhere(&certificate), "{text}");
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
    let made =
        queries.filter_map(|query| certify(&query.terms, &query.conditions, QueryLimits::default()).ok());
    made.map(|certificate| certificate.to_string()).collect()
}

#[test]
fn a_certificate_without_one_of_its_lines_is_refused() {
    let mut refused = 0;
    for text in certificates(12, 80) {
        let lines: Vec<&str> = text.lines().collect();
        // Checking large ones so often takes too long.
        if lines.len() > 400 {
            continue;
        }
        let query = lines.iter().position(|line| *line == "[query]").expect("a query");
        let inputs = lines.iter().position(|line| *line == "[inputs]").expect("inputs");
        for (number, line) in lines.iter().enumerate() {
            // The solver line, deletions and conditions outside the core do not affect the check.
            let is_deletion = line.split(' ').nth(1) == Some("d");
            if line.starts_with("solver") || is_deletion || (query < number && number < inputs) {
                continue;
            }
            let mut fewer = lines.clone();
            fewer.remove(number);
            let changed = fewer.join("\n") + "\n";
            assert!(
                check_certificate(&changed, QueryLimits::default()).is_err(),
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
        // Constant false conditions all have the same clauses.
        if rest == other_rest || query == other || rest.contains("p cnf 1 2\n") {
            continue;
        }
        let mixed = format!("{head}[query]\n{other}[inputs]\n{rest}");
        assert!(check_certificate(&mixed, QueryLimits::default()).is_err(), "{mixed}");
        refused += 1;
    }
    assert!(refused > 10, "{refused} mixed certificates");
}

/// Unsatisfiable queries of the families, a magic square first.
fn impossible() -> Vec<Question> {
    let names = ["bits, impossible", "x^y = (x|y)-(x&y)", "(x&y)+(x|y) = x+y", "(x/y)*y+x%y = x of 8 bits"];
    let wanted =
        |question: &Question| !question.has_model && names.iter().any(|name| question.name.contains(name));
    families().into_iter().filter(wanted).collect()
}

/// Returns true if an independent checker accepts clauses and proof. It ignores hints and finds the antecedents by
/// itself.
fn accepted_elsewhere(certificate: &Certificate) -> bool {
    let literals = |clause: &[i32]| -> Vec<u32> {
        clause.iter().map(|literal| (literal.unsigned_abs() - 1) << 1 | u32::from(*literal < 0)).collect()
    };
    let cnf = certificate.cnf();
    let clauses: Vec<Vec<u32>> = cnf.clauses().map(literals).collect();
    let steps = certificate.proof().steps.iter().filter_map(|step| match step {
        ProofStep::Add { literals: clause, .. } => Some((false, literals(clause))),
        ProofStep::Delete { .. } => None,
    });
    let steps: Vec<(bool, Vec<u32>)> = steps.collect();
    let variables = cnf.variables().unsigned_abs();
    let accepts = |steps| dratify::Checker::new(variables, &clauses, false, false).check(steps).ok;
    // Unless the clauses alone suffice, half of the proof must be rejected; otherwise the checker accepts anything.
    accepts(&steps) && (accepts(&[]) || !accepts(&steps[..steps.len() / 2]))
}

#[test]
fn an_independent_checker_accepts_certificates() {
    let mut checked = 0;
    for question in impossible() {
        let certificate = certify(&question.terms, &question.conditions, QueryLimits::default())
            .unwrap_or_else(|why| panic!("{}: {why:?}", question.name));
        assert!(
            check_certificate(&certificate.to_string(), QueryLimits::default()).is_ok(),
            "{}",
            question.name
        );
        assert!(accepted_elsewhere(&certificate), "{}", question.name);
        checked += 1;
    }
    assert!(checked > 10, "{checked} certificates");
}

#[test]
fn what_another_solver_says_is_noted() {
    if !installed(&["z3"]) {
        return;
    }
    let question = impossible().swap_remove(0);
    let mut certificate =
        certify(&question.terms, &question.conditions, QueryLimits::default()).expect("a certificate");
    certificate.ask(&SolverProgram::z3(), &QueryLimits::default());
    let accepted = check_certificate(&certificate.to_string(), QueryLimits::default()).expect("accepted");
    assert_eq!(accepted.opinions, certificate.opinions);
    assert_eq!((accepted.opinions[0].solver.as_str(), accepted.opinions[0].answer.as_str()), ("z3", "unsat"));
}
