//! JSON reports: they hold the suite, and follow a schema that is kept in `docs/schema`.

mod external;
mod samples;

use std::path::Path;

use everypath_record::{Address, Suite};
use everypath_record::{MemoryBytes, MergedRun, Summary, TakenInterrupt, TestCase, Undeclared};
use everypath_testkit::programs::installed;
use external::Folder;
use serde_json::{Value, json};

const SCHEMA: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/schema/report.schema.json");
/// The environment variable with which the schema is written anew.
const RENEW: &str = "EVERYPATH_RENEW_SCHEMA";

/// The schema, by the types of the document.
fn schema() -> Value {
    let mut generator = schemars::generate::SchemaSettings::draft2020_12().for_serialize().into_generator();
    let summary = generator.subschema_for::<Summary>();
    let test = generator.subschema_for::<TestCase>();
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Everypath report",
        "description": "The results of a run of Everypath, as `everypath report --as json` writes them.",
        "type": "object",
        "properties": {
            "format": { "const": "everypath-report" },
            "version": { "description": "The version of this document.", "const": 1 },
            "summary": summary,
            "tests": { "description": "The tests, in order.", "type": "array", "items": test },
        },
        "required": ["format", "version", "summary", "tests"],
        "additionalProperties": false,
        "$defs": generator.take_definitions(true),
    })
}

/// A sample with a value in each field that may be absent.
fn full() -> samples::Sample {
    let mut sample = samples::small();
    let summary = &mut sample.suite.summary;
    summary.undeclared_registers.push(Undeclared::new(Some("EXTMEM".to_owned()), 0x4000_0000, 4));
    summary.divergences.push("test 0003 does not replay".to_owned());
    summary.configuration_hash.clone_from(&summary.program_hash);
    summary.merged_from.push(MergedRun {
        name: "monday.tests".to_owned(),
        plan: json!({ "seed": 1 }),
        criterion_reached: false,
        complete: true,
        paths: 7,
        tests: 2,
    });
    let test = &mut sample.suite.tests[0];
    test.cut_off = true;
    test.registers.push(("r0".to_owned(), Address(u64::MAX)));
    test.memory.push(MemoryBytes { space: "ram".to_owned(), address: Address(0), bytes: vec![0, 255] });
    test.interrupts.push(TakenInterrupt { after: 3, at: Address(0x1002), number: 15 });
    sample
}

#[test]
fn the_document_holds_the_suite() {
    let sample = full();
    let mut document: Value = serde_json::from_slice(&sample.report("json")).expect("JSON");
    assert_eq!(document["format"], "everypath-report");
    assert_eq!(document["version"], 1);
    let suite = Suite {
        summary: serde_json::from_value(document["summary"].take()).expect("a summary"),
        tests: serde_json::from_value(document["tests"].take()).expect("tests"),
    };
    assert_eq!(suite, sample.suite);
}

#[test]
fn the_schema_is_that_of_the_types() {
    let schema = schema();
    if std::env::var_os(RENEW).is_some() {
        let text = serde_json::to_string_pretty(&schema).expect("JSON") + "\n";
        std::fs::create_dir_all(Path::new(SCHEMA).parent().expect("a folder")).expect("a folder");
        std::fs::write(SCHEMA, &text).expect("the schema can be written");
    }
    let kept = std::fs::read_to_string(SCHEMA).unwrap_or_default();
    assert!(
        serde_json::from_str::<Value>(&kept).is_ok_and(|kept| kept == schema),
        "docs/schema/report.schema.json is not that of the types. If their change is meant to be, renew it:\n\
         {RENEW}=1 cargo test -p everypath-report --test json"
    );
}

#[test]
fn documents_follow_the_schema() {
    if !installed(&["jsonschema"]) {
        return;
    }
    let mut sample = full();
    let folder = Folder::with_sources(&mut sample);
    std::fs::write(folder.path().join("schema.json"), schema().to_string()).expect("a file");
    folder.write(&sample.files("json"));
    folder.run("jsonschema", &["--instance", "report.json", "schema.json"]);

    // A schema that allows everything would be of no use.
    let document: Value = serde_json::from_slice(&sample.report("json")).expect("JSON");
    let spoilt: [(&str, Value); 7] = [
        ("/version", json!(2)),
        ("/summary/paths", json!("12")),
        ("/summary/directions/0/branch", json!(4098)),
        ("/summary/directions/0/verdict", json!("perhaps")),
        ("/summary/locations/0/source", json!({ "file": "a.c" })),
        ("/summary/findings/0", json!({ "oracle": "division", "more": 1 })),
        ("/tests/0/registers/0", json!(["r0"])),
    ];
    for (at, value) in spoilt {
        let mut document = document.clone();
        *document.pointer_mut(at).unwrap_or_else(|| panic!("{at} is in the document")) = value;
        std::fs::write(folder.path().join("spoilt.json"), document.to_string()).expect("a file");
        let status = folder.status("jsonschema", &["--instance", "spoilt.json", "schema.json"]);
        assert_eq!(status, Some(1), "{at}");
    }
}
