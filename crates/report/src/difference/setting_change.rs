//! Settings that differ between two runs: program, configuration, architecture and plan.

use std::collections::BTreeSet;

use everypath_record::Summary;
use serde::Serialize;
use serde_json::Value;

/// A setting that differs.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SettingChange {
    /// Its name; of a setting of the plan, its path: `plan.bounds.seconds`.
    pub name: String,
    /// Its value in the first run; null if there is none.
    pub before: Value,
    /// Its value in the second run; null if there is none.
    pub after: Value,
}

/// The settings that differ.
pub(super) fn changes(before: &Summary, after: &Summary) -> Vec<SettingChange> {
    let mut changes = Vec::new();
    let fields = [
        ("program", &before.program, &after.program),
        ("program_hash", &before.program_hash, &after.program_hash),
        ("configuration_hash", &before.configuration_hash, &after.configuration_hash),
        ("architecture", &before.architecture, &after.architecture),
    ];
    for (name, before, after) in fields {
        compare(name, &before.as_str().into(), &after.as_str().into(), &mut changes);
    }
    compare("plan", &before.plan, &after.plan, &mut changes);
    changes
}

/// Adds the differences between two values; those of objects field by field.
fn compare(name: &str, before: &Value, after: &Value, changes: &mut Vec<SettingChange>) {
    if let (Value::Object(old), Value::Object(new)) = (before, after) {
        let keys: BTreeSet<&String> = old.keys().chain(new.keys()).collect();
        for key in keys {
            compare(&format!("{name}.{key}"), &before[key], &after[key], changes);
        }
    } else if before != after {
        let (before, after) = (before.clone(), after.clone());
        changes.push(SettingChange { name: name.to_owned(), before, after });
    }
}
