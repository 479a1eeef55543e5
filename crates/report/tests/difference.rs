//! Differences between two suites: what is matched, what is worse, and what the text and the document say.

mod samples;

use everypath_record::{
    Address, Assumption, CodeLocation, Finding, JustificationStanding, LapseCause, Verdict,
};
use everypath_report::{SuiteDifference, VerdictChange};
use samples::Sample;
use serde_json::json;

fn between(before: &Sample, after: &Sample) -> SuiteDifference {
    SuiteDifference::between(&before.suite, &after.suite)
}

fn text(difference: &SuiteDifference) -> String {
    let mut text = Vec::new();
    difference.write("a.tests", "b.tests", &mut text).expect("memory can be written to");
    String::from_utf8(text).expect("text")
}

/// The sample as another build, in which all code is elsewhere.
fn rebuilt(mut sample: Sample) -> Sample {
    const SHIFT: u64 = 0x40;
    let shift = |address: &mut Address| address.0 += SHIFT;
    let summary = &mut sample.suite.summary;
    summary.program_hash = "60303ae22b998861bce3b28f33eec1be758a213c86c93c076dbe9f558c11c752".to_owned();
    for judged in &mut summary.directions {
        shift(&mut judged.direction.branch);
        shift(&mut judged.direction.target);
    }
    summary.locations.iter_mut().for_each(|location| shift(&mut location.address));
    summary.findings.iter_mut().for_each(|finding| shift(&mut finding.address));
    summary.assumptions.iter_mut().for_each(|assumption| shift(&mut assumption.address));
    sample
}

/// Moves the branches of the second half of a function, as an instruction that was inserted before them would.
fn insert_instruction(sample: &mut Sample, function: &str) {
    let summary = &mut sample.suite.summary;
    let is_moved = |location: &&mut CodeLocation| {
        location.function.as_ref().is_some_and(|own| own.name == function && own.offset >= 8)
    };
    let mut moved = Vec::new();
    for location in summary.locations.iter_mut().filter(is_moved) {
        moved.push(location.address);
        location.address.0 += 2;
        if let Some(function) = &mut location.function {
            function.offset += 2;
        }
    }
    let shift = |address: &mut Address| address.0 += if moved.contains(address) { 2 } else { 0 };
    for judged in &mut summary.directions {
        shift(&mut judged.direction.branch);
        shift(&mut judged.direction.target);
    }
    summary.findings.iter_mut().for_each(|finding| shift(&mut finding.address));
}

fn open(reason: &str) -> Verdict {
    Verdict::Open { reason: reason.to_owned() }
}

#[test]
fn the_same_results_do_not_differ() {
    let difference = between(&samples::small(), &samples::small());
    assert!(!difference.is_worse && difference.directions.is_empty() && difference.settings.is_empty());
    assert!(difference.findings_appeared.is_empty() && difference.assumptions_appeared.is_empty());
    assert!(difference.matching.same_program);
    assert_eq!(difference.matching.by_address, 8);
    let text = text(&difference);
    assert!(text.contains("\nprogram, configuration and settings are the same\n"), "{text}");
    assert!(text.ends_with("\nnot worse: no coverage was lost, and no finding appeared\n"), "{text}");
}

#[test]
fn another_build_is_matched_by_function_and_offset() {
    let difference = between(&samples::small(), &rebuilt(samples::small()));
    assert!(!difference.is_worse && difference.directions.is_empty(), "{difference:?}");
    assert!(difference.findings_appeared.is_empty() && difference.findings_disappeared.is_empty());
    assert!(difference.assumptions_appeared.is_empty() && difference.changed_functions.is_empty());
    assert_eq!((difference.matching.by_function, difference.matching.by_address), (8, 0));
    let text = text(&difference);
    assert!(text.contains("\n  program_hash: 9f86d081884c -> 60303ae22b99\n"), "{text}");
    assert!(
        text.contains("\nmatched by function and offset: 8 directions; by address: 0 directions\n"),
        "{text}"
    );
}

#[test]
fn what_has_no_function_is_matched_by_address() {
    let (before, mut after) = (samples::small(), samples::small());
    after.suite.summary.program_hash.replace_range(..1, "0");
    after.suite.summary.locations.clear();
    for (one, other) in [(&before, &after), (&after, &before), (&after, &after)] {
        let difference = between(one, other);
        assert!(difference.directions.is_empty(), "{difference:?}");
        assert_eq!((difference.matching.by_function, difference.matching.by_address), (0, 8));
    }
}

