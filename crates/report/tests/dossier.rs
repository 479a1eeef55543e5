//! The dossier: Markdown and HTML say the same, each direction is there once, and nothing of the program is taken for markup.

mod samples;
mod statements;

use std::time::{Duration, Instant};

use everypath_record::{Address, ExecutorComparison, InstructionEvidence, Verdict};
use samples::Sample;
use statements::Statements;

/// The statements of a dossier, which must be the same in both files.
fn statements_of(sample: &Sample) -> Statements {
    let [markdown, html] = texts(sample);
    let (markdown, html) = (statements::of_markdown(&markdown), statements::of_html(&html));
    for (identifier, text) in &markdown {
        assert_eq!(html.get(identifier), Some(text), "{identifier}");
    }
    assert_eq!(markdown.len(), html.len());
    markdown
}

/// The texts of both files.
fn texts(sample: &Sample) -> [String; 2] {
    let files = sample.files("dossier");
    let paths: Vec<&str> = files.iter().map(|file| file.path.as_str()).collect();
    assert_eq!(paths, ["dossier.md", "dossier.html"]);
    let texts: Vec<String> =
        files.into_iter().map(|file| String::from_utf8(file.contents).expect("UTF-8")).collect();
    texts.try_into().expect("two files")
}

#[test]
fn each_direction_is_there_once_with_its_ground() {
    let sample = samples::small();
    let statements = statements_of(&sample);
    let rows: Vec<&String> =
        statements.iter().filter(|(name, _)| name.starts_with("D-")).map(|(_, row)| row).collect();
    assert_eq!(rows.len(), 8);
    for judged in &sample.suite.summary.directions {
        let edge = format!("{}→{}", judged.direction.branch, judged.direction.target);
        assert_eq!(rows.iter().filter(|row| row.contains(&edge)).count(), 1, "{edge}");
    }
    assert_eq!(rows[0], "function_0+0x20x1002→0x1004module_0.c:1coveredT-0001");
    assert!(rows[1].contains("infeasibleINF-0001:level,anunsignedbyte"));
    assert!(rows[2].contains("openOPEN-000"));
    assert_eq!(statements["RES-0001"], "covered5");
    assert_eq!(statements["RES-0005"], "all8");
    assert!(statements["FUNC-0001"].starts_with("function_00x10001111"));
    assert!(statements["FIND-0001"].contains("divisionbyzero:thedivisorislevel"));
    assert!(statements["A-001"].contains("assumedzero"));
    assert!(statements["T-0001"].contains("level=0x7"));
}

#[test]
fn directions_with_one_cause_may_have_different_reasons() {
    let mut sample = samples::small();
    let blocked = |address: &str| Verdict::Open { reason: format!("blocked: paths end at {address}") };
    sample.suite.summary.directions[4].verdict = blocked("0x1010");
    sample.suite.summary.directions[5].verdict = blocked("0x1020");
    let statements = statements_of(&sample);
    assert!(statements["OPEN-0001"].starts_with("blocked:pathsendat…2"));
    assert!(statements["D-0005"].ends_with("openOPEN-0001:blocked:pathsendat0x1010"));
    assert!(statements["D-0006"].ends_with("openOPEN-0001:blocked:pathsendat0x1020"));
}

#[test]
fn one_path_is_singular() {
    let mut sample = samples::small();
    sample.suite.summary.paths = 1;
    let statements = statements_of(&sample);
    assert!(statements["RES-0006"].contains("1pathwasruntotheend"), "{}", statements["RES-0006"]);
    sample.suite.summary.paths = 2;
    assert!(statements_of(&sample)["RES-0006"].contains("2pathswereruntotheend"));
}

