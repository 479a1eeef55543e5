//! The library as its users call it: typed errors, an exploration that is watched and stopped, a suite that is written.

use everypath::oracle::ALL;
use everypath::strategy::STRATEGIES;
use everypath::{
    Binary, Criterion, Discovery, Error, ExitCode, Judged, Locator, Observer, ProgressReport, Steering,
    Suite, TestCase, Verdict,
};

/// `mov dptr,#5; movx a,@dptr; cjne a,#42,done; mov p1,#1; done: sjmp done`.
const ALARM: [u8; 12] = [0x90, 0, 5, 0xe0, 0xb4, 42, 3, 0x75, 0x90, 1, 0x80, 0xfe];

/// The same, but it reads on for ever.
const ENDLESS: [u8; 12] = [0x90, 0, 5, 0xe0, 0xb4, 42, 3, 0x75, 0x90, 1, 0x80, 0xf4];

fn binary(code: &[u8]) -> Binary {
    Binary::options().architecture("8051").raw(0).read(code).expect("a program")
}

#[test]
fn errors_name_their_kind_and_the_program() {
    let missing = Binary::open("no/such/file").err().expect("an error");
    assert!(matches!(missing, Error::Open { .. }), "{missing}");
    assert!(missing.to_string().starts_with("no/such/file: cannot be read: "), "{missing}");
    let unknown = Binary::options().read(*b"no executable").err().expect("an error");
    assert!(matches!(unknown, Error::Format { .. }), "{unknown}");
    let undecided = Binary::options().raw(0).read(ALARM).err().expect("an error");
    assert!(matches!(undecided, Error::NoArchitecture { .. }), "{undecided}");
    let named = Binary::options().architecture("vax").raw(0).read(ALARM).err().expect("an error");
    assert!(matches!(named, Error::Architecture(_)), "{named}");
    let alarm = binary(&ALARM);
    let function = alarm.lift("main").expect_err("there are no symbols");
    assert_eq!(function.to_string(), "image: there is no function at `main`");
    let entry = alarm.explore().entry("main").run().expect_err("there are no symbols");
    assert!(matches!(entry, Error::Configuration { .. }), "{entry}");
    // The stack pointer is zero, and there is no memory.
    let push = Binary::options().architecture("x86-64").raw(0x1000).entry(0x1000).read([0x50, 0xc3]);
    let setup = push.expect("a program").explore().run().expect_err("a wrong setup");
    assert!(matches!(setup, Error::Exploration { .. }), "{setup}");
}

/// Notes what it is told of.
#[derive(Default)]
struct Notes {
    tests: Vec<TestCase>,
    verdicts: Vec<Judged>,
}

impl Observer for Notes {
    fn on_progress(&mut self, _: &dyn Fn() -> ProgressReport) -> bool {
        true
    }

    fn test(&mut self, test: &TestCase) {
        self.tests.push(test.clone());
    }

    fn verdict(&mut self, judged: &Judged) {
        self.verdicts.push(judged.clone());
    }
}

/// Lowers the bound on the instructions of a path, once.
struct Steers(bool);

impl Observer for Steers {
    fn on_progress(&mut self, _: &dyn Fn() -> ProgressReport) -> bool {
        true
    }

    fn steer(&mut self) -> Vec<Steering> {
        let is_first = !std::mem::replace(&mut self.0, true);
        is_first.then_some(Steering::PathInstructions(500_000)).into_iter().collect()
    }
}

#[test]
fn what_an_observer_changes_is_in_the_summary() {
    let exploration = || binary(&ALARM).explore().volatile_in("EXTMEM", "sensor", 5, 1);
    let outcome = exploration().run_with(&mut Steers(false)).expect("an outcome");
    let steered = outcome.summary().assumptions.iter().filter(|one| one.kind == "steered");
    let steered: Vec<&str> = steered.map(|one| one.message.as_str()).collect();
    assert!(
        steered.len() == 1 && steered[0].contains("at most 500000 instructions on a path"),
        "{steered:?}"
    );
    let alone = exploration().run().expect("an outcome");
    assert_eq!(outcome.tests(), alone.tests(), "the bound is not reached");
}

