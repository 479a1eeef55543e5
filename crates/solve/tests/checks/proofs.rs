//! Proofs: produced, checked, and rejected when damaged.

use everypath_solve::QueryLimits;
use everypath_solve::proof::{Flaw, Produced, Proof, ProofStep, check, produce};
use everypath_solve::sat::{ClauseSink, Cnf};

use everypath_testkit::random::Random;

/// The pigeonhole principle: unsatisfiable, and satisfiable without any one of the clauses.
fn pigeons(holes: i32) -> Cnf {
    let mut cnf = Cnf::new();
    let sits = |pigeon: i32, hole: i32| pigeon * holes + hole + 1;
    for _ in 0..(holes + 1) * holes {
        cnf.variable();
    }
    for pigeon in 0..=holes {
        cnf.clause(&(0..holes).map(|hole| sits(pigeon, hole)).collect::<Vec<_>>());
    }
    for hole in 0..holes {
        for pigeon in 0..=holes {
            for other in 0..pigeon {
                cnf.clause(&[-sits(pigeon, hole), -sits(other, hole)]);
            }
        }
    }
    cnf
}

/// Random 3-SAT above the threshold: almost always unsatisfiable.
fn random_clauses(random: &mut Random, variables: i32) -> Cnf {
    let mut cnf = Cnf::new();
    for _ in 0..variables {
        cnf.variable();
    }
    for _ in 0..variables * 6 {
        let mut literal = || (random.below(variables as usize) as i32 + 1) * random.pick(&[1, -1]);
        cnf.clause(&[literal(), literal(), literal()]);
    }
    cnf
}

fn proof_of(cnf: &Cnf) -> Proof {
    match produce(cnf, QueryLimits::default()) {
        Produced::Proof(proof) => proof,
        other => panic!("there is no assignment, but: {other:?}"),
    }
}

/// The clauses with one of them replaced by a copy of another.
fn without(cnf: &Cnf, left_out: usize) -> Cnf {
    let mut less = Cnf::new();
    for _ in 0..cnf.variables() {
        less.variable();
    }
    let clauses: Vec<&[i32]> = cnf.clauses().collect();
    for (index, clause) in clauses.iter().enumerate() {
        less.clause(if index == left_out { clauses[(index + 1) % clauses.len()] } else { clause });
    }
    less
}

#[test]
fn what_the_solver_proves_is_accepted() {
    for holes in 1..=6 {
        let cnf = pigeons(holes);
        assert_eq!(check(&cnf, &proof_of(&cnf)), Ok(()), "{holes} holes");
    }
    let mut random = Random::new(5);
    let mut proofs = 0;
    for _ in 0..200 {
        let variables = 5 + random.below(60) as i32;
        let cnf = random_clauses(&mut random, variables);
        match produce(&cnf, QueryLimits::default()) {
            Produced::Proof(proof) => {
                assert_eq!(check(&cnf, &proof), Ok(()));
                proofs += 1;
            }
            Produced::Assignment(values) => {
                let holds = |&literal: &i32| values[literal.unsigned_abs() as usize - 1] == (literal > 0);
                assert!(cnf.clauses().all(|clause| clause.iter().any(holds)));
            }
            Produced::Limit(limit) => panic!("no limit was set, but {limit:?}"),
        }
    }
    assert!(proofs > 150, "{proofs} proofs");
}

#[test]
fn forms_lead_back() {
    let cnf = pigeons(4);
    let proof = proof_of(&cnf);
    assert_eq!(proof.to_string().parse(), Ok(proof.clone()));
    assert_eq!(Proof::from_binary(&proof.to_binary()), Ok(proof));
    assert_eq!(cnf.to_string().parse(), Ok(cnf));
}

#[test]
fn nothing_proves_what_is_not_so() {
    let cnf = pigeons(4);
    let proof = proof_of(&cnf);
    for left_out in 0..cnf.len() {
        // No clause is redundant.
        assert!(check(&without(&cnf, left_out), &proof).is_err(), "without clause {left_out}");
    }
    let mut random = Random::new(6);
    let satisfiable = without(&cnf, 0);
    for _ in 0..20_000 {
        let mut damaged = proof.clone();
        for _ in 0..=random.below(3) {
            damage(&mut random, &mut damaged, cnf.variables());
        }
        assert!(check(&satisfiable, &damaged).is_err(), "{damaged}");
    }
}

