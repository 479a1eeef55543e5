//! Properties of every listing: it ends quietly when its reader stops, and plain IR can be read back.

mod workplace;

use everypath_ir::{Listing, verify};
use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::process::Stdio;
use workplace::Workplace;

#[test]
fn a_closed_pipe_ends_the_listing_quietly() {
    let workplace = Workplace::new();
    // More than any pipe takes in at once.
    fs::write(workplace.path().join("large"), vec![0x90; 1 << 20]).expect("a file");
    let arguments =
        ["inspect", "instructions", "large", "--format", "raw", "--base", "0", "--architecture", "x86-64"];
    let mut command = workplace.command(&arguments);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the program runs");
    let mut line = String::new();
    BufReader::new(child.stdout.take().expect("a pipe")).read_line(&mut line).expect("a line");
    assert!(line.starts_with("; raw"), "{line}");
    let mut stderr = String::new();
    child.stderr.take().expect("a pipe").read_to_string(&mut stderr).expect("text");
    assert_eq!(child.wait().expect("an end").code(), Some(0), "{stderr}");
    assert_eq!(stderr, "");
}

#[test]
fn plain_blocks_read_back_as_what_was_printed() {
    let workplace = Workplace::new();
    let raw =
        ["aarch64", "arm", "avr", "cortex-m", "mips", "msp430", "powerpc", "riscv32", "riscv64", "x86-64"];
    for name in raw {
        let arguments = [
            "inspect",
            "ir",
            name,
            "--format",
            "raw",
            "--base",
            "0",
            "--entry",
            "8",
            "--architecture",
            name,
            "--plain",
        ];
        let run = workplace.run(&arguments);
        assert_eq!(run.code, Some(0), "{name}: {}", run.stderr);
        let listing: Listing = run.stdout.parse().unwrap_or_else(|error| panic!("{name}: {error}"));
        assert!(!listing.blocks.is_empty(), "{name}");
        for block in &listing.blocks {
            assert_eq!(verify(&listing.layout, block), Ok(()), "{name}");
        }
        assert_eq!(listing.to_string(), run.stdout, "{name}");
    }
}

#[test]
fn tests_are_exported_as_scripts_for_tools_that_fit() {
    let workplace = Workplace::new();
    let program = ["counter-8051.hex", "--configuration", "counter-stopped.toml"];
    let run =
        |first: &[&str], rest: &[&str]| workplace.run(&[first, &program[..1], rest, &program[1..]].concat());
    let tests = run(&["test"], &["--budget", "1000"]);
    assert!(tests.stdout.contains("1 test in"), "{tests:?}");
    let exported = run(&["export"], &["counter-8051.hex.tests"]);
    assert_eq!(exported.code, Some(0), "{exported:?}");
    let folder = workplace.path().join("counter-8051.hex.tests/ucsim");
    let script = fs::read_to_string(folder.join("0001.ucsim")).expect("a script");
    assert!(script.contains("counter-8051.hex") && script.lines().any(|line| line == "step"), "{script}");
    let refused = run(&["export"], &["counter-8051.hex.tests", "--tool", "gdb"]);
    assert_eq!(refused.code, Some(1), "{refused:?}");
    assert!(refused.stderr.contains("those that fit: ucsim"), "{}", refused.stderr);
}

/// The tests of the counter, into a folder.
fn test_into(workplace: &Workplace, folder: &str) -> workplace::Run {
    let arguments = [
        "test",
        "counter-8051.hex",
        "--configuration",
        "counter-stopped.toml",
        "--budget",
        "1000",
        "-o",
        folder,
    ];
    workplace.run(&arguments)
}

