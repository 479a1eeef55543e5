//! Rarely used features of SLEIGH, on a small made-up processor whose expectations are derived by hand.

use everypath_sleigh::{BadInstruction, DecodingContext, Specification};
use std::path::Path;
use std::sync::LazyLock;

static WEAVE: LazyLock<Specification> =
    LazyLock::new(|| Specification::from_sla(&compile("weave")).expect("it can be read"));

fn compile(name: &str) -> Vec<u8> {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/specifications/{name}.slaspec"));
    let folder = tempfile::tempdir().expect("a folder for the compiled specification");
    let compiled = folder.path().join("compiled.sla");
    sleigh_compiler::SleighCompiler::default().compile(source, &compiled).expect("it compiles");
    std::fs::read(compiled).expect("it was written")
}

fn mode() -> DecodingContext {
    WEAVE.context_field("mode").expect("the field").set(DecodingContext::default(), 1)
}

/// Text, lengths without and with delay slots, and p-code of an instruction at 0x100.
fn decode_in(
    bytes: &[u8],
    context: DecodingContext,
) -> Result<(String, u32, u32, Vec<String>), BadInstruction> {
    let mut decoder = WEAVE.decoder();
    let instruction = decoder.decode(bytes, 0x100, context)?;
    let operations =
        instruction.operations().map(|operation| operation.display(&WEAVE).to_string()).collect();
    Ok((instruction.text(), instruction.length(), instruction.full_length(), operations))
}

fn decode(bytes: &[u8]) -> Result<(String, u32, u32, Vec<String>), BadInstruction> {
    decode_in(bytes, DecodingContext::default())
}

fn pcode(bytes: &[u8]) -> Vec<String> {
    decode(bytes).expect("an instruction").3
}

#[test]
fn a_plain_instruction() {
    assert_eq!(decode(&[0x14]), Ok(("mov r0,r1".into(), 1, 1, vec!["r0 = COPY r1".into()])));
    assert_eq!(decode(&[0x00]), Ok(("nop".into(), 1, 1, vec![])));
}

#[test]
fn a_delay_slot_is_woven_in_before_the_branch() {
    // The target is relative to the end of the branch itself, not of its delay slot.
    let expected = vec!["r0 = COPY r1".to_owned(), "BRANCH ram[0x112]:2".to_owned()];
    assert_eq!(decode(&[0x20, 0x10, 0x14]), Ok(("bd 0x112".into(), 2, 3, expected)));
    let mut decoder = WEAVE.decoder();
    let instruction =
        decoder.decode(&[0x20, 0x10, 0x14], 0x100, DecodingContext::default()).expect("an instruction");
    assert_eq!(instruction.delay_slots().collect::<Vec<_>>(), [(0x102, 1)]);
}

#[test]
fn a_delay_slot_that_is_no_instruction_or_not_there_or_has_one_itself() {
    assert_eq!(decode(&[0x20, 0x10, 0xf0]), Err(BadInstruction::Companion));
    assert_eq!(decode(&[0x20, 0x10]), Err(BadInstruction::Truncated));
    assert_eq!(decode(&[0x20, 0x10, 0x20, 0x10, 0x14]), Err(BadInstruction::Companion));
}

#[test]
fn context_is_committed_to_the_next_instruction_and_to_a_target() {
    let mut decoder = WEAVE.decoder();
    let instruction = decoder.decode(&[0x30], 0x100, DecodingContext::default()).expect("an instruction");
    let commits = instruction.commits().to_vec();
    assert_eq!(commits.len(), 1);
    assert_eq!((commits[0].address, commits[0].flows), (0x101, true));
    let next =
        WEAVE.successor_context(DecodingContext::default(), DecodingContext::default(), &commits, 0x101);
    assert_eq!(next, mode());
    assert_eq!(
        WEAVE.successor_context(DecodingContext::default(), DecodingContext::default(), &commits, 0x102),
        DecodingContext::default()
    );

    let instruction =
        decoder.decode(&[0x32, 0x10], 0x100, DecodingContext::default()).expect("an instruction");
    assert_eq!(instruction.commits().iter().map(|commit| commit.address).collect::<Vec<_>>(), [0x112]);
}

