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
    let listing =
        ["inspect", "instructions", "large", "--format", "raw", "--base", "0", "--architecture", "x86-64"];
    for (arguments, first) in [
        (&listing[..], "; raw"),
        (&["completions", "bash"], "_everypath"),
        (&["completions", "zsh"], "#compdef"),
    ] {
        let mut command = workplace.command(arguments);
        let mut child =
            command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the program runs");
        let mut line = String::new();
        BufReader::new(child.stdout.take().expect("a pipe")).read_line(&mut line).expect("a line");
        assert!(line.starts_with(first), "{line}");
        let mut stderr = String::new();
        child.stderr.take().expect("a pipe").read_to_string(&mut stderr).expect("text");
        assert_eq!(child.wait().expect("an end").code(), Some(0), "{stderr}");
        assert_eq!(stderr, "");
    }
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
    // The program's path is that from the script's folder, which did not exist before.
    assert!(script.starts_with("file \"../../counter-8051.hex\"\n"), "{script}");
    assert!(script.lines().any(|line| line == "step"), "{script}");
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
    // A test of an earlier run is removed, because the manifest lists it: by name alone, as earlier versions did.
    let list = r#"{"format": 2, "files": ["summary.json", "tests/0001.json", "tests/0007.json"]}"#;
    fs::write(out.join("files.json"), list).expect("a list");
    fs::write(out.join("tests/0007.json"), "{}").expect("a file");
    assert!(test_into(&workplace, "out").stdout.contains("1 test in"));
    assert!(!out.join("tests/0007.json").exists() && out.join("tests/0001.json").exists());
}

#[test]
fn flags_without_effect_are_refused() {
    let workplace = Workplace::new();
    for (flags, message) in [
        (&["--merge", "--criterion", "path"][..], "`--merge` makes one path of many"),
        (&["--merge", "--keep-all"], "`--merge` makes one path of many"),
        (&["--prove", "--criterion", "instruction"], "it needs `--criterion branch`"),
        (&["--paths", "0"], "give at least 1"),
        (&["--memory", "1K"], "give at least 64M"),
    ] {
        let run = workplace.run(&[&["test", "counter-8051.hex"], flags].concat());
        assert!(run.code == Some(1) && run.stderr.contains(message), "{flags:?}: {run:?}");
    }
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
    // Without digests of the files, so that the runs must tell.
    fs::remove_file(workplace.path().join("out/files.json")).expect("the manifest");
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
    // A summary that calls a direction infeasible which a test takes, or covered by a test that does not.
    let file = workplace.path().join("out/summary.json");
    let good = fs::read_to_string(&file).expect("a summary");
    let summary: serde_json::Value = serde_json::from_str(&good).expect("JSON");
    let directions = summary["directions"].as_array().expect("directions");
    let with_verdict = |verdict: &str| {
        let has_it = |judged: &serde_json::Value| judged["verdict"] == verdict;
        directions.iter().position(has_it).unwrap_or_else(|| panic!("no {verdict} direction"))
    };
    let (covered, infeasible) = (with_verdict("covered"), with_verdict("infeasible"));
    for (place, from) in [(covered, infeasible), (infeasible, covered)] {
        let mut other = summary.clone();
        let fields = directions[from].as_object().expect("an object").iter();
        let mut judged: serde_json::Map<_, _> =
            fields.map(|(name, value)| (name.clone(), value.clone())).collect();
        judged.insert("direction".into(), directions[place]["direction"].clone());
        for key in ["branch", "target"] {
            if let Some(address) = directions[place].get(key) {
                judged.insert(key.into(), address.clone());
            }
        }
        other["directions"][place] = judged.into();
        fs::write(&file, other.to_string()).expect("a file");
        let run = replay("counter-8051.hex", "counter-stopped.toml");
        assert!(run.code == Some(3) && run.stdout.contains("the summary "), "{run:?}");
    }
    // One that lacks a direction which a test takes, or has a finding that no test shows.
    let mut without = summary.clone();
    without["directions"].as_array_mut().expect("directions").remove(covered);
    let mut accused = summary.clone();
    accused["findings"] = serde_json::json!([
        {"oracle": "stack", "address": "0x5", "message": "it falls over", "test": "0001"}
    ]);
    for (other, message) in [(without, "does not list"), (accused, "it falls over")] {
        fs::write(&file, other.to_string()).expect("a file");
        let run = replay("counter-8051.hex", "counter-stopped.toml");
        assert!(run.code == Some(3) && run.stdout.contains(message), "{run:?}");
    }
    fs::write(&file, &good).expect("a file");
    // Another program and another configuration are reported.
    let program = fs::read_to_string(workplace.path().join("counter-8051.hex")).expect("a program");
    fs::write(workplace.path().join("other.hex"), program + "\n").expect("a file");
    let run = replay("other.hex", "counter-stopped.toml");
    assert!(run.code == Some(3) && run.stdout.contains("another program"), "{run:?}");
    // The consequences are not listed, unless the user wants to see them.
    assert!(run.stdout.contains("--anyway") && !run.stdout.contains("0001"), "{run:?}");
    let anyway = ["replay", "other.hex", "out", "--configuration", "counter-stopped.toml", "--anyway"];
    let run = workplace.run(&anyway);
    assert!(run.code == Some(3) && run.stdout.contains("0001: as recorded"), "{run:?}");
    let configuration =
        fs::read_to_string(workplace.path().join("counter-stopped.toml")).expect("a configuration");
    fs::write(workplace.path().join("other.toml"), configuration + "# more\n").expect("a file");
    let run = replay("counter-8051.hex", "other.toml");
    assert!(run.code == Some(3) && run.stdout.contains("another configuration"), "{run:?}");
}