#[test]
fn chapters_and_commands_are_complete() {
    let mut sample = samples::small();
    sample.suite.summary.plan = serde_json::json!({
        "criterion": "branch", "seed": 7, "merge": true, "prove": 20, "certificates": true,
        "bounds": { "paths": 5, "seconds": null, "path_instructions": 9 },
    });
    let name = |number: u32| format!("0x1002-0x1008.{number}.certificate");
    if let Verdict::Infeasible { certificates, .. } = &mut sample.suite.summary.directions[1].verdict {
        *certificates = vec![name(1), name(2)];
    }
    let [markdown, _] = texts(&sample);
    let chapters = markdown.lines().filter(|line| line.starts_with("## ")).count();
    assert_eq!(chapters, 11);
    let architecture = &sample.suite.summary.architecture;
    let repeat = format!(
        "everypath test firmware.elf --architecture {architecture} --criterion branch --seed 7 --budget 9 --paths 5 --merge --prove=20 --certificates --output repeated.tests"
    );
    for expected in [
        repeat.as_str(),
        "everypath replay firmware.elf firmware.elf.tests",
        "everypath report firmware.elf firmware.elf.tests --as dossier",
        "for file in firmware.elf.tests/certificates/0x1002-0x1008.*; do everypath check-certificate",
    ] {
        assert!(markdown.contains(expected), "{expected}");
    }
    // A single certificate needs no loop.
    if let Verdict::Infeasible { certificates, .. } = &mut sample.suite.summary.directions[1].verdict {
        *certificates = vec![name(1)];
    }
    let [markdown, _] = texts(&sample);
    let single = "everypath check-certificate firmware.elf.tests/certificates/0x1002-0x1008.1.certificate";
    assert!(markdown.contains(&format!("`{single}`")));
}

#[test]
fn commands_name_the_folder_of_the_results() {
    let mut sample = samples::small();
    if let Verdict::Infeasible { certificates, .. } = &mut sample.suite.summary.directions[1].verdict {
        *certificates = vec!["0x1002-0x1008.1.certificate".to_owned()];
    }
    sample.folder = "../nightly results/".to_owned();
    for text in texts(&sample) {
        let commands: Vec<&str> = text.lines().filter(|line| line.contains("everypath ")).collect();
        for command in ["replay firmware.elf ", "report firmware.elf ", "check-certificate "] {
            let found = commands.iter().find(|line| line.contains(command));
            assert!(found.is_some_and(|line| line.contains("../nightly results")), "{command}: {found:?}");
        }
        assert!(!text.contains("firmware.elf.tests") && !text.contains("results/'/"), "{commands:?}");
    }
    let page = sample.text("html");
    assert!(page.contains("\"folder\":\"../nightly results\""));
}

#[test]
fn instructions_have_their_evidence_or_none() {
    let mut sample = samples::small();
    let comparison = ExecutorComparison { executor: "qemu-arm 7.2".to_owned(), equal: 1200, explained: 3 };
    let evidence = |mnemonic: &str, vectors, comparisons| InstructionEvidence {
        mnemonic: mnemonic.to_owned(),
        vectors,
        comparisons,
    };
    let all_differ = ExecutorComparison { equal: 0, ..comparison.clone() };
    sample.listing.evidence = vec![evidence("bx", 1, vec![comparison]), evidence("cmp", 0, vec![all_differ])];
    let statements = statements_of(&sample);
    let row = |mnemonic: &str| {
        let found =
            statements.iter().find(|(name, row)| name.starts_with("INS-") && row.starts_with(mnemonic));
        found.map(|(_, row)| row.clone()).unwrap_or_else(|| panic!("no row of {mnemonic}: {statements:?}"))
    };
    let expected = "1vector1,200casesequal,qemu-arm7.2;3withaknowndifference";
    assert!(row("bx").ends_with(expected), "{}", row("bx"));
    let others = statements.iter().filter(|(name, row)| name.starts_with("INS-") && !row.starts_with("bx"));
    assert!(others.clone().count() > 0);
    for (_, row) in others {
        let is_none = row.ends_with("none:coveredonlybywholeprograms") || row.contains("0casesequal");
        assert!(is_none, "{row}");
    }
    let rows = statements.keys().filter(|name| name.starts_with("INS-")).count();
    let total = format!("1of{rows}mnemonics");
    assert!(statements["MNEM-0002"].starts_with(&total), "{}", statements["MNEM-0002"]);
}

