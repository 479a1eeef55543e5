//! Justifications: which direction an entry applies to, and when it lapses.

use everypath::{
    Binary, Configuration, ExecutionTrace, JustificationStanding, LapseCause, Outcome, RecordedExecution,
};

/// `movx a,@dptr` at 0; `jz 7` at 1; `dec a` at 3; `jz 8` at 4; `nop` at 6; `nop` at 7; `sjmp 8` at 8.
const PROGRAM: &[u8] = b"\xe0\x60\x04\x14\x60\x02\x00\x00\x80\xfe";

/// The outcome of crediting one trace, which takes `0x1 -> 0x3` and `0x4 -> 0x6`; the two others are open.
fn outcome(program: &[u8], configuration: &str) -> Outcome {
    let configuration = Configuration::parse(configuration).expect("a configuration");
    let options = Binary::options().architecture("8051").raw(0).configuration(configuration);
    let binary = options.read(program).expect("a program");
    let execution = RecordedExecution::InOrder(vec![vec![0, 1, 3, 4, 6, 7, 8]]);
    let trace = ExecutionTrace { name: "bench".to_owned(), hash: String::new(), execution };
    binary.cover(&[trace]).expect("a result")
}

/// The digest of the only function.
fn digest() -> String {
    let outcome = outcome(PROGRAM, "");
    let digests = &outcome.summary().function_digests;
    assert_eq!((digests.len(), digests[0].function.as_str()), (1, "sub_0"), "{digests:?}");
    digests[0].code.clone()
}

fn entry(function: &str, offset: u64, target: &str, code: &str) -> String {
    format!(
        "[[justification]]\nfunction = \"{function}\"\noffset = {offset}\ntarget = {target}\ncode = \"{code}\"\n\
         reason = \"\"\"the hardware\nnever does\"\"\"\nby = \"A. Reviewer\"\n"
    )
}

/// The cause for which the first entry lapsed, and its detail.
fn lapse(outcome: &Outcome) -> (LapseCause, String) {
    match &outcome.summary().justifications[0].standing {
        JustificationStanding::Lapsed { cause, detail } => (*cause, detail.clone()),
        JustificationStanding::Valid { direction } => panic!("it applies to {direction}"),
    }
}

#[test]
fn a_target_is_an_offset_an_address_or_a_place_in_a_function() {
    let code = digest();
    for target in ["\"+0x7\"", "7", "\"0x7\"", "\"sub_0+0x7\"", "\" +7 \""] {
        let outcome = outcome(PROGRAM, &entry("sub_0", 1, target, &code));
        let summary = outcome.summary();
        let justified: Vec<String> = summary.justified().keys().map(ToString::to_string).collect();
        assert_eq!(justified, ["0x1 -> 0x7"], "{target}: {:?}", summary.justifications);
        assert_eq!(summary.justifications[0].reason, "the hardware never does");
        // It is as open as before.
        assert_eq!(summary.tally(), (2, 0, 2));
        assert!(!summary.complete && !summary.criterion_reached && !summary.is_justified());
    }
}

#[test]
fn a_drafted_entry_applies_once_it_has_a_reason() {
    let open = outcome(PROGRAM, "");
    let is_open = |judged: &&everypath::Judged| judged.verdict.is_undecided();
    let drafts = open.verdicts().iter().filter(is_open).map(|judged| {
        let draft = open.summary().draft_justification(judged).expect("a draft");
        draft.to_string().replace("reason = \"\"", "reason = \"never\"")
    });
    let all: Vec<String> = drafts.collect();
    let justified = outcome(PROGRAM, &all.join("\n"));
    assert!(justified.summary().is_justified(), "{:?}", justified.summary().justifications);
    assert_eq!(justified.summary().exit_code(), everypath::ExitCode::Good);
    assert_eq!(open.summary().exit_code(), everypath::ExitCode::Open);
    // Nobody is named in a draft that was not completed.
    assert_eq!(justified.summary().justifications[0].by, None);
    // No draft of what is covered.
    let covered = open.verdicts().iter().find(|judged| !is_open(judged)).expect("a covered direction");
    assert_eq!(open.summary().draft_justification(covered), None);
}

