//! Functions tested by themselves, on symbolic arguments, memory and objects.
//!
//! Needs the compilers of `tests/guests/targets.toml`.

use everypath_explore::{Criterion, Exploration, Explorer, NoObserver, Plan, replay, rerun};
use everypath_record::{TestCase, Verdict};
use everypath_solve::SolverStack;
use everypath_testkit::guests::{Subject, targets};
use std::path::{Path, PathBuf};

const CELLS: &str =
    "[[object]]\nname = \"cell\"\nsize = 8\ncount = 6\npointers = [{ offset = 4, to = \"cell\" }]\n";

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Explores every path of a function on each 32-bit target; `check` gets the result.
fn explore(name: &str, inputs: &str, check: impl Fn(&str, &Exploration)) {
    for target in targets(&root()).unwrap_or_else(|error| panic!("{error}")) {
        if target.int != 32 || !target.is_everywhere() || !target.is_installed() {
            continue;
        }
        let source = root().join(format!("tests/guests/functions/{name}.c"));
        let call = format!("[call]\nfunction = \"function\"\n{inputs}");
        let subject = Subject::compile(&source, &target, "-O0", &call);
        let Subject { guest, configuration } = subject.unwrap_or_else(|error| panic!("{error}"));
        let plan = Plan { criterion: Criterion::Path, ..Plan::default() };
        let explorer = Explorer::new(&guest, &configuration, plan, SolverStack::default().build());
        let found = explorer.expect("a plan that fits").run(&mut NoObserver);
        let what = format!("{name} for {}", target.name);
        assert_eq!(found.divergences, Vec::<String>::new(), "{what}");
        assert_eq!(found.findings, Vec::new(), "{what}");
        for judged in &found.directions {
            assert!(matches!(judged.verdict, Verdict::Covered { .. }), "{what}: {judged:?}");
        }
        for test in &found.tests {
            let replayed = replay(&guest, &configuration, test).expect("a run");
            assert_eq!(replayed.path, test.path_hash, "{what}: {test:?}");
            // The exported run has as many instructions: one more would end it.
            let again = rerun(&guest, &configuration, test, "program", "gdb").expect("a script");
            assert_eq!(again.instructions.len() as u64, test.instructions, "{what}: {test:?}");
        }
        check(&what, &found);
    }
}

/// Number of bytes of memory that a test sets.
fn size(test: &TestCase) -> usize {
    test.memory.iter().map(|memory| memory.bytes.len()).sum()
}

#[test]
fn a_cell_that_points_to_itself_is_laid_out() {
    let inputs = format!(
        "[[input]]\nname = \"x\"\nargument = 0\n[[input]]\nname = \"cell\"\nargument = 1\npointer = \"cell\"\n{CELLS}"
    );
    explore("cell", &inputs, |what, found| {
        assert!(found.is_complete(), "{what}: {:?}", found.incomplete_reasons);
        // Not positive; null; another value; another next; the fault.
        assert_eq!(found.effort.paths, 5, "{what}");
        assert!(found.tests.iter().any(|test| size(test) == 8), "{what}: one cell is enough");
    });
}

#[test]
fn lists_of_every_length_and_shape_are_made() {
    let inputs = format!("[[input]]\nname = \"list\"\nargument = 0\npointer = \"cell\"\n{CELLS}");
    explore("list", &inputs, |what, found| {
        assert!(found.is_complete(), "{what}: {:?}", found.incomplete_reasons);
        let four = found.tests.iter().filter(|test| size(test) >= 3 * 8).count();
        assert!(four > 0, "{what}: a list of four cells, the last of which points nowhere");
    });
}

#[test]
fn memory_and_an_argument_are_input() {
    let inputs = "[[input]]\nname = \"length\"\nargument = 0\n[[input]]\nname = \"buffer\"\n";
    explore("parse", inputs, |what, found| {
        assert!(found.is_complete(), "{what}: {:?}", found.incomplete_reasons);
        // Two lengths that do not fit, the empty one, and for each of six places: too low, too high; the value or not
        // where four digits or more can make it.
        assert!(found.effort.paths > 15, "{what}: {}", found.effort.paths);
    });
}

/// The replay that leads to the second pointer's alternatives chooses the first pointer's object again.
#[test]
fn two_pointers_need_two_objects() {
    let pointer = |name: &str, argument: u32| {
        format!("[[input]]\nname = \"{name}\"\nargument = {argument}\npointer = \"cell\"\nnull = false\n")
    };
    let cells = "[[object]]\nname = \"cell\"\nsize = 4\ncount = 2\n";
    let inputs = [pointer("first", 0), pointer("second", 1), cells.to_owned()].concat();
    explore("pair", &inputs, |what, found| {
        assert!(found.is_complete(), "{what}: {:?}", found.incomplete_reasons);
        // One object; two with equal values; two with different ones.
        assert_eq!(found.effort.paths, 3, "{what}");
    });
}
