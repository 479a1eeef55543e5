//! Guests that read constant tables at an index that is input: every direction is judged, by a path for each and not for each index.
//!
//! Needs the compilers of `tests/guests/targets.toml`.

use everypath_explore::{Explorer, NoObserver, Plan};
use everypath_record::Verdict;
use everypath_solve::SolverStack;
use everypath_testkit::guests::{Subject, targets};
use std::path::Path;

#[test]
fn tables_of_every_size_are_read_at_all_indices() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut targets = targets(&root).unwrap_or_else(|error| panic!("{error}"));
    targets.retain(|target| target.int == 32 && target.is_everywhere() && target.is_installed());
    let mut wrong = Vec::new();
    for name in ["small", "large"] {
        let file = root.join(format!("tests/guests/tables/{name}.c"));
        for (target, level) in targets.iter().flat_map(|target| ["-O0", "-O2"].map(|level| (target, level))) {
            let subject =
                Subject::compile(&file, target, level, "").unwrap_or_else(|error| panic!("{error}"));
            let Subject { guest, configuration } = &subject;
            let explorer =
                Explorer::new(guest, configuration, Plan::default(), SolverStack::default().build());
            let found = explorer.expect("a plan that fits").run(&mut NoObserver);
            let what = format!("{name} for {} {level}, {} paths", target.name, found.effort.paths);
            let open = |verdict: &Verdict| matches!(verdict, Verdict::Open { .. });
            let open = found.directions.iter().filter(|judged| open(&judged.verdict));
            wrong.extend(
                open.map(|judged| format!("{what}: {} is open: {:?}", judged.direction, judged.verdict)),
            );
            if !found.is_complete() && !found.reached || found.effort.paths > 40 {
                wrong.push(format!("{what}: {:?}", found.incomplete_reasons));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
