//! Damaged specifications: whatever is read must decode any bytes without a panic.
#![no_main]

use everypath_sleigh::{DecodingContext, Specification};
use libfuzzer_sys::fuzz_target;

/// Bytes that lead to many constructors of any specification.
const PROBES: [[u8; 8]; 4] =
    [[0; 8], [0xff; 8], [0x12, 0x34, 0x56, 0x78, 0x9a, 0xbc, 0xde, 0xf0], [0x80, 0x01, 0x7f, 0xfe, 0x20, 0xdf, 0x08, 0x40]];

fuzz_target!(|data: &[u8]| {
    // The header and the packing are not what is damaged here: fuzzing would stop at the checksum.
    let Ok(specification) = Specification::from_unpacked(data) else { return };
    // Parses all templates; those that are malformed must still be harmless to the decoder.
    let _ = specification.check_templates();
    let mut decoder = specification.decoder();
    for probe in PROBES {
        for context in [DecodingContext(0), DecodingContext(u128::MAX), DecodingContext(0x5555 << 112)] {
            if let Ok(instruction) = decoder.decode(&probe, 0x1000, context) {
                let _ = instruction.text();
                assert_eq!(instruction.operations().count(), instruction.operations().len());
                for operation in instruction.operations() {
                    let _ = operation.display(&specification).to_string();
                }
            }
        }
    }
});
