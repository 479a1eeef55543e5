//! The HTML report: well-formed, small, safe against what names and reasons contain, and usable in a browser.

mod samples;

use std::path::Path;
use std::process::Command;

use everypath_record::{Undeclared, Verdict};
use everypath_testkit::programs::installed;
use samples::Sample;
use samples::firmware::firmware;

/// Text that ends elements, attributes and strings where it is not escaped.
const AWKWARD: &str = "</script><b id=\"x\">'&amp;<!--\u{2028}\\";

/// Elements that have no end tag.
const VOID: &[&str] = &["meta", "input"];

/// The tags of a page in order; what is between the tags of scripts, styles and in comments has none.
fn tags(text: &str) -> Vec<&str> {
    let mut tags = Vec::new();
    let mut rest = text;
    while let Some(start) = rest.find('<') {
        let end = start + rest[start..].find('>').expect("each tag ends");
        let tag = &rest[start + 1..end];
        tags.push(tag);
        rest = &rest[end + 1..];
        for raw in ["script", "style"] {
            if tag.split(' ').next() == Some(raw) {
                rest = &rest[rest.find(&format!("</{raw}")).expect("the element ends")..];
            }
        }
    }
    tags
}

/// The contents of a chunk of data.
fn chunk<'t>(text: &'t str, name: &str) -> &'t str {
    let (_, rest) = text.split_once(&format!("id=\"{name}\">")).expect("the chunk exists");
    rest.split_once("</script>").expect("the chunk ends").0
}

fn assert_well_formed(text: &str) {
    let mut open = Vec::new();
    for tag in tags(text) {
        let name = tag.split([' ', '\n']).next().unwrap_or_default();
        if let Some(name) = name.strip_prefix('/') {
            assert_eq!(open.pop(), Some(name), "the end of another element");
        } else if !name.starts_with('!') && !VOID.contains(&name) {
            open.push(name);
        }
    }
    assert!(open.is_empty(), "{open:?} have no end");
    for name in ["overview", "places", "code", "runs", "strings"] {
        let json: Result<serde_json::Value, _> = serde_json::from_str(chunk(text, name));
        assert!(json.is_ok(), "{name} is not JSON");
    }
}

/// A small program in which every text is awkward.
fn awkward() -> Sample {
    let mut sample = samples::small();
    let summary = &mut sample.suite.summary;
    summary.program = AWKWARD.to_owned();
    summary.architecture = AWKWARD.to_owned();
    summary.findings[0].message = AWKWARD.to_owned();
    summary.assumptions[0].message = AWKWARD.to_owned();
    for judged in &mut summary.directions {
        if let Verdict::Infeasible { evidence: text, .. } | Verdict::Open { reason: text } =
            &mut judged.verdict
        {
            *text = AWKWARD.to_owned();
        }
    }
    sample.listing.functions[0].name = AWKWARD.to_owned();
    sample.listing.functions[0].blocks[0].instructions[0].text = AWKWARD.to_owned();
    sample.listing.sources[0].lines[0] = AWKWARD.to_owned();
    sample.suite.tests[0].end = AWKWARD.to_owned();
    sample
}

/// The advice of the ledger about assumptions of a kind with this message.
fn ledger_advice(sample: &mut Sample, kind: &str, message: &str) -> Option<String> {
    let assumption = &mut sample.suite.summary.assumptions[0];
    (assumption.kind, assumption.message) = (kind.to_owned(), message.to_owned());
    let text = sample.text("html");
    let overview: serde_json::Value = serde_json::from_str(chunk(&text, "overview")).expect("JSON");
    overview["assumptions"][0]["what_to_do"].as_str().map(str::to_owned)
}

#[test]
fn the_ledger_advises_what_can_be_done() {
    let mut sample = samples::small();
    let undeclared = Undeclared::new(None, 0x4001_3804, 4);
    for (registers, is_advised) in [(vec![undeclared], true), (vec![], false)] {
        sample.suite.summary.undeclared_registers = registers;
        let advice = ledger_advice(&mut sample, "peripheral", "an undeclared register was read");
        assert_eq!(advice.is_some_and(|advice| advice.contains("Paste")), is_advised);
    }
    for (message, expected) in [
        ("a path reached the bound on instructions", "`--budget`"),
        ("a path reached the bound on decisions on input", "no flag: merge paths with `--merge`"),
        ("a path reached the bound on guest memory", "`memory_budget`"),
        ("an indirect jump on input reached the bound on alternative targets", "no flag"),
        ("the bound on the number of interrupts on a path was reached", "no flag"),
        ("an input pointer may need more objects than the configuration declares", "`count`"),
        ("the forked states of 3 pending branches were evicted to keep within 64 MB of memory", "`--memory`"),
        ("a path was abandoned after its control flow went astray", "cannot be changed"),
    ] {
        let advice = ledger_advice(&mut sample, "bound", message).unwrap_or_default();
        assert!(advice.contains(expected), "{message}: {advice}");
    }
}

