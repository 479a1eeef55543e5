//! Limits of an exploration: it ends in time also inside one solver query, within its memory, and when every direction
//! has a verdict. Small RISC-V programs, with a port at 0x2000.

use everypath_environment::{Configuration, Guest};
use everypath_explore::{
    Bounds, Criterion, Exploration, Explorer, NoObserver, Observer, Plan, ProgressReport,
};
use everypath_image::{Image, ImageFormat, ReadOptions};
use everypath_lift::Library;
use everypath_record::{TestCase, Verdict};
use everypath_solve::SolverStack;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

fn explore(words: &[u32], size: u32, plan: Plan, observer: &mut dyn Observer) -> Exploration {
    let code: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    let options =
        ReadOptions { format: ImageFormat::by_name("raw"), base: Some(0x1000), ..ReadOptions::default() };
    let image = Image::read(code, &options).expect("raw code");
    let architecture = Library::built_in().load("riscv32").expect("an architecture");
    let guest = Guest::new(architecture, image).expect("a guest");
    let text = format!("entry = 0x1000\n[[volatile]]\nname = \"port\"\naddress = 0x2000\nsize = {size}\n");
    let configuration = Configuration::parse(&text).expect("a configuration");
    let explorer = Explorer::new(&guest, &configuration, plan, SolverStack::default().build());
    explorer.expect("a plan that fits").run(observer)
}

/// `if ((first == 17) & (second == 18))`, of two reads of the port.
#[test]
fn a_branch_on_two_inputs_at_once_is_covered_on_both_sides() {
    let words = [
        0x0000_2337,
        0x0003_4383,
        0x0003_4e03,
        0xfef3_8393,
        0x0013_b393,
        0xfeee_0e13,
        0x001e_3e13,
        0x01c3_f3b3,
        0x0003_8463,
        0x0000_0013,
        0x0000_006f,
    ];
    let found = explore(&words, 1, Plan::default(), &mut NoObserver);
    assert_eq!(found.divergences, Vec::<String>::new());
    assert_eq!(found.directions.len(), 2);
    for judged in &found.directions {
        assert!(matches!(judged.verdict, Verdict::Covered { .. }), "{judged:?}");
    }
}

/// An endless loop that reads the port and counts, with an infeasible branch: there are infinitely many paths, none of which
/// comes back to where it was, and nothing to find.
#[test]
fn when_every_direction_is_judged_the_exploration_ends() {
    let words = [
        0x0050_0293,
        0x0000_2337,
        0x001e_8e93,
        0x0003_4383,
        0xfe03_9ce3,
        0x0050_0e13,
        0x01c2_9463,
        0xfedf_f06f,
        0x0000_006f,
    ];
    let plan = Plan { bounds: Bounds { path_decisions: 50, ..Bounds::default() }, ..Plan::default() };
    let found = explore(&words, 1, plan, &mut NoObserver);
    assert!(
        found.effort.paths < 1000 && found.reached && !found.is_complete(),
        "{} paths",
        found.effort.paths
    );
    for judged in &found.directions {
        let infeasible = matches!(judged.verdict, Verdict::Infeasible { .. });
        assert_eq!(infeasible, judged.direction.target.0 == 0x1020, "{judged:?}");
    }
}

/// The product of two reads is that of two 32-bit primes: no solver finds them in a minute.
const FACTORS: [u32; 13] = [
    0x0000_2337,
    0x0003_2383,
    0x0003_2e03,
    0x03c3_8eb3,
    0x03c3_bf33,
    0x2700_5537,
    0xd2d5_0513,
    0x7854_85b7,
    0x87a5_8593,
    0x00ae_9663,
    0x00bf_1463,
    0x0000_0013,
    0x0000_006f,
];

/// Checks that an exploration cancelled inside a query still has a result, which says so.
fn check_ended(found: &Exploration, reason: &str) {
    assert!(!found.is_complete() && !found.reached);
    assert!(
        found.incomplete_reasons.iter().any(|why| why.contains(reason)),
        "{:?}",
        found.incomplete_reasons
    );
    assert!(found.tests.len() >= 2, "what was found until then is kept");
    let open = found.directions.iter().filter(|judged| matches!(judged.verdict, Verdict::Open { .. }));
    assert_eq!(open.count(), 1, "{:?}", found.directions);
}

#[test]
fn a_bound_of_time_holds_inside_a_query() {
    let plan = Plan {
        bounds: Bounds { seconds: Some(2), query_conflicts: None, ..Bounds::default() },
        ..Plan::default()
    };
    let start = Instant::now();
    let found = explore(&FACTORS, 4, plan, &mut NoObserver);
    let taken = start.elapsed();
    assert!(taken < Duration::from_secs(3), "{taken:?}");
    check_ended(&found, "the time limit of 2 s was reached");
}

/// A loop of a thousand million rounds without input: time ends its only path.
#[test]
fn a_path_that_is_cut_off_by_time_reaches_nothing() {
    let words = [0x4000_02b7, 0xfff2_8293, 0xfe02_9ee3, 0x0000_006f];
    for criterion in [Criterion::Path, Criterion::Branch, Criterion::Instruction] {
        let bounds = Bounds { seconds: Some(1), path_instructions: u64::MAX, ..Bounds::default() };
        let found = explore(&words, 4, Plan { criterion, bounds, ..Plan::default() }, &mut NoObserver);
        assert!(!found.reached && !found.is_complete(), "{criterion:?}: {:?}", found.incomplete_reasons);
    }
}