#[test]
fn a_changed_file_of_a_suite_is_noticed_whatever_the_runs_show() {
    let workplace = Workplace::new();
    assert_eq!(test_into(&workplace, "out").code, Some(0));
    let summary = workplace.path().join("out/summary.json");
    let good = fs::read_to_string(&summary).expect("a summary");
    let parsed: serde_json::Value = serde_json::from_str(&good).expect("JSON");
    let complete = parsed["complete"].as_bool().expect("a truth value");
    for (field, value) in
        [("complete", serde_json::json!(!complete)), ("paths", serde_json::json!(1_000_000))]
    {
        let mut other = parsed.clone();
        other[field] = value;
        fs::write(&summary, other.to_string()).expect("a file");
        for tests in ["out", "out/tests/0001.json"] {
            let run = workplace.run(&on_counter("replay", tests, &[]));
            assert!(
                run.code == Some(3) && run.stdout.contains("summary.json was changed"),
                "{field}: {run:?}"
            );
        }
    }
    fs::write(&summary, good).expect("a file");
    assert_eq!(workplace.run(&on_counter("replay", "out", &[])).code, Some(0));
    // A later run replaces the folder, and its files are as it wrote them.
    assert_eq!(test_into(&workplace, "out").code, Some(0));
    assert_eq!(workplace.run(&on_counter("replay", "out", &[])).code, Some(0));
}

/// Arguments of a command on the counter and a folder of its results.
fn on_counter<'a>(command: &'a str, folder: &'a str, rest: &[&'a str]) -> Vec<&'a str> {
    let first = [command, "counter-8051.hex", folder];
    [&first[..], rest, &["--configuration", "counter-stopped.toml"]].concat()
}

#[test]
fn merged_results_can_be_used_like_those_of_one_run() {
    let workplace = Workplace::new();
    for folder in ["a", "b"] {
        assert!(test_into(&workplace, folder).stdout.contains("1 test in"));
    }
    let merged = workplace.run(&["merge", "a", "b", "-o", "both"]);
    assert!(
        merged.stdout.contains("merged from 2 runs:") && merged.stdout.contains("1 test in both"),
        "{merged:?}"
    );
    let summary = |folder: &str| -> serde_json::Value {
        let text = fs::read_to_string(workplace.path().join(folder).join("summary.json")).expect("a summary");
        serde_json::from_str(&text).expect("JSON")
    };
    let (one, both) = (summary("a"), summary("both"));
    for claim in ["complete", "criterion_reached", "directions_exact"] {
        assert_eq!(one[claim], both[claim], "{claim}: the same run twice shows what it shows once");
    }
    for (command, rest) in
        [("replay", &[][..]), ("report", &[]), ("report", &["--as", "dossier"]), ("explain", &["0001"])]
    {
        let run = workplace.run(&on_counter(command, "both", rest));
        assert_eq!(run.code, Some(0), "{command}: {run:?}");
    }
    let page = fs::read_to_string(workplace.path().join("both/report/report.html")).expect("a page");
    assert!(page.contains("--configuration counter-stopped.toml"), "commands name the configuration");
    assert!(page.contains("\"folder\":\"both\""), "commands name the folder");
    let dossier = fs::read_to_string(workplace.path().join("both/report/dossier.md")).expect("a dossier");
    assert!(dossier.contains("everypath replay counter-8051.hex both ") && !dossier.contains("hex.tests"));
    let same = workplace.run(&["diff", "a", "both"]);
    assert_eq!(same.code, Some(0), "{same:?}");
    // Another configuration, a folder twice, and a folder that is one of the runs are refused.
    let other = [
        "test",
        "counter-8051.hex",
        "--stop",
        "0x49",
        "--budget",
        "1000",
        "--configuration",
        "counter-stopped.toml",
    ];
    workplace.run(&[&other[..], &["-o", "other"]].concat());
    for (arguments, message) in [
        (["merge", "a", "other", "-o", "out"], "different configurations"),
        (["merge", "a", "./a", "-o", "out"], "given twice"),
        (["merge", "a", "b", "-o", "b"], "--output"),
    ] {
        let refused = workplace.run(&arguments);
        assert!(refused.code == Some(1) && refused.stderr.contains(message), "{arguments:?}: {refused:?}");
        assert!(!workplace.path().join("out").exists(), "nothing is written");
    }
}

