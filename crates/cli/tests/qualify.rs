//! `everypath qualify`: the kit passes, and fails where it should.

use everypath_qualify::{CaseOutcome, Kit, Qualification, Workplace};
use everypath_record::ExitCode;
use std::fs;
use std::path::Path;
use std::process::Command;

const COMMAND: &str = env!("CARGO_BIN_EXE_everypath");

fn qualify(folder: &Path, arguments: &[&str]) -> (Option<i32>, String) {
    let mut command = Command::new(COMMAND);
    // A folder without a source tree, as an installed command has it.
    command.current_dir(folder).arg("qualify").args(arguments);
    let output = command.output().expect("the command can be run");
    (output.status.code(), String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned())
}

/// The outcome of one requirement of a kit, run with a command.
fn outcome(kit: &Kit, command: &Path, requirement: &str) -> (CaseOutcome, Qualification) {
    let folder = tempfile::tempdir().expect("a folder");
    let mut kit = kit.clone();
    kit.requirements.retain(|one| one.identifier == requirement);
    assert_eq!(kit.requirements.len(), 1);
    let workplace = Workplace::new(command, folder.path()).expect("a workplace");
    let qualification = kit.run(&workplace, "");
    (qualification.outcome(), qualification)
}

fn kit() -> Kit {
    Kit::built_in().expect("the kit").only(&["8051".to_owned()]).expect("an architecture")
}

#[test]
fn the_whole_kit_passes() {
    let folder = tempfile::tempdir().expect("a folder");
    let (code, output) = qualify(folder.path(), &["-o", "here", "--date", "1970-01-01"]);
    assert_eq!(code, Some(0), "{output}");
    let report = fs::read_to_string(folder.path().join("here/qualification.md")).expect("a report");
    for part in ["**Outcome: passed**", "| date | 1970-01-01 |", "TOR-9", "KP-1", "| approved by |"] {
        assert!(report.contains(part), "{part} in {report}");
    }
    let text = fs::read_to_string(folder.path().join("here/qualification.json")).expect("a document");
    let document: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!(
        (document["format"].as_str(), document["version"].as_u64()),
        (Some("everypath.qualification"), Some(1))
    );
    let digest = document["environment"]["command_digest"].as_str().expect("a digest");
    assert!(digest.len() == 64 && report.contains(digest));
    // At least three architectures have programs.
    let count = |value: &serde_json::Value| value.as_array().map_or(0, Vec::len);
    assert!(count(&document["architectures"]) >= count(&document["without_programs"]) + 3);
}

#[test]
fn nothing_depends_on_time() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut reports = Vec::new();
    for _ in 0..2 {
        let (code, output) = qualify(folder.path(), &["-o", "here", "--architecture", "6800"]);
        assert_eq!(code, Some(0), "{output}");
        reports.push(fs::read(folder.path().join("here/qualification.json")).expect("a document"));
    }
    assert!(reports[0] == reports[1]);
}

#[test]
fn an_architecture_without_programs_is_not_said_to_pass() {
    let folder = tempfile::tempdir().expect("a folder");
    let (code, output) = qualify(folder.path(), &["--architecture", "mips"]);
    assert_eq!(code, Some(4), "{output}");
    assert!(output.contains("TOR-8  passed") && output.contains("TOR-1  not run"), "{output}");
    let (code, output) = qualify(folder.path(), &["--architecture", "4711"]);
    assert!(code == Some(1) && output.contains("no architecture `4711`"), "{output}");
}

#[test]
fn a_wrong_expectation_fails() {
    let good = kit();
    let (passed, qualification) = outcome(&good, COMMAND.as_ref(), "TOR-1");
    assert_eq!((passed, qualification.exit_code()), (CaseOutcome::Passed, ExitCode::Good));

    // A covered direction that is expected to be infeasible.
    let mut wrong = good.clone();
    let program = wrong.programs.iter_mut().find(|one| one.name == "comparison_chain").expect("a program");
    let direction = program.expected.covered.pop().expect("a direction");
    program.expected.infeasible.push(direction.clone());
    let (failed, qualification) = outcome(&wrong, COMMAND.as_ref(), "TOR-1");
    assert_eq!((failed, qualification.exit_code()), (CaseOutcome::Failed, ExitCode::Findings));
    let faults: Vec<&String> =
        qualification.cases.iter().flat_map(|case| &case.checks).flat_map(|check| &check.faults).collect();
    assert_eq!(faults, [&format!("{direction} is covered, expected infeasible")]);

    // A vector with another result.
    let mut wrong = good.clone();
    wrong.vectors[0].text.push_str("\nINC A | 04 | A=03 | A=05 PSW=01\n");
    assert_eq!(outcome(&wrong, COMMAND.as_ref(), "TOR-8").0, CaseOutcome::Failed);
    wrong.vectors.clear();
    assert_eq!(outcome(&wrong, COMMAND.as_ref(), "TOR-8").0, CaseOutcome::Failed);
}