#[test]
fn the_code_of_a_function_contains_its_instructions() {
    let binary = binary(&ALARM);
    let code = Locator::new(&binary).function_code(4).expect("a function");
    assert!(code.contains(0) && code.contains(4) && !code.contains(0x1000), "{code:?}");
}

#[test]
fn an_observer_is_told_of_every_test_and_verdict() {
    let mut notes = Notes::default();
    let exploration = binary(&ALARM).explore().volatile_in("EXTMEM", "sensor", 5, 1).keep_all();
    let outcome = exploration.run_with(&mut notes).expect("an outcome");
    assert_eq!(notes.tests.len(), outcome.tests().len());
    let directions = |list: &[Judged]| {
        let mut directions: Vec<_> = list.iter().map(|judged| judged.direction).collect();
        directions.sort();
        directions
    };
    assert_eq!(directions(&notes.verdicts), directions(outcome.verdicts()));
    assert_eq!(outcome.summary().exit_code(), ExitCode::Good);
}

#[test]
fn directions_that_no_test_covers_get_their_verdict_at_the_end() {
    let mut notes = Notes::default();
    // Without input the sensor is memory that reads as zero.
    let outcome = binary(&ALARM).explore().run_with(&mut notes).expect("an outcome");
    let uncovered = |judged: &&Judged| !matches!(judged.verdict, Verdict::Covered { .. });
    let (told, listed) = (notes.verdicts.iter(), outcome.verdicts().iter());
    assert!(told.filter(uncovered).eq(listed.filter(uncovered)));
    assert_eq!(notes.verdicts.len(), outcome.verdicts().len());
}

#[test]
fn a_running_exploration_can_be_stopped() {
    let endless = binary(&ENDLESS);
    let exploration = endless.explore().volatile_in("EXTMEM", "sensor", 5, 1).criterion(Criterion::Path);
    let mut running = exploration.configure(|configuration| configuration.budget = Some(1000)).start();
    let first = running.next().expect("a discovery");
    assert!(matches!(first, Discovery::Test(_)), "{first:?}");
    running.stop();
    let outcome = running.finish().expect("an outcome");
    assert!(!outcome.summary().complete);
    let reasons = &outcome.summary().incomplete_reasons;
    assert!(reasons.contains(&"interrupted by the user".to_owned()), "{reasons:?}");
    assert!(!outcome.tests().is_empty());
}

#[test]
fn a_written_suite_reads_back() {
    let outcome = binary(&ALARM).explore().volatile_in("EXTMEM", "sensor", 5, 1).run().expect("an outcome");
    let folder = tempfile::tempdir().expect("a folder");
    outcome.write(folder.path()).expect("a suite");
    assert_eq!(&Suite::read(folder.path()).expect("the suite"), outcome.suite());
}

#[test]
fn names_of_own_oracles_and_strategies_must_be_new() {
    let alarm = binary(&ALARM);
    let make = ALL[0].make;
    let again = everypath::oracle::Definition { name: ALL[0].name, about: "again", make };
    let error = alarm.explore().own_oracle(again).run().expect_err("two of one name");
    assert!(error.to_string().contains("two oracle definitions"), "{error}");
    let first = &STRATEGIES[0];
    let again = everypath::strategy::StrategyEntry { name: first.name, what: "again", make: first.make };
    let error = alarm.explore().own_strategy(again).run().expect_err("two of one name");
    assert!(error.to_string().contains("two strategy definitions"), "{error}");
    let error = alarm.explore().oracles(["nonsense"]).run().expect_err("no such oracle");
    assert!(error.to_string().contains("unknown oracle `nonsense`"), "{error}");
}

#[test]
fn a_listing_has_the_evidence_for_its_instructions() {
    let binary = binary(&ALARM);
    let outcome = binary.explore().run().expect("an outcome");
    let listing = binary.listing(&[0].into(), outcome.summary(), ".".as_ref()).expect("a listing");
    let names: Vec<&str> = listing.evidence.iter().map(|one| one.mnemonic.as_str()).collect();
    assert_eq!(names, ["CJNE", "MOV", "MOVX", "SJMP"]);
    assert!(listing.evidence.iter().all(|one| one.is_some() && one.vectors > 0));
}
