//! Explanations: what a name stands for, and what the story of a test, a direction and a finding says.

mod samples;

use everypath_record::{Address, InputRead, MemoryBytes, TakenInterrupt, Verdict};
use everypath_report::{Explained, Explanation, ReportData};
use samples::Sample;

fn find(sample: &Sample, name: &str) -> Result<Explained, String> {
    Explained::find(name, &data(sample)).map_err(|error| error.to_string())
}

fn data(sample: &Sample) -> ReportData<'_> {
    ReportData {
        suite: &sample.suite,
        listing: &sample.listing,
        executed: &sample.executed,
        folder: "firmware.elf.tests",
        flags: &[],
    }
}

fn story(sample: &Sample, name: &str) -> String {
    story_of(sample, &find(sample, name).expect("something has this name"))
}

fn story_of(sample: &Sample, explained: &Explained) -> String {
    let (file, folder) = ("firmware.elf", "firmware.elf.tests");
    let explanation = Explanation { data: data(sample), file, folder, explained };
    let mut text = Vec::new();
    explanation.write(&mut text).expect("memory can be written to");
    String::from_utf8(text).expect("text")
}

#[test]
fn names_of_all_forms_are_found() {
    let sample = samples::small();
    let directions = |indices: &[usize]| Ok(Explained::Directions(indices.to_vec()));
    let names = [
        ("0002", Ok(Explained::Test(1))),
        ("2", Ok(Explained::Test(1))),
        ("firmware.elf.tests/tests/0002.json", Ok(Explained::Test(1))),
        ("finding:1", Ok(Explained::Finding(0))),
        ("0x1002->0x1008", directions(&[1])),
        ("0x1002 -> 0x1008", directions(&[1])),
        ("function_0+0x2 -> +0x8", directions(&[1])),
        ("0x1002", directions(&[0, 1])),
        ("function_0+0xa", directions(&[2, 3])),
        ("function_0", directions(&[0, 1, 2, 3])),
        ("module_1.c:2", directions(&[6, 7])),
        ("/src/module_1.c:2", directions(&[6, 7])),
        // No branch is there: the directions to it.
        ("0x1008", directions(&[1])),
    ];
    for (name, expected) in names {
        assert_eq!(find(&sample, name), expected, "{name}");
    }
}

#[test]
fn an_unknown_name_lists_near_ones_that_exist() {
    let sample = samples::small();
    let names = [
        ("0009", "there is no test 0009 among 2 tests; near: 0001, 0002"),
        ("finding:2", "there is no finding 2 among 1 finding; near: finding:1"),
        ("0x1006", "there is no branch at 0x1006; near: 0x1002, 0x100a, 0x101002, 0x10100a"),
        (
            "0x1002->0x1010",
            "there is no branch direction 0x1002->0x1010; near: 0x1002->0x1004, 0x1002->0x1008",
        ),
        ("function_0+0x3", "there is no branch at function_0+0x3; near: function_0+0x2, function_0+0xa"),
        ("functoin_0", "there is no branch at functoin_0; near: function_0, function_1"),
        ("module_0.c:7", "there is no branch at module_0.c:7; near: module_0.c:1, module_0.c:2"),
        ("modul_1.c:1", "there is no branch at modul_1.c:1; near: module_1.c:1, module_0.c:1"),
    ];
    for (name, message) in names {
        assert_eq!(find(&sample, name), Err(message.to_owned()), "{name}");
    }
    let message = find(&sample, "what?").expect_err("nothing has this name");
    assert!(message.contains("name a test (0003)"), "{message}");
}

#[test]
fn every_name_that_a_message_lists_is_found() {
    let sample = samples::small();
    for name in ["0009", "finding:9", "0x1", "0x1002->0x1", "function_0+0x3", "functon_0", "module_0.c:9"] {
        let unknown = Explained::find(name, &data(&sample)).expect_err("nothing has this name");
        assert!(!unknown.near.is_empty(), "{name}");
        for near in unknown.near {
            assert!(find(&sample, &near).is_ok(), "{near}");
        }
    }
}

