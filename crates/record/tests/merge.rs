//! Merging of suites: nothing is lost, nothing is claimed that no run shows, and contradictions are refused.

use everypath_record::{
    Address, Assumption, CellValues, CertificateSource, Counts, Direction, ExitCode, FORMAT, Finding,
    IndirectExitRecord, Judged, Justification, JustificationStanding, MergeError, MergedSuite, NamedSuite,
    Suite, Summary, TestCase, Verdict,
};
use serde_json::json;

fn direction(number: u64) -> Direction {
    Direction { branch: Address(0x100 + number / 2 * 0x10), target: Address(0x200 + number) }
}

fn covered(test: &str) -> Verdict {
    // As results are read: what begins with the word is a trace.
    match test.strip_prefix("trace ") {
        Some(trace) => Verdict::covered_by_trace(trace),
        None => Verdict::covered_by_test(test),
    }
}

fn infeasible(evidence: &str) -> Verdict {
    Verdict::infeasible(evidence.to_owned())
}

fn open(reason: &str) -> Verdict {
    Verdict::Open { reason: reason.to_owned() }
}

/// A run with these verdicts on directions, and the tests that they name.
fn run(name: &str, verdicts: &[(u64, Verdict)]) -> NamedSuite {
    let directions: Vec<Judged> = verdicts
        .iter()
        .map(|(number, verdict)| Judged { direction: direction(*number), verdict: verdict.clone() })
        .collect();
    let mut names: Vec<String> = Vec::new();
    for (_, verdict) in verdicts {
        if let Verdict::Covered { test, .. } = verdict
            && verdict.trace().is_none()
            && !names.contains(test)
        {
            names.push(test.clone());
        }
    }
    let new = |test: &str| {
        let own = directions.iter().filter(|judged| judged.verdict == covered(test));
        own.map(|judged| judged.direction).collect()
    };
    let tests = names.iter().map(|test| TestCase {
        format: FORMAT,
        name: test.clone(),
        cells: vec![CellValues { name: name.to_owned(), values: vec![test.len() as u64] }],
        memory: Vec::new(),
        registers: Vec::new(),
        interrupts: Vec::new(),
        end: "exited".to_owned(),
        instructions: 10,
        cut_off: false,
        path_hash: Address(test.bytes().map(u64::from).sum()),
        new_directions: new(test),
    });
    let tests: Vec<TestCase> = tests.collect();
    let summary = Summary {
        format: FORMAT,
        program: "firmware.elf".to_owned(),
        program_hash: "p".to_owned(),
        configuration_hash: "c".to_owned(),
        configuration: None,
        architecture: "example".to_owned(),
        plan: json!({ "criterion": "branch", "keep_all": false, "seed": name, "bounds": { "paths": 9 } }),
        criterion_reached: false,
        complete: false,
        incomplete_reasons: vec![format!("{name} was interrupted")],
        paths: 5,
        instructions: 40,
        queries: Counts { total: 3, backend: 2, sat: 1, unsat: 1, unknown: 1 },
        directions,
        directions_exact: false,
        indirect_exits: Vec::new(),
        tests: names,
        findings: Vec::new(),
        targets: Vec::new(),
        assumptions: Vec::new(),
        undeclared_registers: Vec::new(),
        divergences: Vec::new(),
        locations: Vec::new(),
        justifications: Vec::new(),
        function_digests: Vec::new(),
        merged_from: Vec::new(),
        unreached: None,
        traced_code: Vec::new(),
        coverage_curve: Vec::new(),
    };
    NamedSuite { name: name.to_owned(), suite: Suite { summary, tests } }
}

fn merge(runs: &[NamedSuite]) -> Suite {
    let merged = MergedSuite::merge(runs).expect("they can be merged").suite;
    let names: Vec<&String> = merged.tests.iter().map(|test| &test.name).collect();
    assert_eq!(names, merged.summary.tests.iter().collect::<Vec<_>>(), "the summary lists the tests");
    for judged in &merged.summary.directions {
        if let Verdict::Covered { test, .. } = &judged.verdict
            && judged.verdict.trace().is_none()
        {
            let test = merged.tests.iter().find(|own| own.name == *test).expect("the test is there");
            assert!(
                test.new_directions.contains(&judged.direction),
                "{} takes {}",
                test.name,
                judged.direction
            );
        }
    }
    merged
}

fn verdict(suite: &Suite, number: u64) -> &Verdict {
    let all = &suite.summary.directions;
    &all.iter().find(|judged| judged.direction == direction(number)).expect("a direction").verdict
}

