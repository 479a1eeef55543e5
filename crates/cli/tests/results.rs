//! Results in the user's terms: functions and source lines, reports, explanations and comparisons.
//!
//! Needs the compilers of `tests/guests/targets.toml`.

mod guests;
mod workplace;

use everypath_testkit::programs::installed;
use guests::{firmware_with, test};
use std::fs;
use workplace::Workplace;

/// Firmware with a handler that only an interrupt reaches, whose directions are open.
const GUEST: &str = "flag.c";

#[test]
fn open_directions_are_named_by_function_and_source_line() {
    if !installed(&["arm-none-eabi-gcc"]) {
        return;
    }
    let workplace = Workplace::new();
    firmware_with(&workplace, GUEST, &["-g"]);
    let (_, summary) = test(&workplace, &["firmware.elf"]);
    let locations = summary["locations"].as_array().expect("a list");
    let is_in_source = |location: &serde_json::Value| {
        let file = location["source"]["file"].as_str().unwrap_or_default();
        file.ends_with(GUEST) && location["function"]["name"].is_string()
    };
    assert!(locations.iter().any(is_in_source), "{summary}");
    let text = workplace.run(&["test", "firmware.elf", "--seconds", "20"]).stdout;
    assert!(text.contains("\nopen: ") && text.contains(&format!("  {GUEST}:")), "{text}");
}

#[test]
fn functions_of_a_stripped_program_are_named_by_their_addresses() {
    if !installed(&["arm-none-eabi-gcc"]) {
        return;
    }
    let workplace = Workplace::new();
    firmware_with(&workplace, GUEST, &["-s"]);
    let text = workplace.run(&["test", "firmware.elf", "--seconds", "20"]).stdout;
    assert!(text.contains("  sub_"), "{text}");
}

#[test]
fn every_report_is_written_and_names_the_program() {
    if !installed(&["arm-none-eabi-gcc"]) {
        return;
    }
    let workplace = Workplace::new();
    firmware_with(&workplace, GUEST, &["-g"]);
    test(&workplace, &["firmware.elf", "-o", "out"]);
    for format in everypath_report::REPORTS {
        let run = workplace.run(&["report", "firmware.elf", "out", "--as", format.name]);
        assert_eq!(run.code, Some(0), "{}: {run:?}", format.name);
        let file = workplace.path().join("out/report").join(format.file);
        assert_eq!(
            fs::canonicalize(&file).ok(),
            fs::canonicalize(workplace.path().join(run.stdout.trim())).ok()
        );
        assert!(fs::metadata(&file).is_ok_and(|file| file.len() > 0), "{}", format.name);
    }
    // Everything else in the folder is as it was.
    assert_eq!(workplace.run(&["replay", "firmware.elf", "out"]).code, Some(0));
    let other = workplace.run(&["report", "firmware.elf", "out", "--entry", "0x0"]);
    assert!(other.code == Some(1) && other.stderr.contains("another configuration"), "{other:?}");
}

#[test]
fn a_test_and_a_function_are_explained() {
    if !installed(&["arm-none-eabi-gcc"]) {
        return;
    }
    let workplace = Workplace::new();
    firmware_with(&workplace, GUEST, &["-g"]);
    test(&workplace, &["firmware.elf", "-o", "out"]);
    let explain = |what: &str| workplace.run(&["explain", "firmware.elf", "out", what]);
    let story = explain("0001");
    assert_eq!(story.code, Some(0), "{story:?}");
    assert!(story.stdout.contains("replay: everypath replay firmware.elf out/tests/0001.json"), "{story:?}");
    let listed = workplace.run(&["explain", "firmware.elf", "out"]);
    assert!(listed.code == Some(0) && listed.stdout.contains("open directions by function"), "{listed:?}");
    let command = listed.stdout.lines().find_map(|line| line.strip_prefix("explain one: everypath "));
    let command: Vec<&str> = command.expect("a command").split(' ').collect();
    assert_eq!(workplace.run(&command).code, Some(0), "{command:?}");
    let wrong = explain("9999");
    assert!(wrong.code == Some(1) && wrong.stderr.contains("9999"), "{wrong:?}");
}

#[test]
fn runs_that_differ_in_coverage_are_told_apart() {
    if !installed(&["arm-none-eabi-gcc"]) {
        return;
    }
    let workplace = Workplace::new();
    firmware_with(&workplace, "board.c", &["-g"]);
    test(&workplace, &["firmware.elf", "-o", "all"]);
    test(&workplace, &["firmware.elf", "-o", "same"]);
    test(&workplace, &["firmware.elf", "-o", "one", "--paths", "1"]);
    assert_eq!(workplace.run(&["diff", "all", "same"]).code, Some(0));
    let worse = workplace.run(&["diff", "all", "one"]);
    assert!(worse.code == Some(3) && worse.stdout.contains("no longer covered"), "{worse:?}");
    let better = workplace.run(&["diff", "one", "all", "--json"]);
    assert_eq!(better.code, Some(0), "{better:?}");
    let document: serde_json::Value = serde_json::from_str(&better.stdout).expect("JSON");
    assert_eq!(document["format"], "everypath.diff");
}

#[test]
fn completions_and_manual_pages_have_every_command() {
    let workplace = Workplace::new();
    let completions = workplace.run(&["completions", "bash"]);
    assert!(completions.code == Some(0) && completions.stdout.contains("check-certificate"));
    assert_eq!(workplace.run(&["manual", "man"]).code, Some(0));
    let page = fs::read_to_string(workplace.path().join("man/everypath-explain.1")).expect("a page");
    assert!(page.contains(".TH"), "{page}");
}
