//! The rest of a merged summary: settings, indirect exits, assumptions, numbers and locations of all runs together.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

use super::{MergedRun, NamedSuite};
use crate::{
    Address, Assumption, CodeLocation, CodeRange, Counts, FunctionDigest, IndirectExitRecord, Judged,
    Justification, JustificationStanding, LapseCause, Undeclared, UnreachedCode, Verdict,
};

/// The runs, and in place of one that was merged before, its runs.
pub(super) fn merged_from(runs: &[NamedSuite]) -> Vec<MergedRun> {
    let mut merged = Vec::new();
    for NamedSuite { name, suite } in runs {
        let summary = &suite.summary;
        if !summary.merged_from.is_empty() {
            merged.extend(summary.merged_from.iter().cloned());
            continue;
        }
        merged.push(MergedRun {
            name: name.clone(),
            plan: summary.plan.clone(),
            criterion_reached: summary.criterion_reached,
            complete: summary.complete,
            paths: summary.paths,
            tests: suite.tests.len() as u64,
        });
    }
    merged
}

/// The settings in which all runs agree. If their criteria differ, it is that of branches, about which verdicts are.
pub(super) fn common_plan(runs: &[NamedSuite]) -> Value {
    let mut plans = runs.iter().map(|run| &run.suite.summary.plan);
    let first = plans.next().cloned().unwrap_or_default();
    let common = plans.fold(first, |common, plan| agreed(&common, plan).unwrap_or_default());
    let mut plan = match common {
        Value::Object(fields) => fields,
        _ => Map::new(),
    };
    plan.entry("criterion").or_insert_with(|| "branch".into());
    Value::Object(plan)
}

/// The value in which two plans agree; of objects, the fields in which they do.
fn agreed(one: &Value, other: &Value) -> Option<Value> {
    match (one, other) {
        (Value::Object(one), Value::Object(other)) => {
            let field =
                |(name, value): (&String, &Value)| Some((name.clone(), agreed(value, other.get(name)?)?));
            Some(Value::Object(one.iter().filter_map(field).collect::<Map<String, Value>>()))
        }
        _ => (one == other).then(|| one.clone()),
    }
}

/// The queries of all runs.
pub(super) fn queries(runs: &[NamedSuite]) -> Counts {
    let queries = runs.iter().map(|run| run.suite.summary.queries);
    queries.fold(Counts::default(), |sum, own| Counts {
        total: sum.total + own.total,
        backend: sum.backend + own.backend,
        sat: sum.sat + own.sat,
        unsat: sum.unsat + own.unsat,
        unknown: sum.unknown + own.unknown,
    })
}

/// The indirect exits with the targets of all runs. One is resolved if a run resolves it and knows all these targets.
pub(super) fn indirect_exits(runs: &[NamedSuite]) -> Vec<IndirectExitRecord> {
    let mut exits: BTreeMap<(Address, &str), Vec<(&NamedSuite, &IndirectExitRecord)>> = BTreeMap::new();
    for run in runs {
        for exit in &run.suite.summary.indirect_exits {
            exits.entry((exit.branch, &exit.kind)).or_default().push((run, exit));
        }
    }
    let merged = exits.into_iter().map(|((branch, kind), all)| {
        let targets: BTreeSet<Address> =
            all.iter().flat_map(|(_, exit)| exit.targets.iter().copied()).collect();
        let knows_all =
            |exit: &IndirectExitRecord| targets.iter().all(|target| exit.targets.contains(target));
        let by = all.iter().find(|(_, exit)| exit.resolved && knows_all(exit));
        let doubted = all.iter().find(|(_, exit)| exit.resolved);
        let reason = match (by, doubted) {
            (Some((_, exit)), _) => exit.reason.clone(),
            (None, Some((run, _))) => format!("{} resolves it, and another run has other targets", run.name),
            (None, None) => all.first().map(|(_, exit)| exit.reason.clone()).unwrap_or_default(),
        };
        let targets = targets.into_iter().collect();
        IndirectExitRecord { branch, kind: kind.to_owned(), targets, resolved: by.is_some(), reason }
    });
    merged.collect()
}