/// A command that passes everything on to the real one, but for what a line of its script does first.
#[cfg(unix)]
fn faulty_command(folder: &Path, line: &str) -> std::path::PathBuf {
    use std::os::unix::fs::PermissionsExt;
    let file = folder.join("faulty");
    fs::write(&file, format!("#!/bin/sh\n{line}\nexec {COMMAND} \"$@\"\n")).expect("a script");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).expect("permissions");
    file
}

/// Each requirement fails for a command with a fault that it is about.
#[cfg(unix)]
#[test]
fn faulty_commands_are_found() {
    let good = kit();
    let edit = |expression: &str| {
        // The folder of the results is the last argument.
        format!(
            "if [ \"$1\" = test ]; then {COMMAND} \"$@\"; code=$?; for last; do :; done; \
             [ -d \"$last\" ] && sed -i {expression} \"$last\"/summary.json; exit $code; fi"
        )
    };
    let faults = [
        // A direction has disappeared, and the verdicts are swapped.
        ("TOR-1", edit("'s/\"verdict\": \"infeasible\"/\"verdict\": \"open\"/; s/\"evidence\"/\"reason\"/'")),
        ("TOR-2", "[ \"$1\" = replay ] && exit 3".to_owned()),
        ("TOR-3", "[ \"$1\" = check-certificate ] && exit 1".to_owned()),
        (
            "TOR-4",
            edit("'s/\"kind\": \"concretised\"/\"kind\": \"none\"/; /\"assumptions\"/,/]/s/0x8\"/0x9\"/'"),
        ),
        ("TOR-5", "[ \"$1\" = replay ] && exit 0".to_owned()),
        ("TOR-5", "[ \"$1\" = check-certificate ] && exit 0".to_owned()),
        ("TOR-6", edit("'s/\"paths\": /\"paths\": '$$'/'")),
        ("TOR-7", "[ \"$1\" = test ] && { {} \"$@\"; exit 0; }".replace("{}", COMMAND)),
        ("TOR-9", "[ \"$1\" = test ] && { {} \"$@\"; exit 0; }".replace("{}", COMMAND)),
    ];
    for (requirement, line) in faults {
        let folder = tempfile::tempdir().expect("a folder");
        let command = faulty_command(folder.path(), &line);
        let (failed, qualification) = outcome(&good, &command, requirement);
        assert_eq!(failed, CaseOutcome::Failed, "{requirement}, {line}: {qualification:?}");
        assert_eq!(qualification.exit_code(), ExitCode::Findings);
    }
}

/// An infeasible verdict on a direction that an input takes is found by running every input.
#[cfg(unix)]
#[test]
fn a_wrong_infeasible_verdict_is_found() {
    let good = kit();
    let folder = tempfile::tempdir().expect("a folder");
    let swap = format!(
        "if [ \"$1\" = test ]; then {COMMAND} \"$@\"; code=$?; for last; do :; done; [ -d \"$last\" ] && \
         sed -i 's/\"verdict\": \"covered\"/\"verdict\": \"infeasible\"/; s/\"test\": /\"evidence\": /' \
         \"$last\"/summary.json; exit $code; fi"
    );
    let command = faulty_command(folder.path(), &swap);
    let (failed, qualification) = outcome(&good, &command, "TOR-3");
    assert_eq!(failed, CaseOutcome::Failed);
    let checks =
        qualification.cases.iter().filter(|case| case.case == "TC-3.1").flat_map(|case| &case.checks);
    assert!(checks.flat_map(|check| &check.faults).any(|fault| fault.contains("and an input takes it")));
}