#[test]
fn a_trace_is_not_said_to_be_replayed() {
    let mut sample = samples::small();
    let says = |sample: &Sample, text: &str| texts(sample)[0].contains(text);
    assert!(!says(&sample, "recorded elsewhere") && !says(&sample, "--trace"));
    sample.suite.summary.directions[0].verdict = Verdict::covered_by_trace("bench 1.log");
    let statements = statements_of(&sample);
    assert!(statements["D-0001"].ends_with("coveredtracebench1.log"), "{}", statements["D-0001"]);
    for expected in [
        "A trace was recorded elsewhere and was not replayed",
        "1 is covered by a trace, which was recorded elsewhere and not replayed: bench 1.log (1).",
        "--certificates --trace 'bench 1.log' --output repeated.tests",
        "It does not confirm directions that a trace covers",
        "Directions that a trace covers were not replayed.",
        "(drcov) does not record which direction was taken when",
    ] {
        assert!(says(&sample, expected), "{expected}");
    }
    // `everypath cover` explores nothing, and writes to a folder of its own.
    for judged in &mut sample.suite.summary.directions {
        if let Verdict::Covered { .. } = &judged.verdict {
            judged.verdict = Verdict::covered_by_trace("bench");
        }
    }
    sample.suite.tests.clear();
    sample.folder = "firmware.elf.coverage".to_owned();
    sample.suite.summary.findings.clear();
    sample.suite.summary.plan = serde_json::json!({ "criterion": "branch", "bounds": { "paths": 0 } });
    statements_of(&sample);
    let cover =
        "everypath cover firmware.elf --architecture cortex-m --trace bench --output repeated.coverage";
    let report = "everypath report firmware.elf firmware.elf.coverage --as dossier";
    assert!(says(&sample, cover) && says(&sample, report));
    assert!(!says(&sample, "everypath replay") && !says(&sample, "--paths 0"));
}

#[test]
fn exact_and_complete_are_said_only_if_they_hold() {
    let mut sample = samples::small();
    let statements = statements_of(&sample);
    let says = |statements: &Statements, text: &str| statements.values().any(|one| one.starts_with(text));
    assert!(says(&statements, "Notexact:") && says(&statements, "Notcomplete:"));
    assert!(!says(&statements, "Exact:") && !says(&statements, "Complete:"));
    assert!(statements["IND-0001"].contains("readfrommemory"));
    assert_eq!(statements["INC-0001"], "thelimitof10swasreached");
    let at = "at 0x1004, 2 times: a path reached the bound on instructions".to_owned();
    sample.suite.summary.incomplete_reasons.push(at);
    let reason = &statements_of(&sample)["INC-0002"];
    assert!(reason.starts_with("at0x1004(function_0+0x4module_0.c:1),2times:"), "{reason}");
    sample.suite.summary.directions_exact = true;
    sample.suite.summary.complete = true;
    let statements = statements_of(&sample);
    assert!(says(&statements, "Exact:") && says(&statements, "Complete:"));
}

#[test]
fn nothing_of_the_program_is_markup() {
    let mut sample = samples::small();
    let awkward = "a|b `c | d` <script>alert(1)</script> *x* _y_ \\ & [z](u)\nnext\u{1b} `";
    sample.listing.functions[0].name = awkward.to_owned();
    let summary = &mut sample.suite.summary;
    summary.program = awkward.to_owned();
    summary.directions[2].verdict = Verdict::Open { reason: awkward.to_owned() };
    summary.findings[0].message = awkward.to_owned();
    summary.assumptions[0].message = awkward.to_owned();
    summary.divergences.push(awkward.to_owned());
    for location in &mut summary.locations {
        location.function.as_mut().expect("a function").name = awkward.to_owned();
        location.source.as_mut().expect("a source").file = awkward.to_owned();
    }
    sample.listing.sources[0].path = awkward.to_owned();
    sample.listing.sources[0].lines[0] = awkward.to_owned();
    sample.folder = format!("{awkward}.tests");
    let [markdown, html] = texts(&sample);
    statements_of(&sample);
    assert!(!html.contains("<script") && !html.contains('\u{1b}') && !markdown.contains('\u{1b}'));
    assert!(html.contains("&lt;script&gt;"));
    // Each row of a table has as many cells as its head.
    let mut bars = 0;
    for line in markdown.lines().filter(|line| line.starts_with('|')) {
        let count = line.replace("\\|", "").matches('|').count();
        if line.starts_with("| | ") {
            bars = count;
        }
        assert_eq!(count, bars, "{line}");
    }
}

#[test]
fn the_page_needs_nothing_else() {
    let [_, html] = texts(&samples::small());
    for outside in ["http:", "https:", "src=", "@import", "url("] {
        assert!(!html.contains(outside), "{outside}");
    }
    // Every reference has its target.
    for part in html.split("href=\"#").skip(1) {
        let target = part.split('"').next().expect("a target");
        assert!(html.contains(&format!("id=\"{target}\"")), "{target}");
    }
}