#[test]
fn a_test_is_told_with_its_input_reads_directions_and_replay() {
    let mut sample = samples::small();
    let test = &mut sample.suite.tests[1];
    test.cells[0].values = (0..100).collect();
    test.memory.push(MemoryBytes {
        space: "ram".to_owned(),
        address: Address(0x2000),
        bytes: vec![0xab; 40],
    });
    test.interrupts.push(TakenInterrupt { after: 50, at: Address(0x1004), number: 15 });
    let read = |after, at, value| InputRead { after, at: Address(at), input: "level".to_owned(), value };
    sample.executed[1].reads =
        vec![read(1, 0x1000, 7), read(2, 0x1000, 7), read(3, 0x1000, 0x41), read(60, 0x1000, 1)];
    sample.executed[1].all_reads = 4;
    let text = story(&sample, "0002");
    assert!(text.starts_with("test 0002: 123,456 instructions; exited at 0x1010 with status 0\n"), "{text}");
    assert!(text.contains(", 0xf, ... (100 values)\n"), "{text}");
    assert!(text.contains("  ram 0x2000  ab ab ") && text.contains(" ab ... (40 bytes)\n"), "{text}");
    assert!(text.contains("test 0002: 4 reads of input and 1 interrupt (first column"), "{text}");
    let source = "(0x1000)  module_0.c:1  if (level == 0";
    let reads: Vec<&str> = text.lines().filter(|line| line.contains(source)).collect();
    assert_eq!(reads.len(), 2, "reads of one place are one line, unless an interrupt is between: {text}");
    assert!(reads[0].starts_with("   1  level = 7 x 2, 0x41 (3 reads)  function_0 "), "{text}");
    let interrupt = text.find("  50  interrupt 15").expect("the interrupt is shown");
    assert!(text.find(reads[0]) < Some(interrupt) && Some(interrupt) < text.find(reads[1]), "{text}");
    assert!(text.contains("shows 1 finding\n  finding:1  function_0+0xa (0x100a)"), "{text}");
    assert!(text.contains("\n  function_0+0x2 -> +0x8 (0x1002 -> 0x1008)  module_0.c:1  if"), "{text}");
    assert!(text.contains("\n  function_0: 4 of 9 instructions\n"), "{text}");
    assert!(
        text.ends_with("\nreplay: everypath replay firmware.elf firmware.elf.tests/tests/0002.json\n"),
        "{text}"
    );
}

#[test]
fn long_runs_are_cut_in_the_middle() {
    let mut sample = samples::small();
    let read = |after| InputRead {
        after,
        at: Address(0x1000 + after % 2 * 4),
        input: "level".to_owned(),
        value: after,
    };
    sample.executed[0].reads = (0..5_000).map(read).collect();
    sample.executed[0].all_reads = 5_000;
    let text = story(&sample, "0001");
    assert!(text.contains("\n  ... 4,980 more ...\n"), "{text}");
    assert!(text.contains("level = 0x1387 "), "the last read is shown: {text}");
    assert!(text.lines().count() < 60, "{text}");
}

#[test]
fn a_covered_direction_names_its_test_and_shows_the_branch() {
    let text = story(&samples::small(), "0x1002->0x1004");
    assert!(text.contains("\ncovered: test 0001 is the first that takes it\n"), "{text}");
    assert!(text.contains("\n  no other of 2 replayed tests executes both branch and target\n"), "{text}");
    let code = "  module_0.c:1  if (level == 0 && mode < 2) total++; /* \"<&>\" */\n    0x1000  cmp r0,#0x1\n  > 0x1002  beq <next>\n -> 0x1004  adds r1,#0x1\n";
    assert!(text.contains(code), "{text}");
    assert!(text.contains("test 0001: 1 read of input (first column: instructions before it)\n  1  level = 7  function_0+0x2 (0x1002)"), "{text}");
    assert!(
        text.contains("\nreplay: everypath replay firmware.elf firmware.elf.tests/tests/0001.json\n"),
        "{text}"
    );
    let mut sample = samples::small();
    sample.executed[1].instructions.insert(1, (Address(0x1004), 1));
    let text = story(&sample, "0x1002->0x1004");
    assert!(text.contains("both branch and target: 0002 of 2 replayed tests\n"), "{text}");
    assert!(text.contains("is not recorded"), "{text}");
}

#[test]
fn an_infeasible_direction_says_how_to_check_it() {
    let mut sample = samples::small();
    let text = story(&sample, "0x1002->0x1008");
    assert!(text.contains("\ninfeasible: `level`, an unsigned byte, is never > 255"), "{text}");
    assert!(text.contains("\n  tests that execute the branch: 0001, 0002 of 2 replayed tests\n"), "{text}");
    assert!(text.contains("\ncheck: everypath test firmware.elf --certificates "), "{text}");
    let certificates = [1, 2].map(|number| format!("0x1002-0x1008.{number}.certificate")).to_vec();
    let evidence = "unsat; one has no certificate: too large".to_owned();
    sample.suite.summary.directions[1].verdict = Verdict::Infeasible { evidence, certificates };
    let text = story(&sample, "0x1002->0x1008");
    assert!(text.contains("\ninfeasible: unsat; one has no certificate: too large\n"), "{text}");
    for number in [1, 2] {
        let file = format!("firmware.elf.tests/certificates/0x1002-0x1008.{number}.certificate");
        assert!(text.contains(&format!("\ncheck: everypath check-certificate {file}\n")), "{text}");
    }
}

