//! Replay harnesses of `everypath export`: they pass on the program that the tests were made for, and fail where a program or an
//! expectation differs.
//!
//! Needs the compilers of `tests/guests/targets.toml`, the Unicorn engine and QEMU.

mod workplace;

use everypath_testkit::guests::{GuestTarget, build, targets};
use everypath_testkit::programs::installed;
use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};
use workplace::{Workplace, project};

/// The interpreter that has Debian's Python packages.
const PYTHON: &str = "/usr/bin/python3";
/// The targets of Python harnesses.
const EMULATED: [&str; 5] = ["cortex-m", "riscv32", "powerpc", "aarch64", "arm"];
/// The targets of C harnesses, with the compilers of their benches and the emulators that run these. The tests of firmware are
/// run by a bench for another system with the same registers.
const CALLED: [(&str, &str, &str); 4] = [
    ("arm", "arm-linux-gnueabi-gcc", "qemu-arm"),
    ("cortex-m", "arm-linux-gnueabi-gcc", "qemu-arm"),
    ("powerpc", "powerpc-linux-gnu-gcc", "qemu-ppc"),
    ("aarch64", "aarch64-linux-gnu-gcc", "qemu-aarch64"),
];

/// A target by its name.
fn target(name: &str) -> GuestTarget {
    let mut known = targets(&project()).expect("a list").into_iter();
    known.find(|target| target.name == name).expect("a target")
}

/// Compiles a guest of `tests/guests/harness` with these macros into a folder of the workplace.
fn compile(workplace: &Workplace, target: &GuestTarget, guest: &str, folder: &str, macros: &[&str]) {
    let mut target = target.clone();
    target.flags.extend(macros.iter().map(|&one| one.to_owned()));
    let folder = workplace.path().join(folder);
    fs::create_dir_all(&folder).expect("a folder");
    let source = project().join("tests/guests/harness").join(guest);
    build(&source, &target, "-O1", &folder).expect("a program");
}

/// A program whose compilers predicate instructions: moves, accesses and a return, in IT blocks on T32. With INVERTED, it takes the
/// same paths and drives the actuator otherwise.
const PREDICATED: &str = "
typedef unsigned char u8;
volatile u8 in_u8;
volatile int in_i32;
int kept, table[4] = {3, 1, 4, 1};

__attribute__((noinline)) static int pick(int level) {
  if (level == 9) return table[1];
  return table[level & 3] + level;
}

int main(void) {
  int number;
  for (number = 0; number < 2; number++) {
    int level = in_u8;
#ifdef INVERTED
    in_i32 = level != 3;
#else
    in_i32 = level == 3;
#endif
    if (level > 100) in_i32 = 5;
    if (level < 50) kept += pick(level);
  }
  for (;;) {
  }
}
";

/// Tests the guest in `made`, and exports the tests.
fn export(workplace: &Workplace, target: &GuestTarget, tool: &str) {
    let file = format!("made/{}", target.file);
    let run = workplace.run(&["test", &file, "-o", "out", "--seconds", "60"]);
    assert_eq!(run.code, Some(0), "{}: {run:?}", target.name);
    let run = workplace.run(&["export", &file, "out", "--tool", tool]);
    assert_eq!(run.code, Some(0), "{}: {run:?}", target.name);
}

fn replay(workplace: &Workplace, arguments: &[&str]) -> (Option<i32>, String) {
    ended(
        Command::new(PYTHON)
            .arg(workplace.path().join("out/python/replay.py"))
            .args(arguments)
            .current_dir(workplace.path()),
    )
}

fn ended(command: &mut Command) -> (Option<i32>, String) {
    let Output { status, stdout, stderr } = command.output().expect("it starts");
    (status.code(), format!("{}{}", String::from_utf8_lossy(&stdout), String::from_utf8_lossy(&stderr)))
}

