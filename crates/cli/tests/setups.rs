//! Setups as a beginner makes them: each works, or is refused with advice; none passes by mistake.
//!
//! Needs the compilers of `tests/guests/targets.toml`.

mod guests;
mod workplace;

use everypath_testkit::programs::installed;
use guests::{compile, firmware, firmware_with, test, texts, verdicts};
use std::fs;
use std::process::Command;
use workplace::Workplace;

#[test]
fn firmware_without_a_configuration_starts_as_its_vector_table_says() {
    if !installed(&["arm-none-eabi-gcc"]) {
        return;
    }
    // The processor ignores the lowest bits of a stack pointer that is the last byte of memory.
    for top in ["-DSTACK_TOP=&stack_top", "-DSTACK_TOP=&stack_top-1"] {
        let workplace = Workplace::new();
        firmware_with(&workplace, "board.c", &[top]);
        let (run, summary) = test(&workplace, &["firmware.elf", "-o", "out"]);
        assert_eq!((run.code, &summary["complete"]), (Some(0), &true.into()), "{run:?}");
        assert_eq!(summary["architecture"], "cortex-m");
        assert_eq!(verdicts(&summary, "covered"), 4, "{summary}");
        let assumption = summary["assumptions"][0]["message"].as_str();
        assert!(assumption.is_some_and(|what| what.contains("`peripherals`")), "{summary}");
        assert_eq!(workplace.run(&["replay", "firmware.elf", "out"]).code, Some(0));
    }
}

#[test]
fn registers_that_a_configuration_leaves_out_are_proposed() {
    if !installed(&["arm-none-eabi-gcc"]) {
        return;
    }
    let workplace = Workplace::new();
    firmware(&workplace, "board.c");
    let other = "[[volatile]]\nname = \"other\"\naddress = 0x40017000\n";
    fs::write(workplace.path().join("everypath.toml"), other).expect("a configuration");
    let (run, summary) = test(&workplace, &["firmware.elf"]);
    assert_eq!(run.code, Some(4), "{run:?}");
    assert!(verdicts(&summary, "covered") >= 3, "{summary}");
    assert_eq!((verdicts(&summary, "infeasible"), &summary["complete"]), (0, &false.into()), "{summary}");
    assert_eq!(summary["directions_exact"], false, "{summary}");
    // Only the register that a decision depends on is proposed, with the width of the read.
    assert_eq!(texts(&summary, "undeclared_registers", "address"), ["0x40012000"], "{summary}");
    assert_eq!(summary["undeclared_registers"][0]["size"], 4);
    let text = workplace.run(&["test", "firmware.elf"]).stdout;
    let start = text.find("  [[volatile]]").expect("an entry to paste");
    let entry: String = text[start..].lines().take(4).map(|line| format!("{}\n", line.trim())).collect();
    fs::write(workplace.path().join("pasted.toml"), entry).expect("a configuration");
    let (run, summary) = test(&workplace, &["firmware.elf", "--configuration", "pasted.toml"]);
    assert_eq!(run.code, Some(0), "{run:?}");
    assert_eq!(
        (&summary["complete"], &summary["directions_exact"]),
        (&true.into(), &true.into()),
        "{summary}"
    );
}

#[test]
fn a_raw_image_starts_as_its_vector_table_says_and_messages_name_the_flags() {
    if !installed(&["arm-none-eabi-gcc", "arm-none-eabi-objcopy"]) {
        return;
    }
    let workplace = Workplace::new();
    firmware(&workplace, "board.c");
    let copied = Command::new("arm-none-eabi-objcopy")
        .args(["-O", "binary", "firmware.elf", "firmware.bin"])
        .current_dir(workplace.path())
        .status();
    assert!(copied.expect("a tool").success());
    let refused = workplace.run(&["test", "firmware.bin"]);
    assert!(refused.code == Some(1) && refused.stderr.contains("--base ADDRESS"), "{refused:?}");
    let raw = ["firmware.bin", "--format", "raw", "--architecture", "cortex-m", "--base"];
    let (run, summary) = test(&workplace, &[&raw[..], &["0x08000000"]].concat());
    assert!(run.code == Some(0) && verdicts(&summary, "covered") == 4, "{run:?}");
    let (run, _) = test(&workplace, &[&raw[..], &["0x1000"]].concat());
    assert!(run.code == Some(1) && run.stderr.contains("--base ADDRESS"), "{run:?}");
}