#[test]
fn a_folder_without_results_is_answered_with_the_command_that_writes_them() {
    let workplace = Workplace::new();
    fs::create_dir(workplace.path().join("empty")).expect("a folder");
    for folder in ["nope", "empty"] {
        let rest: [&[&str]; 6] =
            [&["replay"], &["export"], &["report"], &["explain"], &["diff"], &["merge", "-o", "both"]];
        for command in rest {
            let subjects = if matches!(command[0], "diff" | "merge") {
                [command, &[folder, "other"][..]].concat()
            } else {
                on_counter(command[0], folder, &[])
            };
            let run = workplace.run(&subjects);
            let advice =
                format!("{folder}/summary.json: there is no such file; write it with `everypath test");
            assert!(run.code == Some(1) && run.stderr.contains(&advice), "{subjects:?}: {run:?}");
            assert!(run.stderr.contains(&format!("-o {folder}`")), "{run:?}");
        }
    }
}

#[test]
fn a_contradiction_between_runs_is_a_fault() {
    let workplace = Workplace::new();
    for folder in ["a", "b"] {
        test_into(&workplace, folder);
    }
    let file = workplace.path().join("b/summary.json");
    let mut summary: serde_json::Value =
        serde_json::from_str(&fs::read_to_string(&file).expect("a summary")).expect("JSON");
    let covered = summary["directions"].as_array_mut().expect("a list");
    let Some(covered) = covered.iter_mut().find(|judged| judged["verdict"] == "covered") else {
        panic!("the counter has a branch that is covered");
    };
    let direction = format!("{} -> {}", covered["branch"], covered["target"]).replace('"', "");
    *covered = serde_json::json!({ "branch": covered["branch"], "target": covered["target"],
                                   "verdict": "infeasible", "evidence": "made up" });
    fs::write(&file, summary.to_string()).expect("a file");
    let changed = workplace.run(&["merge", "a", "b", "-o", "both"]);
    assert!(changed.code == Some(1) && changed.stderr.contains("b: summary.json was changed"), "{changed:?}");
    // Without the digests of its files.
    fs::remove_file(workplace.path().join("b/files.json")).expect("the manifest");
    let merged = workplace.run(&["merge", "a", "b", "-o", "both"]);
    assert_eq!(merged.code, Some(70), "{merged:?}");
    for part in [&direction, "of a", "infeasible in b", "made up", "please report"] {
        assert!(merged.stderr.contains(part), "{part}: {merged:?}");
    }
    assert!(!workplace.path().join("both").exists());
}

#[test]
fn colours_are_only_for_those_who_see_them() {
    let workplace = Workplace::new();
    test_into(&workplace, "out");
    let commands = [
        on_counter("explain", "out", &["0001"]),
        vec!["diff", "out", "out"],
        vec!["diff", "out", "nowhere"],
        vec!["merge", "out", "nowhere", "-o", "both"],
    ];
    for command in &commands {
        for when in [&[][..], &["--color", "auto"], &["--color", "never"]] {
            let run = workplace.run(&[command, when].concat());
            assert!(!run.stdout.contains('\u{1b}') && !run.stderr.contains('\u{1b}'), "{run:?}");
        }
    }
    let diff = workplace.run(&["diff", "out", "out", "--color", "always"]);
    assert!(diff.stdout.contains("\u{1b}[32mnot worse\u{1b}[0m"), "{diff:?}");
    let error = workplace.run(&["diff", "out", "nowhere", "--color", "always"]);
    assert!(error.stderr.contains("\u{1b}[31merror:\u{1b}[0m "), "{error:?}");
}