/// Changes a hint, a literal or a number, or removes a step.
fn damage(random: &mut Random, proof: &mut Proof, variables: i32) {
    let place = random.below(proof.steps.len());
    match &mut proof.steps[place] {
        ProofStep::Add { id, literals, hints } => match random.below(6) {
            0 if !hints.is_empty() => drop(hints.remove(random.below(hints.len()))),
            1 if !hints.is_empty() => {
                let place = random.below(hints.len());
                hints[place] = random.number() % (*id + 2);
            }
            2 if !literals.is_empty() => {
                let place = random.below(literals.len());
                literals[place] *= -1;
            }
            3 if !literals.is_empty() => drop(literals.remove(random.below(literals.len()))),
            4 => literals.push((random.below(variables as usize + 1) as i32 + 1) * random.pick(&[1, -1])),
            5 => *id = random.number() % (*id + 2),
            _ => drop(proof.steps.remove(place)),
        },
        ProofStep::Delete { ids } => drop(ids.pop()),
    }
    if proof.steps.is_empty() {
        proof.steps.push(ProofStep::Delete { ids: Vec::new() });
    }
}

/// Changes the number, literals and hints of a step.
type Change = fn(&mut u64, &mut Vec<i32>, &mut Vec<u64>);

#[test]
fn each_kind_of_damage_is_named() {
    let cnf = pigeons(3);
    let proof = proof_of(&cnf);
    let last = proof.steps.len() - 1;
    let flaw = |change: &dyn Fn(&mut Vec<ProofStep>)| {
        let mut damaged = proof.clone();
        change(&mut damaged.steps);
        check(&cnf, &damaged).expect_err("a damaged proof").why
    };
    let change_addition = |place: usize, change: Change| {
        flaw(&|steps| match &mut steps[place] {
            ProofStep::Add { id, literals, hints } => change(id, literals, hints),
            ProofStep::Delete { .. } => panic!("step {place} is an addition"),
        })
    };
    assert_eq!(flaw(&|steps| drop(steps.pop())), Flaw::NoEnd);
    assert_eq!(change_addition(0, |id, _, _| *id = 1), Flaw::Number(1));
    assert_eq!(change_addition(0, |_, literals, _| literals.push(1000)), Flaw::Literal(1000));
    assert_eq!(change_addition(0, |_, literals, _| literals.push(0)), Flaw::Literal(0));
    assert_eq!(change_addition(0, |_, literals, _| literals.push(-literals[0])), Flaw::Tautology);
    assert_eq!(change_addition(last, |_, _, hints| hints[0] = 999), Flaw::NoSuchClause(999));
    assert_eq!(change_addition(last, |_, _, hints| hints.push(hints[0])), Flaw::Beyond);
    assert_eq!(change_addition(last, |_, _, hints| hints.truncate(hints.len() - 1)), Flaw::DoesNotFollow);
    assert_eq!(flaw(&|steps| steps.insert(0, ProofStep::Delete { ids: vec![1, 1] })), Flaw::NoSuchClause(1));
    // A later step needs every step that was kept.
    for place in (0..last).filter(|&place| matches!(proof.steps[place], ProofStep::Add { .. })) {
        assert!(matches!(flaw(&|steps| drop(steps.remove(place))), Flaw::NoSuchClause(_)));
    }
}

#[test]
fn what_is_not_a_proof_is_not_read() {
    for bad in [
        "x",
        "4 1 0 2",
        "4 1 2 3",
        "4 1 0 -2 0",
        "4 d 1",
        "4 d -1 0",
        "4 1 0 0 2 0",
        "-4 1 0 2 0",
        "4 99999999999 0 2 0",
    ] {
        assert!(bad.parse::<Proof>().is_err(), "{bad:?}");
    }
    let binary = proof_of(&pigeons(3)).to_binary();
    for length in 0..binary.len() {
        // Cut at a step boundary it is a shorter proof; cut elsewhere it does not parse.
        if let Ok(proof) = Proof::from_binary(&binary[..length]) {
            assert_eq!(proof.to_binary(), binary[..length]);
        }
    }
    assert!(Proof::from_binary(b"a\x08\x02\x00\x05\x00").is_err(), "a hint that is negative");
    assert!(
        Proof::from_binary(&[b'a', 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1, 0, 0])
            .is_err()
    );
    for bad in [
        "",
        "1 0",
        "p cnf 1 1\n2 0\n",
        "p cnf 1 2\n1 0\n",
        "p cnf 1 1\n1\n",
        "p cnf 1 1\np cnf 1 1\n1 0\n",
        "p cnf -1 0\n",
    ] {
        assert!(bad.parse::<Cnf>().is_err(), "{bad:?}");
    }
}
