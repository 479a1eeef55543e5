//! The reference decoder answers as Ghidra's listings do, in sweeps and for records.

use everypath_testkit::reference::{
    Reference, ReferenceAnswer, ReferenceOutcome, ReferenceSetup, ReferenceSweep, Words,
};

fn sla(name: &str) -> &'static [u8] {
    let entry = sleigh_config::SLA_DATA.iter().find(|(path, _)| path.ends_with(&format!("::{name}")));
    entry.unwrap_or_else(|| panic!("{name} is not built in")).1
}

fn pspec(name: &str) -> &'static str {
    let entry = sleigh_config::PSPEC_DATA.iter().find(|(path, _)| path.ends_with(&format!("::{name}")));
    entry.unwrap_or_else(|| panic!("{name} is not built in")).1
}

fn setup(specification: &str, processor: &str) -> ReferenceSetup {
    ReferenceSetup { with_text: true, ..ReferenceSetup::new(sla(specification), pspec(processor)) }
}

fn reference(setup: &ReferenceSetup) -> Reference {
    Reference::new(env!("CARGO_BIN_EXE_sleigh-reference"), setup).unwrap()
}

fn sweep(setup: &ReferenceSetup, bytes: &[u8], base: u64, step: u64) -> Vec<ReferenceAnswer> {
    let mut answers = Vec::new();
    reference(setup).sweep(bytes, ReferenceSweep { base, step }, &mut |answer| answers.push(answer)).unwrap();
    answers
}

fn words(setup: &ReferenceSetup, records: &[u8], words: Words) -> Vec<ReferenceAnswer> {
    let mut answers = Vec::new();
    reference(setup).words(records, words, &mut |answer| answers.push(answer)).unwrap();
    answers
}

fn text(answer: &ReferenceAnswer) -> String {
    match &answer.outcome {
        ReferenceOutcome::Decoded { length, text, .. } => {
            format!("{:x} {length} {}", answer.address, text.as_deref().unwrap_or("-"))
        }
        ReferenceOutcome::Bad { reason } => {
            format!("{:x} bad {}", answer.address, reason.split(' ').next().unwrap_or_default())
        }
        ReferenceOutcome::Crashed => format!("{:x} crashed", answer.address),
    }
}

fn texts(answers: &[ReferenceAnswer]) -> Vec<String> {
    answers.iter().map(text).collect()
}

#[test]
fn a_sweep_gives_lengths_pcode_and_text() {
    // PUSH RBP; RET; an invalid byte in 64-bit mode; SYSCALL; the first half of UD2.
    let bytes = [0x55, 0xc3, 0x06, 0x0f, 0x05, 0x0f];
    let answers = sweep(&setup("SLA_X86_64", "PSPEC_X86_64"), &bytes, 0x1000, 1);
    let expected =
        ["1000 1 PUSH RBP", "1001 1 RET", "1002 bad undecodable", "1003 2 SYSCALL", "1005 bad truncated"];
    assert_eq!(texts(&answers), expected);
    let ReferenceOutcome::Decoded { pcode, .. } = &answers[1].outcome else { panic!("{answers:?}") };
    let ret = "register:288:8=LOAD ram register:20:8;register:20:8=INT_ADD register:20:8 const:8:8;\
               RETURN register:288:8";
    assert_eq!(pcode, ret);
    let ReferenceOutcome::Decoded { pcode, .. } = &answers[3].outcome else { panic!("{answers:?}") };
    assert!(pcode.starts_with("CALLOTHER ") && !pcode.contains(':'), "{pcode}");
}

#[test]
fn records_are_followed_by_zeros_and_do_not_see_each_other() {
    // JMP with a 4-byte displacement of which 2 are there; the same address holds other bytes in each
    // round of slots.
    let records = [0xe9, 0x10, 0x00, 0xb8, 0x01, 0x00, 0x55, 0xc3, 0xc3];
    let slots = Words { size: 3, base: 0x2000, stride: 32, slots: 2 };
    let answers = words(&setup("SLA_X86_64", "PSPEC_X86_64"), &records, slots);
    assert_eq!(texts(&answers), ["2000 5 JMP 0x2015", "2020 5 MOV EAX,0x1", "2000 1 PUSH RBP"]);
    assert_eq!(answers.iter().map(|answer| answer.fresh).collect::<Vec<_>>(), [true, false, true]);
}

/// `blx` from ARM code to Thumb code 8 bytes on, then the ARM instruction `mov r0,r1`, which Ghidra lists as `cpy`.
const BLX: [u8; 4] = [0x00, 0x00, 0x00, 0xfa];
const MOV: [u8; 4] = [0x01, 0x00, 0xa0, 0xe1];