#[test]
fn firmware_that_polls_and_calls_its_supervisor_needs_no_configuration() {
    if !installed(&["arm-none-eabi-gcc"]) {
        return;
    }
    let workplace = Workplace::new();
    firmware(&workplace, "supervisor.c");
    let (run, summary) = test(&workplace, &["firmware.elf", "-o", "out"]);
    assert_eq!((run.code, &summary["complete"]), (Some(0), &true.into()), "{run:?}");
    assert_eq!(verdicts(&summary, "open"), 0, "{summary}");
    assert_eq!(verdicts(&summary, "covered"), 9, "the return of a handler is no branch: {summary}");
    assert!(verdicts(&summary, "infeasible") >= 1, "{summary}");
    assert!(summary["findings"].as_array().is_some_and(Vec::is_empty), "{summary}");
    assert_eq!(workplace.run(&["replay", "firmware.elf", "out"]).code, Some(0));
}

#[test]
fn firmware_that_waits_takes_the_interrupts_that_it_has_enabled() {
    if !installed(&["arm-none-eabi-gcc"]) {
        return;
    }
    let workplace = Workplace::new();
    firmware(&workplace, "receiver.c");
    let (run, summary) = test(&workplace, &["firmware.elf", "-o", "out"]);
    assert_eq!(run.code, Some(4), "{run:?}");
    // Four directions are infeasible, which only a run with interrupts everywhere could show.
    let found = ["covered", "infeasible", "open"].map(|verdict| verdicts(&summary, verdict));
    assert_eq!(found, [16, 0, 4], "{summary}");
    assert!(summary["findings"].as_array().is_some_and(Vec::is_empty), "{summary}");
    let test = workplace.path().join("out/tests/0001.json");
    let text = fs::read_to_string(&test).expect("a test");
    let mut recorded: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    assert!(recorded["interrupts"].as_array().is_some_and(|taken| taken.len() >= 20), "{recorded}");
    assert_eq!(workplace.run(&["replay", "firmware.elf", "out"]).code, Some(0));
    let run = workplace.run(&["export", "firmware.elf", "out"]);
    assert!(run.code == Some(1) && run.stderr.contains("takes interrupts"), "{run:?}");
    assert!(!workplace.path().join("out/gdb").exists());
    // Other interrupts, or at another time, are another run.
    for (key, value) in [("number", 21), ("after", 1), ("at", 0)] {
        let before = recorded["interrupts"][0][key].take();
        recorded["interrupts"][0][key] = if key == "at" { "0x0".into() } else { value.into() };
        fs::write(&test, recorded.to_string()).expect("a test");
        assert_ne!(workplace.run(&["replay", "firmware.elf", "out"]).code, Some(0), "{key}");
        recorded["interrupts"][0][key] = before;
    }
}

#[test]
fn what_a_function_does_in_a_handler_is_not_excluded_by_what_it_does_elsewhere() {
    if !installed(&["arm-none-eabi-gcc"]) {
        return;
    }
    let workplace = Workplace::new();
    firmware(&workplace, "shared.c");
    let declared = "[[volatile]]\nname = \"status\"\naddress = 0x40011000\nsize = 4\n";
    fs::write(workplace.path().join("status.toml"), declared).expect("a configuration");
    for arguments in [&["firmware.elf"][..], &["firmware.elf", "--configuration", "status.toml"]] {
        let (run, summary) = test(&workplace, arguments);
        let nothing = (verdicts(&summary, "infeasible"), &summary["complete"]);
        assert_eq!(nothing, (0, &false.into()), "{run:?}");
    }
}

#[test]
fn a_wait_for_what_only_a_peripheral_writes_is_no_complete_exploration() {
    if !installed(&["arm-none-eabi-gcc"]) {
        return;
    }
    let workplace = Workplace::new();
    firmware(&workplace, "transfer.c");
    let (run, summary) = test(&workplace, &["firmware.elf"]);
    assert_eq!((run.code, &summary["complete"]), (Some(4), &false.into()), "{run:?}");
    // What the peripheral writes decides each branch behind the wait.
    assert_eq!(
        (verdicts(&summary, "infeasible"), &summary["criterion_reached"]),
        (0, &false.into()),
        "{summary}"
    );
    assert!(summary["assumptions"].to_string().contains("waits here"), "{summary}");
    assert!(summary["incomplete_reasons"].to_string().contains("waits here"), "{summary}");
}

