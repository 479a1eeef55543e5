//! Traces of other tools as evidence of coverage.

use everypath::{Binary, ExecutionTrace, Outcome, RecordedExecution, Verdict};

/// `movx a,@dptr` at 0; `jz 7` at 1; `dec a` at 3; `jz 8` at 4; `nop` at 6; `nop` at 7; `sjmp 8` at 8.
const PROGRAM: &[u8] = b"\xe0\x60\x04\x14\x60\x02\x00\x00\x80\xfe";

fn binary() -> Binary {
    Binary::options().architecture("8051").raw(0).read(PROGRAM).expect("a program")
}

fn in_order(addresses: &[u64]) -> ExecutionTrace {
    let execution = RecordedExecution::InOrder(vec![addresses.to_vec()]);
    ExecutionTrace { name: "bench".to_owned(), hash: String::new(), execution }
}

fn unordered(blocks: &[(u64, u64)]) -> ExecutionTrace {
    let execution = RecordedExecution::Unordered(blocks.to_vec());
    ExecutionTrace { name: "probe".to_owned(), hash: String::new(), execution }
}

/// The directions with a verdict, as text.
fn with(outcome: &Outcome, wanted: fn(&Verdict) -> bool) -> Vec<String> {
    let judged = outcome.verdicts().iter().filter(|judged| wanted(&judged.verdict));
    judged.map(|judged| judged.direction.to_string()).collect()
}

fn covered(outcome: &Outcome) -> Vec<String> {
    with(outcome, |verdict| matches!(verdict, Verdict::Covered { .. }))
}

#[test]
fn instructions_and_blocks_in_order_show_the_directions_taken() {
    let instructions = binary().cover(&[in_order(&[0, 1, 3, 4, 6, 7, 8])]).expect("a result");
    let blocks = binary().cover(&[in_order(&[0, 3, 6, 8])]).expect("a result");
    assert_eq!(covered(&instructions), ["0x1 -> 0x3", "0x4 -> 0x6"]);
    assert_eq!(covered(&blocks), covered(&instructions));
    assert_eq!(with(&blocks, |verdict| matches!(verdict, Verdict::Open { .. })).len(), 2);
    assert!(blocks.tests().is_empty() && !blocks.summary().complete);
}

#[test]
fn blocks_without_an_order_show_only_what_must_have_been_taken() {
    // Nothing else leads to 3 and to 6. Whether 4 led to 8 is not known: 7 leads there, too.
    let all = binary().cover(&[unordered(&[(0, 3), (3, 3), (6, 2), (8, 2)])]).expect("a result");
    assert_eq!(covered(&all), ["0x1 -> 0x3", "0x4 -> 0x6"]);
    // Without the block at 3, the branch at 1 can only have gone to 7.
    let short = binary().cover(&[unordered(&[(0, 3), (7, 1), (8, 2)])]).expect("a result");
    assert_eq!(covered(&short), ["0x1 -> 0x7"]);
}

#[test]
fn tests_are_kept_for_what_traces_leave_open() {
    let mut outcome = binary().explore().volatile_in("EXTMEM", "port", 0, 1).run().expect("a result");
    assert_eq!(covered(&outcome).len(), 4, "{:?}", outcome.verdicts());
    outcome.credit(&[in_order(&[0, 1, 3, 4, 6, 7, 8])]).expect("a graph");
    let by_test: Vec<&str> = outcome
        .verdicts()
        .iter()
        .filter_map(|judged| match &judged.verdict {
            Verdict::Covered { test, .. } => Some(test.as_str()),
            _ => None,
        })
        .collect();
    assert_eq!(by_test.iter().filter(|test| **test == "trace bench").count(), 2);
    assert_eq!(by_test.len(), 4);
    // Each remaining test takes a direction that the trace does not.
    assert_eq!(outcome.tests().len(), 2);
    assert!(outcome.tests().iter().all(|test| by_test.contains(&test.name.as_str())));
}

#[test]
fn a_trace_that_takes_an_infeasible_direction_refutes_the_configuration() {
    // `clr a` in place of the read.
    let constant = [b"\xe4", &PROGRAM[1..]].concat();
    let binary = Binary::options().architecture("8051").raw(0).read(constant).expect("a program");
    let mut outcome = binary.explore().run().expect("a result");
    let infeasible = |verdict: &Verdict| matches!(verdict, Verdict::Infeasible { .. });
    assert!(!with(&outcome, infeasible).is_empty(), "{:?}", outcome.verdicts());
    outcome.credit(&[in_order(&[0, 1, 3, 4, 6])]).expect("a graph");
    assert!(with(&outcome, infeasible).is_empty(), "{:?}", outcome.verdicts());
    let summary = outcome.summary();
    assert!(!summary.complete && !summary.criterion_reached && !summary.directions_exact);
    assert!(summary.incomplete_reasons[0].contains("trace bench"), "{:?}", summary.incomplete_reasons);
}

#[test]
fn steps_that_do_not_follow_are_recorded() {
    let outcome = binary().cover(&[in_order(&[0, 8, 3])]).expect("a result");
    assert!(covered(&outcome).is_empty(), "{:?}", outcome.verdicts());
    let noted = outcome.summary().assumptions.iter().find(|noted| noted.message.contains("do not follow"));
    assert_eq!(noted.map(|noted| noted.count), Some(2));
}

#[test]
fn traces_that_cover_everything_reach_the_criterion() {
    let traces = [in_order(&[0, 1, 7, 8]), in_order(&[0, 1, 3, 4, 6, 7, 8]), in_order(&[0, 1, 3, 4, 8])];
    let outcome = binary().cover(&traces).expect("a result");
    assert!(outcome.summary().criterion_reached, "{:?}", outcome.summary());
    assert_eq!(covered(&outcome).len(), 4);
}

#[test]
fn a_trace_of_another_program_is_refused() {
    let error =
        binary().cover(&[in_order(&[0x8000_0000, 0x8000_0004])]).expect_err("no instruction of the program");
    assert!(error.to_string().contains("another build"), "{error}");
}
