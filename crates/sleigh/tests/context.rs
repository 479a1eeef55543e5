//! Context fields by name are read from the positions that the compiled specification uses.

use everypath_sleigh::{BadInstruction, DecodingContext, Specification};
use std::path::Path;
use std::sync::LazyLock;

static GAPS: LazyLock<Specification> = LazyLock::new(|| {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/specifications/gaps.slaspec");
    let folder = tempfile::tempdir().expect("a folder for the compiled specification");
    let compiled = folder.path().join("compiled.sla");
    sleigh_compiler::SleighCompiler::default().compile(source, &compiled).expect("it compiles");
    Specification::from_sla(&std::fs::read(compiled).expect("it was written")).expect("it can be read")
});

fn text(byte: u8, fields: &[(&str, u128)]) -> Result<String, BadInstruction> {
    let mut context = GAPS.default_context();
    for (name, value) in fields {
        GAPS.set_context_field(&mut context, name, *value).expect("the field is there and wide enough");
    }
    GAPS.decoder().decode(&[byte], 0x100, context).map(|instruction| instruction.text())
}

#[test]
fn a_field_set_by_name_is_the_one_that_patterns_look_at() {
    assert_eq!(text(1, &[]).as_deref(), Ok("mode0"));
    assert_eq!(text(1, &[("mode", 3)]).as_deref(), Ok("mode3"));
    assert_eq!(text(1, &[("mode", 1)]), Err(BadInstruction::NoMatch));
    assert_eq!(text(2, &[("once", 2), ("mode", 1), ("wide", 0xff)]).as_deref(), Ok("once"));
    assert_eq!(text(3, &[("wide", 0xa5)]).as_deref(), Ok("wide"));
}

#[test]
fn what_is_committed_is_found_by_name() {
    let mut decoder = GAPS.decoder();
    let instruction = decoder.decode(&[0x42], 0x100, DecodingContext::default()).expect("an instruction");
    let next = GAPS.successor_context(
        DecodingContext::default(),
        DecodingContext::default(),
        instruction.commits(),
        0x101,
    );
    let value = |name, context| GAPS.context_field(name).expect("the field").get(context);
    assert_eq!((value("mode", next), value("once", next)), (2, 2));
    // Only flowing fields persist.
    let after = GAPS.successor_context(next, DecodingContext::default(), &[], 0x102);
    assert_eq!((value("mode", after), value("once", after)), (2, 0));
}
