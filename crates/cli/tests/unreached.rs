//! Code that nothing reaches: in the summary, and in reports.
//!
//! Needs the compilers of `tests/guests/targets.toml`.

mod guests;
mod workplace;

use everypath_testkit::programs::installed;
use guests::{firmware_with, test};
use std::fs;
use workplace::Workplace;

const GUEST: &str = "dead.c";

/// The main file of a report on the tests in `out`.
fn report(workplace: &Workplace, kind: &str) -> String {
    let run = workplace.run(&["report", "firmware.elf", "out", "--as", kind]);
    assert_eq!(run.code, Some(0), "{run:?}");
    fs::read_to_string(workplace.path().join(run.stdout.trim())).expect("a report")
}

#[test]
fn functions_that_nothing_reaches_are_named_with_their_size() {
    if !installed(&["arm-none-eabi-gcc"]) {
        return;
    }
    let workplace = Workplace::new();
    firmware_with(&workplace, GUEST, &[]);
    let (_, summary) = test(&workplace, &["firmware.elf", "-o", "out"]);
    let names = |list: &str| -> Vec<String> {
        let list = summary["unreached"][list].as_array().expect("a list").iter();
        list.map(|one| one["name"].as_str().expect("a name").to_owned()).collect()
    };
    assert_eq!(names("functions"), ["dead", "dead_plain"], "{summary}");
    // A table holds its address, so that an indirect call may lead there. Handlers are reached by the vector table.
    assert_eq!(names("referenced"), ["held"], "{summary}");
    let text = workplace.run(&["test", "firmware.elf", "--seconds", "20"]).stdout;
    assert!(text.contains(" bytes, are reached by nothing: dead, dead_plain\n"), "{text}");
    // A function that is tested by itself says nothing about the program.
    fs::write(workplace.path().join("call.toml"), "call = { function = \"dead\" }\n").expect("a file");
    let (_, summary) = test(&workplace, &["firmware.elf", "--configuration", "call.toml"]);
    assert!(summary["unreached"].is_null(), "{summary}");
}

#[test]
fn reports_have_the_lines_and_the_names_of_code_that_nothing_reaches() {
    if !installed(&["arm-none-eabi-gcc"]) {
        return;
    }
    let workplace = Workplace::new();
    firmware_with(&workplace, GUEST, &["-g"]);
    test(&workplace, &["firmware.elf", "-o", "out"]);
    let source = fs::read_to_string(workplace::project().join("tests/guests/setups").join(GUEST));
    let source = source.expect("a guest");
    let line = |text: &str| source.lines().position(|line| line.contains(text)).expect("a line") + 1;
    let lcov = report(&workplace, "lcov");
    let expected = [
        "FNDA:0,dead\n".to_owned(),
        "FNDA:0,dead_plain\n".to_owned(),
        "FNDA:0,held\n".to_owned(),
        format!("FN:{},dead_plain\n", line("out = 3;")),
        format!("DA:{},0\n", line("out = 3;")),
        format!("DA:{},0\n", line("if (value == 7)")),
    ];
    for record in expected {
        assert!(lcov.contains(&record), "{record} is not in\n{lcov}");
    }
    assert!(report(&workplace, "cobertura").contains("<method name=\"dead\""));
    let dossier = report(&workplace, "dossier");
    let rows = |letters: &str| dossier.lines().filter(|line| line.starts_with(letters)).collect::<Vec<_>>();
    let unreached = rows("| UNF-");
    assert_eq!(unreached.len(), 2, "{dossier}");
    assert!(unreached[0].contains("`dead`") && unreached[0].contains("`dead.c:"), "{unreached:?}");
    let unexecuted = rows("| UNE-");
    let held = unexecuted.iter().find(|row| row.contains("`held`")).expect("a row");
    assert!(held.contains("data holds its address"), "{held}");
    assert!(report(&workplace, "html").contains("dead_plain"));
}

#[test]
fn tests_of_a_function_and_of_the_program_become_one_coverage() {
    if !installed(&["arm-none-eabi-gcc"]) {
        return;
    }
    let workplace = Workplace::new();
    firmware_with(&workplace, GUEST, &["-g"]);
    let call = "[call]\nfunction = \"dead\"\n[[input]]\nname = \"value\"\nargument = 0\n";
    fs::write(workplace.path().join("call.toml"), call).expect("a file");
    let (run, _) = test(&workplace, &["firmware.elf", "--configuration", "call.toml", "-o", "unit"]);
    assert_eq!(run.code, Some(0), "{run:?}");
    let covered = workplace.run(&["cover", "firmware.elf", "--trace", "unit", "-o", "out", "--json"]);
    let document: serde_json::Value = serde_json::from_str(&covered.stdout).expect("a document");
    // The function was executed: what remains is the other one.
    let functions = document["summary"]["unreached"]["functions"].as_array().expect("a list");
    assert!(functions.len() == 1 && functions[0]["name"] == "dead_plain", "{document}");
    let lcov = report(&workplace, "lcov");
    assert!(lcov.contains("FNDA:1,dead\n") && lcov.contains("FNDA:0,dead_plain\n"), "{lcov}");
    // Another build of the program.
    firmware_with(&workplace, GUEST, &["-Os"]);
    let other = workplace.run(&["cover", "firmware.elf", "--trace", "unit", "-o", "other"]);
    assert!(other.code == Some(1) && other.stderr.contains("another program"), "{other:?}");
}
