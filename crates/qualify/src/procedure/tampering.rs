//! Tampering: tests, certificates and programs that were changed are refused.

use super::ProgramCheck;
use crate::qualification::CheckResult;
use serde_json::{Value, json};

/// `everypath replay` refuses a test with one field changed at a time.
pub(super) fn tests(check: &ProgramCheck<'_>, result: &mut CheckResult) -> Result<(), String> {
    let explored = check.explore(&[], "tests", result)?;
    let test = explored.suite.tests.first().ok_or("there is no test")?;
    let file = format!("{}/tests/{}.json", explored.folder, test.name);
    let original = check.workplace.read(&file)?;
    let mut count = 0;
    for (field, changed) in changed_tests(&original)? {
        check.workplace.write(&file, changed.as_bytes())?;
        let run = check.replay(&explored.folder, result);
        count += 1;
        // It is rejected, or does not run as recorded.
        if !matches!(run.code, Some(1 | 3)) {
            let code = run.code;
            result.faults.push(format!("with another `{field}`, `everypath replay` ends with {code:?}"));
        }
    }
    check.workplace.write(&file, original.as_bytes())?;
    if check.replay(&explored.folder, result).code != Some(0) {
        result.faults.push("the unchanged test is refused, too".to_owned());
    }
    result.observed = format!("{count} changes of test {} refused, the unchanged test confirmed", test.name);
    Ok(())
}

/// A test with one field changed at a time. The values of cells are changed in number, because other values may behave the same.
fn changed_tests(text: &str) -> Result<Vec<(&'static str, String)>, String> {
    let test: Value = serde_json::from_str(text).map_err(|error| error.to_string())?;
    let number = |value: &Value| value.as_u64().unwrap_or(0);
    let mut more_values = test["cells"].clone();
    if let Some(values) = more_values[0]["values"].as_array_mut() {
        values.push(json!(0));
    }
    let mut more_directions = test["new_directions"].clone();
    if let Some(directions) = more_directions.as_array_mut() {
        directions.push(json!({ "branch": "0x3", "target": "0x5" }));
    }
    let changes = [
        ("format", json!(number(&test["format"]) + 1)),
        ("end", json!("it ended in another manner")),
        ("instructions", json!(number(&test["instructions"]) + 1)),
        ("path_hash", json!("0x1234")),
        ("cells", more_values),
        ("new_directions", more_directions),
    ];
    let changed = changes.into_iter().map(|(field, value)| {
        let mut changed = test.clone();
        changed[field] = value;
        (field, changed.to_string())
    });
    Ok(changed.collect())
}

/// `everypath check-certificate` refuses certificates of which a part was changed.
pub(super) fn certificates(check: &ProgramCheck<'_>, result: &mut CheckResult) -> Result<(), String> {
    let explored = check.explore(&["--certificates"], "tests", result)?;
    let mut count = 0;
    for file in check.certificates_in(&explored.folder)? {
        let text = check.workplace.read(&file)?;
        for (what, changed) in changed_certificates(&text) {
            let copy = format!("{}/changed", explored.folder);
            check.workplace.write(&copy, changed.as_bytes())?;
            count += 1;
            let run = check.check_certificate(&copy, result);
            if run.code != Some(1) {
                result.faults.push(format!("{file} with {what}: the exit code is {:?}, not 1", run.code));
            }
        }
    }
    result.observed = format!("{count} changed certificates refused");
    if count == 0 {
        result.faults.push("nothing could be changed, so that nothing was checked".to_owned());
    }
    Ok(())
}

/// A certificate with one part changed at a time, so that it no longer proves what it did.
fn changed_certificates(text: &str) -> Vec<(&'static str, String)> {
    let lines: Vec<&str> = text.lines().collect();
    let mut list = Vec::new();
    let mut change = |what: &'static str, line: usize, by: Option<&str>| {
        let others = lines.iter().enumerate().filter_map(|(number, old)| match number == line {
            true => by,
            false => Some(*old),
        });
        list.push((what, others.collect::<Vec<_>>().join("\n") + "\n"));
    };
    // A condition outside the unsatisfiable core is not needed: without it the certificate would still be valid.
    let core = lines.iter().find_map(|line| line.strip_prefix("core ")?.split(' ').next()?.parse().ok());
    let mut assertions = (0..lines.len()).filter(|line| lines[*line].starts_with("(assert"));
    if let Some(line) = assertions.nth(core.unwrap_or(0)) {
        change("a condition of the core replaced by `true`", line, Some("(assert true)"));
    }
    let section = lines.iter().position(|line| *line == "[clauses]");
    if let Some(line) = section.map(|line| line + 2).filter(|line| *line < lines.len()) {
        change("a clause less", line, None);
    }
    if let Some(line) = lines.iter().position(|line| line.starts_with("everypath certificate ")) {
        change("another format", line, Some("everypath certificate 999"));
    }
    list
}

/// `everypath replay` says that tests were made for another program.
pub(super) fn other_program(check: &ProgramCheck<'_>, result: &mut CheckResult) -> Result<(), String> {
    let explored = check.explore(&[], "tests", result)?;
    let place = check.place()?;
    let mut image = check.program.image.clone();
    image.push(0);
    check.workplace.write(&format!("{place}/image.bin"), &image)?;
    let run = check.replay(&explored.folder, result);
    result.observed = format!("one byte more: exit code {:?}", run.code);
    if run.code != Some(3) || !run.output.contains("another program") {
        result.faults.push(format!("the other program is not noticed: {}", run.output.trim()));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_change_changes_something() {
        let text = r#"{"format":2,"name":"0001","cells":[{"name":"in_a","values":[1]}],"end":"it reached a stop",
            "instructions":4,"path_hash":"0x5eed","new_directions":[]}"#;
        let original: Value = serde_json::from_str(text).unwrap();
        let changed = changed_tests(text).unwrap();
        assert_eq!(changed.len(), 6);
        for (field, changed) in changed {
            assert_ne!(serde_json::from_str::<Value>(&changed).unwrap(), original, "{field}");
        }
        let certificate =
            "everypath certificate 1\ncore 0 1\n[query]\n(assert a)\n(assert b)\n[clauses]\np cnf 1 1\n1 0\n";
        let changed = changed_certificates(certificate);
        assert_eq!(changed.len(), 3);
        assert!(changed.iter().all(|(_, changed)| changed != certificate));
    }
}
