//! Functions whose decisions depend on the layout of their arguments' objects, or on how narrow arguments are passed.
//!
//! Needs the compilers of `tests/guests/targets.toml`.

use everypath_explore::{Criterion, Exploration, Explorer, NoObserver, Plan, replay};
use everypath_record::Verdict;
use everypath_solve::SolverStack;
use everypath_testkit::guests::{Subject, targets};
use std::path::{Path, PathBuf};

const P: &str = "[[input]]\nname = \"p\"\nargument = 0\npointer = \"node\"\nnull = false\n";
const Q: &str = "[[input]]\nname = \"q\"\nargument = 1\npointer = \"node\"\nnull = false\n";
const NODES: &str =
    "[[object]]\nname = \"node\"\nsize = 8\ncount = 3\npointers = [{ offset = 4, to = \"node\" }]\n";
const BYTES: &str = "[[object]]\nname = \"node\"\nsize = 8\ncount = 2\n";

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Explores every path of a function on each 32-bit target; `check` gets the result.
fn explore(file: &str, function: &str, inputs: &str, check: impl Fn(&str, &Exploration)) {
    explore_by(Criterion::Path, file, function, inputs, check);
}

/// Explores a function on each 32-bit target; `check` gets the result.
fn explore_by(
    criterion: Criterion,
    file: &str,
    function: &str,
    inputs: &str,
    check: impl Fn(&str, &Exploration),
) {
    for target in targets(&root()).unwrap_or_else(|error| panic!("{error}")) {
        if target.int != 32 || !target.is_everywhere() || !target.is_installed() {
            continue;
        }
        let source = root().join(format!("tests/guests/functions/{file}.c"));
        let call = format!("[call]\nfunction = \"{function}\"\n{inputs}");
        let subject = Subject::compile(&source, &target, "-O0", &call);
        let Subject { guest, configuration } = subject.unwrap_or_else(|error| panic!("{error}"));
        let plan = Plan { criterion, ..Plan::default() };
        let explorer = Explorer::new(&guest, &configuration, plan, SolverStack::default().build());
        let found = explorer.expect("a plan that fits").run(&mut NoObserver);
        let what = format!("{function} for {}", target.name);
        assert_eq!(found.divergences, Vec::<String>::new(), "{what}");
        for test in &found.tests {
            let replayed = replay(&guest, &configuration, test).expect("a run");
            assert_eq!(replayed.path, test.path_hash, "{what}: {test:?}");
        }
        check(&what, &found);
    }
}

/// Checks that no direction is infeasible, the exploration is incomplete, and the ledger has the reason.
fn is_assumed(what: &str, found: &Exploration) {
    assert!(!found.is_complete(), "{what}");
    assert!(found.ledger.is_world_assumed(), "{what}: {:?}", found.ledger.assumptions());
    for judged in &found.directions {
        assert!(!matches!(judged.verdict, Verdict::Infeasible { .. }), "{what}: {judged:?}");
    }
}

#[test]
fn the_order_of_objects_is_an_assumption() {
    explore("order", "order", &format!("{P}{NODES}"), is_assumed);
}

#[test]
fn the_alignment_of_an_object_is_an_assumption() {
    explore("order", "align", &format!("{P}{BYTES}"), is_assumed);
}

#[test]
fn the_distance_of_objects_is_an_assumption() {
    explore("order", "neighbour", &format!("{P}{Q}{NODES}"), is_assumed);
}

#[test]
fn that_an_object_is_no_variable_is_an_assumption() {
    explore("order", "variable", &format!("{P}{NODES}"), is_assumed);
}

const INT: &str = "[[object]]\nname = \"int\"\nsize = 4\ncount = 1\n";
const TO_INT: &str = "[[input]]\nname = \"q\"\nargument = 1\npointer = \"int\"\nnull = false\n";

#[test]
fn an_address_that_depends_on_the_layout_is_an_assumption() {
    for function in ["indexes", "indexes_later", "signs"] {
        explore("layout", function, &format!("{P}{BYTES}"), is_assumed);
    }
}

