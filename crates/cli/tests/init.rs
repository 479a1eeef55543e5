//! Drafts of `everypath init`: they state what the program reads, change nothing that is not needed, and replace no file.

mod guests;
mod workplace;

use everypath_environment::Configuration;
use everypath_testkit::programs::installed;
use guests::{compile, firmware, firmware_with, test, texts, verdicts};
use std::collections::BTreeSet;
use std::fs;
use std::process::Command;
use workplace::{Workplace, project};

/// A program for the 8051 that depends on a special function register: mov a,scon; jz 4; sjmp $
const SMALL: (&[u8], [&str; 7]) = (
    &[0xe5, 0x98, 0x60, 0x00, 0x80, 0xfe],
    ["small.bin", "--format", "raw", "--base", "0", "--architecture", "8051"],
);

/// A workplace with the small program, and the arguments that name it.
fn small(command: &str) -> (Workplace, Vec<String>) {
    let workplace = Workplace::new();
    fs::write(workplace.path().join("small.bin"), SMALL.0).expect("a program");
    (workplace, [command].into_iter().chain(SMALL.1).map(str::to_owned).collect())
}

/// Runs `everypath init`, and reads the draft.
fn draft(workplace: &Workplace, arguments: &[&str]) -> String {
    let run = workplace.run(&[&["init", "--force"], arguments].concat());
    assert_eq!(run.code, Some(0), "{run:?}");
    let text = fs::read_to_string(workplace.path().join("everypath.toml")).expect("a draft");
    Configuration::parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    text
}

/// A draft with all settings that are comments in use; without volatile cells, if these are not wanted.
fn in_use(text: &str, with_cells: bool) -> String {
    let setting = |line: &str| match line.strip_prefix('#') {
        Some(setting) if setting.starts_with(|first: char| !first.is_whitespace()) => format!("{setting}\n"),
        _ => format!("{line}\n"),
    };
    let text: String = text.lines().map(setting).collect();
    let end = text.find("[[volatile]]").filter(|_| !with_cells).unwrap_or(text.len());
    text[..end].to_owned()
}

/// The directions of a summary with their verdicts.
fn directions(summary: &serde_json::Value) -> BTreeSet<[String; 3]> {
    let list = summary["directions"].as_array().expect("directions");
    list.iter().map(|one| ["branch", "target", "verdict"].map(|key| one[key].to_string())).collect()
}

#[test]
fn a_draft_and_its_defaults_change_no_verdict() {
    if !installed(&["arm-none-eabi-gcc"]) {
        return;
    }
    for source in ["board.c", "supervisor.c", "flag.c", "transfer.c"] {
        let workplace = Workplace::new();
        firmware(&workplace, source);
        let (run, without) = test(&workplace, &["firmware.elf"]);
        assert!(!directions(&without).is_empty(), "{run:?}");
        let text = draft(&workplace, &["firmware.elf"]);
        let (run, with) = test(&workplace, &["firmware.elf"]);
        assert_eq!(directions(&with), directions(&without), "{source}: {run:?}");
        assert_eq!(with["complete"], without["complete"], "{source}");
        assert_ne!(with["configuration_hash"], without["configuration_hash"], "the draft is used");
        fs::write(workplace.path().join("defaults.toml"), in_use(&text, false)).expect("a configuration");
        let (run, with) = test(&workplace, &["firmware.elf", "--configuration", "defaults.toml"]);
        assert_eq!(directions(&with), directions(&without), "{source}, all defaults: {run:?}\n{text}");
    }
}

#[test]
fn registers_that_a_draft_lists_can_be_declared() {
    if !installed(&["arm-none-eabi-gcc"]) {
        return;
    }
    let workplace = Workplace::new();
    firmware(&workplace, "board.c");
    let text = draft(&workplace, &["firmware.elf"]);
    for address in ["0x40021018", "0x40012000", "0x4001204c"] {
        assert!(text.contains(&format!("#address = {address}\n#size = 4\n")), "{address}: {text}");
    }
    assert!(text.contains(": reset (") && text.contains("; 0x0 in all tests\n"), "{text}");
    fs::write(workplace.path().join("declared.toml"), in_use(&text, true)).expect("a configuration");
    let (run, summary) = test(&workplace, &["firmware.elf", "--configuration", "declared.toml"]);
    assert_eq!((run.code, verdicts(&summary, "covered")), (Some(0), 4), "{run:?}");
}

#[test]
fn interrupts_are_listed_and_a_description_of_the_chip_gives_names() {
    if !installed(&["arm-none-eabi-gcc"]) {
        return;
    }
    let workplace = Workplace::new();
    // Functions have symbols of their own.
    firmware_with(&workplace, "receiver.c", &["-fno-inline"]);
    let plain = draft(&workplace, &["firmware.elf"]);
    let svd = project().join("tests/guests/setups/chip.svd");
    let named = draft(&workplace, &["firmware.elf", "--svd", &svd.display().to_string()]);
    assert!(plain.contains("#name = \"register_40011000\"\n"), "{plain}");
    assert!(plain.contains("#   15: tick, enabled in reset\n"), "{plain}");
    assert!(plain.contains("#   21: received, enabled in reset\n"), "{plain}");
    assert!(named.contains("# UART1.SR, read-only, 0xc0 after a reset\n"), "{named}");
    assert!(named.contains("#name = \"UART1_SR\"\n#address = 0x40011000\n"), "{named}");
    assert!(named.contains("#name = \"UART1_DR\"\n#address = 0x40011004\n"), "{named}");
    assert!(named.contains("#   21 UART1_RX: received, enabled in reset\n"), "{named}");
    Configuration::parse(&in_use(&named, true)).unwrap_or_else(|error| panic!("{error}\n{named}"));
}

