//! The summary for a terminal: locations, causes, and what to do next.

mod samples;

use everypath_record::{CoveragePoint, ExitCode, SourcePosition, Verdict};
use everypath_report::TerminalSummary;
use samples::Sample;

fn shown(sample: &Sample) -> String {
    let source = |position: &SourcePosition| {
        let file = sample.listing.sources.iter().find(|source| source.path == position.file)?;
        file.lines.get(position.line as usize - 1).cloned()
    };
    let summary =
        TerminalSummary { summary: &sample.suite.summary, folder: "firmware.elf.tests", source: &source };
    let mut text = Vec::new();
    summary.write(&mut text).expect("memory can be written to");
    String::from_utf8(text).expect("text")
}

#[test]
fn each_verdict_is_shown_with_its_function_and_source_line() {
    let text = shown(&samples::small());
    assert!(text.starts_with("8 branch directions: 5 covered, 1 infeasible, 2 open\n"), "{text}");
    let place =
        "function_0+0x2 -> +0x8 (0x1002 -> 0x1008)  module_0.c:1  if (level == 0 && mode < 2) total++;";
    assert!(text.contains(place), "{text}");
    assert!(text.contains("1 finding\n  function_0+0xa (0x100a)"), "{text}");
    assert!(text.ends_with("2 tests in firmware.elf.tests\n"), "{text}");
}

#[test]
fn many_open_directions_are_one_cause_by_function() {
    let mut sample = samples::generated(3, 2_000, 2);
    for judged in &mut sample.suite.summary.directions[1..] {
        judged.verdict = Verdict::Open { reason: "the time limit of 10 s was reached".to_owned() };
    }
    let text = shown(&sample);
    assert!(text.contains("\nopen: 11,999 directions: the time limit of 10 s was reached\n"), "{text}");
    assert!(text.contains("\n  function_1: 4,000  module_1.c:1, 2, 3, 4, 5, 6, 7, 8, ...\n"), "{text}");
    assert!(text.contains("\n  next: allow more time with `--seconds`"), "{text}");
    assert!(text.lines().count() < 30, "{text}");
}

#[test]
fn advice_fits_the_run_that_it_is_given_for() {
    let mut sample = samples::small();
    let mut advice = |reason: &str, paths, merge: bool, prove: Option<u64>| {
        let summary = &mut sample.suite.summary;
        summary.directions[2].verdict = Verdict::Open { reason: reason.to_owned() };
        summary.directions[3].verdict = Verdict::Open { reason: reason.to_owned() };
        (summary.paths, summary.plan["merge"], summary.plan["prove"]) = (paths, merge.into(), prove.into());
        summary.coverage_curve = vec![CoveragePoint { paths: 40, executed: 900, covered: 5 }];
        let text = shown(&sample);
        let next: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix("  next: ")).collect();
        next.join("\n")
    };
    let limit = "the time limit of 10 s was reached";
    let going = advice(limit, 60, false, None);
    assert!(going.contains("`--seconds`") && !going.contains("nothing new"), "{going}");
    let stagnant = advice(limit, 100, false, None);
    let parts = ["more than half of the paths covered nothing new", "`--merge`", "`--prove`", "`[call]`"];
    assert!(parts.iter().all(|part| stagnant.contains(part)), "{stagnant}");
    let merged = advice(limit, 100, true, None);
    assert!(merged.contains("nothing new") && !merged.contains("--merge"), "{merged}");
    let proved = advice(limit, 100, false, Some(1000));
    assert!(proved.contains("--merge") && !proved.contains("--prove"), "{proved}");
    let both = advice(limit, 100, true, Some(1000));
    assert!(both.contains("[call]") && !both.contains("--merge") && !both.contains("--prove"), "{both}");
    for reason in [
        "int2float is not translated",
        "the limit of conflicts was reached",
        "the limit of gates was reached",
    ] {
        let next = advice(reason, 60, false, None);
        assert!(next.contains("`--second-solver z3`"), "{reason}: {next}");
    }
}

