//! Linux programs as processes: what they print, the paths that their standard input takes, and the tests on the real system.
//!
//! Each guest states what is expected: `output` and `status` of a run, `statuses` that the tests reach (all, and no other, by
//! inspection), the number of directions that stay `open`, or an `assumption` of the ledger and in how many `places` it is made at least.

use everypath::{Binary, Criterion, Outcome, StreamSize, Verdict};
use everypath_testkit::programs::installed;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;

/// How guests are compiled: the compiler, its flags, and what else must be there.
const STATIC: (&str, &[&str]) = ("musl-gcc", &["-static", "-O0"]);
const OPTIMISED: (&str, &[&str]) = ("musl-gcc", &["-static", "-O2", "-s"]);
const DYNAMIC: (&str, &[&str]) = ("gcc", &["-O0", "-s"]);
const DYNAMIC_OPTIMISED: (&str, &[&str]) = ("gcc", &["-O2", "-s"]);

/// Whether the host's C library is that of x86-64 Linux.
fn is_dynamic_possible() -> bool {
    cfg!(all(target_os = "linux", target_arch = "x86_64"))
}

fn source(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/guests/linux").join(name).with_extension("c")
}

/// A statement of a guest about itself.
fn stated(name: &str, what: &str) -> Option<String> {
    let text = fs::read_to_string(source(name)).expect("a guest");
    let start = format!("// {what}: ");
    text.lines().find_map(|line| line.strip_prefix(&start)).map(str::to_owned)
}