#[test]
fn an_entry_lapses_with_the_code_and_with_the_verdict() {
    let code = digest();
    let lapse_of = |function: &str, offset: u64, target: &str, code: &str| {
        lapse(&outcome(PROGRAM, &entry(function, offset, target, code)))
    };
    let (cause, detail) = lapse_of("old_name", 1, "\"+7\"", &code);
    assert!(cause == LapseCause::FunctionGone && detail.contains("`sub_0` has the same code"), "{detail}");
    let (cause, detail) = lapse_of("old_name", 1, "\"+7\"", "0123456789abcdef");
    assert!(cause == LapseCause::FunctionGone && detail.ends_with("`old_name`"), "{detail}");
    let (cause, detail) = lapse_of("sub_0", 1, "\"+7\"", "0123456789abcdef");
    assert!(cause == LapseCause::CodeChanged && detail.contains(&code), "{detail}");
    let (cause, detail) = lapse_of("sub_0", 3, "\"+4\"", &code);
    assert!(cause == LapseCause::NoSuchDirection && detail.contains("sub_0+0x3"), "{detail}");
    let (cause, detail) = lapse_of("sub_0", 1, "\"+8\"", &code);
    assert!(cause == LapseCause::NoSuchDirection && detail.contains("\"+0x3\", \"+0x7\""), "{detail}");
    let (cause, detail) = lapse_of("sub_0", 1, "\"+3\"", &code);
    assert!(cause == LapseCause::Covered && detail.contains("trace bench"), "{detail}");
    // A constant behind the last instruction belongs to the code.
    let (cause, _) = lapse(&outcome(&[PROGRAM, b"\x01"].concat(), &entry("sub_0", 1, "7", &code)));
    assert_eq!(cause, LapseCause::CodeChanged);
}

#[test]
fn what_is_proved_needs_no_justification() {
    // `clr a` in place of the read: the second branch is never taken to 6.
    let constant = [b"\xe4", &PROGRAM[1..]].concat();
    let judged = |configuration: &str| {
        let configuration = Configuration::parse(configuration).expect("a configuration");
        let options = Binary::options().architecture("8051").raw(0).configuration(configuration);
        options.read(constant.clone()).expect("a program").explore().run().expect("a result")
    };
    let changed = lapse(&judged(&entry("sub_0", 1, "3", "0123456789abcdef"))).1;
    let digest = changed.split(' ').find(|word| word.len() == 16).expect("the digest of today");
    let (cause, detail) = lapse(&judged(&entry("sub_0", 1, "3", digest)));
    assert!(cause == LapseCause::Infeasible && detail.contains("there is a proof"), "{detail}");
}

#[test]
fn the_second_entry_for_a_direction_counts_for_nothing() {
    let code = digest();
    let both = entry("sub_0", 1, "7", &code) + &entry("sub_0", 1, "\"+7\"", &code);
    let outcome = outcome(PROGRAM, &both);
    let [first, second] = outcome.summary().justifications.as_slice() else { panic!("two entries") };
    assert!(first.direction().is_some());
    let duplicate = |standing: &JustificationStanding| {
        matches!(standing, JustificationStanding::Lapsed { cause: LapseCause::Duplicate, .. })
    };
    assert!(duplicate(&second.standing), "{second:?}");
    assert_eq!(outcome.summary().justified().len(), 1);
}

#[test]
fn a_configuration_has_the_hash_that_it_has_without_justifications() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("everypath.toml");
    let hash = |text: &str| {
        std::fs::write(&file, text).expect("a file");
        let options = Binary::options().architecture("8051").raw(0);
        let options = options.configuration_file(&file).expect("a configuration");
        options.read(PROGRAM).expect("a program").configuration_hash().to_owned()
    };
    let plain = "seed = 1\n";
    assert_eq!(hash(plain), "46545c629053298cb8b068758bd6cb0ba83f1533f50a054de71575535afea66b");
    let justified = format!("{plain}\n# reviewed\n{}", entry("sub_0", 1, "7", "0123456789abcdef"));
    assert_eq!(hash(&justified), hash(plain));
    assert_ne!(hash("seed = 2\n"), hash(plain));
}
