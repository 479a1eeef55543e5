//! SARIF logs: findings, undecided directions, locations and notifications.

mod samples;

use everypath_record::{Address, Judged, Verdict};
use serde_json::{Value, json};

/// The only run of a log.
fn run(sample: &samples::Sample) -> Value {
    let mut log: Value = serde_json::from_slice(&sample.report("sarif")).expect("JSON");
    assert_eq!(log["version"], "2.1.0");
    assert_eq!(log["runs"].as_array().map(Vec::len), Some(1));
    log["runs"][0].take()
}

#[test]
fn findings_fail_and_undecided_directions_are_open() {
    let run = run(&samples::small());
    let results = run["results"].as_array().expect("results");
    let outline = |result: &Value| {
        let fields = [&result["ruleId"], &result["kind"], &result["level"], &result["properties"]["verdict"]];
        fields.map(|field| field.as_str().unwrap_or_default().to_owned())
    };
    // Covered directions are no results.
    let expected = [
        ["division", "fail", "error", ""],
        ["branch-direction", "informational", "none", "infeasible"],
        ["branch-direction", "open", "none", "open"],
        ["branch-direction", "open", "none", "unsupported"],
    ];
    assert_eq!(results.iter().map(outline).collect::<Vec<_>>(), expected);
    // Each result refers to its rule.
    let rules = run["tool"]["driver"]["rules"].as_array().expect("rules");
    for result in results {
        let index = result["ruleIndex"].as_u64().expect("an index") as usize;
        assert_eq!(rules[index]["id"], result["ruleId"]);
    }
    assert_eq!(
        run["properties"]["directions"],
        json!({ "covered": 5, "infeasible": 1, "undecided": 2, "justified": 0 })
    );
    assert_eq!(results[0]["message"]["text"], "division by zero: the divisor is `level` (test 0002)");
}

#[test]
fn a_location_has_what_is_known_of_it() {
    let mut sample = samples::small();
    let at = |sample: &samples::Sample| run(sample)["results"][0]["locations"][0].take();
    let expected = json!({
        "physicalLocation": {
            "artifactLocation": { "uri": "file:///src/module_0.c" },
            "region": { "startLine": 2, "startColumn": 5 },
            "address": {
                "name": "0x100a",
                "absoluteAddress": 0x100a,
                "kind": "instruction",
                "fullyQualifiedName": "function_0+0xa",
            },
        },
        "logicalLocations": [{ "name": "function_0", "kind": "function" }],
    });
    assert_eq!(at(&sample), expected);
    // Nothing but the address, which is too large for some readers.
    sample.suite.summary.findings[0].address = Address(u64::MAX);
    let expected = json!({
        "physicalLocation": {
            "artifactLocation": { "uri": "firmware.elf", "index": 0 },
            "address": { "name": "0xffffffffffffffff", "kind": "instruction" },
        },
    });
    assert_eq!(at(&sample), expected);
    let hashes = &run(&sample)["artifacts"][0]["hashes"];
    assert_eq!(hashes["sha-256"], sample.suite.summary.program_hash);
}

#[test]
fn the_invocation_tells_what_may_have_cost_paths() {
    let mut sample = samples::small();
    let levels = |sample: &samples::Sample| {
        let invocation = run(sample)["invocations"][0].take();
        let notifications = invocation["toolExecutionNotifications"].as_array().expect("a list").clone();
        let levels = notifications.iter().map(|note| note["level"].as_str().expect("text").to_owned());
        (
            levels.collect::<Vec<_>>(),
            invocation["executionSuccessful"].clone(),
            invocation["exitCode"].clone(),
        )
    };
    let warnings = ["warning", "warning"].map(str::to_owned).to_vec();
    assert_eq!(levels(&sample), (warnings, json!(true), json!(3)));
    sample.suite.summary.divergences.push("test 0003 does not replay".to_owned());
    sample.suite.summary.assumptions[0].loses_paths = false;
    let all = ["error", "warning", "note"].map(str::to_owned).to_vec();
    assert_eq!(levels(&sample), (all, json!(false), json!(70)));
}

#[test]
fn a_reason_that_names_an_address_has_its_location() {
    let mut sample = samples::small();
    let reason = "at 0x1004, 2 times: a path reached the bound on instructions".to_owned();
    sample.suite.summary.incomplete_reasons = vec![reason, "the time limit of 10 s was reached".to_owned()];
    let run = run(&sample);
    let notifications = run["invocations"][0]["toolExecutionNotifications"].as_array().expect("a list");
    let reasons: Vec<&Value> =
        notifications.iter().filter(|note| note["descriptor"]["id"] == "incomplete").collect();
    let text = reasons[0]["message"]["text"].as_str().expect("text");
    assert!(text.starts_with("at 0x1004 (function_0+0x4 module_0.c:1), 2 times:"), "{text}");
    let location = &reasons[0]["locations"][0];
    assert_eq!(location["logicalLocations"][0]["name"], "function_0");
    assert_eq!(location["physicalLocation"]["region"]["startLine"], 1);
    assert_eq!(reasons[1]["locations"], json!([]));
}

#[test]
fn a_program_without_open_directions_has_no_results() {
    let mut sample = samples::generated(1, 1, 1);
    assert_eq!(run(&sample)["results"], json!([]));
    let verdict = Verdict::Open { reason: "the limit was reached".to_owned() };
    let direction = sample.suite.summary.directions[0].direction;
    sample.suite.summary.directions[0] = Judged { direction, verdict };
    let text = &run(&sample)["results"][0]["message"]["text"];
    assert_eq!(text, "0x1002 -> 0x1004 is open: the limit was reached");
}

#[test]
fn a_justified_direction_is_open_and_suppressed() {
    assert!(run(&samples::small())["results"][0].get("suppressions").is_none());
    let run = run(&samples::justified());
    let results = run["results"].as_array().expect("results");
    let text = "the hardware never reports mode 7 (A. Reviewer, 2026-01-31)";
    let accepted = json!([{ "kind": "external", "status": "accepted", "justification": text }]);
    let suppressions: Vec<&Value> = results.iter().map(|result| &result["suppressions"]).collect();
    // Infeasible, open, unsupported: no proof is suppressed, and all results have the property or none.
    assert_eq!(suppressions, [&json!([]), &accepted, &json!([])]);
    assert_eq!(results[1]["kind"], "open");
    assert_eq!(run["properties"]["directions"]["justified"], 1);
    let notifications = run["invocations"][0]["toolExecutionNotifications"].as_array().expect("a list");
    let lapsed = notifications.last().expect("a notification");
    assert_eq!(lapsed["descriptor"]["id"], "lapsed-justification");
    assert!(lapsed["message"]["text"].as_str().is_some_and(|text| text.contains("infeasible now")));
}