#[test]
fn each_direction_has_the_best_verdict_that_a_run_shows() {
    let one =
        run("a", &[(0, covered("0001")), (1, open("time")), (2, infeasible("unsat")), (3, open("time"))]);
    let other = run("b", &[(0, open("paths")), (1, covered("0001")), (2, open("paths")), (3, open("paths"))]);
    let merged = merge(&[one, other]);
    assert_eq!(verdict(&merged, 0), &covered("0001"));
    assert_eq!(verdict(&merged, 1), &covered("0002"));
    assert_eq!(verdict(&merged, 2), &infeasible("unsat; shown by run a"));
    assert_eq!(verdict(&merged, 3), &open("time; paths"));
    assert_eq!(merged.tests[1].cells[0].name, "b", "the second test is that of the second run");
    assert_eq!(merged.summary.paths, 10);
    assert_eq!(
        merged.summary.plan,
        json!({ "criterion": "branch", "keep_all": false, "bounds": { "paths": 9 } })
    );
    assert_eq!(merged.summary.merged_from.len(), 2);
    assert_eq!(merged.summary.exit_code(), ExitCode::Open);
    assert_eq!(merged.summary.incomplete_reasons, ["a was interrupted", "b was interrupted"]);
}

#[test]
fn what_only_one_run_discovered_is_kept() {
    let merged = merge(&[run("a", &[(0, covered("0001"))]), run("b", &[(7, open("time"))])]);
    assert_eq!((verdict(&merged, 0), verdict(&merged, 7)), (&covered("0001"), &open("time")));
    let unsupported = || Verdict::Unsupported { reason: "no model".to_owned() };
    let both = merge(&[run("a", &[(0, unsupported())]), run("b", &[(0, unsupported())])]);
    assert_eq!(verdict(&both, 0), &unsupported());
    let one = merge(&[run("a", &[(0, unsupported())]), run("b", &[(0, open("time"))])]);
    assert_eq!(verdict(&one, 0), &open("no model; time"), "open is the weaker claim");
}

#[test]
fn a_direction_that_is_covered_and_infeasible_is_a_contradiction() {
    let runs = [run("a", &[(0, covered("0001"))]), run("b", &[(0, infeasible("unsat"))])];
    let Err(error) = MergedSuite::merge(&runs) else { panic!("they contradict each other") };
    assert!(matches!(&error, MergeError::Contradictions(list) if list.len() == 1));
    let text = error.to_string();
    for part in ["0x100 -> 0x200", "test 0001 of a", "infeasible in b", "unsat"] {
        assert!(text.contains(part), "{part}: {text}");
    }
}

#[test]
fn a_trace_that_takes_an_infeasible_direction_refutes_all_that_rests_on_the_configuration() {
    let one = run("a", &[(0, covered("trace bench")), (1, open("time"))]);
    let mut other = run("b", &[(0, infeasible("unsat")), (1, infeasible("unsat")), (2, covered("0001"))]);
    (other.suite.summary.complete, other.suite.summary.directions_exact) = (true, true);
    let merged = merge(&[one, other]);
    assert_eq!(verdict(&merged, 0), &covered("trace bench"));
    assert!(matches!(verdict(&merged, 1), Verdict::Open { reason } if reason.contains("trace bench")));
    assert_eq!(verdict(&merged, 2), &covered("0001"));
    let Summary { complete, criterion_reached, directions_exact, .. } = merged.summary;
    assert_eq!((complete, criterion_reached, directions_exact), (false, false, false));
    // A run that says of itself that a trace refutes it refutes the others, too.
    let mut refuted = run("a", &[(0, covered("trace bench"))]);
    let reason = Summary::refuted_by("trace bench", direction(0));
    refuted.suite.summary.incomplete_reasons.insert(0, reason.clone());
    let merged = merge(&[refuted, run("b", &[(1, infeasible("unsat"))])]);
    assert_eq!(verdict(&merged, 1), &open(&reason));
}

#[test]
fn runs_that_cannot_be_compared_are_refused() {
    let one = || run("a", &[(0, covered("0001"))]);
    let changed = |change: fn(&mut Summary)| {
        let mut other = run("b", &[(0, covered("0001"))]);
        change(&mut other.suite.summary);
        MergedSuite::merge(&[one(), other]).expect_err("it is refused").to_string()
    };
    let program = changed(|summary| summary.program_hash = "q".to_owned());
    assert!(program.contains("different programs") && program.contains("everypath diff"), "{program}");
    assert!(changed(|summary| summary.architecture = "other".to_owned()).contains("different architectures"));
    assert!(
        changed(|summary| summary.configuration_hash = "d".to_owned()).contains("different configurations")
    );
    assert!(
        changed(|summary| summary.configuration_hash.clear()).contains("does not record its configuration")
    );
    assert!(changed(|summary| summary.directions[0].verdict = covered("0009")).contains("damaged"));
    assert_eq!(MergedSuite::merge(&[one()]), Err(MergeError::TooFew));
    assert!(matches!(MergedSuite::merge(&[one(), one()]), Err(MergeError::Twice { .. })));
}