#[test]
fn a_flag_that_only_an_interrupt_sets_keeps_its_direction_open() {
    if !installed(&["arm-none-eabi-gcc"]) {
        return;
    }
    let workplace = Workplace::new();
    firmware(&workplace, "flag.c");
    let (run, summary) = test(&workplace, &["firmware.elf"]);
    assert_eq!(run.code, Some(4), "{run:?}");
    assert_eq!((verdicts(&summary, "infeasible"), &summary["complete"]), (0, &false.into()), "{summary}");
    assert_eq!(summary["directions_exact"], false, "{summary}");
    let interrupts: Vec<_> = summary["assumptions"].as_array().expect("a list").iter().collect();
    let interrupts = interrupts.into_iter().filter(|one| one["kind"] == "interrupt").collect::<Vec<_>>();
    let written = |one: &&&serde_json::Value| {
        one["message"]
            .as_str()
            .is_some_and(|what| what.contains("`flag` may be written by") && what.contains("`received`"))
    };
    assert!(interrupts.iter().any(|one| written(&one)), "the flag is named: {summary}");
    // The handler's own branch is listed, and is open.
    let reasons = texts(&summary, "directions", "reason");
    assert!(reasons.iter().any(|reason| reason.contains("only the interrupt")), "{summary}");
    // With the flag as input, its direction is covered.
    fs::write(workplace.path().join("input.toml"), "[[volatile]]\nname = \"flag\"\n")
        .expect("a configuration");
    let (_, summary) = test(&workplace, &["firmware.elf", "--configuration", "input.toml"]);
    assert!(verdicts(&summary, "covered") >= 4, "{summary}");
}

#[test]
fn what_a_handler_writes_may_change_between_two_reads() {
    if !installed(&["arm-none-eabi-gcc"]) {
        return;
    }
    for flags in [&["-UCALLBACK"][..], &["-DCALLBACK"]] {
        let workplace = Workplace::new();
        firmware_with(&workplace, "ticks.c", flags);
        let (run, summary) = test(&workplace, &["firmware.elf"]);
        assert_eq!(run.code, Some(4), "{run:?}");
        let nothing = (verdicts(&summary, "infeasible"), &summary["complete"]);
        assert_eq!(nothing, (0, &false.into()), "{flags:?} {summary}");
    }
}

#[test]
fn a_register_of_which_one_byte_is_declared_is_an_assumption() {
    if !installed(&["arm-none-eabi-gcc"]) {
        return;
    }
    let workplace = Workplace::new();
    firmware_with(&workplace, "ticks.c", &["-DWIDE"]);
    let declare = |size: u32| {
        let text = format!("[[volatile]]\nname = \"adc\"\naddress = 0x40012440\nsize = {size}\n");
        fs::write(workplace.path().join("adc.toml"), text).expect("a configuration");
        test(&workplace, &["firmware.elf", "--configuration", "adc.toml"])
    };
    let (run, summary) = declare(1);
    assert_eq!(run.code, Some(4), "{run:?}");
    assert_eq!((verdicts(&summary, "infeasible"), &summary["complete"]), (0, &false.into()), "{summary}");
    let (run, summary) = declare(2);
    assert_eq!((run.code, verdicts(&summary, "covered")), (Some(0), 2), "{run:?}");
}

#[test]
fn an_entry_without_code_and_a_stop_at_the_entry_are_refused() {
    if !installed(&["arm-none-eabi-gcc"]) {
        return;
    }
    let workplace = Workplace::new();
    firmware(&workplace, "board.c");
    let (run, _) = test(&workplace, &["firmware.elf", "--entry", "0x100"]);
    assert!(run.code == Some(1) && run.stderr.contains("the file has no bytes at the entry"), "{run:?}");
    assert!(!workplace.path().join("firmware.elf.tests").exists(), "a refused run leaves nothing");
    let (run, _) = test(&workplace, &["firmware.elf", "--stop", "reset"]);
    assert!(run.code == Some(1) && run.stderr.contains("`stop` names the entry"), "{run:?}");
}