/// An observer that cancels the exploration by its flag.
struct Impatient(Arc<AtomicBool>);

impl Observer for Impatient {
    fn on_progress(&mut self, _: &dyn Fn() -> ProgressReport) -> bool {
        true
    }

    fn stop_flag(&self) -> Arc<AtomicBool> {
        self.0.clone()
    }
}

#[test]
fn an_interruption_holds_inside_a_query() {
    let stop = Arc::new(AtomicBool::new(false));
    let mut observer = Impatient(stop.clone());
    let setter = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_secs(2));
        stop.store(true, Ordering::Relaxed);
        Instant::now()
    });
    let plan = Plan { bounds: Bounds { query_conflicts: None, ..Bounds::default() }, ..Plan::default() };
    let found = explore(&FACTORS, 4, plan, &mut observer);
    let taken = setter.join().expect("it ends").elapsed();
    assert!(taken < Duration::from_secs(1), "{taken:?}");
    check_ended(&found, "interrupted by the user");
}

/// The resident size of this process.
fn resident() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").expect("a system that tells");
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).expect("a size");
    line.trim().trim_end_matches("kB").trim().parse::<u64>().expect("a number") << 10
}

/// Nine reads, each zero or not: 512 paths.
const MANY: [u32; 8] =
    [0x0090_0413, 0x0000_2337, 0x0003_4383, 0x0003_8463, 0x0014_8493, 0xfff4_0413, 0xfe04_18e3, 0x0000_006f];

#[test]
fn branches_that_gave_up_their_states_take_the_same_paths() {
    let all = |memory: Option<u64>| {
        let plan = Plan {
            criterion: Criterion::Path,
            strategy: "breadth-first".to_owned(),
            bounds: Bounds { memory, ..Bounds::default() },
            ..Plan::default()
        };
        explore(&MANY, 1, plan, &mut NoObserver)
    };
    let paths = |found: &Exploration| {
        let number = |test: &TestCase| test.path_hash.0;
        found.tests.iter().map(number).collect::<BTreeSet<u64>>()
    };
    let told = |found: &Exploration| {
        let assumptions = found.ledger.assumptions();
        assumptions.iter().any(|assumption| assumption.message.contains("were evicted"))
    };
    let free = all(None);
    assert!(free.is_complete() && !told(&free), "{:?}", free.incomplete_reasons);
    assert_eq!(paths(&free).len(), 512);
    // A limit that the process is near from the beginning, but does not exceed.
    let bound = all(Some(resident() / 2 * 3));
    assert!(told(&bound));
    assert_eq!(bound.divergences, Vec::<String>::new());
    assert!(bound.is_complete(), "{:?}", bound.incomplete_reasons);
    assert_eq!(paths(&bound), paths(&free));
}

#[test]
fn a_bound_of_memory_that_cannot_be_kept_is_said() {
    let plan = Plan {
        criterion: Criterion::Path,
        bounds: Bounds { memory: Some(1 << 20), ..Bounds::default() },
        ..Plan::default()
    };
    let plan = Plan { strategy: "breadth-first".to_owned(), ..plan };
    let found = explore(&MANY, 1, plan, &mut NoObserver);
    // Either it stays within the limit all the same, or it reports why it ended.
    let said = found.incomplete_reasons.iter().any(|why| why.contains("MB of memory was reached"));
    assert!(said || found.is_complete(), "{:?}", found.incomplete_reasons);
}

#[test]
fn two_searches_in_one_process_do_not_affect_each_other() {
    let search = |strategy: &str| {
        let plan = Plan { criterion: Criterion::Path, strategy: strategy.to_owned(), ..Plan::default() };
        let found = explore(&MANY, 1, plan, &mut NoObserver);
        (found.tests, found.directions, found.effort.queries)
    };
    let alone = [search("coverage"), search("breadth-first")];
    let together = std::thread::scope(|scope| {
        let both = ["coverage", "breadth-first"].map(|strategy| scope.spawn(move || search(strategy)));
        both.map(|one| one.join().expect("a search"))
    });
    assert_eq!(together, alone);
}

/// Stops at the first progress report.
struct StopsAtOnce;

impl Observer for StopsAtOnce {
    fn on_progress(&mut self, _: &dyn Fn() -> ProgressReport) -> bool {
        false
    }
}

/// A branch, then an endless loop: the first path is interrupted in the loop, and becomes a test up to its last new direction.
#[test]
fn an_interrupted_path_becomes_a_test() {
    let words = [0x0000_2337, 0x0003_4383, 0x0003_8463, 0x0000_0013, 0x0012_8293, 0xffdf_f06f];
    let found = explore(&words, 1, Plan::default(), &mut StopsAtOnce);
    assert_eq!(found.divergences, Vec::<String>::new());
    let covered = found.directions.iter().filter(|judged| matches!(judged.verdict, Verdict::Covered { .. }));
    assert_eq!((covered.count(), found.tests.len()), (1, 1), "{:?}", found.directions);
    assert!(found.tests[0].cut_off && found.tests[0].instructions < 10, "{:?}", found.tests);
    for judged in &found.directions {
        if let Verdict::Open { reason } = &judged.verdict {
            assert!(!reason.contains("replay"), "{reason}");
        }
    }
}