#[test]
fn claims_are_no_stronger_than_those_of_a_run() {
    let verdicts = [(0, covered("0001")), (1, infeasible("unsat"))];
    let complete = |name: &str| {
        let mut complete = run(name, &verdicts);
        let summary = &mut complete.suite.summary;
        (summary.complete, summary.criterion_reached, summary.directions_exact) = (true, true, true);
        summary.incomplete_reasons.clear();
        complete
    };
    let claims = |runs: &[NamedSuite]| {
        let Summary { complete, criterion_reached, directions_exact, .. } = merge(runs).summary;
        (complete, criterion_reached, directions_exact)
    };
    // A run that explored less takes nothing away.
    assert_eq!(claims(&[complete("a"), run("b", &[(0, open("time"))])]), (true, true, true));
    // One that covers what the other does not know does.
    let more = run("b", &[(4, covered("0001"))]);
    assert_eq!(claims(&[complete("a"), more.clone()]), (false, false, false));
    let reasons = merge(&[complete("a"), more]).summary.incomplete_reasons;
    assert!(reasons[0].contains("a reports that it explored every path"), "{reasons:?}");
    // One that leaves open what the other does not know does.
    assert_eq!(claims(&[complete("a"), run("b", &[(4, open("time"))])]), (true, false, false));
    // An assumption about the environment makes the list of directions inexact; a bound does not.
    for (kind, exact) in [("peripheral", false), ("bound", true)] {
        let mut assuming = run("b", &[(0, open("time"))]);
        assuming.suite.summary.assumptions.push(Assumption {
            kind: kind.to_owned(),
            address: Address(0x100),
            message: "assumed".to_owned(),
            count: 2,
            loses_paths: true,
        });
        assert_eq!(claims(&[complete("a"), assuming]), (true, true, exact), "{kind}");
    }
    // Two that leave nothing open together may have missed code all the same: neither reached its criterion.
    let halves = [
        run("a", &[(0, covered("0001")), (1, open("time"))]),
        run("b", &[(0, open("time")), (1, covered("0001"))]),
    ];
    assert_eq!(claims(&halves), (false, false, false));
    // The same run twice shows what it shows once.
    let once = run("a", &[(0, covered("0001"))]);
    let twice = NamedSuite { name: "b".to_owned(), suite: once.suite.clone() };
    assert_eq!(claims(&[once, twice]), (false, false, false));
}

#[test]
fn an_indirect_exit_is_resolved_if_the_run_that_resolves_it_knows_all_targets() {
    let with = |name: &str, targets: &[u64], resolved: bool| {
        let mut run = run(name, &[(0, covered("0001"))]);
        run.suite.summary.indirect_exits.push(IndirectExitRecord {
            branch: Address(0x100),
            kind: "jump".to_owned(),
            targets: targets.iter().copied().map(Address).collect(),
            resolved,
            reason: name.to_owned(),
        });
        run
    };
    let merged = |one, other| merge(&[one, other]).summary.indirect_exits.remove(0);
    let exit = merged(with("a", &[1], false), with("b", &[1, 2], true));
    assert_eq!((exit.resolved, exit.reason.as_str(), exit.targets.len()), (true, "b", 2));
    let exit = merged(with("a", &[3], false), with("b", &[1, 2], true));
    assert_eq!((exit.resolved, exit.targets.len()), (false, 3));
    assert!(exit.reason.contains("another run has other targets"), "{}", exit.reason);
}

#[test]
fn tests_are_kept_once_and_those_that_add_nothing_are_dropped() {
    let verdicts = [(0, covered("0001")), (1, covered("0002"))];
    let same = merge(&[run("a", &verdicts), run("b", &verdicts)]);
    assert_eq!(same.tests.len(), 2, "the tests of the second run add nothing");
    let keep = |name: &str| {
        let mut run = run(name, &verdicts);
        run.suite.summary.plan["keep_all"] = true.into();
        run
    };
    assert_eq!(merge(&[keep("a"), run("b", &verdicts)]).tests.len(), 4, "a run was asked to keep all");
    let mut identical = keep("b");
    identical.suite.tests.clone_from(&keep("a").suite.tests);
    assert_eq!(merge(&[keep("a"), identical]).tests.len(), 2, "the same run is one test");
}