#[test]
fn a_python_harness_passes_on_its_program_and_fails_on_one_with_other_outputs() {
    if !installed(&["unicorn"]) {
        return;
    }
    for name in EMULATED {
        let target = target(name);
        if !target.is_installed() {
            continue;
        }
        let workplace = Workplace::new();
        compile(&workplace, &target, "actuator.c", "made", &[]);
        export(&workplace, &target, "python");
        let (code, text) = replay(&workplace, &[]);
        assert_eq!(code, Some(0), "{name}: {text}");
        let file = format!("made/{}", target.file);
        assert_eq!(replay(&workplace, &[&file]).0, Some(0), "{name}: from the file");

        // The same path, but another value for the actuator; and another one in memory.
        for (folder, macros, wanted) in [
            ("driven", "-DKEY=6", &["drive+0x", "in_i32+0x"][..]),
            ("kept", "-DSEED=8", &["main+0x", "sum+0x"][..]),
        ] {
            compile(&workplace, &target, "actuator.c", folder, &[macros]);
            let (code, text) = replay(&workplace, &[&format!("{folder}/{}", target.file)]);
            assert_eq!(code, Some(1), "{name}: {text}");
            assert!(wanted.iter().all(|part| text.contains(part)), "{name}: {text}");
            assert!(!text.contains("continues at"), "{name}: {text}");
        }
        expectations_count(&workplace, name);
    }
}

#[test]
fn a_python_harness_passes_where_predicates_are_false_and_fails_where_they_should_not_be() {
    if !installed(&["unicorn"]) {
        return;
    }
    for name in ["cortex-m", "arm", "aarch64"] {
        let target = target(name);
        if !target.is_installed() {
            continue;
        }
        for level in ["-O1", "-O2", "-Os"] {
            let workplace = Workplace::new();
            let source = workplace.path().join("predicated.c");
            fs::write(&source, PREDICATED).expect("a file");
            for (folder, macros) in [("made", &[][..]), ("inverted", &["-DINVERTED".to_owned()])] {
                let mut target = target.clone();
                target.flags.extend(macros.iter().cloned());
                fs::create_dir_all(workplace.path().join(folder)).expect("a folder");
                build(&source, &target, level, &workplace.path().join(folder)).expect("a program");
            }
            export(&workplace, &target, "python");
            let (code, text) = replay(&workplace, &[]);
            assert_eq!(code, Some(0), "{name} {level}: {text}");
            let (code, text) = replay(&workplace, &[&format!("inverted/{}", target.file)]);
            assert_eq!(code, Some(1), "{name} {level}: {text}");
            assert!(text.contains("\n0 of "), "{name} {level}: {text}");
            let marks = false_predicates(&workplace);
            assert_eq!(marks.is_empty(), name != "cortex-m", "{name} {level}: {marks:?}");
        }
    }
}

/// The addresses of the instructions that a harness lets an engine skip somewhere.
fn false_predicates(workplace: &Workplace) -> BTreeSet<String> {
    let file = workplace.path().join("out/python/tests.json");
    let document: Value = serde_json::from_str(&fs::read_to_string(&file).expect("tests")).expect("JSON");
    let mut found = BTreeSet::new();
    for test in document["tests"].as_array().expect("a list") {
        for (block, skipped) in test["predicate_false"].as_array().expect("a list").iter().enumerate() {
            for index in skipped.as_array().expect("a list") {
                let index = usize::try_from(index.as_u64().expect("an index")).expect("a small one");
                found.insert(test["blocks"][block][index].as_str().expect("an address").to_owned());
            }
        }
    }
    found
}

#[test]
fn a_volatile_cell_may_be_in_a_range_of_peripherals() {
    let target = target("cortex-m");
    if !installed(&["unicorn"]) || !target.is_installed() {
        return;
    }
    let workplace = Workplace::new();
    compile(&workplace, &target, "actuator.c", "made", &["-DACTUATOR=0x40020014"]);
    let file = workplace.path().join("made/everypath.toml");
    let text = fs::read_to_string(&file).expect("a configuration");
    let cell = "[[volatile]]\nname = \"actuator\"\naddress = 0x40020014\nsize = 4\n";
    fs::write(&file, format!("{text}{cell}")).expect("a file");
    export(&workplace, &target, "python");
    let (code, text) = replay(&workplace, &[]);
    assert_eq!(code, Some(0), "{text}");
    compile(&workplace, &target, "actuator.c", "driven", &["-DACTUATOR=0x40020014", "-DKEY=6"]);
    let (code, text) = replay(&workplace, &["driven/guest.elf"]);
    assert!(code == Some(1) && text.contains("to 0x40020014, expected 0x"), "{text}");
}