#[test]
fn functions_of_one_name_are_told_apart() {
    let mut before = samples::generated(3, 4, 2);
    for function in
        before.suite.summary.locations.iter_mut().filter_map(|location| location.function.as_mut())
    {
        function.name = "init".to_owned();
    }
    before.suite.summary.directions[9].verdict = open("it was not explored");
    let mut after = rebuilt(samples::generated(3, 4, 2));
    for function in after.suite.summary.locations.iter_mut().filter_map(|location| location.function.as_mut())
    {
        function.name = "init".to_owned();
    }
    let difference = between(&before, &after);
    assert_eq!(difference.matching.by_function, 24);
    assert_eq!(difference.directions.len(), 1);
    let after = difference.directions[0].after.as_ref().expect("both have it");
    assert_eq!(after.direction.branch, Address(0x10_1002 + 0x40));
}

#[test]
fn each_pair_of_verdicts_has_its_change() {
    use VerdictChange::{
        NewlyCovered, NewlyInfeasible, NewlyOpen, NewlyUnsupported, NoLongerCovered, NoLongerInfeasible,
    };
    let verdicts = [
        Verdict::covered_by_test("0001"),
        Verdict::infeasible("unsat".to_owned()),
        open("a bound"),
        Verdict::Unsupported { reason: "no model".to_owned() },
    ];
    let expected = [
        [None, Some(NoLongerCovered), Some(NoLongerCovered), Some(NoLongerCovered)],
        [Some(NewlyCovered), None, Some(NoLongerInfeasible), Some(NoLongerInfeasible)],
        [Some(NewlyCovered), Some(NewlyInfeasible), None, Some(NewlyUnsupported)],
        [Some(NewlyCovered), Some(NewlyInfeasible), Some(NewlyOpen), None],
    ];
    for (old, row) in verdicts.iter().zip(expected) {
        for (new, change) in verdicts.iter().zip(row) {
            let (mut before, mut after) = (samples::small(), samples::small());
            before.suite.summary.directions[0].verdict = old.clone();
            after.suite.summary.directions[0].verdict = new.clone();
            let difference = between(&before, &after);
            assert_eq!(difference.directions.first().map(|one| one.change), change, "{old:?} {new:?}");
            let worse = matches!(change, Some(NoLongerCovered | NoLongerInfeasible));
            assert_eq!(difference.is_worse, worse, "{old:?} {new:?}");
            assert!(
                difference.directions.iter().all(|one| !one.is_contradiction),
                "no configuration is recorded"
            );
        }
    }
}

#[test]
fn covered_and_infeasible_contradict_only_in_the_same_setup() {
    let (mut before, mut after) = (samples::small(), samples::small());
    before.suite.summary.directions[1].verdict = Verdict::covered_by_test("0001");
    for sample in [&mut before, &mut after] {
        sample.suite.summary.configuration_hash = "ab".repeat(32);
    }
    let difference = between(&before, &after);
    assert!(difference.directions[0].is_contradiction);
    assert_eq!(difference.contradictions, 1);
    assert!(text(&difference).contains("\nfault of everypath: 1 direction covered in one run"));
    let mut traced = samples::small();
    traced.suite.summary.configuration_hash = "ab".repeat(32);
    traced.suite.summary.directions[1].verdict = Verdict::covered_by_trace("bench");
    let difference = between(&traced, &after);
    assert_eq!(difference.contradictions, 0, "the configuration may not describe where a trace was recorded");
    assert!(text(&difference).contains("\n      was covered by trace bench\n"));
    after.suite.summary.configuration_hash = "cd".repeat(32);
    let difference = between(&before, &after);
    assert!(!difference.directions[0].is_contradiction);
    assert!(!text(&difference).contains("fault of everypath"));
}

