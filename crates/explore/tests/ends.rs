//! Programs with unusual ends: each end is found, and its test replays.

use everypath_environment::{Configuration, Guest};
use everypath_explore::{Bounds, Criterion, Exploration, Explorer, NoObserver, Plan};
use everypath_image::{Image, ImageFormat, ReadOptions};
use everypath_lift::Library;
use everypath_record::Verdict;
use everypath_solve::SolverStack;

/// The bytes of instructions.
fn code(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

fn explore(code: &[u8], plan: Plan) -> Exploration {
    explore_with(code, "entry = 0x1000", plan)
}

fn guest(code: &[u8]) -> Guest {
    let options =
        ReadOptions { format: ImageFormat::by_name("raw"), base: Some(0x1000), ..ReadOptions::default() };
    let image = Image::read(code.to_vec(), &options).expect("raw code");
    let architecture = Library::built_in().load("riscv32").expect("an architecture");
    Guest::new(architecture, image).expect("a guest")
}

fn explore_with(code: &[u8], configuration: &str, plan: Plan) -> Exploration {
    let guest = guest(code);
    let configuration = Configuration::parse(configuration).expect("a configuration");
    let explorer = Explorer::new(&guest, &configuration, plan, SolverStack::default().build());
    explorer.expect("a plan that fits").run(&mut NoObserver)
}

#[test]
fn a_jump_to_nowhere_is_a_finding_with_a_test() {
    // ret, with nothing to return to
    let found = explore(&[0x67, 0x80, 0x00, 0x00], Plan::default());
    assert_eq!(found.divergences, Vec::<String>::new());
    assert_eq!(found.findings.len(), 1, "{:?}", found.findings);
    assert_eq!(found.tests.len(), 1);
}

#[test]
fn a_bound_is_written_down_and_what_was_run_until_then_replays() {
    // addi x1, x1, 1; j back
    let found = explore(
        &[0x93, 0x80, 0x10, 0x00, 0x6f, 0xf0, 0xdf, 0xff],
        Plan { bounds: Bounds { path_instructions: 100, ..Bounds::default() }, ..Plan::default() },
    );
    assert_eq!(found.divergences, Vec::<String>::new());
    let is_bound = |why: &String| why.contains("bound on instructions");
    assert!(found.incomplete_reasons.iter().any(is_bound), "{:?}", found.incomplete_reasons);
    assert!(found.tests.iter().all(|test| test.cut_off), "{:?}", found.tests);
}

#[test]
fn a_call_that_no_path_makes_keeps_its_criterion_from_being_reached() {
    // jal ra, 8; j itself; ret
    let called = [0xef, 0x00, 0x80, 0x00, 0x6f, 0x00, 0x00, 0x00, 0x67, 0x80, 0x00, 0x00];
    let plan = Plan { criterion: Criterion::Call, ..Plan::default() };
    assert!(explore(&called, plan.clone()).reached);
    // bne t0, zero, 8, and t0 is zero; j itself; jal ra, 8; j itself; ret
    let skipped = [
        0x63, 0x94, 0x02, 0x00, 0x6f, 0x00, 0x00, 0x00, 0xef, 0x00, 0x80, 0x00, 0x6f, 0x00, 0x00, 0x00, 0x67,
        0x80, 0x00, 0x00,
    ];
    let found = explore_with(&skipped, "entry = 0x1000\nregisters = { t0 = 0 }\n", plan);
    assert!(found.is_complete() && !found.reached, "{:?}", found.incomplete_reasons);
}

#[test]
fn a_jump_to_itself_is_an_end() {
    // j itself
    let found = explore(&[0x6f, 0x00, 0x00, 0x00], Plan::default());
    assert!(found.is_complete(), "{:?}", found.incomplete_reasons);
    assert_eq!((found.findings.len(), found.effort.paths), (0, 1));
}

#[test]
fn what_values_exclude_is_infeasible_though_a_bound_was_hit() {
    // t0 = 5; t1 = 0x2000; again: if the port is not zero, again; t3 = 5; if t0 != t3 skip; j itself; j itself
    let words: [u32; 8] = [
        0x0050_0293,
        0x0000_2337,
        0x0003_4383,
        0xfe03_9ee3,
        0x0050_0e13,
        0x01c2_9463,
        0x0000_006f,
        0x0000_006f,
    ];
    let code = code(&words);
    let configuration = "entry = 0x1000\n[[volatile]]\nname = \"port\"\naddress = 0x2000\n";
    let plan = Plan {
        criterion: Criterion::Path,
        bounds: Bounds { paths: 5, ..Bounds::default() },
        ..Plan::default()
    };
    let found = explore_with(&code, configuration, plan);
    assert!(!found.is_complete());
    let judged = found.directions.iter().find(|judged| judged.direction.target.0 == 0x101c);
    let verdict = &judged.expect("a direction").verdict;
    assert!(
        matches!(verdict, Verdict::Infeasible { evidence, .. } if evidence.contains("t0 is 0x5")),
        "{verdict:?}"
    );
}

#[test]
fn what_is_behind_a_fault_is_blocked_also_if_paths_were_lost_elsewhere() {
    // t1 = 0x2000; if what it points to, which is uninitialised, is not zero, end; t1 = 0x5000; read there, which faults; if that
    // is not zero, end; j itself; end: j itself
    let words: [u32; 8] = [
        0x0000_2337,
        0x0003_4383,
        0x0003_9a63,
        0x0000_5337,
        0x0003_4383,
        0x0003_9463,
        0x0000_006f,
        0x0000_006f,
    ];
    let code = code(&words);
    let memory = "[[memory]]\nname = \"ram\"\nstart = 0x2000\nsize = 16\naccess = \"rw\"\n";
    let found = explore_with(&code, &format!("entry = 0x1000\n{memory}"), Plan::default());
    assert!(!found.is_complete());
    let behind: Vec<_> =
        found.directions.iter().filter(|judged| judged.direction.branch.0 == 0x1014).collect();
    assert_eq!(behind.len(), 2, "{:?}", found.directions);
    for judged in behind {
        let is_blocked = |reason: &str| reason.starts_with("blocked: paths end at 0x1010 ");
        assert!(
            matches!(&judged.verdict, Verdict::Open { reason } if is_blocked(reason)),
            "{:?}",
            judged.verdict
        );
    }
}

/// Two ports at 0x2000.
const PORTS: &str = "entry = 0x1000\n[[volatile]]\nname = \"a\"\naddress = 0x2000\n[[volatile]]\nname = \"b\"\naddress = 0x2001\n";

#[test]
fn what_is_behind_a_trap_is_blocked() {
    // s0 = 0; a0, a1 = the ports; if they differ, skip; ebreak, behind which a debugger continues; s0 = 1; skip: if s0 is zero, end
    let words = [
        0x0000_0413,
        0x0000_2637,
        0x0006_4503,
        0x0016_4583,
        0x00b5_1663,
        0x0010_0073,
        0x0010_0413,
        0x0004_0463,
        0x0000_006f,
        0x0000_006f,
    ];
    let is_open = |found: &Exploration, has_reason: fn(&str) -> bool| {
        let judged = found.directions.iter().find(|judged| judged.direction.target.0 == 0x1020);
        let verdict = &judged.expect("a direction").verdict;
        assert!(matches!(verdict, Verdict::Open { reason } if has_reason(reason)), "{verdict:?}");
    };
    let found = explore_with(&code(&words), PORTS, Plan::default());
    is_open(&found, |reason| reason.starts_with("blocked: paths end at 0x1014 "));
    // Nor do value sets exclude it, which take a trap to end the program.
    let cut_short = Plan { bounds: Bounds { paths: 2, ..Bounds::default() }, ..Plan::default() };
    is_open(&explore_with(&code(&words), PORTS, cut_short), |_| true);
}

#[test]
fn a_search_that_ends_before_its_first_path_has_reached_nothing() {
    // a0 = the first port; many times a0 += 0; if it is zero, end
    let mut words = vec![0x0000_2637, 0x0006_4503];
    words.extend([0x0005_0513; 30_000]);
    words.extend([0x0005_0463, 0x0000_006f, 0x0000_006f]);
    let plan = Plan { bounds: Bounds { seconds: Some(0), ..Bounds::default() }, ..Plan::default() };
    let found = explore_with(&code(&words), PORTS, plan);
    assert!(!found.reached && !found.is_complete(), "{:?}", found.directions);
    assert!(found.directions.len() == 2 || !found.control_flow.lists_all_code, "{:?}", found.directions);
}

#[test]
fn an_operation_without_a_model_may_lead_to_any_code() {
    // fadd.s fa0, fa1, fa2, rtz; j itself
    let found = explore_with(&code(&[0x00c5_9553, 0x0000_006f]), PORTS, Plan::default());
    assert!(!found.reached && !found.control_flow.lists_all_code, "{:?}", found.incomplete_reasons);
}

#[test]
fn a_finding_that_one_run_cannot_show_is_not_refuted_by_a_run() {
    // t1 = 0x2000; read there, which is uninitialised; if it is not zero, end
    let words = [0x0000_2337, 0x0003_4383, 0x0003_9463, 0x0000_006f, 0x0000_006f];
    let memory = "entry = 0x1000\nunwritten = \"input\"\n[[memory]]\nname = \"ram\"\nstart = 0x2000\nsize = 16\naccess = \"rw\"\n";
    let found = explore_with(&code(&words), memory, Plan::default());
    assert!(found.findings.iter().any(|finding| finding.oracle == "never-written"), "{:?}", found.findings);
    let (guest, configuration) =
        (guest(&code(&words)), Configuration::parse(memory).expect("a configuration"));
    for finding in &found.findings {
        let test = found.tests.iter().find(|test| test.name == finding.test).expect("its test");
        let (run, differences) = everypath_explore::verify(&guest, &configuration, test).expect("a run");
        assert!(!run.refutes(finding) && differences.is_empty(), "{differences:?}");
    }
}

#[test]
fn directions_behind_undecodable_bytes_are_not_all_listed() {
    // a0 = the first port; if it is zero, end; no instruction; a1 = the second port; if it is zero, end
    let words = [
        0x0000_2637,
        0x0006_4503,
        0x0005_0a63,
        0xffff_ffff,
        0x0016_4583,
        0x0005_8463,
        0x0000_006f,
        0x0000_006f,
    ];
    let found = explore_with(&code(&words), PORTS, Plan::default());
    assert!(
        found.directions.iter().all(|judged| judged.direction.branch.0 == 0x1008),
        "{:?}",
        found.directions
    );
    assert!(!found.control_flow.lists_all_code, "{:?}", found.incomplete_reasons);
}

#[test]
fn an_instruction_that_names_a_rounding_has_no_model() {
    // a0 = the first port; fadd.s fa0, fa1, fa2, rtz; if a0 is zero, end
    let words = [0x0000_2637, 0x0006_4503, 0x00c5_9553, 0x0005_0463, 0x0000_006f, 0x0000_006f];
    let found = explore_with(&code(&words), PORTS, Plan::default());
    assert!(!found.is_complete() && !found.reached, "{:?}", found.ledger.assumptions());
    let is_undecided =
        |verdict: &Verdict| matches!(verdict, Verdict::Unsupported { .. } | Verdict::Open { .. });
    assert!(found.directions.iter().all(|judged| is_undecided(&judged.verdict)), "{:?}", found.directions);
    // The same with rounding to the nearest, and with that of the register.
    for mode in [0, 7] {
        let words = words.map(|word| if word == 0x00c5_9553 { 0x00c5_8553 | mode << 12 } else { word });
        assert!(explore_with(&code(&words), PORTS, Plan::default()).is_complete(), "{mode}");
    }
}

#[test]
fn a_stop_inside_a_basic_block_is_not_executed() {
    // t1 = 0x2000; read the port; t0 = 1; if the port is not zero, skip; t0 = 2; j itself
    let words: [u32; 6] = [0x0000_2337, 0x0003_4383, 0x0010_0293, 0x0003_9463, 0x0020_0293, 0x0000_006f];
    let code = code(&words);
    for (stop, instructions) in [(0x1004, 1), (0x1008, 2), (0x100c, 3)] {
        let configuration =
            format!("entry = 0x1000\nstop = [{stop:#x}]\n[[volatile]]\nname = \"port\"\naddress = 0x2000\n");
        let found = explore_with(&code, &configuration, Plan::default());
        assert_eq!(found.divergences, Vec::<String>::new());
        assert!(found.is_complete(), "{stop:#x}: {:?}", found.incomplete_reasons);
        assert_eq!((found.effort.paths, found.effort.executed), (1, instructions), "{stop:#x}");
        for judged in &found.directions {
            assert!(matches!(judged.verdict, Verdict::Infeasible { .. }), "{stop:#x}: {judged:?}");
        }
    }
}
