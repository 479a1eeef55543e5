//! Random bytes and contexts over whole specifications: a value or a reason, never a panic, and the same answer twice.
#![no_main]

use everypath_sleigh::{DecodingContext, Specification};
use libfuzzer_sys::fuzz_target;
use std::sync::LazyLock;

static SPECIFICATIONS: LazyLock<Vec<Specification>> = LazyLock::new(|| {
    use sleigh_config::{processor_arm, processor_mips, processor_x86};
    [processor_x86::SLA_X86_64, processor_arm::SLA_ARM8_LE, processor_mips::SLA_MIPS32BE]
        .into_iter()
        .map(|sla| Specification::from_sla(sla).expect("a whole specification"))
        .collect()
});

fuzz_target!(|data: &[u8]| {
    let Some((&choice, rest)) = data.split_first() else { return };
    let Some((context, bytes)) = rest.split_first_chunk::<16>() else { return };
    let specification = &SPECIFICATIONS[usize::from(choice) % SPECIFICATIONS.len()];
    let context = DecodingContext(u128::from_be_bytes(*context));
    let mut decoder = specification.decoder();
    let first = decoder.decode(bytes, 0x1000, context).map(|instruction| {
        assert!(instruction.full_length() as usize <= bytes.len());
        let operations: Vec<_> =
            instruction.operations().map(|operation| operation.display(specification).to_string()).collect();
        (instruction.full_length(), instruction.text(), operations)
    });
    // A decoder that has decoded something else before gives the same answer.
    let _ = decoder.decode(&bytes[bytes.len() / 2..], 0x2000, DecodingContext(!context.0));
    let second = decoder.decode(bytes, 0x1000, context).map(|instruction| {
        let operations: Vec<_> =
            instruction.operations().map(|operation| operation.display(specification).to_string()).collect();
        (instruction.full_length(), instruction.text(), operations)
    });
    assert_eq!(first, second);
});