#[test]
fn registers_of_small_processors_are_declared() {
    if !installed(&["sdcc", "avr-gcc"]) {
        return;
    }
    let workplace = Workplace::new();
    compile(&workplace, &["sdcc", "-mmcs51", "-o", "lock.ihx"], "lock.c");
    compile(&workplace, &["avr-gcc", "-mmcu=atmega328p", "-Os", "-o", "timer.elf"], "timer.c");
    for (arguments, registers) in [
        (
            &["lock.ihx", "--architecture", "8051"][..],
            &["\"SFR\"\naddress = 0x98", "\"SFR\"\naddress = 0x99"][..],
        ),
        (&["timer.elf"], &["\"mem\"\naddress = 0x23"]),
    ] {
        let _ = fs::remove_file(workplace.path().join("everypath.toml"));
        let (_, without) = test(&workplace, arguments);
        let text = draft(&workplace, arguments);
        for register in registers {
            assert!(text.contains(&format!("\nspace = {register}\nsize = 1\n")), "{register}: {text}");
        }
        // The draft names the architecture where the file does not.
        let (run, with) = test(&workplace, &arguments[..1]);
        assert_eq!(texts(&with, "undeclared_registers", "address"), [""; 0], "{run:?}");
        assert!(verdicts(&with, "covered") > verdicts(&without, "covered"), "{with}");
    }
}

#[test]
fn a_file_is_only_replaced_by_force() {
    let (workplace, init) = small("init");
    let path = workplace.path().join("everypath.toml");
    fs::write(&path, "# mine\n").expect("a configuration");
    let refused = workplace.run(&init);
    assert!(refused.code == Some(1) && refused.stderr.contains("--force"), "{refused:?}");
    let printed = workplace.run(&[&init[..], &["-o".to_owned(), "-".to_owned()]].concat());
    assert_eq!((printed.code, printed.stderr.as_str()), (Some(0), ""), "{printed:?}");
    assert!(
        Configuration::parse(&printed.stdout).is_ok_and(|draft| draft.volatiles.len() == 1),
        "{printed:?}"
    );
    assert_eq!(fs::read_to_string(&path).expect("a configuration"), "# mine\n");
    let forced = workplace.run(&[&init[..], &["--force".to_owned()]].concat());
    assert_eq!(forced.code, Some(0), "{forced:?}");
    assert_eq!(fs::read_to_string(&path).expect("a draft"), printed.stdout, "the same draft");
    let other = workplace.run(&[&init[..], &["-o".to_owned(), "none/other.toml".to_owned()]].concat());
    assert!(other.code == Some(1) && other.stderr.contains("cannot be written"), "{other:?}");
}

#[test]
fn what_cannot_be_drafted_is_said_and_nothing_is_written() {
    let (workplace, init) = small("init");
    fs::write(workplace.path().join("hello.c"), "int main(void) { return 0; }\n").expect("a source");
    let compiled = Command::new("cc").args(["-o", "hello", "hello.c"]).current_dir(workplace.path()).status();
    assert!(compiled.expect("a compiler").success());
    fs::write(workplace.path().join("bad.svd"), "<device>").expect("a file");
    let bad = [&init[1..], &["--svd".to_owned(), "bad.svd".to_owned()]].concat();
    let bad: Vec<&str> = bad.iter().map(String::as_str).collect();
    for (arguments, advice) in [
        (&["small.bin", "--format", "raw", "--base", "0"][..], "--architecture NAME"),
        (&["hello"], "--stdin"),
        (&["none.elf"], "cannot be read"),
        (&bad, "bad.svd: no CMSIS-SVD file"),
    ] {
        let run = workplace.run(&[&["init", "-o", "draft.toml"], arguments].concat());
        assert_eq!((run.code, run.stdout.as_str()), (Some(1), ""), "{run:?}");
        assert!(run.stderr.contains(advice), "{run:?}");
        assert!(!workplace.path().join("draft.toml").exists(), "{run:?}");
    }
}

#[test]
fn a_draft_says_what_is_missing_for_a_run() {
    if !installed(&["riscv64-linux-gnu-gcc"]) {
        return;
    }
    let workplace = Workplace::new();
    fs::write(workplace.path().join("plain.c"), "int reset(void) { volatile int n = 3; return n; }\n")
        .expect("a source");
    let compiled = Command::new("riscv64-linux-gnu-gcc")
        .args([
            "-ffreestanding",
            "-nostdlib",
            "-static",
            "-Wl,-e,reset",
            "-O0",
            "-o",
            "program.elf",
            "plain.c",
        ])
        .current_dir(workplace.path())
        .status();
    assert!(compiled.expect("a compiler").success());
    let run = workplace.run(&["init", "program.elf"]);
    assert!(run.code == Some(4) && run.stderr.contains("stack pointer"), "{run:?}");
    let text = fs::read_to_string(workplace.path().join("everypath.toml")).expect("a draft");
    assert!(text.contains("# The program cannot be run yet: "), "{text}");
    Configuration::parse(&in_use(&text, true)).unwrap_or_else(|error| panic!("{error}\n{text}"));
}