#[test]
fn objects_of_two_kinds_may_be_one() {
    for function in ["same", "overlaps"] {
        explore("layout", function, &format!("{P}{TO_INT}{NODES}{INT}"), is_assumed);
        let separate = format!("{P}{TO_INT}{NODES}separate = true\n{INT}separate = true\n");
        explore("layout", function, &separate, |what, found| {
            assert!(found.is_complete(), "{what}: {:?}", found.incomplete_reasons);
        });
    }
}

#[test]
fn objects_of_one_kind_may_overlap() {
    explore("layout", "moves", &format!("{P}{Q}{BYTES}"), is_assumed);
}

#[test]
fn an_object_may_be_memory_that_the_file_does_not_name() {
    let memory = "[[memory]]\nname = \"ram\"\nstart = 0x30000000\nsize = 16\naccess = \"rw\"\n";
    explore("layout", "shares", &format!("{P}{NODES}{memory}"), is_assumed);
}

#[test]
fn memory_beside_an_object_is_an_assumption() {
    let memory = "[[memory]]\nname = \"ram\"\nstart = 0x30000000\nsize = 16\naccess = \"rw\"\n";
    let object = BYTES.replace("count = 2", "count = 1\naddress = 0x30000010\nseparate = true");
    explore("layout", "beside", &format!("{P}{object}{memory}"), is_assumed);
}

#[test]
fn variables_beside_the_stack_are_no_part_of_it() {
    // The variable is above the stack pointer of the entry.
    let target = targets(&root()).expect("targets").into_iter().find(|target| target.name == "cortex-m");
    let mut target = target.expect("a target");
    if !target.is_installed() {
        return;
    }
    target.flags.extend(["-Wl,-Tdata=0x20001000", "-Wl,-Tbss=0x20001000"].map(str::to_owned));
    target.configuration = target.configuration.replace("sp = 0x20010000", "sp = 0x20000ff0");
    let source = root().join("tests/guests/functions/global.c");
    let call = format!("[call]\nfunction = \"aliased\"\n{POINTER}{INT}");
    let Subject { guest, configuration } = Subject::compile(&source, &target, "-O0", &call).expect("a guest");
    let explorer = Explorer::new(&guest, &configuration, Plan::default(), SolverStack::default().build());
    is_assumed("aliased", &explorer.expect("a plan that fits").run(&mut NoObserver));
}

#[test]
fn more_pointers_may_differ_than_there_are_objects() {
    let r = "[[input]]\nname = \"r\"\nargument = 2\npointer = \"node\"\nnull = false\n";
    let two = NODES.replace("count = 3", "count = 2");
    for (function, inputs) in [("differ", format!("{P}{Q}{r}{two}")), ("third", format!("{P}{two}"))] {
        explore("layout", function, &inputs, |what, found| {
            assert!(!found.is_complete(), "{what}");
            let is_infeasible = |verdict: &Verdict| matches!(verdict, Verdict::Infeasible { .. });
            let mut directions = found.directions.iter();
            assert!(
                !directions.any(|judged| is_infeasible(&judged.verdict)),
                "{what}: {:?}",
                found.directions
            );
        });
    }
    explore("layout", "differ", &format!("{P}{Q}{r}{NODES}"), |what, found| {
        assert!(found.is_complete(), "{what}: {:?}", found.incomplete_reasons);
    });
}

#[test]
fn a_function_that_waits_may_be_interrupted() {
    explore_by(Criterion::Branch, "layout", "waits", X, is_assumed);
}

#[test]
fn null_equal_pointers_and_places_in_one_object_are_not_assumptions() {
    let inputs = format!("{P}{Q}{NODES}").replace("null = false", "null = true");
    explore("order", "plain", &inputs, |what, found| {
        assert!(found.is_complete(), "{what}: {:?}", found.incomplete_reasons);
        assert!(!found.ledger.is_world_assumed(), "{what}: {:?}", found.ledger.assumptions());
    });
}

#[test]
fn an_access_beyond_an_object_is_a_finding() {
    explore("order", "beyond", &format!("{P}{BYTES}"), |what, found| {
        let is_unmapped = |finding: &everypath_record::Finding| finding.oracle == "unmapped";
        assert!(found.findings.iter().any(is_unmapped), "{what}: {:?}", found.findings);
    });
}