#[test]
fn a_blocked_direction_names_the_function_that_blocks_it() {
    let mut sample = samples::small();
    let reason = "blocked: paths end at 0x1004 (a fault), so the code behind was not explored".to_owned();
    sample.suite.summary.directions[7].verdict = Verdict::Open { reason };
    let text = shown(&sample);
    assert!(text.contains("paths end at 0x1004 (function_0+0x4 module_0.c:1) (a fault)"), "{text}");
}

#[test]
fn justified_directions_are_shown_apart_and_lapsed_justifications_are_reported() {
    let mut sample = samples::justified();
    let text = shown(&sample);
    assert!(
        text.starts_with("8 branch directions: 5 covered, 1 infeasible, 2 open (1 of them justified)\n"),
        "{text}"
    );
    let justified =
        "\njustified: 1 open direction, by a reviewer and not by a proof\n  function_0+0xa -> +0xc";
    assert!(text.contains(justified), "{text}");
    assert!(text.contains("\n      the hardware never reports mode 7 (A. Reviewer, 2026-01-31)\n"), "{text}");
    assert!(text.contains("\nlapsed: 1 justification"), "{text}");
    assert!(text.contains("function_0+0x2 -> +0x8\n      the direction is infeasible now"), "{text}");
    // Its cause is not shown as one to work on; that of the unsupported direction is.
    assert!(!text.contains("\nopen: ") && text.contains("\nunsupported: 1 direction"), "{text}");
    assert!(!text.contains("exit code"), "{text}");
    assert_eq!(sample.suite.summary.exit_code(), ExitCode::Open);
    // No other direction is open, but an indirect exit may have other targets.
    sample.suite.summary.directions[3].verdict = Verdict::covered_by_test("0001");
    assert_eq!(sample.suite.summary.exit_code(), ExitCode::Open);
    // Nothing else is open.
    sample.suite.summary.indirect_exits.iter_mut().for_each(|exit| exit.resolved = true);
    let text = shown(&sample);
    assert!(text.contains("\nthe only open direction is justified, so the exit code is 0; "), "{text}");
    let summary = &mut sample.suite.summary;
    assert_eq!(
        (summary.exit_code(), summary.complete, summary.directions_exact),
        (ExitCode::Good, false, false)
    );
    // A justification hides no finding, and says nothing about paths.
    summary.findings = samples::small().suite.summary.findings;
    assert_eq!(summary.exit_code(), ExitCode::Findings);
    summary.findings.clear();
    summary.plan["criterion"] = "path".into();
    assert_eq!(summary.exit_code(), ExitCode::Open);
    // Nor does it apply to a direction that is covered or infeasible, whatever the file says.
    summary.plan["criterion"] = "branch".into();
    summary.directions[2].verdict = Verdict::infeasible("unsat".to_owned());
    assert!(summary.justified().is_empty() && !summary.is_justified());
}

#[test]
fn functions_that_nothing_reaches_are_named_if_they_are_few() {
    let mut sample = samples::small();
    let functions = |count: u64| samples::unreached(count);
    sample.suite.summary.unreached = Some(functions(1));
    assert!(shown(&sample).contains("\n1 function, 16 bytes, is reached by nothing that is known: dead_0\n"));
    sample.suite.summary.indirect_exits.iter_mut().for_each(|exit| exit.resolved = true);
    sample.suite.summary.unreached = Some(functions(8));
    let expected = "\n8 functions, 128 bytes, are reached by nothing: dead_0, dead_1, dead_2, dead_3, dead_4, dead_5, and 2 more\n";
    assert!(shown(&sample).contains(expected), "{}", shown(&sample));
    // Those of a library are many, and say nothing to the user.
    sample.suite.summary.unreached = Some(functions(100));
    let expected = "\n100 functions, 1,600 bytes, are reached by nothing; `everypath report` lists them\n";
    assert!(shown(&sample).contains(expected), "{}", shown(&sample));
    sample.suite.summary.unreached = Some(functions(0));
    assert!(!shown(&sample).contains("reached by nothing"));
}