#[test]
fn mistakes_in_a_configuration_are_shown_where_they_are() {
    let workplace = Workplace::new();
    let refuse = |text: &str| {
        fs::write(workplace.path().join("wrong.toml"), text).expect("a file");
        workplace.run(&["run", "counter-8051.hex", "--architecture", "8051", "--configuration", "wrong.toml"])
    };
    let cases = [
        // What is wrong, the line that is shown, and the text above the carets.
        ("stop = [\n", "stop = [", None),
        ("buget = 7\n", "1 | buget = 7", Some("a field with a similar name exists: `budget`")),
        ("stop = [\"nowhere\"]\n", "1 | stop = [\"nowhere\"]", None),
        ("[registers]\nR99 = 1\n", "2 | R99 = 1", None),
        ("[registers]\nA = 300\n", "2 | A = 300", Some("the largest value is 0xff")),
        (
            "[[volatile]]\nname = \"port\"\nspace = \"EXTMEM\"\naddress = 5\nsize = 1\nvalues = [1, 256]\n",
            "6 | values = [1, 256]",
            None,
        ),
    ];
    for (text, line, help) in cases {
        let run = refuse(text);
        assert_eq!(run.code, Some(1), "{text}: {run:?}");
        for part in
            [Some("error: "), Some("--> wrong.toml:"), Some(line), Some("^"), help].into_iter().flatten()
        {
            assert!(run.stderr.contains(part), "{part}\n{}", run.stderr);
        }
    }
    // The guide shows what is written.
    fs::write(workplace.path().join("everypath.toml"), "[[volatile]]\nname = \"sensor\"\nadress = 0x200\n")
        .expect("a file");
    let run = workplace.run(&["run", "counter-8051.hex"]);
    let shown: String = run.stderr.lines().map(|line| format!("    {line}\n")).collect();
    let guide = fs::read_to_string(workplace::project().join("docs/guide/test.md")).expect("a page");
    assert!(guide.contains(&shown), "docs/guide/test.md should have:\n{shown}");
    let cell =
        |name: &str| format!("[[volatile]]\nname = \"{name}\"\nspace = \"EXTMEM\"\naddress = 5\nsize = 1\n");
    let overlap = refuse(&(cell("one") + &cell("two")));
    assert!(overlap.stderr.contains("warning: the volatile cells `one` and `two` overlap"), "{overlap:?}");
}

#[test]
fn every_document_has_a_format_and_a_version() {
    let workplace = Workplace::new();
    let test = [
        "test",
        "counter-8051.hex",
        "-o",
        "out",
        "--budget",
        "1000",
        "--configuration",
        "counter-stopped.toml",
    ];
    let commands = [
        test.to_vec(),
        on_counter("replay", "out", &[]),
        on_counter("report", "out", &[]),
        on_counter("export", "out", &[]),
        on_counter("explain", "out", &["0001"]),
        vec!["diff", "out", "out"],
        vec!["init", "counter-8051.hex", "--architecture", "8051", "-o", "draft.toml"],
        vec!["manual", "man"],
        vec!["architectures"],
        vec!["run", "counter-8051.hex", "--configuration", "counter-stopped.toml"],
        vec!["graph", "counter-8051.hex", "--architecture", "8051"],
    ];
    for command in &commands {
        let run = workplace.run(&[command, &["--json"][..]].concat());
        let document: serde_json::Value =
            serde_json::from_str(&run.stdout).unwrap_or_else(|error| panic!("{command:?}: {error}: {run:?}"));
        assert_eq!(document["format"], format!("everypath.{}", command[0]), "{command:?}");
        assert!(document["version"].is_u64(), "{command:?}");
        for file in document["files"].as_array().into_iter().flatten() {
            assert!(workplace.path().join(file.as_str().expect("a path")).is_file(), "{command:?}: {file}");
        }
    }
    let cover = [
        "cover",
        "counter-8051.hex",
        "--trace",
        "trace.txt",
        "--configuration",
        "counter-stopped.toml",
        "--json",
    ];
    let run = workplace.run(&[
        "run",
        "counter-8051.hex",
        "--trace",
        "--configuration",
        "counter-stopped.toml",
        "--budget",
        "99",
    ]);
    let addresses: Vec<&str> = run.stdout.lines().filter(|line| line.starts_with("0x")).collect();
    fs::write(workplace.path().join("trace.txt"), addresses.join("\n")).expect("a file");
    let run = workplace.run(&cover);
    let document: serde_json::Value =
        serde_json::from_str(&run.stdout).unwrap_or_else(|error| panic!("{error}: {run:?}"));
    assert_eq!((&document["format"], &document["version"]), (&"everypath.cover".into(), &1.into()));
    assert!(document["summary"]["directions"].is_array());
}