#[test]
fn a_narrow_argument_is_extended_by_its_caller() {
    for (function, signed) in [("unsigned_byte", false), ("signed_byte", true)] {
        let input = format!("[[input]]\nname = \"a\"\nargument = 0\nsize = 1\nsigned = {signed}\n");
        explore("narrow", function, &input, |what, found| {
            assert_eq!(found.findings, Vec::new(), "{what}");
            assert!(found.is_complete(), "{what}: {:?}", found.incomplete_reasons);
            for judged in &found.directions {
                assert!(matches!(judged.verdict, Verdict::Covered { .. }), "{what}: {judged:?}");
            }
            for (_, value) in found.tests.iter().flat_map(|test| &test.registers) {
                let is_extended =
                    if signed { value.0 < 0x80 || value.0 >= 0xffff_ff80 } else { value.0 < 0x100 };
                assert!(is_extended, "{what}: {value}");
            }
        });
    }
}

#[test]
fn an_argument_wider_than_its_register_is_refused() {
    let target = targets(&root()).expect("targets").into_iter().find(|target| target.int == 32);
    let target = target.expect("a target");
    if !target.is_installed() {
        return;
    }
    let source = root().join("tests/guests/functions/narrow.c");
    let call = "[call]\nfunction = \"unsigned_byte\"\n[[input]]\nname = \"a\"\nargument = 0\nsize = 16\n";
    let Subject { guest, configuration } = Subject::compile(&source, &target, "-O0", call).expect("a guest");
    let explorer = Explorer::new(&guest, &configuration, Plan::default(), SolverStack::default().build());
    let error = explorer.err().expect("a refusal").to_string();
    assert!(error.contains("takes several registers"), "{error}");
}

const X: &str = "[[input]]\nname = \"x\"\nargument = 0\n";

#[test]
fn the_contents_of_global_variables_are_an_assumption() {
    explore("global", "reads", X, |what, found| {
        is_assumed(what, found);
        let assumptions = found.ledger.assumptions();
        for name in ["mode", "table"] {
            let is_named = assumptions.iter().any(|one| one.kind == "global" && one.message.contains(name));
            assert!(is_named, "{what}: {name}: {assumptions:?}");
        }
    });
}

#[test]
fn a_declared_global_variable_is_explored() {
    let globals = "[[input]]\nname = \"mode\"\nsize = 4\n[[input]]\nname = \"table\"\nsize = 8\n";
    explore("global", "reads", &format!("{X}{globals}"), |what, found| {
        assert!(found.is_complete(), "{what}: {:?}", found.incomplete_reasons);
        for judged in &found.directions {
            assert!(matches!(judged.verdict, Verdict::Covered { .. }), "{what}: {judged:?}");
        }
    });
}

#[test]
fn a_global_variable_that_the_function_writes_first_is_no_assumption() {
    explore("global", "writes", X, |what, found| {
        assert!(found.is_complete(), "{what}: {:?}", found.incomplete_reasons);
        assert!(!found.ledger.is_world_assumed(), "{what}: {:?}", found.ledger.assumptions());
    });
}

const POINTER: &str = "[[input]]\nname = \"p\"\nargument = 0\npointer = \"int\"\nnull = false\n";

#[test]
fn a_pointer_may_point_to_a_global_variable() {
    for (function, named) in
        [("aliased", "the variable `mode` is read"), ("reads_back", "the object `int` is read")]
    {
        explore("global", function, &format!("{POINTER}{INT}"), |what, found| {
            is_assumed(what, found);
            let is_named =
                |one: &everypath_record::Assumption| one.kind == "layout" && one.message.contains(named);
            let assumptions = found.ledger.assumptions();
            assert!(assumptions.iter().any(is_named), "{function}: {what}: {assumptions:?}");
        });
    }
}

#[test]
fn a_separate_object_is_no_global_variable() {
    for function in ["aliased", "reads_back"] {
        explore("global", function, &format!("{POINTER}{INT}separate = true\n"), |what, found| {
            assert!(found.is_complete(), "{function}: {what}: {:?}", found.incomplete_reasons);
        });
    }
}

#[test]
fn a_store_behind_the_last_read_is_no_assumption() {
    explore("global", "apart", &format!("{POINTER}{INT}"), |what, found| {
        assert!(found.is_complete(), "{what}: {:?}", found.incomplete_reasons);
    });
}
