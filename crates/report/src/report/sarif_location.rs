//! Locations of a SARIF log: a source line or the program's file, the address, and the function.

use everypath_record::{Address, Summary};
use serde_json::{Map, Value, json};

/// The largest address that every reader of JSON takes for what it is: that of a double-precision number.
const LARGEST: u64 = 1 << 53;

/// A `location` object (§3.28).
pub(super) fn location(summary: &Summary, address: Address) -> Value {
    let known = summary.location(address);
    let mut physical = Map::new();
    match &known.source {
        Some(source) => {
            let mut region = json!({ "startLine": source.line });
            if let Some(column) = source.column {
                region["startColumn"] = json!(column);
            }
            physical.insert("artifactLocation".to_owned(), json!({ "uri": uri(&source.file) }));
            physical.insert("region".to_owned(), region);
        }
        None => {
            let program = json!({ "uri": uri(&summary.program), "index": 0 });
            physical.insert("artifactLocation".to_owned(), program);
        }
    }
    let mut position = json!({ "name": address, "kind": "instruction" });
    if address.0 <= LARGEST {
        position["absoluteAddress"] = json!(address.0);
    }
    let mut location = Map::new();
    if let Some(function) = &known.function {
        position["fullyQualifiedName"] = json!(function.to_string());
        let function = json!({ "name": function.name, "kind": "function" });
        location.insert("logicalLocations".to_owned(), json!([function]));
    }
    physical.insert("address".to_owned(), position);
    location.insert("physicalLocation".to_owned(), Value::Object(physical));
    Value::Object(location)
}

/// A path as a URI reference (RFC 3986): one of the scheme `file` if the path is absolute.
pub(super) fn uri(path: &str) -> String {
    let path = path.replace('\\', "/");
    let has_drive = path.as_bytes().get(1) == Some(&b':') && path.as_bytes()[0].is_ascii_alphabetic();
    let (prefix, path) = match path.split_at_checked(2) {
        Some((drive, rest)) if has_drive => (format!("file:///{drive}"), rest),
        _ if path.starts_with('/') => ("file://".to_owned(), path.as_str()),
        _ => (String::new(), path.as_str()),
    };
    let mut uri = prefix;
    for byte in path.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' | b'+' => {
                uri.push(char::from(byte));
            }
            _ => uri.push_str(&format!("%{byte:02X}")),
        }
    }
    uri
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_become_uri_references() {
        let cases = [
            ("/src/alarm.c", "file:///src/alarm.c"),
            ("src/a b#1.c", "src/a%20b%231.c"),
            ("C:\\src\\ä.c", "file:///C:/src/%C3%A4.c"),
            ("a:b", "file:///a:b"),
            ("ab:c", "ab%3Ac"),
            ("", ""),
        ];
        for (path, expected) in cases {
            assert_eq!(uri(path), expected, "{path}");
        }
    }
}