#[test]
fn findings_are_united_with_their_tests_and_counts_of_assumptions_are_added() {
    let finding = |test: &str, address| Finding {
        oracle: "division-by-zero".to_owned(),
        address: Address(address),
        message: "division by zero".to_owned(),
        test: test.to_owned(),
    };
    let assumption = |count| Assumption {
        kind: "concretised".to_owned(),
        address: Address(0x100),
        message: "an address was concretised".to_owned(),
        count,
        loses_paths: false,
    };
    let verdicts = [(0, covered("0001"))];
    let (mut one, mut other) = (run("a", &verdicts), run("b", &verdicts));
    one.suite.summary.findings = vec![finding("0001", 0x10)];
    other.suite.summary.findings = vec![finding("0001", 0x10), finding("0001", 0x20), finding("0007", 0x30)];
    one.suite.summary.assumptions = vec![assumption(2)];
    other.suite.summary.assumptions = vec![assumption(3)];
    let merged = merge(&[one, other]);
    let tests: Vec<&str> = merged.summary.findings.iter().map(|finding| finding.test.as_str()).collect();
    assert_eq!(
        tests,
        ["0001", "0002", "b/0007"],
        "a test that shows a finding is kept; one that is missing is no other"
    );
    assert_eq!(merged.summary.assumptions, [assumption(5)]);
    assert_eq!(merged.summary.exit_code(), ExitCode::Findings);
}

#[test]
fn certificates_are_those_of_the_run_whose_evidence_is_taken() {
    let names = ["0x100-0x200.1.certificate", "0x100-0x200.2.certificate"].map(str::to_owned).to_vec();
    let evidence = "every path was explored".to_owned();
    let certified = Verdict::Infeasible { evidence, certificates: names.clone() };
    let runs = [run("a", &[(0, infeasible("by values"))]), run("b", &[(0, certified)])];
    let merged = MergedSuite::merge(&runs).expect("they can be merged");
    let sources: Vec<(usize, &str)> =
        merged.certificates.iter().map(|one| (one.run, one.name.as_str())).collect();
    assert_eq!(sources, [(1, names[0].as_str()), (1, names[1].as_str())]);
    assert_eq!(merged.suite.summary.directions[0].verdict.certificates(), names);
}

/// A file of the folder is read, whatever the name of a certificate says.
#[test]
fn a_certificate_is_a_file_of_the_suite() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("secret"), "secret").expect("a file");
    std::fs::create_dir(folder.path().join("suite")).expect("a folder");
    let source = CertificateSource { run: 0, name: "../../secret".to_owned() };
    assert!(source.read(&folder.path().join("suite")).is_err());
}

#[test]
fn a_justification_lapses_where_another_run_covers_the_direction() {
    let justification = |number: u64| Justification {
        function: "step".to_owned(),
        offset: number,
        target: "+0x2".to_owned(),
        code: "9f86d081884c7d65".to_owned(),
        reason: "never".to_owned(),
        by: None,
        date: None,
        standing: JustificationStanding::Valid { direction: direction(number) },
    };
    let mut first = run("a", &[(0, open("late")), (1, open("late"))]);
    first.suite.summary.justifications = vec![justification(0), justification(1)];
    let merged = merge(&[first, run("b", &[(0, covered("0001")), (1, open("late"))])]);
    let standing: Vec<bool> =
        merged.summary.justifications.iter().map(|one| one.direction().is_some()).collect();
    assert_eq!(standing, [false, true]);
    assert!(merged.summary.is_justified());
}

/// A target that a run does not know may lead to what it holds to be infeasible.
#[test]
fn what_a_run_shows_that_does_not_know_a_direction_is_open() {
    let merged = merge(&[run("a", &[(0, covered("0001"))]), run("b", &[(1, infeasible("unsat"))])]);
    assert!(
        matches!(verdict(&merged, 1), Verdict::Open { reason } if reason.contains("does not know 0x100 -> 0x200"))
    );
}

#[test]
fn merged_suites_can_be_merged_again() {
    let others = [(0, open("time")), (2, open("time"))];
    let shows = [&others[..], &[(1, infeasible("unsat"))]].concat();
    let two = merge(&[run("a", &[(0, covered("0001"))]), run("b", &shows)]);
    let two = NamedSuite { name: "two".to_owned(), suite: two };
    let three = merge(&[two, run("c", &[(2, covered("0001"))])]);
    let names: Vec<&str> = three.summary.merged_from.iter().map(|run| run.name.as_str()).collect();
    assert_eq!(names, ["a", "b", "c"]);
    assert_eq!(verdict(&three, 1), &infeasible("unsat; shown by run b"));
}