#[test]
fn context_that_does_not_flow_holds_for_one_instruction() {
    let mut decoder = WEAVE.decoder();
    let instruction = decoder.decode(&[0x31], 0x100, DecodingContext::default()).expect("an instruction");
    let commits = instruction.commits().to_vec();
    assert!(!commits[0].flows);
    let once =
        WEAVE.successor_context(DecodingContext::default(), DecodingContext::default(), &commits, 0x101);
    assert_eq!(decode_in(&[0x40], once).expect("an instruction").0, "what.once");
    // The flowing field persists, the other reverts to its default.
    let both = once.with(mode().0, mode().0);
    assert_eq!(WEAVE.successor_context(both, DecodingContext::default(), &[], 0x102), mode());
    assert_eq!(WEAVE.successor_context(DecodingContext::default(), once, &[], 0x102), once);
}

#[test]
fn the_context_decides_what_bytes_mean() {
    assert_eq!(decode(&[0x40]).expect("an instruction").0, "what");
    assert_eq!(decode_in(&[0x40], mode()).expect("an instruction").0, "what.mode");
}

#[test]
fn the_instruction_after_the_next_is_found_by_decoding_the_next() {
    let skip = pcode(&[0x50, 0x20, 0x10, 0x14]);
    assert_eq!(skip.len(), 2, "{skip:?}");
    // The next instruction is the two bytes of a branch; its delay slot does not count.
    assert!(skip[1].starts_with("CBRANCH ram[0x103]:2 "), "{skip:?}");
    assert_eq!(decode(&[0x50, 0xf0]), Err(BadInstruction::Companion));
    assert_eq!(decode(&[0x50]), Err(BadInstruction::Truncated));
}

#[test]
fn an_operand_behind_a_pointer_is_loaded_stored_and_cut() {
    let store = pcode(&[0x74]);
    assert_eq!(store.len(), 2, "{store:?}");
    assert!(store[0].ends_with(" = COPY r0") && store[1].starts_with("STORE ram r1 "), "{store:?}");
    // The second byte of the cell: one is added to the pointer before the load.
    let load = pcode(&[0x64]);
    assert_eq!(load.len(), 3, "{load:?}");
    assert!(load[0].ends_with(" = INT_ADD r1 0x1:2"), "{load:?}");
    assert!(load[1].contains(":1 = LOAD ram unique["), "{load:?}");
    assert!(load[2].starts_with("r0 = INT_ZEXT unique["), "{load:?}");
}

#[test]
fn a_cross_build_weaves_a_named_section_in() {
    let expected = ["r0 = COPY 0x1:2", "r2 = COPY 0x7:2", "r0 = COPY 0x3:2"];
    assert_eq!(pcode(&[0x80, 0x90]), expected);
    // An instruction without that section contributes nothing.
    assert_eq!(pcode(&[0x80, 0x14]), ["r0 = COPY 0x1:2", "r0 = COPY 0x3:2"]);
    assert_eq!(pcode(&[0x90]), ["r1 = COPY 0x5:2"]);
}

#[test]
fn an_instruction_without_meaning_has_a_length() {
    assert_eq!(decode(&[0xa0]), Err(BadInstruction::Unimplemented { length: 1 }));
    let mut decoder = WEAVE.decoder();
    let instruction = decoder.disassemble(&[0xa0], 0x100, DecodingContext::default()).expect("it has a text");
    assert_eq!((instruction.text(), instruction.length()), ("never".to_owned(), 1));
}

#[test]
fn a_label_becomes_a_distance() {
    let loop_ = pcode(&[0xb0]);
    assert_eq!(loop_[0], "r0 = INT_SUB r0 0x1:2");
    // Two operations back, from operation 2 to operation 0.
    assert!(loop_[2].starts_with("CBRANCH 0xfffffffe:4 "), "{loop_:?}");
    assert_eq!(loop_[3], "CALLOTHER 0x0:4 r0");
    assert_eq!(WEAVE.user_operations(), ["tick"]);
}

#[test]
fn a_hole_in_a_list_matches_nothing() {
    assert_eq!(decode(&[0xc1]).expect("an instruction").0, "name one_");
    assert_eq!(decode(&[0xcf]).expect("an instruction").0, "name last");
    assert_eq!(decode(&[0xc3]), Err(BadInstruction::NoMatch));
    assert_eq!(pcode(&[0xd4]), ["r0 = COPY 0x10:2"]);
    assert_eq!(decode(&[0xd5]).expect("an instruction").0, "size -0x1");
    assert_eq!(decode(&[0xd6]), Err(BadInstruction::NoMatch));
    assert_eq!(decode(&[0x13]), Err(BadInstruction::NoMatch));
}