/// The assumptions of all runs: a verdict holds under those of its run.
pub(super) fn assumptions(runs: &[NamedSuite]) -> Vec<Assumption> {
    let mut merged: BTreeMap<(&str, Address, &str), (u64, bool)> = BTreeMap::new();
    for one in runs.iter().flat_map(|run| &run.suite.summary.assumptions) {
        // A cell that one run does not read may be read by another one.
        if one.kind == "unused" && !runs.iter().all(|run| run.suite.summary.assumptions.contains(one)) {
            continue;
        }
        let (count, loses_paths) = merged.entry((&one.kind, one.address, &one.message)).or_default();
        *count += one.count;
        *loses_paths |= one.loses_paths;
    }
    let assumption =
        |((kind, address, message), (count, loses_paths)): ((&str, Address, &str), (u64, bool))| Assumption {
            kind: kind.to_owned(),
            address,
            message: message.to_owned(),
            count,
            loses_paths,
        };
    merged.into_iter().map(assumption).collect()
}

/// The undeclared registers of all runs, each with the largest size that one of them reads.
pub(super) fn undeclared_registers(runs: &[NamedSuite]) -> Vec<Undeclared> {
    let mut merged: BTreeMap<(Option<&str>, Address), Undeclared> = BTreeMap::new();
    for one in runs.iter().flat_map(|run| &run.suite.summary.undeclared_registers) {
        let entry = merged.entry((one.space.as_deref(), one.address)).or_insert_with(|| one.clone());
        entry.size = entry.size.max(one.size);
    }
    merged.into_values().collect()
}

/// The divergences of all runs, each with the name of its run.
pub(super) fn divergences(runs: &[NamedSuite]) -> Vec<String> {
    let all = runs.iter().flat_map(|NamedSuite { name, suite }| {
        let is_merged = !suite.summary.merged_from.is_empty();
        let named = move |divergence: &String| match is_merged {
            true => divergence.clone(),
            false => format!("run {name}: {divergence}"),
        };
        suite.summary.divergences.iter().map(named)
    });
    all.collect()
}

/// The locations of all runs, in the order of their addresses.
pub(super) fn locations(runs: &[NamedSuite]) -> Vec<CodeLocation> {
    let mut merged: BTreeMap<Address, &CodeLocation> = BTreeMap::new();
    for location in runs.iter().flat_map(|run| &run.suite.summary.locations) {
        merged.entry(location.address).or_insert(location);
    }
    merged.into_values().cloned().collect()
}

/// The justifications of all runs, each once. One whose direction another run covers or shows infeasible has lapsed.
pub(super) fn justifications(runs: &[NamedSuite], directions: &[Judged]) -> Vec<Justification> {
    let verdicts: BTreeMap<_, _> =
        directions.iter().map(|judged| (judged.direction, &judged.verdict)).collect();
    let mut merged: Vec<Justification> = Vec::new();
    for one in runs.iter().flat_map(|run| &run.suite.summary.justifications) {
        let verdict = one.direction().and_then(|direction| verdicts.get(&direction));
        let lapse = match verdict {
            Some(Verdict::Covered { .. }) => {
                Some((LapseCause::Covered, "the direction is covered in another run"))
            }
            Some(Verdict::Infeasible { .. }) => {
                Some((LapseCause::Infeasible, "the direction is infeasible in another run"))
            }
            _ => None,
        };
        let standing =
            lapse.map(|(cause, detail)| JustificationStanding::Lapsed { cause, detail: detail.to_owned() });
        let one = Justification { standing: standing.unwrap_or_else(|| one.standing.clone()), ..one.clone() };
        // A run that does not reach the direction says that it lapsed; one for which it is valid counts.
        let same = |known: &&mut Justification| known.place() == one.place() && known.code == one.code;
        match merged.iter_mut().find(same) {
            Some(known) if known.direction().is_none() && one.direction().is_some() => *known = one,
            Some(_) => {}
            None => merged.push(one),
        }
    }
    merged
}

/// The digests of functions of all runs, in the order of their entries.
pub(super) fn function_digests(runs: &[NamedSuite]) -> Vec<FunctionDigest> {
    let all = runs.iter().flat_map(|run| &run.suite.summary.function_digests);
    let merged: BTreeMap<Address, &FunctionDigest> = all.map(|digest| (digest.entry, digest)).collect();
    merged.into_values().cloned().collect()
}

/// The code that is unreached in all runs that say which is.
pub(super) fn unreached(runs: &[NamedSuite]) -> Option<UnreachedCode> {
    let known = runs.iter().filter_map(|run| run.suite.summary.unreached.as_ref());
    known.cloned().reduce(|all, one| all.in_both(&one))
}

/// The code that traces and tests of other suites executed, of all runs.
pub(super) fn traced_code(runs: &[NamedSuite]) -> Vec<CodeRange> {
    CodeRange::union(runs.iter().flat_map(|run| run.suite.summary.traced_code.iter().copied()))
}
