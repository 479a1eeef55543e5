//! Golden tests: runs the commands in `tests/golden` and compares their output with the recorded output.
//!
//! A case is a folder with a file `command` (the command line; a second line `exit N` if it is to fail), `stdout`, and
//! `stderr` if something is printed there. All run in a folder that has the files of `tests/golden/inputs`; one that
//! ends in `.bytes` is hexadecimal text with comments and becomes a file with those bytes, without the ending. With
//! EVERYPATH_BLESS=1 in the environment the recorded output is updated.

mod workplace;

use std::fs;
use std::path::{Path, PathBuf};
use workplace::{Workplace, golden_folder};

fn cases() -> Vec<PathBuf> {
    let entries = fs::read_dir(golden_folder()).expect("tests/golden is there");
    let mut cases: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    cases.retain(|case| case.join("command").is_file());
    cases.sort();
    cases
}

/// The arguments of a case and the exit code it is to have.
fn command(case: &Path) -> (Vec<String>, i32) {
    let text = fs::read_to_string(case.join("command")).expect("a command");
    let mut lines = text.lines();
    let mut words = lines.next().unwrap_or_default().split_whitespace().map(str::to_owned);
    assert_eq!(words.next().as_deref(), Some("everypath"), "{}", case.display());
    let code = lines.next().map_or(0, |line| {
        let code = line.strip_prefix("exit ").unwrap_or_else(|| panic!("{}: `{line}`", case.display()));
        code.parse().expect("an exit code")
    });
    (words.collect(), code)
}

#[test]
fn every_case_prints_what_is_kept() {
    let workplace = Workplace::new();
    let bless = std::env::var_os("EVERYPATH_BLESS").is_some_and(|value| value == "1");
    let cases = cases();
    assert!(!cases.is_empty(), "no case in {}", golden_folder().display());
    let mut failures = Vec::new();
    let mut documents = 0;
    for case in &cases {
        let (arguments, code) = command(case);
        let run = workplace.run(&arguments);
        let name = case.file_name().unwrap_or_default().to_string_lossy();
        if run.code != Some(code) {
            failures.push(format!("{name}: exit code {:?} in place of {code}\n{}", run.code, run.stderr));
        }
        if code == 0 && arguments.iter().any(|argument| argument == "--json") {
            documents += 1;
            failures.extend(wrong_header(&arguments, &run.stdout).map(|wrong| format!("{name}: {wrong}")));
        }
        for (file, text) in [("stdout", &run.stdout), ("stderr", &run.stderr)] {
            let path = case.join(file);
            if bless && text.is_empty() && file == "stderr" {
                let _ = fs::remove_file(&path);
            } else if bless {
                fs::write(&path, text).expect("the kept output can be written");
            }
            let kept = fs::read_to_string(&path).unwrap_or_default();
            if kept != *text {
                failures.push(format!("{name}: {file} differs\n{}", difference(&kept, text)));
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    assert!(documents >= 4, "there is a case with a JSON document for each command");
}

/// The error in the first fields of a document, if any.
fn wrong_header(arguments: &[String], text: &str) -> Option<String> {
    let stage = match arguments[0].as_str() {
        "inspect" => format!("everypath.inspect.{}", arguments[1]),
        command => format!("everypath.{command}"),
    };
    match serde_json::from_str::<serde_json::Value>(text) {
        Err(error) => Some(format!("no JSON: {error}")),
        Ok(document) if document["format"] != stage => Some(format!("its format is not {stage}")),
        Ok(document) if document["version"] != 1 => Some("its version is not 1".to_owned()),
        Ok(_) => None,
    }
}

/// The first line that differs.
fn difference(kept: &str, printed: &str) -> String {
    let (mut kept, mut printed) = (kept.lines(), printed.lines());
    for number in 1.. {
        match (kept.next(), printed.next()) {
            (None, None) => break,
            (left, right) if left == right => {}
            (left, right) => {
                let (left, right) = (left.unwrap_or("(end)"), right.unwrap_or("(end)"));
                return format!("  line {number}\n  kept:    {left}\n  printed: {right}");
            }
        }
    }
    "  only in line ends".to_owned()
}
