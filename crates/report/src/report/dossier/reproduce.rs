//! Chapter 10: the commands that reproduce the results.

use serde_json::Value;

use super::commands::Commands;
use super::document::DossierDocument;
use super::index::DossierIndex;

/// Writes the chapter.
pub(super) fn write(index: &DossierIndex<'_>, commands: &Commands, document: &mut DossierDocument) {
    let summary = index.summary();
    let plan = &summary.plan;
    let plans = std::iter::once(plan).chain(summary.merged_from.iter().map(|run| &run.plan));
    let is_limited = |plan: &Value| plan.pointer("/bounds/seconds").is_some_and(|limit| !limit.is_null());
    document.chapter("How to reproduce");
    document.state(
        "REP",
        "The commands are given for the folder of the program, with its configuration beside it. The same program, configuration, settings, traces and version give the same tests and verdicts.",
    );
    if !summary.merged_from.is_empty() {
        document.state(
            "REP",
            "These results are those of several runs, merged by `everypath merge`: each of them is repeated, and the results are merged in the same order.",
        );
    }
    if plans.into_iter().any(is_limited) {
        document.state(
            "REP",
            "This run had a time limit: what was explored when it ended depends on the speed of the machine. A repeated run may leave other directions open; covered and infeasible verdicts must not contradict these.",
        );
    }
    document.section(match commands.is_cover() {
        true => "Repeat the run and compare its verdicts",
        false => "Repeat the run and compare its tests",
    });
    document.command(commands.repeat());
    let oracles = plan
        .get("oracles")
        .and_then(Value::as_array)
        .map(|names| names.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(", "));
    document.state(
        "REP",
        format!(
            "Settings without a flag have their defaults. {} `--second-solver` is not recorded: add it if the run had it.{}",
            match index.data.flags {
                [] => "No other flags were given when this document was written; it would not have been written with another configuration than that of the run.",
                _ => "The flags of the program and its setup are those that were given when this document was written; paths are relative to the folder of the program.",
            },
            oracles.map_or_else(String::new, |names| format!(
                " These oracles watched: {names}; leave out any other with `--without`."
            ))
        ),
    );
    let has_traces = !index.traces().is_empty();
    if has_traces {
        document.state(
            "REP",
            "The results name a trace by its file, without its folder, and only if it covers a direction. Add the folders and the other traces, and give them in the order that the run had: a direction is covered by the first trace that takes it.",
        );
    }
    document.section("Run the tests again from the entry");
    if commands.is_cover() {
        document.state("REP", "There are no tests to run again: every covered direction is covered by a trace, which cannot be replayed.");
    } else {
        document.command(vec![commands.replay()]);
        document.state("REP", "This confirms each direction that a test covers: path, end, number of instructions and the directions that each test adds.");
        if has_traces {
            document
                .state("REP", "It does not confirm directions that a trace covers: a trace is not replayed.");
        }
    }
    document.section("Check all certificates");
    let has_certificates = plan.get("certificates").and_then(Value::as_bool) == Some(true);
    if commands.is_cover() {
        document.state(
            "REP",
            "`everypath cover` writes no certificates; `everypath test` with these traces does.",
        );
    } else if has_certificates {
        document.command(vec![commands.check_certificates("")]);
    } else {
        document.command(vec![commands.check_repeated_certificates()]);
        document.state("REP", "This run wrote no certificates: those of the repeated run are checked.");
    }
    document.section("Write this document again");
    document.command(vec![commands.report()]);
}