#[test]
fn lost_coverage_comes_first_and_is_worse() {
    let (before, mut after) = (samples::small(), samples::small());
    after.suite.summary.directions[2].verdict = Verdict::covered_by_test("0002");
    after.suite.summary.directions[6].verdict = open("the time limit of 1 s was reached");
    after.suite.summary.plan = json!({ "seed": 0, "criterion": "branch", "bounds": { "seconds": 1 } });
    let difference = between(&before, &after);
    let text = text(&difference);
    assert!(text.contains("\ncovered                     5         5\n"), "{text}");
    let lost = text.find("\nno longer covered: 1 direction\n  function_1+0xa -> +0xc (0x10100a -> 0x10100c)  module_1.c:2\n      was covered by test 0001\n      now open: the time limit of 1 s was reached\n");
    let won = text.find("\nnewly covered: 1 direction\n");
    assert!(lost.is_some() && lost < won, "{text}");
    assert!(text.contains("\n  plan.bounds: none -> {\"seconds\":1}\n"), "{text}");
    assert!(text.ends_with("\nworse: 1 direction no longer covered\n"), "{text}");
}

#[test]
fn new_and_removed_directions_are_not_worse() {
    let (before, mut after) = (samples::small(), samples::generated(3, 2, 2));
    after.suite.summary.directions.remove(0);
    let difference = between(&before, &after);
    assert_eq!(difference.with_change(VerdictChange::New).count(), 4);
    assert_eq!(difference.with_change(VerdictChange::Removed).count(), 1);
    assert!(!difference.is_worse);
    let text = text(&difference);
    assert!(text.contains("\nnew: 4 directions (4 covered, 0 infeasible, 0 open)\n"), "{text}");
    assert!(text.contains("\nremoved: 1 direction (1 covered, 0 infeasible, 0 open)\n"), "{text}");
    let judgement = "\nnot worse among the 7 directions that were matched; 5 could not be matched\n";
    assert!(text.ends_with(judgement), "{text}");
    // What was removed may be what is open now.
    after.suite.summary.directions.last_mut().expect("a direction").verdict = open("it was not explored");
    assert!(between(&before, &after).is_worse);
}

#[test]
fn a_divergence_that_appeared_is_worse() {
    let (before, mut after) = (samples::small(), samples::small());
    after.suite.summary.divergences.push("test 0003 does not replay".to_owned());
    let difference = between(&before, &after);
    assert!(difference.is_worse && !between(&after, &before).is_worse);
    assert!(text(&difference).ends_with("\nworse: 1 divergence appeared\n"));
}

#[test]
fn a_function_with_moved_branches_is_compared_as_a_whole() {
    let before = samples::small();
    let mut after = rebuilt(samples::small());
    insert_instruction(&mut after, "function_0");
    let difference = between(&before, &after);
    let changed: Vec<&str> =
        difference.changed_functions.iter().map(|function| function.name.as_str()).collect();
    assert_eq!(changed, ["function_0"]);
    assert!(difference.directions.is_empty(), "{difference:?}");
    assert!(difference.findings_appeared.is_empty(), "the finding moved: {difference:?}");
    assert!(!difference.is_worse);
    after.suite.summary.directions[0].verdict = open("it was not explored");
    let difference = between(&before, &after);
    assert!(difference.is_worse);
    let text = text(&difference);
    let function = "\nchanged: 1 function\n  function_0  more are open\n      was 1 covered, 1 infeasible, 2 open\n      now 0 covered, 1 infeasible, 3 open\n";
    assert!(text.contains(function), "{text}");
    assert!(text.ends_with("\nworse: 1 changed function with more open directions\n"), "{text}");
}

#[test]
fn a_branch_with_another_target_is_compared_as_a_whole() {
    let before = samples::small();
    let mut after = rebuilt(samples::small());
    let judged = &mut after.suite.summary.directions[4];
    judged.direction.target = Address(0x10_1010 + 0x40);
    judged.verdict = open("it was not explored");
    let difference = between(&before, &after);
    let changed: Vec<&str> =
        difference.changed_functions.iter().map(|function| function.name.as_str()).collect();
    assert_eq!(changed, ["function_1"]);
    assert!(difference.is_worse && difference.directions.is_empty(), "{difference:?}");
}