#[test]
fn nothing_that_somebody_else_wrote_is_removed_or_replaced() {
    let workplace = Workplace::new();
    let out = workplace.path().join("out");
    fs::create_dir_all(out.join("tests")).expect("a folder");
    for name in ["notes.txt", "tests/mine.json", "tests/readme.md"] {
        fs::write(out.join(name), name).expect("a file");
    }
    for _ in 0..2 {
        let run = test_into(&workplace, "out");
        assert!(run.stdout.contains("1 test in"), "{run:?}");
        for name in ["notes.txt", "tests/mine.json", "tests/readme.md"] {
            assert_eq!(fs::read_to_string(out.join(name)).expect("it is there"), name);
        }
        let left: Vec<_> =
            fs::read_dir(&out).expect("a folder").map(|entry| entry.expect("one").path()).collect();
        assert_eq!(left.len(), 4, "summary, list, tests and notes: {left:?}");
    }
    // A test of an earlier run is removed, because the manifest lists it.
    let list = fs::read_to_string(out.join("files.json")).expect("a list");
    fs::write(out.join("files.json"), list.replace("0001.json\"", "0001.json\", \"tests/0007.json\""))
        .expect("a list");
    fs::write(out.join("tests/0007.json"), "{}").expect("a file");
    assert!(test_into(&workplace, "out").stdout.contains("1 test in"));
    assert!(!out.join("tests/0007.json").exists() && out.join("tests/0001.json").exists());
}

#[test]
fn a_folder_that_cannot_be_used_is_refused_before_the_work() {
    let workplace = Workplace::new();
    let path = workplace.path();
    fs::create_dir_all(path.join("foreign/tests")).expect("a folder");
    fs::write(path.join("foreign/tests/0001.json"), "mine").expect("a file");
    fs::create_dir_all(path.join("other")).expect("a folder");
    fs::write(path.join("other/summary.json"), "mine").expect("a file");
    fs::write(path.join("file"), "mine").expect("a file");
    for folder in ["foreign", "other", "file/in"] {
        let run = test_into(&workplace, folder);
        assert_eq!((run.code, run.stdout.as_str()), (Some(1), ""), "{folder}: {run:?}");
    }
    for file in ["foreign/tests/0001.json", "other/summary.json", "file"] {
        assert_eq!(fs::read_to_string(path.join(file)).expect("it is there"), "mine");
    }
}

#[test]
fn a_test_that_was_tampered_with_does_not_replay() {
    let workplace = Workplace::new();
    assert!(test_into(&workplace, "out").stdout.contains("1 test in"));
    let replay = |program: &str, configuration: &str| {
        workplace.run(&["replay", program, "out", "--configuration", configuration])
    };
    let run = replay("counter-8051.hex", "counter-stopped.toml");
    assert_eq!(run.code, Some(0), "{run:?}");
    let file = workplace.path().join("out/tests/0001.json");
    let good = fs::read_to_string(&file).expect("a test");
    let test: serde_json::Value = serde_json::from_str(&good).expect("JSON");
    let tampered = [
        ("new_directions", serde_json::json!([{"branch": "0x0", "target": "0x49"}])),
        ("instructions", serde_json::json!(test["instructions"].as_u64().expect("a number") + 1)),
        ("end", serde_json::json!("it fell asleep")),
        ("path_hash", serde_json::json!("0x1")),
        ("cut_off", serde_json::json!(test.get("cut_off").is_none())),
        ("name", serde_json::json!("0002")),
        ("cells", serde_json::json!([{"name": "sensor", "values": vec![7; 5000]}])),
    ];
    for (field, value) in tampered {
        let mut other = test.clone();
        other[field] = value;
        fs::write(&file, other.to_string()).expect("a file");
        let run = replay("counter-8051.hex", "counter-stopped.toml");
        assert!(matches!(run.code, Some(1 | 3)), "{field}: {run:?}");
    }
    // Another format has other fields, and the format is what the message must name.
    let mut older = test.clone();
    (older["format"], older["adds"]) = (1.into(), serde_json::json!([]));
    fs::write(&file, older.to_string()).expect("a file");
    let run = replay("counter-8051.hex", "counter-stopped.toml");
    assert!(run.code == Some(1) && run.stderr.contains("it has format 1"), "{run:?}");
    fs::write(&file, &good).expect("a file");
    // Another program and another configuration are reported.
    let program = fs::read_to_string(workplace.path().join("counter-8051.hex")).expect("a program");
    fs::write(workplace.path().join("other.hex"), program + "\n").expect("a file");
    let run = replay("other.hex", "counter-stopped.toml");
    assert!(run.code == Some(3) && run.stdout.contains("another program"), "{run:?}");
    let configuration =
        fs::read_to_string(workplace.path().join("counter-stopped.toml")).expect("a configuration");
    fs::write(workplace.path().join("other.toml"), configuration + "# more\n").expect("a file");
    let run = replay("counter-8051.hex", "other.toml");
    assert!(run.code == Some(3) && run.stdout.contains("another configuration"), "{run:?}");
}