#[test]
fn an_open_direction_says_why_with_what_else_and_what_next() {
    let mut sample = samples::generated(3, 100, 2);
    for judged in &mut sample.suite.summary.directions[1..] {
        judged.verdict = Verdict::Open { reason: "the time limit of 10 s was reached".to_owned() };
    }
    let text = story(&sample, "0x1002->0x1008");
    assert!(text.contains("\nopen: the time limit of 10 s was reached\n"), "{text}");
    assert!(text.contains("\n598 other directions are open for the same reason"), "{text}");
    assert!(text.contains("\n  function_2: 200 directions  module_2.c:1, 2, "), "{text}");
    assert!(text.contains("\nassumed at the branch\n  uninitialised: reads uninitialised RAM"), "{text}");
    assert!(text.contains("\nnext: allow more time with `--seconds`"), "{text}");
}

#[test]
fn a_reason_of_several_directions_is_told_once() {
    let mut sample = samples::small();
    for index in [2, 3] {
        let reason = "the time limit of 10 s was reached".to_owned();
        sample.suite.summary.directions[index].verdict = Verdict::Open { reason };
    }
    let text = story(&sample, "0x100a");
    for once in ["other direction is open for the same reason", "\n  function_0: 2 directions", "\nnext: "] {
        assert_eq!(text.matches(once).count(), 1, "{once}: {text}");
    }
    assert_eq!(text.matches("\nopen: ").count(), 2, "{text}");
}

#[test]
fn without_a_subject_everything_is_listed_with_commands_that_explain_it() {
    let sample = samples::small();
    let text = story_of(&sample, &Explained::Contents);
    assert!(text.starts_with("2 tests, 1 finding, 2 open directions\n"), "{text}");
    assert!(text.contains("\n  0002  123,456 instructions, adds 4 directions; exited at 0x1010"), "{text}");
    assert!(text.contains("\n  finding:1  function_0+0xa (0x100a)  module_0.c:2  if"), "{text}");
    assert!(text.contains("\n  function_0: 2 directions  module_0.c:2\n"), "{text}");
    let commands: Vec<&str> =
        text.lines().filter_map(|line| line.split_once("everypath explain ")?.1.split(' ').nth(2)).collect();
    assert_eq!(commands.len(), 3, "{text}");
    for name in commands {
        assert!(find(&sample, name).is_ok(), "{name}");
    }
    // Of many, some are listed and the others counted.
    let text = story_of(&samples::generated(30, 2, 50), &Explained::Contents);
    assert!(text.contains("... and 30 more") && text.lines().count() < 60, "{text}");
    // Nothing is said of what there is not.
    let mut sample = samples::generated(1, 1, 1);
    sample.suite.summary.findings.clear();
    let text = story_of(&sample, &Explained::Contents);
    assert!(text.contains(" 0 findings, 0 open directions") && !text.contains("\nfindings"), "{text}");
    let (file, folder) = ("firmware.elf", "firmware.elf.tests");
    let sample = samples::small();
    let explanation = Explanation { data: data(&sample), file, folder, explained: &Explained::Contents };
    let document = serde_json::to_value(explanation.document()).expect("JSON");
    let lengths = ["tests", "findings", "directions"].map(|list| document[list].as_array().map(Vec::len));
    assert_eq!(lengths, [Some(2), Some(1), Some(2)]);
}

#[test]
fn reasons_that_differ_in_numbers_are_one_cause() {
    let mut sample = samples::small();
    for (index, limit) in [(2, 10), (3, 20)] {
        let reason = format!("the time limit of {limit} s was reached");
        sample.suite.summary.directions[index].verdict = Verdict::Open { reason };
    }
    for name in ["0x100a->0x100c", "0x100a->0x1010"] {
        let text = story(&sample, name);
        assert!(text.contains("\n1 other direction is open for the same reason"), "{text}");
        assert!(text.contains("\nnext: allow more time with `--seconds`"), "{text}");
    }
}

#[test]
fn many_directions_are_shown_by_verdict_only() {
    let text = story(&samples::generated(1, 10, 2), "function_0");
    assert!(text.starts_with("20 directions; name one to have it explained\n"), "{text}");
    assert_eq!(text.lines().count(), 1 + 2 * 20, "{text}");
}

