//! Directed searches: reachable preconditions are confirmed with a test that meets them in a concrete run, unreachable ones are
//! refuted, and neither ever is taken for the other.
//!
//! Needs the compilers of `tests/guests/targets.toml`.

use everypath_environment::{Configuration, Guest, TargetText};
use everypath_explore::{Bounds, Criterion, Exploration, Explorer, NoObserver, Plan, reaches, replay};
use everypath_image::{Image, ImageFormat, ReadOptions};
use everypath_lift::Library;
use everypath_record::{TargetVerdict, Verdict};
use everypath_solve::SolverStack;
use everypath_testkit::guests::{Subject, targets};
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// A directed search for these targets, within a number of paths.
fn search(guest: &Guest, configuration: &Configuration, targets: &[&str], plan: Plan) -> Exploration {
    let parse = |text: &&str| text.parse::<TargetText>().unwrap_or_else(|error| panic!("{error}"));
    let targets: Vec<TargetText> = targets.iter().map(parse).collect();
    let plan = Plan { criterion: Criterion::Target, targets: targets.clone(), ..plan };
    let explorer = Explorer::new(guest, configuration, plan, SolverStack::default().build());
    let found = explorer.unwrap_or_else(|error| panic!("{error}")).run(&mut NoObserver);
    assert_eq!(found.divergences, Vec::<String>::new());
    assert_eq!(found.targets.len(), targets.len());
    for (answer, target) in found.targets.iter().zip(&targets) {
        let TargetVerdict::Confirmed { test } = &answer.verdict else { continue };
        let test = found.tests.iter().find(|one| one.name == *test).expect("its test");
        let target = guest.resolve_target(target).expect("a target");
        assert!(reaches(guest, configuration, &target, test).expect("a run"), "{answer:?}");
        assert_eq!(replay(guest, configuration, test).expect("a run").path, test.path_hash, "{answer:?}");
    }
    found
}

fn nearest() -> Plan {
    Plan {
        strategy: "nearest".to_owned(),
        bounds: Bounds { paths: 5_000, ..Bounds::default() },
        ..Plan::default()
    }
}

const ANSWERS: [&str; 3] = ["confirmed", "refuted", "open"];

/// The targets in the head of a guest's source, each with the expected answer.
fn expected(source: &str) -> Vec<(String, &str)> {
    let line = |line: &str| {
        let (answer, target) = line.trim().split_once("  ")?;
        let answer = ANSWERS.into_iter().find(|name| *name == answer)?;
        Some((target.trim().to_owned(), answer))
    };
    source.lines().filter_map(line).collect()
}

