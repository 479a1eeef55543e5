//! Scripts of every format: initial state before the first step, each value at the step that reads it, addresses read
//! back.

use everypath_record::{Address, Expected, RecordedRead, Rerun, Stored};
use everypath_report::{SCRIPTS, ScriptFormat};

fn stored(address: u64, bytes: &[u8]) -> Stored {
    Stored { memory: "xram".to_owned(), address: Address(address), bytes: bytes.to_vec() }
}

fn reading(after: usize, at: u64, found: Stored) -> RecordedRead {
    RecordedRead { after, at: Address(at), cell: "port".to_owned(), found }
}

/// Five instructions; the second reads two cells, the fourth one.
fn rerun() -> Rerun {
    Rerun {
        test: "0001".to_owned(),
        program: "program.hex".to_owned(),
        start: vec!["first words".to_owned()],
        program_counter: None,
        entry: Address(0x100),
        registers: vec![("sp".to_owned(), 0x55)],
        memory: vec![stored(0x20, &[0xe1])],
        readings: vec![
            reading(1, 0x102, stored(0x30, &[0xe2])),
            reading(1, 0x102, stored(0x40, &[0xe3, 0xe4])),
            reading(3, 0x106, stored(0x30, &[0xe5])),
        ],
        instructions: [0x100, 0x102, 0x104, 0x106, 0x108].map(Address).to_vec(),
        end: Address(0x10a),
        expected: [(3, 0x106), (4, 0x108), (5, 0x10a)]
            .map(|(after, at)| Expected { after, at: Address(at) })
            .to_vec(),
    }
}

/// The number of steps that a line of a script makes.
fn steps(line: &str) -> usize {
    match line.split_once(' ') {
        None if line == "step" => 1,
        Some(("everypath_steps", count)) => count.parse().expect("a number"),
        _ => 0,
    }
}

/// The number of steps before the first line that has this text.
fn steps_before(script: &str, text: &str) -> usize {
    let place = script.lines().position(|line| line.contains(text));
    let place = place.unwrap_or_else(|| panic!("{text} is not in\n{script}"));
    script.lines().take(place).map(steps).sum()
}

#[test]
fn what_is_read_is_there_when_it_is_read() {
    for format in SCRIPTS {
        let script = (format.script)(&rerun());
        for (text, before) in
            [("first words", 0), ("0x55", 0), ("0xe1", 0), ("0xe2", 1), ("0xe3", 1), ("0xe4", 1), ("0xe5", 3)]
        {
            assert_eq!(steps_before(&script, text), before, "{}: {text}", format.name);
        }
        assert_eq!(script.lines().map(steps).sum::<usize>(), 5, "{}", format.name);
    }
}

#[test]
fn memories_that_are_numbered_in_one_row_begin_at_their_number() {
    let mut rerun = rerun();
    rerun.memory = vec![Stored { memory: "0x800000".to_owned(), ..stored(0x20, &[7, 8]) }];
    let gdb = ScriptFormat::by_name("gdb").expect("a format");
    let script = (gdb.script)(&rerun);
    assert!(script.contains("0x800020 = 0x07") && script.contains("0x800021 = 0x08"), "{script}");
}

#[test]
fn addresses_are_read_back() {
    let printed = [
        ("gdb", "Remote debugging\nat 0x100\n0x102 in ?? ()\nat 0x102\nat 0x1a4\n[Inferior 1 killed]\n"),
        (
            "ucsim",
            "pc 0x100\n0x0100 02 00 06 LJMP 0x0006\nstep\n\nStop at 0x000102: (109) stepped\nF 0x000102\nstep\n\
             Stop at 0x0001a4: (109) stepped\n",
        ),
    ];
    for (name, text) in printed {
        let format = ScriptFormat::by_name(name).expect("a format");
        assert_eq!((format.addresses)(text), [0x100, 0x102, 0x1a4], "{name}");
    }
}

/// The comparisons of a script: after how many steps, with which address.
fn comparisons(script: &str) -> Vec<(usize, u64)> {
    let mut done = 0;
    let mut comparisons = Vec::new();
    for line in script.lines() {
        done += steps(line);
        if let Some(address) = line.strip_prefix("everypath_expect 0x") {
            comparisons.push((done, u64::from_str_radix(address, 16).expect("an address")));
        }
    }
    comparisons
}

#[test]
fn the_debugger_compares_what_a_test_adds_and_its_end() {
    let gdb = ScriptFormat::by_name("gdb").expect("a format");
    let compared = comparisons(&(gdb.script)(&rerun()));
    for Expected { after, at } in rerun().expected {
        assert!(compared.contains(&(after, at.0)), "{after} {at}: {compared:?}");
    }
    // A test without a reading compares, too.
    let plain = Rerun { readings: Vec::new(), ..rerun() };
    assert_eq!(comparisons(&(gdb.script)(&plain)), [(3, 0x106), (4, 0x108), (5, 0x10a)]);
}

/// Runs the check of the simulator's script with a stub in place of the simulator; returns its exit code.
fn checked(stops: &[u64]) -> Option<i32> {
    let (_, check) = ScriptFormat::by_name("ucsim").expect("a format").check.expect("a check");
    let folder = tempfile::tempdir().expect("a folder");
    let script = folder.path().join("0001.sh");
    std::fs::write(&script, check(&rerun())).expect("a file");
    let lines: Vec<String> =
        stops.iter().map(|stop| format!("Stop at {stop:#08x}: (109) stepped 1 ticks")).collect();
    let simulator = folder.path().join("simulator");
    std::fs::write(&simulator, format!("cat <<EOF\n{}\nEOF\n", lines.join("\n"))).expect("a file");
    let run = std::process::Command::new("sh").arg(&script).arg("sh").arg(&simulator).output();
    run.expect("a shell").status.code()
}

#[test]
fn the_check_of_the_simulator_can_fail() {
    assert_eq!(checked(&[0x102, 0x104, 0x106, 0x108, 0x10a]), Some(0));
    // Another direction, another end, and a run that breaks off.
    assert_eq!(checked(&[0x102, 0x104, 0x106, 0x200, 0x10a]), Some(1));
    assert_eq!(checked(&[0x102, 0x104, 0x106, 0x108, 0x10c]), Some(1));
    assert_eq!(checked(&[0x102, 0x104, 0x106]), Some(1));
}
