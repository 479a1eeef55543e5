//! An observer that steers: what it puts first comes first, what it puts last comes last, and nothing is lost by it; one
//! that does not steer changes nothing. A small RISC-V program with a port at 0x2000, and two loops that branch on it.

use everypath_environment::{Configuration, Guest};
use everypath_explore::{
    Criterion, DirectionStatus, Exploration, Explorer, FunctionCode, NoObserver, Observer, Plan,
    ProgressReport, SearchDetails, Steering,
};
use everypath_image::{Image, ImageFormat, ReadOptions};
use everypath_lift::Library;
use everypath_solve::SolverStack;
use std::collections::BTreeSet;

/// Four reads, each zero or not, in each of two loops: 256 paths.
const LOOPS: [u32; 14] = [
    0x0040_0413,
    0x0000_2337,
    0x0003_4383,
    0x0003_8463,
    0x0014_8493,
    0xfff4_0413,
    0xfe04_18e3,
    0x0040_0413,
    0x0003_4383,
    0x0003_8463,
    0x0014_8493,
    0xfff4_0413,
    0xfe04_18e3,
    0x0000_006f,
];
/// The branches on input, one in each loop.
const BRANCHES: [u64; 2] = [0x100c, 0x1024];

fn explore(plan: Plan, observer: &mut dyn Observer) -> Exploration {
    let code: Vec<u8> = LOOPS.iter().flat_map(|word| word.to_le_bytes()).collect();
    let options =
        ReadOptions { format: ImageFormat::by_name("raw"), base: Some(0x1000), ..ReadOptions::default() };
    let image = Image::read(code, &options).expect("raw code");
    let architecture = Library::built_in().load("riscv32").expect("an architecture");
    let guest = Guest::new(architecture, image).expect("a guest");
    let text = "entry = 0x1000\n[[volatile]]\nname = \"port\"\naddress = 0x2000\nsize = 1\n";
    let configuration = Configuration::parse(text).expect("a configuration");
    let explorer = Explorer::new(&guest, &configuration, plan, SolverStack::default().build());
    explorer.expect("a plan that fits").run(observer)
}

fn every_path(strategy: &str) -> Plan {
    Plan { criterion: Criterion::Path, strategy: strategy.to_owned(), ..Plan::default() }
}

/// The first loop.
fn first_loop() -> Vec<FunctionCode> {
    vec![FunctionCode::in_one_piece("first_loop", 0x1000..0x101c)]
}

/// Steers once, and looks at the frontier after each path.
#[derive(Default)]
struct Steersman {
    changes: Vec<Steering>,
    details: Vec<SearchDetails>,
    pauses: u32,
}

impl Steersman {
    fn new(changes: &[Steering]) -> Steersman {
        Steersman { changes: changes.to_vec(), ..Steersman::default() }
    }

    /// The numbers of pending branches of the two loops, after each path.
    fn pending(&self) -> Vec<[usize; 2]> {
        let count = |details: &SearchDetails| {
            BRANCHES.map(|branch| details.pending.get(&branch).copied().unwrap_or(0))
        };
        self.details.iter().map(count).collect()
    }
}

impl Observer for Steersman {
    fn on_progress(&mut self, _: &dyn Fn() -> ProgressReport) -> bool {
        true
    }

    fn on_details(&mut self, now: &dyn Fn() -> SearchDetails) {
        self.details.push(now());
    }

    fn steer(&mut self) -> Vec<Steering> {
        std::mem::take(&mut self.changes)
    }

    fn wait_while_paused(&mut self) {
        self.pauses += 1;
    }
}

/// The paths that tests take.
fn paths(found: &Exploration) -> BTreeSet<u64> {
    found.tests.iter().map(|test| test.path_hash.0).collect()
}

fn steered(found: &Exploration) -> Vec<String> {
    let assumptions = found.ledger.assumptions().into_iter();
    assumptions.filter(|one| one.kind == "steered" && !one.loses_paths).map(|one| one.message).collect()
}

#[test]
fn an_observer_that_only_looks_changes_nothing() {
    for strategy in ["portfolio", "random-state", "depth-first"] {
        let alone = explore(every_path(strategy), &mut NoObserver);
        let mut observer = Steersman::default();
        let observed = explore(every_path(strategy), &mut observer);
        assert_eq!(observed.tests, alone.tests, "{strategy}");
        assert_eq!(observed.directions, alone.directions, "{strategy}");
        assert_eq!(observed.effort.queries, alone.effort.queries, "{strategy}");
        assert_eq!(steered(&observed), Vec::<String>::new());
        assert_eq!(observer.details.len() as u64, alone.effort.paths, "{strategy}");
        let last = observer.details.last().expect("details");
        assert!(last.pending.is_empty(), "{:?}", last.pending);
        assert!(last.directions.iter().all(|(_, status)| *status == DirectionStatus::Covered), "{last:?}");
    }
}

#[test]
fn branches_of_the_focus_come_first() {
    for strategy in ["portfolio", "depth-first", "breadth-first"] {
        let mut observer = Steersman::new(&[Steering::Focus(first_loop())]);
        let found = explore(every_path(strategy), &mut observer);
        for pair in observer.pending().windows(2) {
            let ([first, second], [_, second_then]) = (pair[0], pair[1]);
            assert!(first == 0 || second_then >= second, "{strategy}: {:?}", observer.pending());
        }
        assert!(
            found.is_complete() && paths(&found).len() == 256,
            "{strategy}: {:?}",
            found.incomplete_reasons
        );
        let told = steered(&found);
        assert!(told.len() == 1 && told[0].contains("pending branches of first_loop first"), "{told:?}");
        assert!(told[0].contains("the same seed alone does not give this suite again"), "{told:?}");
    }
}

#[test]
fn skipped_branches_come_last() {
    for strategy in ["portfolio", "depth-first", "breadth-first"] {
        let mut observer = Steersman::new(&[Steering::Skip(first_loop())]);
        let found = explore(every_path(strategy), &mut observer);
        for pair in observer.pending().windows(2) {
            let ([first, second], [first_then, _]) = (pair[0], pair[1]);
            assert!(second == 0 || first_then >= first, "{strategy}: {:?}", observer.pending());
        }
        assert!(
            found.is_complete() && paths(&found).len() == 256,
            "{strategy}: {:?}",
            found.incomplete_reasons
        );
        assert!(steered(&found)[0].contains("pending branches of first_loop last"), "{:?}", steered(&found));
    }
}

#[test]
fn a_priority_that_is_withdrawn_loses_no_branch() {
    let changes = [
        Steering::Skip(first_loop()),
        Steering::Focus(first_loop()),
        Steering::Skip(Vec::new()),
        Steering::Focus(Vec::new()),
        Steering::Pause,
    ];
    let mut observer = Steersman::new(&changes);
    let found = explore(every_path("portfolio"), &mut observer);
    assert!(found.is_complete() && paths(&found).len() == 256, "{:?}", found.incomplete_reasons);
    assert_eq!((observer.pauses, steered(&found).len()), (1, 4), "a pause changes no decision");
}

#[test]
fn a_lowered_bound_ends_longer_paths() {
    let mut observer = Steersman::new(&[Steering::PathInstructions(20)]);
    let found = explore(every_path("depth-first"), &mut observer);
    let reasons = found.incomplete_reasons.join("\n");
    assert!(!found.is_complete() && reasons.contains("bound on instructions"), "{reasons}");
    assert!(steered(&found)[0].contains("at most 20 instructions on a path"), "{:?}", steered(&found));
}
