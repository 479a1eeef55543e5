//! Tests of other suites as evidence of coverage: each is replayed under the configuration of its suite.

use everypath::{Address, Binary, CodeRange, Configuration, Judged, OpenOptions, Outcome, Verdict};
use std::fs;
use std::path::Path;
use tempfile::TempDir;

/// `movx a,@dptr; jz 5; acall 8; sjmp 5` and, at 8, `cjne a,#5,0xc; clr a; ret` and `inc a; ret`: behind the branch at 1, the
/// function may be called with any value but zero.
const PROGRAM: &[u8] = b"\xe0\x60\x02\x11\x08\x80\xfe\x00\xb4\x05\x02\xe4\x22\x04\x22";

/// The function alone, with any argument.
const CALL: &str = "[call]\nfunction = 8\n[[input]]\nname = \"argument\"\nregister = \"A\"\n";

/// The whole program, of which nothing is input.
const CONSTANT: &str = "[[volatile]]\nname = \"port\"\nspace = \"EXTMEM\"\naddress = 0\nvalues = [0]\n";

/// A program with a configuration, as its file has it.
fn options(folder: &Path, text: &str) -> OpenOptions {
    let file = folder.join("everypath.toml");
    fs::write(&file, text).expect("a configuration");
    let options = Binary::options().architecture("8051").raw(0);
    options.configuration_file(file).expect("a configuration")
}

fn opened(folder: &Path, text: &str, program: &[u8]) -> Binary {
    options(folder, text).read(program).expect("a program")
}

/// A folder with the suite of the function.
fn suite_of_the_function() -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let outcome = opened(folder.path(), CALL, PROGRAM).explore().run().expect("an outcome");
    assert_eq!(outcome.summary().tally(), (2, 0, 0), "{:?}", outcome.verdicts());
    outcome.write(folder.path().join("suite")).expect("a suite");
    folder
}

/// The directions with their verdicts, as text.
fn verdicts(outcome: &Outcome) -> Vec<String> {
    let shown = outcome.verdicts().iter().map(|judged| {
        let by = judged.verdict.taken_by().unwrap_or_else(|| judged.verdict.name().to_owned());
        format!("{}: {by}", judged.direction)
    });
    shown.collect()
}

#[test]
fn tests_of_a_function_cover_what_the_program_leaves_open() {
    let folder = suite_of_the_function();
    let suite = folder.path().join("suite");
    let binary = opened(folder.path(), "", PROGRAM);
    let traces = binary.read_traces(&suite).expect("a suite");
    assert_eq!(traces.len(), 2);
    let outcome = binary.cover(&traces).expect("a result");
    let shown = verdicts(&outcome);
    for direction in ["0x8 -> 0xb", "0x8 -> 0xd"] {
        let one = shown.iter().find(|one| one.starts_with(direction)).expect("a direction");
        assert!(one.contains(&format!(": test {}/000", suite.display())), "{one}");
        assert!(one.ends_with(" ([call] of 0x8)"), "{one}");
    }
    assert_eq!(shown.iter().filter(|one| one.ends_with(": open")).count(), 2, "{shown:?}");
    let note = outcome.summary().assumptions.iter().find(|one| one.kind == "suite").expect("a note");
    assert!(note.message.contains("of the function `0x8` by itself") && note.count == 2, "{note:?}");
    // What they executed is recorded, too.
    let traced = &outcome.summary().traced_code;
    let has = |at: u64| CodeRange::any_contains(traced, Address(at));
    assert!([8, 0xb, 0xc, 0xd, 0xe].into_iter().all(has) && !has(0), "{traced:?}");
}

#[test]
fn a_test_under_another_configuration_refutes_nothing() {
    let folder = suite_of_the_function();
    // The program never calls the function: that is a proof about the program.
    let binary = opened(folder.path(), CONSTANT, PROGRAM);
    let traces = binary.read_traces(folder.path().join("suite")).expect("a suite");
    let mut outcome = binary.explore().run().expect("an outcome");
    let before = verdicts(&outcome);
    assert!(before.iter().any(|one| one.ends_with(": infeasible")), "{before:?}");
    outcome.credit(&traces).expect("credited");
    assert_eq!(verdicts(&outcome), before);
    assert!(outcome.summary().refutation().is_none() && outcome.summary().complete);
}