#[test]
fn a_sweep_carries_context_forward() {
    let setup = setup("SLA_ARM8_LE", "PSPEC_ARMT").context("TMode", 0);
    let bytes = [BLX, MOV, MOV].concat();
    let answers = sweep(&setup, &bytes, 0x1000, 2);
    assert_eq!(texts(&answers)[..2], ["1000 4 blx 0x1008", "1004 4 cpy r0,r1"]);
    // The target is Thumb code: the same four bytes are two instructions there.
    assert!(matches!(answers[2].outcome, ReferenceOutcome::Decoded { length: 2, .. }), "{answers:?}");
}

#[test]
fn an_anchor_ends_what_an_instruction_commits() {
    let setup = ReferenceSetup { anchor: 8, ..setup("SLA_ARM8_LE", "PSPEC_ARMT").context("TMode", 0) };
    let bytes = [BLX, MOV, MOV, MOV, MOV].concat();
    // The target of the branch is Thumb code up to there; it is an anchor itself, but the branch comes later.
    let answers = sweep(&setup, &bytes, 0x1000, 2);
    assert!(matches!(answers[2].outcome, ReferenceOutcome::Decoded { length: 2, .. }), "{answers:?}");
    assert_eq!(texts(&answers)[6..], ["1010 4 cpy r0,r1"]);
}

#[test]
fn a_measurement_counts_the_same_instructions() {
    let setup = setup("SLA_X86_64", "PSPEC_X86_64");
    let bytes = [0x55, 0xc3, 0x06, 0x0f, 0x05, 0x0f];
    let timing = reference(&setup).time(&bytes, ReferenceSweep { base: 0x1000, step: 1 }).unwrap();
    assert_eq!(timing.instructions, 3);
    assert!(!timing.time.is_zero());
}

#[test]
fn context_that_a_record_commits_stops_at_the_next_record() {
    let setup = setup("SLA_ARM8_LE", "PSPEC_ARMT");
    let records = [BLX, MOV].concat();
    let arm = ["1000 4 blx 0x1008", "1040 4 cpy r0,r1"];
    let named = setup.clone().context("TMode", 0);
    assert_eq!(texts(&words(&named, &records, Words::new(4))), arm);
    // Without the variable in the setup it would be Thumb code from the branch's target on.
    let unnamed = words(&setup, &records, Words::new(4));
    assert!(matches!(unnamed[1].outcome, ReferenceOutcome::Decoded { length: 2, .. }), "{unnamed:?}");
}

#[test]
fn the_smallest_processor_specification_is_enough() {
    let thumb = ReferenceSetup { pspec: None, ..setup("SLA_ARM8_LE", "PSPEC_ARMT").context("TMode", 1) };
    assert_eq!(texts(&sweep(&thumb, &[0x70, 0x47], 0, 2)), ["0 2 bx lr"]);
}

#[test]
fn faults_of_the_setup_are_reported() {
    let good = setup("SLA_X86_64", "PSPEC_X86_64");
    let cases = [
        (ReferenceSetup { sla: b"not a specification".to_vec(), ..good.clone() }, ""),
        (ReferenceSetup { pspec: Some("<x/>".to_owned()), ..good.clone() }, "processor_spec"),
        (
            ReferenceSetup { code_space: "rom".to_owned(), ..good.clone() },
            "the code space is not `rom` but `ram`",
        ),
        (good.context("noSuchVariable", 1), "noSuchVariable"),
    ];
    for (setup, message) in cases {
        let result = reference(&setup).sweep(&[0x90], ReferenceSweep { base: 0, step: 1 }, &mut |_| {});
        let error = result.expect_err(message).to_string();
        assert!(error.starts_with("the reference cannot be set up") && error.contains(message), "{error}");
    }
}

#[test]
fn random_records_are_all_answered_although_the_reference_dies_on_some() {
    // A fixed sequence (xorshift) is as good as any: the reference does not survive long on either of these.
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    let mut records = Vec::new();
    for _ in 0..20_000 {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        records.extend_from_slice(&(state as u32).to_le_bytes());
    }
    for setup in
        [setup("SLA_ARM8_LE", "PSPEC_ARMCORTEX").context("TMode", 0), setup("SLA_PPC_32_BE", "PSPEC_PPC_32")]
    {
        let layout = Words { slots: 4096, ..Words::new(4) };
        let answers = words(&setup, &records, layout);
        assert_eq!(answers.len(), 20_000);
        assert!((0..).zip(&answers).all(|(index, answer)| answer.address == layout.address(index)));
        let decoded = answers
            .iter()
            .filter(|answer| matches!(answer.outcome, ReferenceOutcome::Decoded { .. }))
            .count();
        assert!(decoded > 10_000, "only {decoded} of 20000 were decoded");
    }
}
