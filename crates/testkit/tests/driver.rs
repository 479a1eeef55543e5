//! The driver recovers from crashes of the reference: a fake child crashes at a given point.
#![cfg(unix)]

use everypath_testkit::reference::{
    Reference, ReferenceAnswer, ReferenceError, ReferenceOutcome, ReferenceSetup, ReferenceSweep, Words,
};
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::time::Duration;
use tempfile::TempDir;

/// Reads a request and answers with one operation per record or byte; `DEATH` is replaced by a condition
/// over `cursor` (index or address), `start` and `limit` under which it dies, and `END` by a cursor: it
/// dies after all answers when that is reached.
const CHILD: &str = r#"#!/bin/sh
words=no
while read -r key value; do
    case $key in
        start) start=$((0x$value)) ;;
        limit) case $value in ????????*) limit=1000000 ;; *) limit=$((0x$value)) ;; esac ;;
        input) size=$(wc -c < "$value") ;;
        words) words=yes ;;
    esac
done
echo ready
cursor=$start
count=0
while [ $count -lt $limit ] && [ $cursor -lt $size ]; do
    if DEATH; then kill -9 $$; fi
    if [ $words = yes ]; then address=$((4096 + cursor % 300 * 16)); else address=$cursor; fi
    printf '%x 1 COPY\n' $address
    cursor=$((cursor + 1))
    count=$((count + 1))
done
if [ $cursor -eq END ]; then kill -9 $$; fi
echo end
"#;

struct Child {
    reference: Reference,
    _folder: TempDir,
}

fn child(script: &str) -> Child {
    let folder = tempfile::tempdir().unwrap();
    let program: PathBuf = folder.path().join("child");
    std::fs::write(&program, script).unwrap();
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    Child { reference: Reference::new(&program, &ReferenceSetup::new(b"", "")).unwrap(), _folder: folder }
}

fn dying(condition: &str) -> Child {
    child(&CHILD.replace("DEATH", condition).replace("END", "-1"))
}

const WORDS: Words = Words { size: 1, base: 4096, stride: 16, slots: 300 };

fn words(child: &Child, count: usize) -> Vec<ReferenceAnswer> {
    let mut answers = Vec::new();
    child.reference.words(&vec![0; count], WORDS, &mut |answer| answers.push(answer)).unwrap();
    answers
}

/// Each record has exactly one answer, at its own address and in order; the indices of those that crashed.
fn crashed(answers: &[ReferenceAnswer], count: usize) -> Vec<usize> {
    let addresses: Vec<_> = answers.iter().map(|answer| answer.address).collect();
    let expected: Vec<_> = (0..count as u64).map(|index| WORDS.address(index)).collect();
    assert_eq!(addresses, expected);
    (0..count).filter(|index| answers[*index].outcome == ReferenceOutcome::Crashed).collect()
}

fn fresh(answers: &[ReferenceAnswer]) -> Vec<usize> {
    (0..answers.len()).filter(|index| answers[*index].fresh).collect()
}

#[test]
fn a_child_that_lives_answers_all() {
    let answers = words(&dying("false"), 700);
    assert!(crashed(&answers, 700).is_empty());
    assert_eq!(fresh(&answers), [0, 300, 600]);
}

#[test]
fn an_instruction_that_kills_is_named_and_the_rest_is_answered() {
    let answers = words(&dying("[ $cursor -eq 270 ] || [ $cursor -eq 271 ] || [ $cursor -eq 699 ]"), 700);
    assert_eq!(crashed(&answers, 700), [270, 271, 699]);
}

#[test]
fn damage_that_shows_later_is_blamed_on_nobody() {
    // A child that has decoded 10 dies at 20.
    let answers = words(&dying("[ $cursor -eq 20 ] && [ $start -le 10 ]"), 50);
    assert!(crashed(&answers, 50).is_empty());
    assert_eq!(fresh(&answers), [0, 20, 21]);
}

#[test]
fn a_child_that_dies_when_it_is_done_harms_nothing() {
    for end in ["300", "400"] {
        let answers = words(&child(&CHILD.replace("DEATH", "false").replace("END", end)), 400);
        assert!(crashed(&answers, 400).is_empty());
    }
    // Alone it dies after its answer: the next one is not to blame.
    let script = CHILD.replace("DEATH", "[ $cursor -eq 20 ] && [ $start -lt 20 ]").replace("END", "21");
    assert!(crashed(&words(&child(&script), 50), 50).is_empty());
}

#[test]
fn a_child_that_hangs_is_ended() {
    let script = CHILD.replace("DEATH", "[ $cursor -eq 3 ]").replace("kill -9 $$", "exec sleep 1000");
    let Child { reference, _folder } = child(&script.replace("END", "-1"));
    let child = Child { reference: reference.with_patience(Duration::from_secs(1)), _folder };
    assert_eq!(crashed(&words(&child, 5), 5), [3]);
}

#[test]
fn a_sweep_goes_on_behind_the_culprit() {
    let mut answers = Vec::new();
    let child = dying("[ $cursor -eq 5 ]");
    let sweep = ReferenceSweep { base: 0, step: 2 };
    child.reference.sweep(&[0; 10], sweep, &mut |answer| answers.push(answer)).unwrap();
    let addresses: Vec<_> = answers.iter().map(|answer| answer.address).collect();
    assert_eq!(addresses, [0, 1, 2, 3, 4, 5, 7, 8, 9]);
    assert_eq!(answers[5].outcome, ReferenceOutcome::Crashed);
    assert_eq!(fresh(&answers), [0, 5, 6]);
}

#[test]
fn a_child_that_cannot_begin_is_an_error_and_not_a_crash() {
    let cases = [
        ("#!/bin/sh\nkill -9 $$\n", "died while loading"),
        ("#!/bin/sh\necho error no such file\n", "set up: no such file"),
        ("#!/bin/sh\necho ready; echo gibberish\n", "unknown form: gibberish"),
        ("#!/bin/sh\necho ready; echo end\n", "unknown form: none at all"),
    ];
    for (script, message) in cases {
        let error: ReferenceError = child(script).reference.words(&[0], WORDS, &mut |_| {}).unwrap_err();
        assert!(error.to_string().contains(message), "{error}");
    }
}