#[test]
fn infeasible_verdicts_of_a_function_are_not_carried_over() {
    let folder = tempfile::tempdir().expect("a folder");
    // The function alone, with one argument only.
    let call = "[call]\nfunction = 8\n[registers]\nA = 5\n";
    let function = opened(folder.path(), call, PROGRAM).explore().run().expect("an outcome");
    assert_eq!(function.summary().tally(), (1, 1, 0), "{:?}", function.verdicts());
    function.write(folder.path().join("suite")).expect("a suite");
    let binary = opened(folder.path(), "", PROGRAM);
    let outcome = binary.cover(&binary.read_traces(folder.path().join("suite")).expect("a suite"));
    let shown = verdicts(&outcome.expect("a result"));
    assert!(shown.contains(&"0x8 -> 0xd: open".to_owned()), "{shown:?}");
}

#[test]
fn one_test_of_a_suite_can_be_given() {
    let folder = suite_of_the_function();
    let binary = opened(folder.path(), "", PROGRAM);
    let file = folder.path().join("suite/tests/0001.json");
    let traces = binary.read_traces(&file).expect("a test");
    assert_eq!(traces.len(), 1);
    assert!(traces[0].name.ends_with("suite/0001") && !traces[0].hash.is_empty(), "{:?}", traces[0].name);
    // A test without its suite has no configuration.
    let alone = folder.path().join("0001.json");
    fs::copy(&file, &alone).expect("a copy");
    let error = binary.read_traces(&alone).expect_err("no suite").to_string();
    assert!(error.contains("give their folder, or one of the files in its folder `tests`"), "{error}");
}

#[test]
fn a_suite_of_another_program_is_refused() {
    let folder = suite_of_the_function();
    let suite = folder.path().join("suite");
    let other = opened(folder.path(), "", &[PROGRAM, &[0]].concat());
    let error = other.read_traces(&suite).expect_err("another program").to_string();
    assert!(error.contains("suite") && error.contains("another program"), "{error}");
    let elsewhere = Binary::options().architecture("8051").raw(0x100).read(PROGRAM).expect("a program");
    let error = elsewhere.read_traces(&suite).expect_err("another address").to_string();
    assert!(error.contains("`--base`"), "{error}");
    let empty = tempfile::tempdir().expect("a folder");
    let binary = opened(folder.path(), "", PROGRAM);
    let error = binary.read_traces(empty.path()).expect_err("no suite").to_string();
    assert!(error.contains("no summary.json") && error.contains("`everypath test`"), "{error}");
}

#[test]
fn a_suite_that_was_configured_in_code_says_so() {
    let folder = tempfile::tempdir().expect("a folder");
    let binary = opened(folder.path(), "", PROGRAM);
    let configured = binary.explore().volatile_in("EXTMEM", "port", 0, 1).run().expect("an outcome");
    assert!(configured.summary().configuration.is_none());
    configured.write(folder.path().join("suite")).expect("a suite");
    let error = binary.read_traces(folder.path().join("suite")).expect_err("no configuration").to_string();
    assert!(error.contains("does not record its configuration"), "{error}");
}

#[test]
fn the_recorded_configuration_is_that_of_the_file_without_justifications() {
    let folder = tempfile::tempdir().expect("a folder");
    let justification = "\n[[justification]]\nfunction = \"sub_0\"\noffset = 1\ntarget = \"+0x5\"\ncode = \"0123456789abcdef\"\nreason = \"never\"\n";
    let outcome = opened(folder.path(), &format!("{CALL}{justification}"), PROGRAM).explore().run();
    let recorded = outcome.expect("an outcome").summary().configuration.clone().expect("a configuration");
    let same = Configuration::parse(CALL).expect("a configuration");
    assert_eq!(Configuration::parse(&recorded.text), Ok(same));
    assert!(!recorded.text.contains("justification"), "{}", recorded.text);
    assert!(matches!(recorded.base, Some(Address(0))));
}

#[test]
fn tests_of_the_same_configuration_take_the_place_of_new_ones() {
    let folder = tempfile::tempdir().expect("a folder");
    let port = "[[volatile]]\nname = \"port\"\nspace = \"EXTMEM\"\naddress = 0\n";
    let binary = opened(folder.path(), port, PROGRAM);
    let mut outcome = binary.explore().run().expect("an outcome");
    outcome.write(folder.path().join("suite")).expect("a suite");
    let traces = binary.read_traces(folder.path().join("suite")).expect("a suite");
    outcome.credit(&traces).expect("credited");
    let by_suite = |judged: &&Judged| judged.verdict.suite_test().is_some();
    let covered = |judged: &&Judged| matches!(judged.verdict, Verdict::Covered { .. });
    let count = |wanted: &dyn Fn(&&Judged) -> bool| outcome.verdicts().iter().filter(wanted).count();
    assert_eq!((count(&by_suite), outcome.tests().len()), (count(&covered), 0), "{:?}", verdicts(&outcome));
    assert!(outcome.summary().refutation().is_none());
}