/// Checks that a harness fails if a register, a device write, a byte of memory, an input or an instruction of the path is
/// expected to be another one.
fn expectations_count(workplace: &Workplace, target: &str) {
    let file = workplace.path().join("out/python/tests.json");
    let document: Value = serde_json::from_str(&fs::read_to_string(&file).expect("tests")).expect("JSON");
    let has_write = |test: &&Value| !test["expected"]["writes"].as_array().expect("a list").is_empty();
    let tests = document["tests"].as_array().expect("a list");
    let index = tests.iter().position(|test| has_write(&test)).expect("a test that writes");
    let name = tests[index]["name"].as_str().expect("a name").to_owned();
    type Change<'c> = (&'c str, &'c dyn Fn(&mut Value));
    let changes: [Change<'_>; 5] = [
        ("register", &|test| {
            test["expected"]["registers"][0][1] = other(&test["expected"]["registers"][0][1]);
        }),
        ("write", &|test| {
            test["expected"]["writes"][0]["bytes"] = other(&test["expected"]["writes"][0]["bytes"]);
        }),
        ("memory", &|test| {
            test["expected"]["memory"][0]["bytes"] = other(&test["expected"]["memory"][0]["bytes"]);
        }),
        ("path", &|test| test["blocks"][0][1] = other(&test["blocks"][0][1])),
        ("end", &|test| test["end"] = Value::from("0xfffe0")),
    ];
    for (what, change) in changes {
        let mut changed = document.clone();
        change(&mut changed["tests"][index]);
        fs::write(&file, changed.to_string()).expect("a file");
        let (code, text) = replay(workplace, &["--test", &name]);
        assert_eq!(code, Some(1), "{target}, another {what}: {text}");
        assert!(text.contains("0 of 1 tests as recorded"), "{target}, another {what}: {text}");
    }
    fs::write(&file, document.to_string()).expect("a file");
    assert_eq!(replay(workplace, &["--test", &name]).0, Some(0), "{target}");
}

/// Another hexadecimal number of as many digits.
fn other(number: &Value) -> Value {
    let text = number.as_str().expect("a number");
    let (start, last) = text.split_at(text.len() - 1);
    Value::from(format!("{start}{}", if last == "0" { "8" } else { "0" }))
}

#[test]
fn a_c_harness_passes_with_its_function_and_fails_with_one_that_computes_something_else() {
    for (name, compiler, emulator) in CALLED {
        let target = target(name);
        if !installed(&[compiler, emulator]) || !target.is_installed() {
            continue;
        }
        let workplace = Workplace::new();
        compile(&workplace, &target, "clamp.c", "made", &[]);
        export(&workplace, &target, "c");
        let bench = |macros: &[&str]| {
            let source = project().join("tests/guests/harness/clamp.c");
            let mut compiler = Command::new(compiler);
            compiler.args(["-O1", "-static", "-Wall", "-Wextra", "-Werror", "-o", "bench"]).args(macros);
            compiler.args([&source, Path::new("out/c/replay.c")]).current_dir(workplace.path());
            let (code, text) = ended(&mut compiler);
            assert_eq!(code, Some(0), "{name}: {text}");
            ended(Command::new(emulator).arg(workplace.path().join("bench")))
        };
        let (code, text) = bench(&[]);
        assert!(code == Some(0) && text.contains("4 of 4 tests as recorded"), "{name}: {text}");
        let (code, text) = bench(&["-DKEY=6"]);
        assert!(code == Some(1) && text.contains("the result is "), "{name}: {text}");
        let (code, text) = bench(&["-DSTEP=2"]);
        assert!(code == Some(1) && text.contains("written at clamp+0x"), "{name}: {text}");
        // The result does not count where the bench says so.
        let (code, text) = bench(&["-DKEY=6", "-DEVERYPATH_RESULT=0"]);
        assert_eq!(code, Some(0), "{name}: {text}");
    }
}

#[test]
fn whole_programs_are_refused_by_the_c_harness() {
    let target = target("cortex-m");
    if !target.is_installed() {
        return;
    }
    let workplace = Workplace::new();
    compile(&workplace, &target, "actuator.c", "made", &[]);
    export(&workplace, &target, "python");
    let run = workplace.run(&["export", "made/guest.elf", "out", "--tool", "c"]);
    assert_eq!(run.code, Some(1), "{run:?}");
    assert!(run.stderr.contains("--tool python"), "{run:?}");
    assert!(!workplace.path().join("out/c").exists());
}