#[test]
fn the_page_is_well_formed_and_loads_nothing() {
    let text = samples::small().text("html");
    assert_well_formed(&text);
    assert!(text.starts_with("<!DOCTYPE html>"));
    assert!(
        !text.contains("http://")
            || text.matches("http://").count() == text.matches("http://www.w3.org/").count()
    );
    assert!(!text.contains("https://") && !text.contains(" src="));
    assert!(text.contains("Content-Security-Policy"));
    let (_, noscript) = text.split_once("<noscript>").expect("there is a summary without scripts");
    assert!(noscript.contains("<th scope=\"row\">infeasible</th><td class=\"number\">1</td>"));
}

#[test]
fn no_text_becomes_markup() {
    let text = awkward().text("html");
    assert_well_formed(&text);
    assert!(!text.contains("<b id"));
    assert!(text.contains("<title>&lt;/script&gt;&lt;b id=&quot;x&quot;&gt;'&amp;amp;&lt;!--"));
    let overview: serde_json::Value = serde_json::from_str(chunk(&text, "overview")).expect("it is JSON");
    assert_eq!(overview["program"], AWKWARD);
    assert_eq!(overview["findings"][0]["message"], AWKWARD);
}

#[test]
fn what_the_first_screen_counts_is_what_was_recorded() {
    let sample = firmware(2_000, 40);
    let text = sample.text("html");
    let overview: serde_json::Value = serde_json::from_str(chunk(&text, "overview")).expect("it is JSON");
    let numbers = |value: &serde_json::Value| -> Vec<u64> {
        value.as_array().expect("a list").iter().map(|number| number.as_u64().expect("a number")).collect()
    };
    let tally = numbers(&overview["tally"]);
    let (covered, infeasible, others) = sample.suite.summary.tally();
    assert_eq!([tally[0], tally[1], tally[2] + tally[3]], [covered as u64, infeasible as u64, others as u64]);
    assert_eq!(numbers(&overview["new_directions"]).iter().sum::<u64>(), tally[0]);
    // Each direction is in a function, and each undecided one has one cause.
    for (verdict, all) in tally.iter().enumerate() {
        assert_eq!(numbers(&overview["functions"]["tally"][verdict]).iter().sum::<u64>(), *all);
    }
    let causes = overview["causes"].as_array().expect("a list");
    let of_causes: Vec<u64> = causes.iter().flat_map(|cause| numbers(&cause["directions"])).collect();
    assert_eq!(of_causes.len(), others);
    assert!(causes.len() < 10, "reasons that differ in addresses are grouped: {}", causes.len());
}

#[test]
fn a_suite_without_code_or_tests_has_a_report() {
    let mut sample = samples::small();
    sample.listing = everypath_record::CodeListing::default();
    sample.executed.clear();
    assert_well_formed(&sample.text("html"));
    sample.suite.summary.tests.clear();
    sample.suite.tests.clear();
    assert_well_formed(&sample.text("html"));
}

#[test]
fn a_browser_shows_every_page_of_a_large_report_in_time() {
    let sample = firmware(50_000, 2_000);
    let text = sample.text("html");
    println!("{} directions, {} bytes", sample.suite.summary.directions.len(), text.len());
    assert!(text.len() <= 30_000_000, "{} bytes", text.len());
    assert_well_formed(&text);
    if !installed(&["chromium", "chromedriver"]) {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let mut bare = samples::small();
    bare.listing = everypath_record::CodeListing::default();
    bare.executed.clear();
    let reports = [
        ("large", text),
        ("awkward", awkward().text("html")),
        ("bare", bare.text("html")),
        ("justified", samples::justified().text("html")),
    ];
    for (name, text) in &reports {
        std::fs::write(folder.path().join(format!("{name}.html")), text).expect("it can be written");
    }
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/browser.py");
    let output =
        Command::new("/usr/bin/python3").arg(script).arg(folder.path()).output().expect("Python starts");
    print!("{}", String::from_utf8_lossy(&output.stdout));
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn a_direction_that_only_a_trace_takes_names_it() {
    let mut sample = samples::small();
    sample.suite.summary.directions[0].verdict = Verdict::covered_by_trace("bench-7.log");
    assert!(sample.text("html").contains("\"trace bench-7.log\""));
}

#[test]
fn justifications_and_their_digests_are_in_the_page() {
    let text = samples::justified().text("html");
    let overview: serde_json::Value = serde_json::from_str(chunk(&text, "overview")).expect("JSON");
    let rows = overview["justifications"].as_array().expect("a list");
    assert_eq!((rows.len(), &rows[0]["direction"], &rows[1]["direction"]), (2, &2.into(), &(-1).into()));
    assert_eq!(rows[0]["signatory"], "A. Reviewer, 2026-01-31");
    assert_eq!(overview["digests"][0], serde_json::json!(["function_0", "9f86d081884c7d65"]));
    let code: serde_json::Value = serde_json::from_str(chunk(&text, "code")).expect("JSON");
    assert_eq!(code["direction"]["digest"], serde_json::json!([-1, -1, 0, 0, -1, -1, -1, -1]));
}