#[test]
fn bytes_may_end_anywhere() {
    assert_eq!(decode(&[]), Err(BadInstruction::Truncated));
    assert_eq!(decode(&[0x32]), Err(BadInstruction::Truncated));
    assert_eq!(decode(&[0xf0]), Err(BadInstruction::NoMatch));
}

#[test]
fn addresses_wrap_at_the_end_of_the_space() {
    let mut decoder = WEAVE.decoder();
    let instruction =
        decoder.decode(&[0x32, 0x10], 0xfffe, DecodingContext::default()).expect("an instruction");
    assert_eq!(instruction.text(), "far 0x10");
}

#[test]
fn code_addresses_may_count_words() {
    let specification = Specification::from_sla(&compile("words")).expect("it can be read");
    let mut decoder = specification.decoder();
    // From byte 0x104 two words back from the next instruction: byte 0x102, word 0x81.
    let jump = decoder.decode(&[0xfe, 0x01], 0x104, DecodingContext::default()).expect("an instruction");
    assert_eq!(jump.text(), "jump 0x81");
    let operations: Vec<_> =
        jump.operations().map(|operation| operation.display(&specification).to_string()).collect();
    assert_eq!(operations, ["BRANCH code[0x102]:2"]);
    assert_eq!(
        decoder.decode(&[0xfe, 0x01], 0x105, DecodingContext::default()).err(),
        Some(BadInstruction::Unaligned)
    );
}

#[test]
fn a_specification_is_shared_between_threads() {
    fn shared<T: Send + Sync>(_: &T) {}
    shared(&*WEAVE);
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| assert_eq!(pcode(&[0x14]), ["r0 = COPY r1"]));
        }
    });
}

#[test]
fn damaged_files_are_refused_or_still_decode() {
    let file = compile("weave");
    for (cut, what) in [(0, "too short"), (4, "damaged"), (file.len() / 2, "damaged")] {
        let error = Specification::from_sla(&file[..cut]).expect_err("a cut file").to_string();
        assert!(error.contains(what), "{cut}: {error}");
    }
    let mut other = file.clone();
    other[3] = 9;
    let error = Specification::from_sla(&other).expect_err("another version").to_string();
    assert!(error.contains("version 9"), "{error}");

    let mut read = 0;
    for_each_bit_flip(&file, |specification| {
        read += 1;
        let mut decoder = specification.decoder();
        for first in 0..=255 {
            let _ = decoder.decode(&[first, 0x10, 0x14, 0x00], 0x100, mode()).map(|found| found.text());
        }
    });
    assert!(
        read > 100,
        "most damage changes a number and leaves a file that can be read, but only {read} could"
    );
}

#[test]
fn a_malformed_template_is_found_by_a_check_or_at_its_first_use() {
    let count = |specification: &Specification| {
        let mut decoder = specification.decoder();
        let mut error = |first| decoder.decode(&[first, 0x10, 0x14, 0x00], 0x100, mode()).err();
        (0..=255).filter(|first| error(*first) == Some(BadInstruction::Inconsistent)).count()
    };
    let usual = count(&WEAVE);
    assert_eq!(WEAVE.check_templates(), Ok(()));
    let (mut malformed, mut used) = (0, 0);
    for_each_bit_flip(&compile("weave"), |specification| {
        let inconsistent = count(specification);
        let Err(error) = specification.check_templates() else { return };
        malformed += 1;
        used += usize::from(inconsistent > usual);
        assert_eq!(specification.check_templates(), Err(error), "the error stays the same");
        assert_eq!(count(specification), inconsistent, "and so do the results");
    });
    assert!(malformed > 100 && 2 * used > malformed, "{malformed} malformed, {used} used");
}

/// Visits the specifications that single wrong bits of a file leave readable.
fn for_each_bit_flip(file: &[u8], mut visit: impl FnMut(&Specification)) {
    let whole = Specification::unpack_sla(file).expect("it unpacks");
    for position in 0..whole.len() {
        for bit in [0x01, 0x40, 0x80] {
            let mut damaged = whole.clone();
            damaged[position] ^= bit;
            if let Ok(specification) = Specification::from_unpacked(&damaged) {
                visit(&specification);
            }
        }
    }
}
