//! Scripts for Ghidra: they compile, their data are right, and they call Ghidra as they should.

mod external;
mod samples;

use everypath_testkit::programs::installed;
use external::Folder;
use serde_json::{Value, json};

/// Prints the data of a script, read as literals, as JSON.
const READ: &str = r#"
import ast, json
names = ("PROGRAM", "BRANCHES", "FINDINGS")
tree = ast.parse(open("verdicts.py", encoding="ascii").read())
assigned = [node for node in tree.body if isinstance(node, ast.Assign) and node.targets[0].id in names]
print(json.dumps({node.targets[0].id: ast.literal_eval(node.value) for node in assigned}))
"#;

/// Runs a script with stubs in place of Ghidra, in which one branch is no instruction, and prints the calls as JSON.
const RUN: &str = r#"
import json, sys, types
calls = []
java = types.ModuleType("java"); awt = types.ModuleType("java.awt")
awt.Color = lambda *colour: colour
sys.modules["java"], sys.modules["java.awt"] = java, awt
def record(name):
    return lambda *arguments: calls.append([name, *arguments])
stubs = {name: record(name) for name in ("setBackgroundColor", "setPreComment", "setPlateComment")}
class Space:
    def getAddress(self, value): return hex(value)
    def getDefaultAddressSpace(self): return self
    def getAddressFactory(self): return self
stubs["currentProgram"] = Space()
stubs["getPreComment"] = lambda address: "mine" if address == "0x1002" else None
stubs["getPlateComment"] = lambda address: None
stubs["isRunningHeadless"] = lambda: len(sys.argv) > 1
stubs["getInstructionAt"] = lambda address: None if address == "0x100a" else object()
stubs["print"] = record("print")
exec(compile(open("verdicts.py").read(), "verdicts.py", "exec"), stubs)
print(json.dumps(calls))
"#;

fn awkward() -> samples::Sample {
    let mut sample = samples::small();
    sample.suite.summary.findings[0].message = "\"level\" \\ ä 😀\n\u{7f}".to_owned();
    sample
}

fn folder_with(sample: &mut samples::Sample) -> Folder {
    let folder = Folder::with_sources(sample);
    folder.write(&sample.files("ghidra"));
    folder
}

fn python(folder: &Folder, arguments: &[&str]) -> Value {
    serde_json::from_str(&folder.run("python3", arguments)).expect("JSON")
}

#[test]
fn data_are_literals() {
    if !installed(&["python3"]) {
        return;
    }
    let mut sample = awkward();
    let folder = folder_with(&mut sample);
    folder.run("python3", &["-m", "py_compile", "verdicts.py"]);
    let data = python(&folder, &["-c", READ]);
    assert_eq!(data["PROGRAM"], "firmware.elf");
    assert_eq!(data["FINDINGS"], json!([["0x100a", "division", "\"level\" \\ ä 😀\n\u{7f}", "0002"]]));
    let mut expected: Vec<Value> = Vec::new();
    for judged in sample.suite.summary.directions.chunks(2) {
        let directions: Vec<Value> = judged
            .iter()
            .map(|judged| {
                let verdict = serde_json::to_value(&judged.verdict).expect("JSON");
                let test = verdict["test"].as_str().map(|test| format!("test {test}"));
                let detail = test.map_or_else(
                    || verdict.get("evidence").unwrap_or(&verdict["reason"]).clone(),
                    Value::from,
                );
                json!([judged.direction.target, verdict["verdict"], detail])
            })
            .collect();
        expected.push(json!([judged[0].direction.branch, directions]));
    }
    assert_eq!(data["BRANCHES"], Value::from(expected));
}

#[test]
fn branches_are_coloured_by_their_worst_verdict() {
    if !installed(&["python3"]) {
        return;
    }
    let folder = folder_with(&mut awkward());
    let calls = python(&folder, &["-c", RUN]);
    let calls = calls.as_array().expect("calls");
    let has = |call: Value| assert!(calls.contains(&call), "{call} is not in {calls:?}");
    // Covered and infeasible; open and unsupported; covered.
    has(json!(["setBackgroundColor", "0x1002", [210, 210, 210]]));
    has(json!(["setBackgroundColor", "0x100a", [255, 200, 120]]));
    has(json!(["setBackgroundColor", "0x101002", [190, 235, 190]]));
    has(json!(["setBackgroundColor", "0x100a", [255, 160, 160]]));
    has(json!([
        "setPreComment",
        "0x101002",
        "-> 0x101004 covered: test 0001\n-> 0x101008 covered: test 0002"
    ]));
    // What somebody has written stays.
    let of_first = calls.iter().find(|call| call[0] == "setPreComment" && call[1] == "0x1002");
    assert!(of_first.and_then(|call| call[2].as_str()).is_some_and(|text| text.starts_with("mine\n-> ")));
    has(json!(["setPlateComment", "0x100a", "division: \"level\" \\ ä 😀\n\u{7f} (test 0002)"]));
    has(json!(["print", "firmware.elf: branches: 4, findings: 1"]));
    has(json!([
        "print",
        "branches that are no instructions here: 1; disassemble them, or set SHIFT in the script"
    ]));
    // Without a window, the comments are set all the same.
    let headless = python(&folder, &["-c", RUN, "headless"]);
    let headless = headless.as_array().expect("calls");
    assert!(headless.iter().all(|call| call[0] != "setBackgroundColor"));
    assert_eq!(headless.iter().filter(|call| call[0] == "setPreComment").count(), 4);
}