/// Raises an interrupt on one of three paths.
const SOMETIMES: &str = "
#define REGISTER(address) (*(volatile unsigned *)(address))
extern unsigned stack_top;
volatile unsigned switched, seen;
static void pend(void) { switched++; }
void reset(void) {
  unsigned command = REGISTER(0x40011004);
  if (command == 1) REGISTER(0xe000ed04) = 1 << 28;
  if (command == 2) seen = 1;
  for (;;) {
  }
}
__attribute__((section(\".vectors\"), used)) const void *const vectors[16] = {&stack_top, reset, [14] = pend};
";

#[test]
fn tests_that_take_interrupts_are_not_exported_which_is_said() {
    if !installed(&["arm-none-eabi-gcc"]) {
        return;
    }
    let workplace = Workplace::new();
    let source = workplace.path().join("sometimes.c");
    fs::write(&source, SOMETIMES).expect("a source");
    firmware(&workplace, source.to_str().expect("a path"));
    test(&workplace, &["firmware.elf", "-o", "out", "--keep-all"]);
    let names = |folder: &str, extension: &str| {
        let files = fs::read_dir(workplace.path().join(folder)).expect("a folder");
        let names = files.map(|file| file.expect("a file").file_name().into_string().expect("a name"));
        let names = names.filter_map(|name| Some(name.strip_suffix(extension)?.to_owned()));
        names.collect::<std::collections::BTreeSet<String>>()
    };
    let takes = |name: &String| {
        let test = workplace.path().join(format!("out/tests/{name}.json"));
        fs::read_to_string(test).expect("a test").contains("\"interrupts\"")
    };
    let (taking, others) = names("out/tests", ".json").into_iter().partition::<Vec<_>, _>(takes);
    assert!(!taking.is_empty() && !others.is_empty(), "{taking:?}, {others:?}");
    for (tool, what) in [("gdb", "scripts"), ("python", "tests")] {
        let run = workplace.run(&["export", "firmware.elf", "out", "--tool", tool]);
        assert_eq!(run.code, Some(0), "{run:?}");
        let told = format!("{} {what} for {tool}", others.len());
        let left = format!("{} of {} tests left out", taking.len(), taking.len() + others.len());
        let parts = [&told, &left, "interrupts", &taking.join(", "), "`everypath replay`"];
        assert!(parts.iter().all(|part| run.stdout.contains(*part)), "{run:?}");
    }
    assert!(names("out/gdb", ".gdb").into_iter().eq(others));
}

#[test]
fn what_comes_after_waiting_for_an_interrupt_is_run() {
    if !installed(&["arm-none-eabi-gcc"]) {
        return;
    }
    let workplace = Workplace::new();
    firmware(&workplace, "waiting.c");
    fs::write(workplace.path().join("everypath.toml"), "[[volatile]]\nname = \"in_u8\"\n").expect("a file");
    let (run, summary) = test(&workplace, &["firmware.elf"]);
    assert_eq!((run.code, verdicts(&summary, "covered")), (Some(0), 2), "{run:?}");
    assert_eq!(summary["complete"], true, "{summary}");
}

#[test]
fn special_function_registers_and_handlers_of_small_processors_are_assumptions() {
    if !installed(&["sdcc", "avr-gcc"]) {
        return;
    }
    let workplace = Workplace::new();
    compile(&workplace, &["sdcc", "-mmcs51", "-o", "lock.ihx"], "lock.c");
    let compiler = ["avr-gcc", "-mmcu=atmega328p", "-Os", "-o", "timer.elf"];
    compile(&workplace, &compiler, "timer.c");
    for (arguments, register) in [
        (&["lock.ihx", "--format", "ihex", "--architecture", "8051"][..], "SFR[0x98]"),
        (&["timer.elf"], "mem[0x23]"),
    ] {
        let (run, summary) = test(&workplace, arguments);
        assert_eq!((run.code, &summary["complete"]), (Some(4), &false.into()), "{run:?}");
        assert!(
            verdicts(&summary, "open") >= 2,
            "one of the handler's variable, one of the register: {summary}"
        );
        let assumed = texts(&summary, "assumptions", "message");
        assert!(assumed.iter().any(|what| what.starts_with(register)), "{assumed:#?}");
        assert!(assumed.iter().any(|what| what.contains("written by the interrupt handler")), "{assumed:#?}");
    }
}

/// Interrupts of small processors: what an enabled one does is covered by tests that replay, and what a masked or disabled one
/// would do is not.
#[test]
fn programs_of_small_processors_take_the_interrupts_that_they_have_enabled() {
    if !installed(&["sdcc", "avr-gcc"]) {
        return;
    }
    let workplace = Workplace::new();
    compile(&workplace, &["sdcc", "-mmcs51", "-o", "serial.ihx"], "serial.c");
    compile(&workplace, &["avr-gcc", "-mmcu=atmega328p", "-Os", "-o", "usart.elf"], "usart.c");
    let declare = |name: &str, registers: &[u32], space: &str| {
        let one = |at: &u32| {
            format!("[[volatile]]\nname = \"register_{at:x}\"\nspace = \"{space}\"\naddress = {at}\n")
        };
        let text: String = registers.iter().map(one).collect();
        fs::write(workplace.path().join(name), text).expect("a configuration");
    };
    declare("serial.toml", &[0x98, 0x99], "SFR");
    declare("usart.toml", &[0xc6], "mem");
    let hex = ["serial.ihx", "--format", "ihex", "--architecture", "8051"];
    for (program, configuration, found, is_assumed) in
        [(&hex[..], "serial.toml", [22, 0, 20], false), (&["usart.elf"], "usart.toml", [14, 0, 2], true)]
    {
        let arguments = [program, &["--configuration", configuration]].concat();
        let (run, summary) = test(&workplace, &[&arguments[..], &["-o", "out"]].concat());
        assert_eq!((run.code, &summary["complete"]), (Some(4), &false.into()), "{run:?}");
        let verdicts = ["covered", "infeasible", "open"].map(|verdict| verdicts(&summary, verdict));
        assert_eq!(verdicts, found, "{summary}");
        assert!(summary["findings"].as_array().is_some_and(Vec::is_empty), "{summary}");
        let assumed = texts(&summary, "assumptions", "message");
        let is_said = assumed.iter().any(|what| what.contains("assumed to be enabled"));
        assert_eq!(is_said, is_assumed, "{assumed:#?}");
        let replayed = workplace.run(&[&["replay", program[0], "out"], &arguments[1..]].concat());
        assert_eq!(replayed.code, Some(0), "{replayed:?}");
        let tests = fs::read_dir(workplace.path().join("out/tests")).expect("a folder");
        let taken = tests.map(|test| fs::read_to_string(test.expect("a file").path()).expect("a test"));
        assert!(taken.into_iter().any(|test| test.contains("\"interrupts\"")), "a test takes interrupts");
    }
}

#[test]
fn programs_that_need_an_operating_system_are_refused_in_one_sentence() {
    let workplace = Workplace::new();
    fs::write(
        workplace.path().join("hello.c"),
        "#include <stdio.h>\nint main(void) { return getchar() == 7; }\n",
    )
    .expect("a source");
    // Of this processor, the description does not say how programs call the system.
    let cases = match installed(&["powerpc-linux-gnu-gcc"]) {
        true => &[("-static", "the operating system Linux"), ("-O1", "the dynamic linker")][..],
        false => &[],
    };
    for (flag, needs) in cases {
        let compiled = Command::new("powerpc-linux-gnu-gcc")
            .args([flag, "-o", "hello", "hello.c"])
            .current_dir(workplace.path())
            .status();
        assert!(compiled.expect("a compiler").success());
        let run = workplace.run(&["test", "hello"]);
        assert_eq!((run.code, run.stdout.as_str()), (Some(1), ""), "{run:?}");
        assert_eq!(run.stderr.lines().count(), 1, "{run:?}");
        assert!(run.stderr.contains(needs) && run.stderr.contains("[call]"), "{run:?}");
    }
    // Without a C library nothing in the file tells; the first path does.
    let source = "void _start(void) { __asm__ volatile(\"mov $60, %eax\\n syscall\"); }\n";
    fs::write(workplace.path().join("bare.c"), source).expect("a source");
    let flags = ["-static", "-nostdlib", "-o", "bare", "bare.c"];
    let compiled = Command::new("cc").args(flags).current_dir(workplace.path()).status();
    assert!(compiled.expect("a compiler").success());
    let configuration = "registers = { RSP = 0x7fff0000 }\n[[memory]]\nname = \"stack\"\nstart = 0x7ff00000\n\
                         size = 0x100000\naccess = \"rw\"\n";
    fs::write(workplace.path().join("everypath.toml"), configuration).expect("a configuration");
    let run = workplace.run(&["test", "bare"]);
    assert!(run.code == Some(1) && run.stderr.contains("operating system"), "{run:?}");
}

#[test]
fn a_first_path_that_faults_at_once_says_what_is_missing() {
    if !installed(&["riscv64-linux-gnu-gcc"]) {
        return;
    }
    let workplace = Workplace::new();
    let compiler = ["riscv64-linux-gnu-gcc", "-ffreestanding", "-nostdlib", "-static", "-Wl,-e,reset", "-O0"];
    let script = ["-march=rv64imac", "-mabi=lp64", "-o", "program.elf"];
    fs::write(workplace.path().join("plain.c"), "int reset(void) { int n = 3; return n; }\n")
        .expect("a source");
    let source = workplace.path().join("plain.c");
    let compiled = Command::new(compiler[0])
        .args(&compiler[1..])
        .args(script)
        .arg(&source)
        .current_dir(workplace.path())
        .status();
    assert!(compiled.expect("a compiler").success());
    let run = workplace.run(&["test", "program.elf"]);
    assert_eq!((run.code, run.stdout.as_str()), (Some(1), ""), "{run:?}");
    assert!(
        run.stderr.contains("setup is probably wrong") && run.stderr.contains("stack pointer"),
        "{run:?}"
    );
    let run = workplace.run(&["test", "program.elf", "--entry", "0x40000000"]);
    assert!(run.code == Some(1) && run.stderr.contains("--entry"), "{run:?}");
}

#[test]
fn an_object_file_is_refused_and_warnings_are_shown() {
    if !installed(&["arm-none-eabi-gcc"]) {
        return;
    }
    let workplace = Workplace::new();
    let compiler = ["arm-none-eabi-gcc", "-mcpu=cortex-m3", "-mthumb", "-O1", "-c", "-o", "board.o"];
    compile(&workplace, &compiler, "board.c");
    let run = workplace.run(&["test", "board.o"]);
    assert_eq!((run.code, run.stdout.as_str()), (Some(1), ""), "{run:?}");
    assert!(run.stderr.contains("not linked") && run.stderr.contains("link it"), "{run:?}");
    assert!(run.stderr.contains("warning:"), "{run:?}");
}

#[test]
fn cells_that_cannot_be_are_refused_and_unread_ones_are_mentioned() {
    if !installed(&["arm-none-eabi-gcc"]) {
        return;
    }
    let workplace = Workplace::new();
    firmware(&workplace, "board.c");
    let cell = |more: &str| {
        let text = format!("[[volatile]]\nname = \"status\"\naddress = 0x40012000\nsize = 4\n{more}");
        fs::write(workplace.path().join("cell.toml"), text).expect("a configuration");
        test(&workplace, &["firmware.elf", "--configuration", "cell.toml"]).0
    };
    let run = cell("values = [0x100000000]\n");
    assert!(run.code == Some(1) && run.stderr.contains("does not fit in 4 bytes"), "{run:?}");
    let run = cell("[[volatile]]\nname = \"far\"\naddress = 0x199999999\n");
    assert!(run.code == Some(1) && run.stderr.contains("outside of the space"), "{run:?}");
    let run = cell("[[volatile]]\nname = \"none\"\naddress = 0x40017000\nsize = 0\n");
    assert!(run.code == Some(1) && run.stderr.contains("its size is 0"), "{run:?}");
    let twice = [
        ("[[volatile]]\nname = \"part\"\naddress = 0x40012003\n", "the volatile cell `part`"),
        ("[[input]]\nname = \"part\"\naddress = 0x40012002\nsize = 2\n", "the input `part`"),
        ("[[initial]]\naddress = 0x40012001\nbytes = [1, 2]\n", "the initial bytes at 0x40012001"),
        ("[[object]]\nname = \"part\"\naddress = 0x40011ffe\nsize = 3\ncount = 1\n", "the object `part 0`"),
    ];
    for (other, name) in twice {
        let run = cell(other);
        let message = format!("the volatile cell `status` and {name} overlap at 0x4001200");
        assert!(run.code == Some(1) && run.stderr.contains(&message), "{message}: {run:?}");
    }
    let run = cell("[[volatile]]\nname = \"idle\"\naddress = 0x40017000\n");
    assert_eq!(run.code, Some(0), "{run:?}");
    assert!(run.stdout.contains("cell `idle`, which no path has read"), "{run:?}");
    let (run, _) = test(&workplace, &["firmware.elf", "--configuration", "cell.toml", "--stop", "0x8000001"]);
    assert!(run.stdout.contains("stops at 0x8000001, where no path has come"), "{run:?}");
}

/// The test of a path that is cut off where the program pends an interrupt ends before that interrupt.
#[test]
fn a_test_that_ends_where_an_interrupt_is_pended_replays() {
    if !installed(&["arm-none-eabi-gcc"]) {
        return;
    }
    let workplace = Workplace::new();
    firmware(&workplace, "pended.c");
    let (run, summary) = test(&workplace, &["firmware.elf", "-o", "out"]);
    assert_eq!(verdicts(&summary, "covered"), 4, "{run:?}");
    assert_eq!(summary["divergences"].as_array().map_or(0, Vec::len), 0, "{summary}");
    assert!(!summary["assumptions"].to_string().contains("does not replay"), "{summary}");
    assert_eq!(workplace.run(&["replay", "firmware.elf", "out"]).code, Some(0));
}

/// Only the line whose priority is above the mask is taken. Nothing is infeasible, because interrupts are not tried everywhere.
#[test]
fn a_mask_by_priority_lets_urgent_interrupts_in() {
    if !installed(&["arm-none-eabi-gcc"]) {
        return;
    }
    let workplace = Workplace::new();
    firmware(&workplace, "levels.c");
    let (run, summary) = test(&workplace, &["firmware.elf", "-o", "out"]);
    assert_eq!(verdicts(&summary, "covered"), 3, "{run:?}");
    assert_eq!(verdicts(&summary, "open"), 1, "{summary}");
    assert_eq!(workplace.run(&["replay", "firmware.elf", "out"]).code, Some(0));
}

#[test]
fn pins_of_a_port_that_nothing_declares_are_never_constant() {
    if !installed(&["sdcc"]) {
        return;
    }
    let workplace = Workplace::new();
    let ports: [(&str, &[&str]); 2] =
        [("ports.c", &["0x80", "0x90", "0xa0", "0xb0"]), ("latch.c", &["0xa0"])];
    for (source, ports) in ports {
        compile(&workplace, &["sdcc", "-mmcs51", "-o", "ports.ihx"], source);
        let (run, summary) = test(&workplace, &["ports.ihx", "--architecture", "8051", "-o", "out"]);
        assert_eq!(run.code, Some(4), "{run:?}");
        let claims = (&summary["complete"], &summary["directions_exact"]);
        assert_eq!(claims, (&false.into(), &false.into()), "{summary}");
        assert_eq!(texts(&summary, "undeclared_registers", "address"), ports, "{summary}");
    }
}

/// With interrupts, and with a configuration that declares input, so that they are not simulated.
#[test]
fn what_a_handler_changes_besides_memory_is_never_infeasible() {
    if !installed(&["arm-none-eabi-gcc", "avr-gcc"]) {
        return;
    }
    let workplace = Workplace::new();
    let other = "[[volatile]]\nname = \"other\"\naddress = 0x40017000\n";
    fs::write(workplace.path().join("other.toml"), other).expect("a configuration");
    firmware(&workplace, "mask.c");
    compile(&workplace, &["avr-gcc", "-mmcu=atmega328p", "-Os", "-o", "flags.elf"], "flags.c");
    let runs: [&[&str]; 3] =
        [&["firmware.elf"], &["firmware.elf", "--configuration", "other.toml"], &["flags.elf"]];
    for arguments in runs {
        let (run, summary) = test(&workplace, arguments);
        assert_eq!(run.code, Some(4), "{run:?}");
        assert_eq!((verdicts(&summary, "infeasible"), &summary["complete"]), (0, &false.into()), "{summary}");
        assert_eq!(summary["directions_exact"], false, "{summary}");
    }
}

#[test]
fn a_criterion_is_not_reached_before_the_handlers_were_run() {
    if !installed(&["arm-none-eabi-gcc"]) {
        return;
    }
    let workplace = Workplace::new();
    firmware(&workplace, "callback.c");
    let (run, summary) = test(&workplace, &["firmware.elf", "-o", "out"]);
    assert!(verdicts(&summary, "covered") >= 2, "{run:?}");
    assert_eq!(workplace.run(&["replay", "firmware.elf", "out"]).code, Some(0));
}

#[test]
fn a_task_has_its_stack_among_the_data() {
    if !installed(&["arm-none-eabi-gcc"]) {
        return;
    }
    let workplace = Workplace::new();
    firmware(&workplace, "task.c");
    let (run, summary) = test(&workplace, &["firmware.elf", "-o", "out"]);
    assert!(verdicts(&summary, "covered") >= 2, "{run:?}");
    assert_eq!(summary["findings"].as_array().map_or(1, Vec::len), 0, "{summary}");
}

#[test]
fn reads_with_the_same_term_are_not_taken_to_be_equal() {
    if !installed(&["arm-none-eabi-gcc"]) {
        return;
    }
    let workplace = Workplace::new();
    firmware(&workplace, "repeated.c");
    let cell = "[[volatile]]\nname = \"cell\"\naddress = 0x40017000\n";
    fs::write(workplace.path().join("everypath.toml"), cell).expect("a configuration");
    let (run, summary) = test(&workplace, &["firmware.elf"]);
    assert_eq!(run.code, Some(4), "{run:?}");
    assert_eq!((verdicts(&summary, "infeasible"), &summary["complete"]), (0, &false.into()), "{summary}");
    assert_eq!(texts(&summary, "undeclared_registers", "address"), ["0x40001000"], "{summary}");
}

/// A program for the 8051 that calls a function at the vector of external interrupt 0, and whose timer has a handler that sets a
/// byte, which the program tests if an input is 3.
const FUNCTION_AT_A_VECTOR: &[(usize, &[u8])] = &[
    (0x00, &[0x02, 0x00, 0x30]),             // ljmp 30
    (0x03, &[0x7a, 0x01, 0x22]),             // mov r2,#1; ret
    (0x0b, &[0x75, 0x20, 0x01, 0x32]),       // mov 20,#1; reti
    (0x30, &[0x75, 0x20, 0x00]),             // mov 20,#0
    (0x33, &[0x75, 0x81, 0x40]),             // mov sp,#40
    (0x36, &[0x12, 0x00, 0x03]),             // lcall 3
    (0x39, &[0x75, 0xa8, 0x82]),             // mov ie,#82
    (0x3c, &[0x90, 0x01, 0x00, 0xe0]),       // mov dptr,#100; movx a,@dptr
    (0x40, &[0xb4, 0x03, 0x05]),             // cjne a,#3,48
    (0x43, &[0xe5, 0x20, 0x60, 0x01, 0x00]), // mov a,20; jz 48; nop
    (0x48, &[0x80, 0xfe]),                   // sjmp $
];

/// A program for the 8051 whose handler of the first external interrupt is a function that it also calls, and that ends as one. It sets
/// the flag that the program waits for.
const HANDLER_AS_FUNCTION: &[(usize, &[u8])] = &[
    (0x00, &[0x02, 0x00, 0x40]),                                     // ljmp start
    (0x03, &[0x75, 0x35, 0x01, 0x22]),                               // flag = 1; ret
    (0x40, &[0x75, 0x81, 0x60, 0x12, 0x00, 0x03, 0x75, 0x35, 0x00]), // start: the stack; lcall 3; flag = 0
    (0x49, &[0x75, 0xa8, 0x81]),                                     // enables the interrupt
    (0x4c, &[0xe5, 0x35, 0x60, 0xfc]),                               // while (!flag);
    (0x50, &[0x80, 0xfe]),
];

#[test]
fn a_handler_that_the_program_calls_as_a_function_is_known() {
    let workplace = Workplace::new();
    let mut program = vec![0xff; 0x52];
    for (address, bytes) in HANDLER_AS_FUNCTION {
        program[*address..*address + bytes.len()].copy_from_slice(bytes);
    }
    fs::write(workplace.path().join("small.bin"), program).expect("a program");
    fs::write(workplace.path().join("everypath.toml"), "stop = [0x50]\n").expect("a configuration");
    let raw = ["small.bin", "--format", "raw", "--base", "0", "--architecture", "8051"];
    let (run, summary) = test(&workplace, &raw);
    assert_eq!(verdicts(&summary, "infeasible"), 0, "{run:?}");
}

#[test]
fn a_handler_behind_a_vector_that_the_program_uses_itself_is_known() {
    let workplace = Workplace::new();
    let mut program = vec![0xff; 0x4a];
    for (address, bytes) in FUNCTION_AT_A_VECTOR {
        program[*address..*address + bytes.len()].copy_from_slice(bytes);
    }
    fs::write(workplace.path().join("small.bin"), program).expect("a program");
    let cell = "stop = [0x48]\n[[volatile]]\nname = \"cell\"\nspace = \"EXTMEM\"\naddress = 0x100\n";
    fs::write(workplace.path().join("everypath.toml"), cell).expect("a configuration");
    let raw = ["small.bin", "--format", "raw", "--base", "0", "--architecture", "8051"];
    let (run, summary) = test(&workplace, &raw);
    assert_eq!(verdicts(&summary, "infeasible"), 0, "{run:?}");
    let is_open = verdicts(&summary, "open") > 0;
    assert!(is_open || verdicts(&summary, "covered") == 4, "{summary}");
}