#[test]
fn a_finding_is_told_with_its_place_and_test() {
    let text = story(&samples::small(), "finding:1");
    assert!(
        text.starts_with(
            "finding 1: division by zero: the divisor is `level`\n  function_0+0xa (0x100a)  module_0.c:2  if"
        ),
        "{text}"
    );
    assert!(text.contains("\n  reported by oracle division, shown by test 0002\n"), "{text}");
    assert!(text.contains("\n  > 0x100a  beq <next>\n"), "{text}");
    assert!(text.contains("\ninput\n  level  7\n"), "{text}");
    assert!(
        text.contains("tests/0002.json\nmore: everypath explain firmware.elf firmware.elf.tests 0002\n"),
        "{text}"
    );
}

#[test]
fn stories_need_neither_source_nor_listing_nor_replays() {
    let mut sample = samples::small();
    sample.strip();
    sample.listing.functions.clear();
    sample.executed.clear();
    for name in ["0001", "finding:1", "0x1002", "0x100a"] {
        let text = story(&sample, name);
        assert!(!text.contains("\n\n\n") && !text.contains("code\n"), "{text}");
    }
}

#[test]
fn the_guide_shows_what_is_written() {
    let sample = samples::alarm();
    for name in ["0002", "alarm.c:42", "finding:1"] {
        samples::assert_in_guide("explain.md", &story(&sample, name));
    }
    samples::assert_in_guide("explain.md", &story_of(&sample, &Explained::Contents));
    let message = find(&sample, "updat_alarm+0x2").expect_err("nothing has this name");
    samples::assert_in_guide("explain.md", &message);
}

#[test]
fn an_open_direction_is_justified_or_has_the_entry_that_would_justify_it() {
    let sample = samples::justified();
    let text = story(&sample, "0x100a->0x100c");
    assert!(text.contains("\njustified, by a reviewer and not by a proof: the hardware never"), "{text}");
    assert!(!text.contains("[[justification]]"), "{text}");
    let entry = "\n  [[justification]]\n  function = \"function_0\"\n  offset = 0xa\n  target = \"+0x10\"\n  \
                 code = \"9f86d081884c7d65\"\n  reason = \"\"\n";
    let text = story(&sample, "0x100a->0x1010");
    assert!(text.contains(entry), "{text}");
    // A justification of what is infeasible now is reported there.
    let text = story(&sample, "0x1002->0x1008");
    assert!(
        text.contains("\na justification of this branch lapsed, function_0+0x2 -> +0x8: the direction"),
        "{text}"
    );
    assert!(!text.contains("[[justification]]"), "{text}");
}

#[test]
fn reads_that_are_not_listed_are_counted_and_said() {
    let mut sample = samples::alarm();
    assert!(!story(&sample, "0002").contains("only the first"));
    sample.executed[1].all_reads = 12_000;
    let text = story(&sample, "0002");
    assert!(
        text.contains("12,000 reads of input") && text.contains("only the first 3 reads are shown"),
        "{text}"
    );
}

#[test]
fn the_document_tells_what_the_story_tells() {
    let sample = samples::alarm();
    let document = |name: &str| {
        let explained = find(&sample, name).expect("something has this name");
        let (file, folder) = ("firmware.elf", "firmware.elf.tests");
        let data = ReportData { flags: &["--entry 0x10".to_owned()], ..data(&sample) };
        let explanation = Explanation { data, file, folder, explained: &explained };
        serde_json::to_value(explanation.document()).expect("JSON")
    };
    let test = &document("0002")["tests"][0];
    assert_eq!(test["test"]["name"], "0002");
    assert_eq!(test["reads"].as_array().map(Vec::len), Some(3));
    assert_eq!(test["findings"], serde_json::json!([1]));
    assert_eq!(
        test["replay"],
        "everypath replay firmware.elf firmware.elf.tests/tests/0002.json --entry 0x10"
    );
    let direction = &document("0x1002->0x1008")["directions"][0];
    assert_eq!(direction["verdict"], "infeasible");
    assert_eq!(direction["certificates"], serde_json::json!(["0x1002-0x1008.1.certificate"]));
    assert_eq!(direction["branch_location"]["function"]["name"], "update_alarm");
    assert_eq!(direction["executed_by"], serde_json::json!(["0001", "0002"]));
    let finding = &document("finding:1")["findings"][0];
    assert_eq!((&finding["number"], &finding["oracle"]), (&1.into(), &"division-by-zero".into()));
}