#[test]
fn a_program_without_lines_is_reported_by_function() {
    let mut sample = samples::small();
    sample.strip();
    let statements = statements_of(&sample);
    assert!(statements.values().any(|text| text.starts_with("8directionsofbrancheswithoutasourceline")));
    assert!(!statements.contains_key("LINE-0001"));
    sample.listing = everypath_record::CodeListing::default();
    sample.suite.summary.locations.clear();
    let statements = statements_of(&sample);
    assert!(statements["FUNC-0001"].starts_with("innoknownfunction"));
}

#[test]
fn identifiers_of_assumptions_do_not_depend_on_the_order_of_the_run() {
    let mut sample = samples::small();
    let mut other = sample.suite.summary.assumptions[0].clone();
    (other.loses_paths, other.address) = (false, Address(1));
    sample.suite.summary.assumptions.insert(0, other);
    let first = statements_of(&sample);
    sample.suite.summary.assumptions.reverse();
    assert_eq!(first, statements_of(&sample));
    assert!(first["A-001"].contains("yes") && first["A-002"].contains("no"));
}

#[test]
fn fifty_thousand_directions_take_seconds() {
    let sample = samples::generated(50, 500, 2_000);
    assert_eq!(sample.suite.summary.directions.len(), 50_000);
    let begin = Instant::now();
    let [markdown, html] = texts(&sample);
    assert!(begin.elapsed() < Duration::from_secs(20), "{:?}", begin.elapsed());
    assert!(markdown.contains("| D-50000 |") && html.contains("id=\"D-50000\""));
    assert!(html.len() < 40_000_000, "{}", html.len());
}

#[test]
fn justifications_have_sections_of_their_own() {
    let sample = samples::justified();
    let statements = statements_of(&sample);
    assert!(statements["JUS-0001"].contains("thehardwareneverreportsmode7"), "{}", statements["JUS-0001"]);
    assert!(statements["JUS-0001"].contains("A.Reviewer,2026-01-31"), "{}", statements["JUS-0001"]);
    assert!(statements["LAP-0001"].contains("infeasiblenow"), "{}", statements["LAP-0001"]);
    assert!(statements["D-0003"].contains("JUS-0001"), "{}", statements["D-0003"]);
    assert!(!statements["D-0004"].contains("JUS"), "{}", statements["D-0004"]);
    let [markdown, _] = texts(&sample);
    let entry =
        "    [[justification]]\n    function = \"function_0\"\n    offset = 0xa\n    target = \"+0x10\"\n";
    assert_eq!(markdown.matches("[[justification]]").count(), 1, "only that of the unsupported direction");
    assert!(markdown.contains(entry), "{markdown}");
    // No section without a justification.
    assert!(!texts(&samples::small())[0].contains("Justified directions"));
}

#[test]
fn code_that_no_entry_reaches_has_a_row_with_a_place_for_its_disposition() {
    let mut sample = samples::small();
    sample.suite.summary.unreached = Some(samples::unreached(2));
    sample.listing.unvisited =
        vec![samples::one_instruction("dead_0", 0x8000), samples::one_instruction("held", 0x7000)];
    let text = sample.text("dossier");
    let rows = |letters: &str| text.lines().filter(|line| line.starts_with(letters)).collect::<Vec<_>>();
    let unreached = rows("| UNF-");
    assert_eq!(unreached.len(), 2, "{text}");
    assert!(unreached[0].starts_with("| UNF-0001 | `dead_0` | `0x8000` | 16 | `dead.c:7` | symbol |"));
    // What is referred to is in the graph; code that nothing reaches is not.
    let unexecuted = rows("| UNE-");
    let held = unexecuted.iter().find(|row| row.contains("`held`")).expect("a row");
    assert!(held.contains("data holds its address"), "{held}");
    assert!(!unexecuted.iter().any(|row| row.contains("`dead_0`")), "{unexecuted:?}");
    assert_eq!(rows("| UNB-"), ["| UNB-0001 | `0x9000 to 0x903f` | 64 |"]);
    assert!(text.contains("70 bytes of executable memory are in no function"), "{text}");
    sample.suite.summary.unreached = None;
    assert!(sample.text("dossier").contains("was not determined"));
}
