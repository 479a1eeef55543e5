//! Merged results: the summary names the runs, reports say how to repeat each of them, and the guide shows what is written.

mod samples;

use everypath_record::{MergedSuite, NamedSuite, Suite, Verdict};
use everypath_report::TerminalSummary;
use samples::Sample;

/// Two runs of one program: what the first leaves open, the second covers.
fn runs() -> [NamedSuite; 2] {
    let (mut one, mut other) = (samples::alarm().suite, samples::alarm().suite);
    for suite in [&mut one, &mut other] {
        suite.summary.configuration_hash = "c".to_owned();
        suite.summary.plan["keep_all"] = false.into();
        suite.summary.indirect_exits.clear();
    }
    let time = || Verdict::Open { reason: "the time limit of 60 s was reached".to_owned() };
    // The first run has the first test, the second the second.
    keep(&mut one, 0, &time());
    keep(&mut other, 1, &time());
    one.summary.findings.clear();
    other.summary.plan["seed"] = 2.into();
    other.summary.directions[1].verdict = time();
    [("monday.tests", one), ("tuesday.tests", other)]
        .map(|(name, suite)| NamedSuite { name: name.to_owned(), suite })
}

/// Drops all tests but one; what they cover is open.
fn keep(suite: &mut Suite, index: usize, open: &Verdict) {
    let test = suite.tests.swap_remove(index);
    for judged in &mut suite.summary.directions {
        if matches!(&judged.verdict, Verdict::Covered { test: by, .. } if *by != test.name) {
            judged.verdict = open.clone();
        }
    }
    suite.summary.tests = vec![test.name.clone()];
    suite.tests = vec![test];
}

fn merged() -> Sample {
    let merged = MergedSuite::merge(&runs()).expect("they can be merged");
    let mut sample = samples::alarm();
    sample.executed.truncate(merged.suite.tests.len());
    sample.suite = merged.suite;
    sample
}

#[test]
fn the_guide_shows_what_is_written() {
    let sample = merged();
    let source = |_: &everypath_record::SourcePosition| None;
    let summary = TerminalSummary { summary: &sample.suite.summary, folder: "both.tests", source: &source };
    let mut text = Vec::new();
    summary.write(&mut text).expect("memory can be written to");
    samples::assert_in_guide("merge.md", &String::from_utf8(text).expect("text"));
}

#[test]
fn every_report_can_be_written() {
    let sample = merged();
    for format in everypath_report::REPORTS {
        assert!(!sample.report(format.name).is_empty(), "{}", format.name);
    }
}

#[test]
fn a_dossier_repeats_each_run_and_merges_them() {
    let text = merged().text("dossier");
    for part in [
        "--certificates --output repeated-1.tests",
        "--seed 2 --seconds 60 --certificates --output repeated-2.tests",
        "everypath merge repeated-1.tests repeated-2.tests --output repeated.tests",
        "Merged runs",
        "shown by run monday.tests",
    ] {
        assert!(text.contains(part), "{part}\n{text}");
    }
}

#[test]
fn commands_have_the_flags_that_were_given() {
    let mut sample = samples::alarm();
    sample.flags = vec!["--architecture cortex-m".to_owned(), "--configuration board.toml".to_owned()];
    let dossier = sample.text("dossier");
    let command = |name: &str| {
        let mut lines =
            dossier.lines().filter(|line| line.contains(&format!("everypath {name} firmware.elf")));
        lines.next().unwrap_or_else(|| panic!("a command `{name}`\n{dossier}")).to_owned()
    };
    for name in ["test", "replay", "report"] {
        let command = command(name);
        assert_eq!(command.matches("--configuration board.toml").count(), 1, "{command}");
        assert_eq!(command.matches("--architecture").count(), 1, "{command}");
    }
    let page = sample.text("html");
    assert!(page.contains(" --architecture cortex-m --configuration board.toml"));
}