/// Compiles a guest; `None` if the compiler is not installed.
fn compiled(name: &str, (compiler, flags): (&'static str, &[&str])) -> Option<(TempDir, PathBuf)> {
    if compiler == "gcc" {
        if !is_dynamic_possible() {
            return None;
        }
    } else if !installed(&[compiler]) {
        return None;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let program = folder.path().join(name);
    let mut command = Command::new(compiler);
    let done = command.args(flags).arg("-w").arg(source(name)).arg("-o").arg(&program).status();
    assert!(done.expect("a compiler").success(), "{name} is compiled");
    Some((folder, program))
}

fn explored(name: &str, program: &Path, criterion: Criterion) -> (Binary, Outcome) {
    let size = StreamSize::parse(&stated(name, "stdin").expect("a size")).expect("a size");
    let binary = Binary::open(program).expect("a program");
    let outcome = binary.explore().stdin(size).criterion(criterion).run().expect("explored");
    (binary, outcome)
}

/// Runs the tests on the real system, in a sandbox.
fn run_natively(name: &str, program: &Path, outcome: &Outcome) {
    if !installed(&["bwrap"]) {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    outcome.write(folder.path().join("tests")).expect("written");
    for test in outcome.tests().iter().filter(|test| !test.cut_off) {
        let status = folder.path().join("tests/native").join(&test.name).join("status");
        assert!(status.exists(), "{name}: test {} has no status to compare", test.name);
    }
    let script = folder.path().join("tests/native/run.sh");
    let ran = Command::new("sh").arg(script).arg(program).output().expect("a shell");
    let text = String::from_utf8_lossy(&ran.stdout);
    assert!(ran.status.success(), "{name}: {text}");
}

/// The exit statuses that the tests record.
fn statuses(outcome: &Outcome) -> BTreeSet<String> {
    let status = |end: &str| match end {
        "it reached a stop" => "0".to_owned(),
        end if end.contains("SIGABRT") => "134".to_owned(),
        end => end.rsplit(' ').next().unwrap_or_default().to_owned(),
    };
    outcome.tests().iter().map(|test| status(&test.end)).collect()
}

fn every_status_is_reached(name: &str, how: (&'static str, &[&str])) {
    let Some((_folder, program)) = compiled(name, how) else { return };
    let (_, outcome) = explored(name, &program, Criterion::Path);
    check_statuses(name, how, &program, &outcome);
}

/// Every path was taken, the tests reach the stated statuses and no other, and they replay, here and natively.
fn check_statuses(name: &str, how: (&'static str, &[&str]), program: &Path, outcome: &Outcome) {
    let summary = outcome.summary();
    assert!(summary.complete, "{name} {how:?}: {:?}", summary.incomplete_reasons);
    let expected = stated(name, "statuses").expect("statuses");
    let expected: BTreeSet<String> = expected.split(' ').map(str::to_owned).collect();
    assert_eq!(statuses(outcome), expected, "{name} {how:?}");
    for test in outcome.tests() {
        let (_, differences) = outcome.replay(test).expect("replayed");
        assert_eq!(differences, Vec::<String>::new(), "{name} {how:?}");
    }
    run_natively(name, program, outcome);
}

#[test]
fn arguments_and_variables_are_input() {
    let name = "texts";
    let bytes: u32 = stated(name, "argument-bytes").expect("a size").parse().expect("a size");
    let variable = stated(name, "variable").expect("a variable");
    let (variable, size) = variable.split_once(' ').expect("a name and a size");
    for how in [STATIC, OPTIMISED, DYNAMIC, DYNAMIC_OPTIMISED] {
        let Some((_folder, program)) = compiled(name, how) else { continue };
        let binary = Binary::open(&program).expect("a program");
        let exploration = binary.explore().argument("-n").argument_input(bytes).argument("end");
        let exploration = exploration.variable_input(variable, size.parse().expect("a size"));
        let outcome = exploration.criterion(Criterion::Path).run().expect("explored");
        check_statuses(name, how, &program, &outcome);
    }
}

/// Explores a guest with the file that it states as input.
fn explored_with_file(name: &str, program: &Path) -> Outcome {
    let file = stated(name, "file").expect("a file");
    let (path, size) = file.split_once(' ').expect("a path and a size");
    let size = StreamSize::parse(size).expect("a size");
    let binary = Binary::open(program).expect("a program");
    binary.explore().file_input(path, size).criterion(Criterion::Path).run().expect("explored")
}

#[test]
fn files_are_input() {
    for name in ["files", "sizes"] {
        for how in [STATIC, OPTIMISED, DYNAMIC, DYNAMIC_OPTIMISED] {
            let Some((_folder, program)) = compiled(name, how) else { continue };
            check_statuses(name, how, &program, &explored_with_file(name, &program));
        }
    }
}

#[test]
fn memory_behind_the_end_of_a_mapped_file_cannot_be_read() {
    for how in [STATIC, DYNAMIC] {
        let Some((_folder, program)) = compiled("behind", how) else { continue };
        let outcome = explored_with_file("behind", &program);
        assert_eq!(outcome.findings().len(), 1, "{how:?}: {:?}", outcome.findings());
        let ends: BTreeSet<&str> = outcome.tests().iter().map(|test| test.end.as_str()).collect();
        assert_eq!(ends.len(), 3, "{how:?}: {ends:?}");
    }
}

#[test]
fn the_system_leaves_registers_as_the_kernel_does() {
    for how in [STATIC, OPTIMISED, DYNAMIC, DYNAMIC_OPTIMISED] {
        every_status_is_reached("registers", how);
    }
}

#[test]
fn files_are_written_for_the_program_alone() {
    for how in [STATIC, OPTIMISED, DYNAMIC, DYNAMIC_OPTIMISED] {
        every_status_is_reached("writes", how);
    }
    for path in ["kept.bin", "moved.bin", "letter.txt"] {
        assert!(!Path::new(path).exists(), "{path} was written on the host");
    }
}

#[test]
fn files_have_the_modes_and_paths_that_the_kernel_gives_them() {
    for how in [STATIC, DYNAMIC] {
        every_status_is_reached("modes", how);
    }
}

#[test]
fn descriptors_and_transfers_have_the_limits_of_the_kernel() {
    for how in [STATIC, DYNAMIC] {
        every_status_is_reached("limits", how);
    }
}

#[test]
fn the_stack_is_executable_where_the_program_asks_for_it() {
    // The compiler puts code for the pointer to a nested function onto the stack.
    for how in [STATIC, DYNAMIC] {
        every_status_is_reached("nested", how);
    }
}

#[test]
fn that_nothing_gives_a_standard_input_is_an_assumption() {
    for how in [STATIC, DYNAMIC] {
        let Some((_folder, program)) = compiled("triangle", how) else { continue };
        let exploration = Binary::open(&program).expect("a program").explore().argument("any");
        let outcome = exploration.run().expect("explored");
        let summary = outcome.summary();
        assert!(!summary.complete && !summary.criterion_reached, "{how:?}");
        let infeasible = |judged: &&everypath::Judged| matches!(judged.verdict, Verdict::Infeasible { .. });
        let found: Vec<_> = outcome.verdicts().iter().filter(infeasible).collect();
        assert!(found.is_empty(), "{how:?}: {found:?}");
    }
}

#[test]
fn static_programs_take_every_path_of_their_input() {
    for name in ["triangle", "short", "line", "count"] {
        every_status_is_reached(name, STATIC);
        every_status_is_reached(name, OPTIMISED);
    }
}

#[test]
fn dynamic_programs_take_every_path_of_their_input() {
    for name in ["triangle", "short", "line", "count"] {
        every_status_is_reached(name, DYNAMIC);
        every_status_is_reached(name, DYNAMIC_OPTIMISED);
    }
}

#[test]
fn only_branches_of_a_dynamic_program_itself_are_judged() {
    let Some((_folder, program)) = compiled("triangle", DYNAMIC) else { return };
    let (binary, outcome) = explored("triangle", &program, Criterion::Branch);
    let image = binary.image();
    assert!(!outcome.verdicts().is_empty());
    for judged in outcome.verdicts() {
        assert!(image.segment_at(judged.direction.branch.0).is_some(), "{}", judged.direction);
        let is_open = matches!(judged.verdict, Verdict::Open { .. } | Verdict::Unsupported { .. });
        assert!(!is_open, "{judged:?}");
    }
}

#[test]
fn what_depends_on_the_system_stays_open() {
    for name in ["clock", "unmodelled", "mapped", "handler", "times", "memory", "directory"] {
        for how in [STATIC, DYNAMIC] {
            let Some((_folder, program)) = compiled(name, how) else { continue };
            let (_, outcome) = explored(name, &program, Criterion::Branch);
            assert!(!outcome.summary().complete, "{name}");
            let infeasible =
                |judged: &&everypath::Judged| matches!(judged.verdict, Verdict::Infeasible { .. });
            let found: Vec<_> = outcome.verdicts().iter().filter(infeasible).collect();
            assert!(found.is_empty(), "{name} {how:?}: {found:?}");
            check_assumption(name, how, &outcome);
        }
    }
}

/// The ledger has the assumption that a guest states, if it states one, in at least as many places, and paths may be lost by it.
fn check_assumption(name: &str, how: (&'static str, &[&str]), outcome: &Outcome) {
    let Some(words) = stated(name, "assumption") else { return };
    let least: usize = stated(name, "places").expect("a number").parse().expect("a number");
    let assumptions = &outcome.summary().assumptions;
    let losses = assumptions.iter().filter(|noted| noted.kind == "system" && noted.loses_paths);
    let places: BTreeSet<u64> =
        losses.filter(|noted| noted.message.contains(&words)).map(|noted| noted.address.0).collect();
    assert!(places.len() >= least, "{name} {how:?}: {assumptions:?}");
}

#[test]
fn a_program_prints_what_it_prints() {
    for how in [STATIC, OPTIMISED, DYNAMIC, DYNAMIC_OPTIMISED] {
        let Some((_folder, program)) = compiled("hello", how) else { continue };
        let outcome = Binary::open(&program).expect("a program").explore().argument("world").run();
        let outcome = outcome.expect("explored");
        let status = stated("hello", "status").expect("a status");
        assert_eq!(statuses(&outcome), BTreeSet::from([status]), "{how:?}");
        let folder = tempfile::tempdir().expect("a folder");
        outcome.write(folder.path().join("tests")).expect("written");
        let output = fs::read_to_string(folder.path().join("tests/native/0001/stdout")).expect("an output");
        assert_eq!(Some(output.trim_end().to_owned()), stated("hello", "output"), "{how:?}");
        run_natively("hello", &program, &outcome);
    }
}
