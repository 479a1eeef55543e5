//! A specification that reads an operand without a value: the instruction is rejected only if it reads it.

use everypath_sleigh::{BadInstruction, DecodingContext, Specification};
use std::path::Path;

#[test]
fn an_operand_without_a_value_cannot_be_read() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/specifications/hollow.slaspec");
    let folder = tempfile::tempdir().expect("a folder for the compiled specification");
    let compiled = folder.path().join("compiled.sla");
    sleigh_compiler::SleighCompiler::default().compile(source, &compiled).expect("it compiles");
    let file = std::fs::read(compiled).expect("it was written");
    let specification = Specification::from_sla(&file).expect("it can be read");
    let mut decoder = specification.decoder();
    let mut decode = |byte| {
        let decoded = decoder.decode(&[byte], 0x100, DecodingContext::default());
        decoded.map(|instruction| {
            let operations: Vec<String> = instruction
                .operations()
                .map(|operation| operation.display(&specification).to_string())
                .collect();
            (instruction.text(), operations.join("; "))
        })
    };
    assert_eq!(decode(0x15), Err(BadInstruction::Inconsistent));
    assert_eq!(decode(0x25), Ok(("reads #0x5".into(), "r0 = CALLOTHER 0x0:4 r0 0x5:1".into())));
    assert_eq!(decode(0x35), Ok(("shows #0x5".into(), "r0 = COPY 0x3:1".into())));
}
