//! What holds for every listing: it ends quietly when nobody reads on, and plain IR reads back.

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
    let program = ["counter-8051.hex", "--configuration", "counter.toml"];
    let run =
        |first: &[&str], rest: &[&str]| workplace.run(&[first, &program[..1], rest, &program[1..]].concat());
    let tests = run(&["test"], &["--budget", "1000"]);
    assert!(tests.stdout.contains("1 tests in"), "{tests:?}");
    let exported = run(&["export"], &["counter-8051.hex.tests"]);
    assert_eq!(exported.code, Some(0), "{exported:?}");
    let folder = workplace.path().join("counter-8051.hex.tests/ucsim");
    let script = fs::read_to_string(folder.join("0001.ucsim")).expect("a script");
    assert!(script.contains("counter-8051.hex") && script.lines().any(|line| line == "step"), "{script}");
    let refused = run(&["export"], &["counter-8051.hex.tests", "--tool", "gdb"]);
    assert_eq!(refused.code, Some(1), "{refused:?}");
    assert!(refused.stderr.contains("those that fit: ucsim"), "{}", refused.stderr);
}
