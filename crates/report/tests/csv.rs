//! Comma-separated values: one line for each direction, with quoted fields where they need it.

mod samples;

use everypath_record::Verdict;

#[test]
fn each_direction_is_a_line() {
    let text = samples::small().text("csv");
    let lines: Vec<&str> = text.split_terminator("\r\n").collect();
    assert_eq!(lines.len(), 1 + 8);
    assert_eq!(lines[1], "0x1002,0x1004,function_0,0x2,/src/module_0.c,1,covered,0001,,,,,");
    let reason = r#""`level`, an unsigned byte, is never > 255 (""x"", <3 paths>)""#;
    assert_eq!(lines[2], format!("0x1002,0x1008,function_0,0x2,/src/module_0.c,1,infeasible,,{reason},,,,"));
    assert!(lines[3].ends_with(",open,,the limit of 10 s was reached,,,,"));
    assert!(lines[4].ends_with(",unsupported,,`cpsie` is not modelled,,,,"));
}

#[test]
fn no_field_is_a_formula() {
    let mut sample = samples::small();
    let function = sample.suite.summary.locations[0].function.as_mut().expect("a function");
    function.name = "=HYPERLINK(1)".to_owned();
    let text = sample.text("csv");
    assert!(text.contains("0x1002,0x1004,'=HYPERLINK(1),0x2,"), "{text}");
}

#[test]
fn a_justification_and_certificates_have_columns_of_their_own() {
    let mut sample = samples::justified();
    if let Verdict::Infeasible { certificates, .. } = &mut sample.suite.summary.directions[1].verdict {
        *certificates = vec!["a.certificate".to_owned(), "b.certificate".to_owned()];
    }
    let text = sample.text("csv");
    let lines: Vec<&str> = text.split_terminator("\r\n").collect();
    assert!(lines[2].ends_with(",a.certificate b.certificate,,,"), "{text}");
    let justified =
        ",open,,the limit of 10 s was reached,,the hardware never reports mode 7,A. Reviewer,2026-01-31";
    assert!(lines[3].ends_with(justified), "{text}");
    assert!(lines[4].ends_with(",,,,"), "{text}");
}