/// Searches for the targets of a guest, all at once and each by itself, on each 32-bit target, and checks the answers.
fn check(name: &str, counts: [usize; 3]) {
    let file = root().join(format!("tests/guests/reach/{name}.c"));
    let source = std::fs::read_to_string(&file).expect("a source");
    let expected = expected(&source);
    for (wanted, count) in ANSWERS.into_iter().zip(counts) {
        assert_eq!(expected.iter().filter(|(_, answer)| *answer == wanted).count(), count, "{wanted}");
    }
    let mut wrong = Vec::new();
    for target in targets(&root()).unwrap_or_else(|error| panic!("{error}")) {
        if target.int != 32 || !target.is_everywhere() || !target.is_installed() {
            continue;
        }
        let subject = Subject::compile(&file, &target, "-O0", "").unwrap_or_else(|error| panic!("{error}"));
        let Subject { guest, configuration } = subject;
        let texts: Vec<&str> = expected.iter().map(|(text, _)| text.as_str()).collect();
        let mut answers = search(&guest, &configuration, &texts, nearest()).targets;
        for text in &texts {
            answers.extend(search(&guest, &configuration, &[*text], nearest()).targets);
        }
        for (answer, (text, wanted)) in answers.iter().zip(expected.iter().cycle()) {
            assert_eq!(answer.target, *text);
            if answer.verdict.name() != *wanted {
                wrong.push(format!("{text} for {}: {answer:?}", target.name));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn preconditions_are_confirmed_or_refuted() {
    check("dispatcher", [11, 11, 0]);
}

/// A fault that only an oracle suspects: no path of the search has it.
#[test]
fn what_is_behind_a_fault_is_not_refuted() {
    check("faulty", [1, 0, 1]);
}

/// A program for the 8051, with a port as input.
fn small(code: &[u8]) -> (Guest, Configuration) {
    let format = ImageFormat::by_name("raw");
    let image = Image::read(code.to_vec(), &ReadOptions { format, base: Some(0), ..ReadOptions::default() });
    let guest = Guest::new(Library::built_in().load("8051").expect("8051"), image.expect("an image"));
    let port = "volatile = [{ name = 'port', space = 'EXTMEM', address = 0, size = 1 }]";
    (guest.expect("a guest"), Configuration::parse(port).expect("a configuration"))
}

/// movx a,@dptr; cjne a,#42,loop; nop; sjmp $; loop: sjmp loop
const CODE: [u8; 10] = [0xe0, 0xb4, 42, 3, 0x00, 0x80, 0xfe, 0x80, 0xfe, 0x00];

fn verdict(text: &str) -> TargetVerdict {
    let (guest, configuration) = small(&CODE);
    search(&guest, &configuration, &[text], nearest()).targets.remove(0).verdict
}

#[test]
fn places_are_reached_before_their_instruction_is_executed() {
    for text in [
        "0",
        "1",
        "4",
        "5",
        "7",
        "1 -> 4",
        "1 -> 7",
        "4: A == 42",
        "7: A > 250",
        "7: A != 42 && A < 43 && A > 40",
    ] {
        assert!(matches!(verdict(text), TargetVerdict::Confirmed { .. }), "{text}: {:?}", verdict(text));
    }
    for text in ["4: A != 42", "7: A == 42", "4; 7", "1 -> 4; 7", "0; 0", "7: EXTMEM[0] == 1 && A == 42"] {
        assert!(!matches!(verdict(text), TargetVerdict::Confirmed { .. }), "{text}");
    }
    for text in ["4: A != 42", "7: A == 42", "4; 7", "1 -> 4; 7", "0; 0"] {
        assert!(matches!(verdict(text), TargetVerdict::Refuted { .. }), "{text}: {:?}", verdict(text));
    }
}

/// An idle loop ends a path; its back edge is a place nevertheless.
#[test]
fn the_back_edge_of_an_idle_loop_is_reached() {
    assert!(matches!(verdict("5 -> 5"), TargetVerdict::Confirmed { .. }), "{:?}", verdict("5 -> 5"));
    assert!(matches!(verdict("5; 5"), TargetVerdict::Confirmed { .. }), "{:?}", verdict("5; 5"));
}

/// Nothing is refuted if the condition cannot be judged, or the address is no place where control arrives.
#[test]
fn what_is_not_judged_is_open() {
    let cases = [("7: EXTMEM[0] == 1 && A == 42", "input register"), ("2", "inside the instruction")];
    for (text, reason) in cases {
        let TargetVerdict::Open { reason: why } = verdict(text) else {
            panic!("{text}: {:?}", verdict(text))
        };
        assert!(why.contains(reason), "{text}: {why}");
    }
    let (guest, configuration) = small(&CODE);
    let plan = Plan { bounds: Bounds { paths: 1, ..Bounds::default() }, ..nearest() };
    let found = search(&guest, &configuration, &["4: A != 42"], plan);
    let TargetVerdict::Open { reason } = &found.targets[0].verdict else { panic!("{:?}", found.targets) };
    assert!(reason.contains("bound"), "{reason}");
}

/// The last target is confirmed while a path is pruned from which it cannot be reached: what that path takes is not infeasible.
///
/// movx a,@dptr; jnz 0xa; movx a,@dptr; cjne a,#5,8; nop; 8: sjmp $; 0xa: nop; sjmp $
#[test]
fn a_pruned_path_is_not_explored() {
    let (guest, configuration) =
        small(&[0xe0, 0x70, 0x07, 0xe0, 0xb4, 0x05, 0x01, 0x00, 0x80, 0xfe, 0x00, 0x80, 0xfe]);
    let found = search(&guest, &configuration, &["0xb"], nearest());
    assert!(matches!(found.targets[0].verdict, TargetVerdict::Confirmed { .. }), "{:?}", found.targets);
    assert!(!found.is_complete());
    let infeasible: Vec<_> = found
        .directions
        .iter()
        .filter(|judged| matches!(judged.verdict, Verdict::Infeasible { .. }))
        .collect();
    assert!(infeasible.is_empty(), "{infeasible:?}");
}

/// An unresolved jump may lead anywhere, so that nothing before it is pruned.
///
/// movx a,@dptr; mov dptr,#0x10; jz 8; sjmp $; 8: clr a; jmp @a+dptr ... 0x10: sjmp 0x10
#[test]
fn targets_behind_an_indirect_jump_are_reached() {
    let mut code = vec![0xe0, 0x90, 0x00, 0x10, 0x60, 0x02, 0x80, 0xfe, 0xe4, 0x73];
    code.resize(0x10, 0x00);
    code.extend([0x80, 0xfe]);
    let (guest, configuration) = small(&code);
    let found = search(&guest, &configuration, &["0x10"], nearest());
    assert!(matches!(found.targets[0].verdict, TargetVerdict::Confirmed { .. }), "{:?}", found.targets);
}

#[test]
fn wrong_plans_are_refused() {
    let (guest, configuration) = small(&CODE);
    let target: TargetText = "4".parse().expect("a target");
    let plans = [
        Plan { criterion: Criterion::Target, ..Plan::default() },
        Plan { targets: vec![target.clone()], ..Plan::default() },
        Plan { criterion: Criterion::Target, targets: vec![target.clone()], merge: true, ..Plan::default() },
        Plan {
            criterion: Criterion::Target,
            targets: vec!["nowhere".parse().expect("a target")],
            ..Plan::default()
        },
    ];
    for plan in plans {
        let explorer = Explorer::new(&guest, &configuration, plan.clone(), SolverStack::default().build());
        assert!(explorer.is_err(), "{plan:?}");
    }
}

/// The answer of a search for one target in raw code.
fn answer(code: &[u8], base: u64, architecture: &str, declared: &str, target: &str) -> TargetVerdict {
    let options =
        ReadOptions { format: ImageFormat::by_name("raw"), base: Some(base), ..ReadOptions::default() };
    let image = Image::read(code.to_vec(), &options).expect("raw code");
    let guest = Guest::new(Library::built_in().load(architecture).expect("an architecture"), image);
    let configuration =
        Configuration::parse(&format!("entry = {base:#x}\n{declared}")).expect("a configuration");
    let found = search(&guest.expect("a guest"), &configuration, &[target], nearest());
    found.targets[0].verdict.clone()
}

/// An exception may run what a vector leads to, although it only loops, and although paths that raise one end there.
#[test]
fn code_of_exception_vectors_is_never_refuted() {
    // The vectors, each to a loop of its own, and a program that stores to where no memory is, if an input is 5, and then
    // decides eight times on another one.
    let code: [u32; 27] = [
        0xea00000b, 0xea000005, 0xea000005, 0xea000005, 0xea000005, 0xe1a00000, 0xea000004, 0xea000003,
        0xeafffffe, 0xeafffffe, 0xeafffffe, 0xeafffffe, 0xeafffffe, 0xe3a00101, 0xe5d01000, 0xe3510005,
        0x03a0320f, 0x05831000, 0xe3a02008, 0xe5d04000, 0xe3140001, 0x12855001, 0x1a000000, 0xe2855003,
        0xe2522001, 0x1afffff8, 0xeafffffe,
    ];
    let code: Vec<u8> = code.iter().flat_map(|word| word.to_le_bytes()).collect();
    let input = "[[volatile]]\nname = \"in\"\naddress = 0x40000000\n";
    let found = answer(&code, 0, "arm", input, "0x2c");
    assert!(matches!(&found, TargetVerdict::Open { .. }), "{found:?}");
}

/// The edge of a branch with a delay slot leaves the slot; the same edge, named by the branch, is not refuted.
#[test]
fn a_direction_that_no_block_ends_with_is_open() {
    // lui a0,0xa000; lbu a1,0(a0); li a2,3; beq a1,a2,0x1018; li a3,1; addiu a3,a3,4; 0x1018: b itself; nop
    let code: [u32; 8] =
        [0x3c04a000, 0x90850000, 0x24060003, 0x10a60002, 0x24070001, 0x24e70004, 0x1000ffff, 0x00000000];
    let code: Vec<u8> = code.iter().flat_map(|word| word.to_be_bytes()).collect();
    let input = "[[volatile]]\nname = \"in\"\naddress = 0xa0000000\n";
    let found = answer(&code, 0x1000, "mips", input, "0x1010 -> 0x1018");
    assert!(matches!(&found, TargetVerdict::Confirmed { .. }), "{found:?}");
    let found = answer(&code, 0x1000, "mips", input, "0x100c -> 0x1018");
    assert!(
        matches!(&found, TargetVerdict::Open { reason, .. } if reason.contains("no branch ends at 0x100c")),
        "{found:?}"
    );
}
