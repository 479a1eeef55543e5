//! Corrections of a specification: replacement, expansion and rejection.

#[path = "../build/operation.rs"]
mod operation;
#[path = "../build/overlay.rs"]
mod overlay;

use overlay::Overlay;

const SPECIFICATION: &str = r##"
define register offset=0 size=1 [ C H ]; # flags
macro flags(a, b) { C = carry(a, b); } # sets C
@if defined(BIG)
:add  Ra, "{"^Rb  is op=1 & Ra & Rb  { flags(Ra, Rb); Ra = Ra + Rb; }
@endif
:sub Ra,Rb is op=2 & Ra & Rb unimpl
with : mode=1 {
:sub Ra,Rb is op=2 & Ra & Rb { Ra = Ra - Rb; }
}
:subs Ra,Rb is op=3 { }
"##;

fn corrected(overrides: &str) -> Result<String, String> {
    let mut overlay = Overlay::parse(overrides)?;
    let text = overlay.apply(SPECIFICATION)?;
    overlay.finish().map(|()| text)
}

#[test]
fn an_item_replaces_every_one_with_its_header() {
    let text = corrected(":sub Ra, Rb is op=2 & Ra & Rb # how\n{ Ra = 0; }").unwrap();
    assert_eq!(text.matches("{ Ra = 0; }").count(), 2);
    assert!(!text.contains("unimpl") && !text.contains("Ra - Rb"));
    assert!(text.contains(":subs Ra,Rb is op=3 { }"), "{text}");
}

#[test]
fn quoted_braces_and_directives_are_no_part_of_the_structure() {
    let text = corrected(":add Ra,\"{\"^Rb is op=1 & Ra & Rb { Ra = \"}\"; }").unwrap();
    assert!(text.contains("{ Ra = \"}\"; }") && !text.contains("Ra + Rb"));
    assert!(text.contains("@if defined(BIG)\n") && text.contains("\n@endif\n"));
}

#[test]
fn what_is_new_goes_before_what_replaces() {
    let overrides =
        "define pcodeop half;\n@add\nmacro h(a) { H = half(a); }\nmacro flags(a,b) { C = carry(a,b); h(a); }";
    let text = corrected(overrides).unwrap();
    let place = |part: &str| text.find(part).unwrap_or_else(|| panic!("{part} is missing in {text}"));
    assert!(place("define pcodeop half;") < place("macro h(a)"));
    assert!(place("macro h(a)") < place("macro flags"));
    assert_eq!(text.matches("macro flags").count(), 1);
}

#[test]
fn an_item_that_replaces_nothing_is_refused() {
    let error = corrected(":sub Ra,Rb is op=2 & Ra & Rb { }\n\n:mul Ra is op=9 { }").unwrap_err();
    assert!(error.contains("line 3") && error.contains(":mulRaisop=9"), "{error}");
    assert!(corrected("@add\n:mul Ra is op=9 { }").is_err());
    assert!(corrected(":sub Ra,Rb is op=2").is_err());
}

/// A constructor's body after expansion.
fn expanded(overrides: &str, body: &str) -> Result<String, String> {
    let mut overlay = Overlay::parse(overrides)?;
    let text = overlay.apply(&format!(":x is op=1 {{ {body} }}"))?;
    overlay.finish().map(|()| text)
}

#[test]
fn a_user_operation_is_given_its_meaning() {
    let whole = expanded("@operation copy (result, a) { result = a; }", "R1 = 1; m4 = copy(R2); R3 = 2;");
    assert_eq!(whole.unwrap(), ":x is op=1 { R1 = 1; local a_0 = R2; m4 = a_0; R3 = 2; }");
    let sizes = "@size 2 V1 V2;\n";
    let lanes = "@operation add_* (result, a, b) each 8 { result[$,8] = a[$,8] + b[0,8]; }";
    let text = expanded(&format!("{sizes}{lanes}"), "V1 = add_two(V1, R3);").unwrap();
    let expected =
        "local a_0:2 = V1; local b_0 = R3; V1[0,8] = a_0[0,8] + b_0[0,8]; V1[8,8] = a_0[8,8] + b_0[0,8];";
    assert!(text.contains(expected), "{text}");
    let text = expanded(&format!("{sizes}{lanes}"), "local t:2 = add_two(V2, R3);").unwrap();
    assert!(text.contains("V1[8,8] = a_0[8,8] + b_0[0,8]; local t:2 = V1;"), "{text}");
    let mask = "@operation top (result:1, a) each 8 { result = result | (a[$,8] >> 7) << %; }";
    let text = expanded(&format!("{sizes}{mask}"), "local t = top(V2);").unwrap();
    assert!(
        text.contains("local t:1 = 0; t = t | (a_0[0,8] >> 7) << 0; t = t | (a_0[8,8] >> 7) << 1;"),
        "{text}"
    );
}

#[test]
fn a_meaning_that_cannot_be_given_is_refused() {
    let lanes = "@operation add (result, a) each 8 { result[$,8] = a; }";
    assert!(expanded(lanes, "V1 = add(R2);").unwrap_err().contains("what size"), "the size is not known");
    assert!(expanded(lanes, "R1 = R2;").unwrap_err().contains("does not call"));
    let one = "@operation add (result, a) { }";
    assert!(expanded(one, "R1 = add(R1, R2);").unwrap_err().contains("does not call"));
    assert!(expanded(one, "R1 = add(R1) + 1;").unwrap_err().contains("larger"));
    let elsewhere = "@operation R2 = add (result, a) { }";
    assert!(expanded(elsewhere, "R1 = add(R1);").unwrap_err().contains("does not call"));
    assert!(expanded("@operation add (result, a) every 8 { }", "").is_err());
}

#[test]
fn a_header_and_a_definition_can_be_replaced() {
    let overrides = "@replace\ndefine register offset=0 size=1 [C H];\ndefine ram offset=4 size=1 [ C H ];\n\
                     @replace\n:subs Ra,Rb is op=3 {}\n:subs Ra,Rb is op=4 { Ra = 0; }";
    let text = corrected(overrides).unwrap();
    assert!(
        text.contains("define ram offset=4 size=1 [ C H ];") && !text.contains("define register"),
        "{text}"
    );
    assert!(text.contains(":subs Ra,Rb is op=4 { Ra = 0; }") && !text.contains("op=3"), "{text}");
    assert!(corrected("@replace\ndefine register offset=9;\ndefine register offset=8;").is_err());
    assert!(corrected("@replace\n:subs Ra,Rb is op=3 {}").is_err());
}