#[test]
fn findings_and_assumptions_appear_and_disappear() {
    let (before, mut after) = (samples::small(), samples::small());
    let summary = &mut after.suite.summary;
    summary.findings[0].address = Address(0x10_1002);
    summary.assumptions.push(Assumption {
        kind: "bound".to_owned(),
        address: Address(0x1002),
        message: "a path was cut off".to_owned(),
        count: 1,
        loses_paths: true,
    });
    let difference = between(&before, &after);
    assert!(difference.is_worse);
    let text = text(&difference);
    assert!(text.contains("\nappeared: 1 finding\n  function_1+0x2 module_1.c:1 (0x101002)\n"), "{text}");
    assert!(text.contains("\ndisappeared: 1 finding\n  function_0+0xa module_0.c:2 (0x100a)\n"), "{text}");
    assert!(
        text.contains("\nappeared: 1 assumption\n") && text.contains("\n      bound: a path was cut off\n"),
        "{text}"
    );
    assert!(text.ends_with("\nworse: 1 finding appeared\n"), "{text}");
    let other = Finding { oracle: "stack".to_owned(), ..before.suite.summary.findings[0].clone() };
    let mut after = samples::small();
    after.suite.summary.findings.push(other);
    assert_eq!(between(&before, &after).findings_appeared.len(), 1, "another oracle is another finding");
    assert!(!between(&after, &before).is_worse, "a finding that disappeared is not worse");
}

#[test]
fn the_document_names_its_format_and_has_both_verdicts() {
    let (before, mut after) = (samples::small(), samples::small());
    after.suite.summary.directions[0].verdict = open("a bound");
    let document = serde_json::to_value(between(&before, &after)).expect("it can be written");
    assert_eq!((&document["format"], &document["version"]), (&json!("everypath.diff"), &json!(1)));
    assert_eq!(document["is_worse"], true);
    let change = &document["directions"][0];
    assert_eq!(change["change"], "no-longer-covered");
    assert_eq!(
        change["before"],
        json!({ "branch": "0x1002", "target": "0x1004", "verdict": "covered", "test": "0001" })
    );
    assert_eq!(change["after"]["reason"], "a bound");
    assert_eq!(change["branch"]["function"]["name"], "function_0");
}

#[test]
fn a_large_difference_is_short_and_quick() {
    let before = samples::generated(250, 100, 20);
    let mut after = rebuilt(samples::generated(250, 100, 20));
    for judged in &mut after.suite.summary.directions {
        judged.verdict = open("the time limit of 1 s was reached");
    }
    insert_instruction(&mut after, "function_7");
    let difference = between(&before, &after);
    assert_eq!(difference.directions.len(), 249 * 200);
    assert!(text(&difference).lines().count() < 60);
}

#[test]
fn the_guide_shows_what_is_written() {
    let mut after = rebuilt(samples::alarm());
    let summary = &mut after.suite.summary;
    summary.directions[0].verdict = open("the time limit of 10 s was reached");
    summary.findings.clear();
    summary.plan["bounds"]["seconds"] = json!(10);
    let difference = between(&samples::alarm(), &after);
    samples::assert_in_guide("diff.md", &text(&difference));
}

#[test]
fn justifications_that_lapsed_since_are_mentioned() {
    let (mut before, mut after) = (samples::justified(), samples::justified());
    let difference = SuiteDifference::between(&before.suite, &after.suite);
    assert!(difference.justifications_lapsed.is_empty());
    // The one that is valid in the first run lapses in the second one; the other had lapsed before.
    after.suite.summary.justifications[0].standing = JustificationStanding::Lapsed {
        cause: LapseCause::CodeChanged,
        detail: "the code of `function_0` changed".to_owned(),
    };
    let difference = SuiteDifference::between(&before.suite, &after.suite);
    assert_eq!(difference.justifications_lapsed, after.suite.summary.justifications[..1]);
    assert_eq!((difference.before.justified, difference.after.justified), (1, 0));
    let mut text = Vec::new();
    difference.write("old", "new", &mut text).expect("memory can be written to");
    let text = String::from_utf8(text).expect("text");
    assert!(text.contains("\n  justified                 1         0  -1\n"), "{text}");
    assert!(
        text.contains("\nlapsed: 1 justification\n  function_0+0xa -> +0xc\n      the code of"),
        "{text}"
    );
    // An entry that is written for the first time and does not apply is mentioned, too.
    before.suite.summary.justifications.clear();
    let difference = SuiteDifference::between(&before.suite, &after.suite);
    assert_eq!(difference.justifications_lapsed.len(), 2);
}
