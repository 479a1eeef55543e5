//! Runs each example, and checks what it prints.

mod example;

use example::run;

#[test]
fn decode_instruction_prints_text_and_p_code() {
    let text = run("decode_instruction", &[]);
    assert!(text.starts_with("0x1000: LEA RAX,[RDI + RBX*0x1] (4 bytes)\n"), "{text}");
    assert!(text.lines().count() > 1, "{text}");
}

#[test]
fn lift_function_prints_instructions_blocks_and_edges() {
    let text = run("lift_function", &[]);
    for line in ["0x1004: NEG EDI", "0x1000 -> 0x1004: ", "0x1000 -> 0x1006: ", "0x1004 -> 0x1006: "] {
        assert!(text.contains(line), "`{line}` is missing:\n{text}");
    }
}

#[test]
fn solve_query_finds_a_model_and_a_contradiction() {
    assert_eq!(run("solve_query", &[]), "sat: 3 + 7 = 10\nx < y < x: unsat\n");
}

#[test]
fn explore_image_prints_and_writes_a_complete_suite() {
    let folder = tempfile::tempdir().expect("a folder");
    let suite = folder.path().join("suite");
    let text = run("explore_image", &[suite.to_str().expect("text")]);
    assert!(text.contains("sensor = [42]: "), "{text}");
    assert!(text.ends_with("2 tests, complete: true\n"), "{text}");
    let suite = everypath::Suite::read(&suite).expect("the suite that was written");
    assert_eq!(suite.tests.len(), 2);
}

#[test]
fn stop_exploration_ends_without_being_complete() {
    let text = run("stop_exploration", &[]);
    assert_eq!(text.matches(" reads, ").count(), 3, "{text}");
    assert!(text.contains("complete: false, because: ["), "{text}");
}

#[test]
fn own_oracle_finds_the_restart() {
    let text = run("own_oracle", &[]);
    assert!(text.starts_with("restart: restart at 0x7, test "), "{text}");
}

#[test]
fn own_strategy_opens_the_lock() {
    let text = run("own_strategy", &[]);
    assert!(text.contains("keys [1, 2, 3]"), "{text}");
}
