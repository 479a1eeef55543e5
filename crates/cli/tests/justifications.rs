//! Justifications of open directions: written from what `explain` prints, accepted, and lapsed when the code changes.
//!
//! Needs the compilers of `tests/guests/targets.toml`.

mod guests;
mod workplace;

use everypath_testkit::programs::installed;
use guests::{firmware_with, test, verdicts};
use std::fs;
use workplace::{Workplace, project};

/// Firmware with a handler that only an interrupt reaches, whose directions are open.
const GUEST: &str = "flag.c";

/// The open directions of a summary, as `explain` takes them.
fn open(summary: &serde_json::Value) -> Vec<String> {
    let directions = summary["directions"].as_array().expect("a list");
    let open = directions.iter().filter(|judged| judged["verdict"] == "open");
    let text = |value: &serde_json::Value| value.as_str().expect("an address").to_owned();
    open.map(|judged| format!("{}->{}", text(&judged["branch"]), text(&judged["target"]))).collect()
}

/// The entry that `explain` prints for an open direction, with a reason.
fn entry(workplace: &Workplace, tests: &str, direction: &str) -> String {
    let story = workplace.run(&["explain", "firmware.elf", tests, direction]);
    let (_, entry) = story.stdout.split_once("  [[justification]]\n").unwrap_or_else(|| panic!("{story:?}"));
    let lines = entry.lines().take_while(|line| line.starts_with("  ")).map(str::trim_start);
    let entry: String = lines.map(|line| format!("{line}\n")).collect();
    let entry = entry.replace("reason = \"\"", "reason = \"the line is not connected\"");
    format!("[[justification]]\n{}", entry.replace("by = \"\"", "by = \"A. Reviewer\"\ndate = 2026-01-31"))
}

fn configure(workplace: &Workplace, text: &str) {
    fs::write(workplace.path().join("everypath.toml"), text).expect("a configuration");
}

/// The standing of each justification of a summary: `valid`, or the cause of its lapse.
fn standings(summary: &serde_json::Value) -> Vec<&str> {
    let justifications = summary["justifications"].as_array().expect("a list").iter();
    let standings = justifications.map(|one| &one["standing"]);
    standings.map(|one| one["cause"].as_str().or(one["is"].as_str()).expect("text")).collect()
}

#[test]
fn a_justified_run_passes_until_the_code_changes() {
    if !installed(&["arm-none-eabi-gcc"]) {
        return;
    }
    let workplace = Workplace::new();
    configure(&workplace, "seed = 1\n");
    firmware_with(&workplace, GUEST, &["-g"]);
    let (run, summary) = test(&workplace, &["firmware.elf", "-o", "plain"]);
    let directions = open(&summary);
    assert_eq!((run.code, directions.len()), (Some(4), 4), "{summary}");
    let entries: Vec<String> =
        directions.iter().map(|direction| entry(&workplace, "plain", direction)).collect();

    // All but one: the run does not pass.
    configure(&workplace, &format!("seed = 1\n\n{}", entries[1..].join("\n")));
    let (run, some) = test(&workplace, &["firmware.elf", "-o", "some"]);
    assert_eq!((run.code, standings(&some)), (Some(4), vec!["valid"; 3]), "{some}");

    // All: it passes, and every claim is as before.
    configure(&workplace, &format!("seed = 1\n\n{}", entries.join("\n")));
    let (run, all) = test(&workplace, &["firmware.elf", "-o", "all"]);
    assert_eq!((run.code, standings(&all)), (Some(0), vec!["valid"; 4]), "{all}");
    for claim in ["directions", "complete", "criterion_reached", "directions_exact", "configuration_hash"] {
        assert_eq!(all[claim], summary[claim], "{claim}");
    }
    let text = workplace.run(&["test", "firmware.elf", "--seconds", "20", "-o", "all"]).stdout;
    assert!(text.contains("all 4 open directions are justified, so the exit code is 0"), "{text}");
    assert!(text.contains("the line is not connected (A. Reviewer, 2026-01-31)"), "{text}");
    // Tests that were made before are those of this configuration.
    let replay = workplace.run(&["replay", "firmware.elf", "plain"]);
    assert_eq!(replay.code, Some(0), "{replay:?}");
    let report = workplace.run(&["report", "firmware.elf", "all", "--as", "dossier"]);
    assert_eq!(report.code, Some(0), "{report:?}");
    let dossier = fs::read_to_string(workplace.path().join("all/report/dossier.md")).expect("a dossier");
    assert!(dossier.contains("JUS-0004") && dossier.contains("the line is not connected"), "{dossier}");

    // The handler changes: what was said of it counts for nothing, the rest holds.
    let source = fs::read_to_string(project().join("tests/guests/setups").join(GUEST)).expect("a source");
    let changed = workplace.path().join("changed.c");
    fs::write(&changed, source.replace("'Q'", "'R'")).expect("a source");
    firmware_with(&workplace, &changed.display().to_string(), &["-g"]);
    let (run, after) = test(&workplace, &["firmware.elf", "-o", "after"]);
    let mut now = standings(&after);
    now.sort_unstable();
    assert_eq!(run.code, Some(4), "{after}");
    assert_eq!(now, ["code-changed", "code-changed", "valid", "valid"], "{after}");
    assert_eq!(verdicts(&after, "open"), 4);
    let difference = workplace.run(&["diff", "all", "after"]).stdout;
    assert!(difference.contains("\nlapsed: 2 justifications\n"), "{difference}");
}

/// A handler that calls a function `check` of its own file.
fn handler(name: &str) -> String {
    format!(
        "extern unsigned out;\n\
         __attribute__((noinline)) static void check(unsigned c) {{ if (c == 'Q') out = 99; }}\n\
         void {name}(void) {{ check(*(volatile unsigned *)0x40011004); }}\n"
    )
}

const TWICE: &str = "
extern unsigned stack_top;
void first(void);
void second(void);
unsigned out;
void failed(void) { for (;;) { } }
void reset(void) { for (int i = 0; i < 10; i++) out += i; for (;;) { } }
__attribute__((section(\".vectors\"), used)) const void *const vectors[] = {
    &stack_top, reset, failed, failed, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, first, second };
";

#[test]
fn functions_of_one_name_and_code_are_told_apart_by_address() {
    if !installed(&["arm-none-eabi-gcc"]) {
        return;
    }
    let workplace = Workplace::new();
    for (name, text) in
        [("first", handler("first")), ("second", handler("second")), ("twice", TWICE.to_owned())]
    {
        fs::write(workplace.path().join(format!("{name}.c")), text).expect("a source");
    }
    let source = workplace.path().join("twice.c").display().to_string();
    firmware_with(&workplace, &source, &["first.c", "second.c"]);
    let (_, summary) = test(&workplace, &["firmware.elf", "-o", "plain"]);
    let directions = open(&summary);
    let entries: Vec<String> =
        directions.iter().map(|direction| entry(&workplace, "plain", direction)).collect();
    let named: Vec<&String> = entries.iter().filter(|entry| entry.contains("function = \"sub_")).collect();
    assert_eq!(named.len(), 4, "{entries:?}");
    let (before, after) = named[0].split_once("sub_").expect("a name");
    let ambiguous = format!("{before}check{}", &after[after.find('"').expect("its end")..]);
    configure(&workplace, &format!("{ambiguous}\n{}", entries.join("\n")));
    let (_, justified) = test(&workplace, &["firmware.elf", "-o", "justified"]);
    let standings = standings(&justified);
    assert_eq!(standings[0], "ambiguous", "{justified}");
    assert!(standings[1..].iter().all(|standing| *standing == "valid"), "{justified}");
}
