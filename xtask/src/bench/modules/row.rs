//! One row of the scoreboard: the exploration of one module on one target at one input length.

use super::super::angr::cpu_seconds;
use super::super::memory::peak;
use super::ModuleOptions;
use super::list::{ModuleEntry, ModuleTarget};
use super::{gcov, guest};
use everypath_explore::{Bounds, Explorer, Observer, Plan, ProgressReport};
use everypath_record::{Judged, Verdict};
use everypath_solve::SolverStack;
use serde::{Deserialize, Serialize};
use std::path::Path;
use std::time::Instant;

/// Memory limit of an exploration in bytes.
const MEMORY: u64 = 4 << 30;

/// The measurements of a row.
#[derive(Serialize, Deserialize)]
pub(super) struct Row {
    /// Covered branch directions.
    pub(super) covered: usize,
    /// Infeasible branch directions.
    pub(super) infeasible: usize,
    /// Open branch directions.
    pub(super) open: usize,
    /// Paths run to their end.
    pub(super) paths: u64,
    /// Generated tests.
    pub(super) tests: usize,
    /// Findings of the oracles.
    pub(super) findings: usize,
    /// Tests whose replay differs from the path that they were generated from.
    pub(super) divergences: usize,
    /// CPU seconds.
    pub(super) cpu: f64,
    /// CPU seconds until the last direction was covered.
    pub(super) last_new: f64,
    /// Peak memory in bytes.
    pub(super) peak: u64,
    /// How the exploration ended.
    pub(super) end: RowEnd,
    /// Branches of the native program that the tests take, and all of them; `None` if they could not be counted.
    pub(super) native: Option<(u64, u64)>,
    /// Why branches could not be counted, the first divergences, and why the exploration did not finish.
    pub(super) remarks: Vec<String>,
}

/// How an exploration ended.
#[derive(Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum RowEnd {
    /// Every path was explored, or every direction decided.
    Complete,
    /// Nothing was left to explore within the bounds of the plan; some directions may be open.
    Bounded,
    /// The time limit was reached.
    TimeLimit,
}

/// The work without a new direction after which a proof is tried, in executed instructions.
const PATIENCE: u64 = 20_000_000;

/// Explores a module and replays its tests natively.
pub(super) fn measure(
    root: &Path,
    options: &ModuleOptions,
    module: &ModuleEntry,
    target: &ModuleTarget,
    bytes: u32,
) -> Result<Row, String> {
    let (seconds, strategy) = (options.seconds, options.strategy.clone());
    let folder = module.folder(&options.sources)?;
    let subject = guest::compile(root, &folder, module, target, bytes)?;
    let bounds =
        Bounds { seconds: Some(seconds), memory: Some(MEMORY), paths: u64::MAX, ..Bounds::default() };
    let plan = Plan { bounds, strategy, prove: options.prove.then_some(PATIENCE), ..Plan::default() };
    let (start, clock) = (cpu_seconds()?, Instant::now());
    let explorer =
        Explorer::new(&subject.guest, &subject.configuration, plan, SolverStack::default().build())
            .map_err(|error| error.to_string())?;
    let mut watch = LastNew { start, last: start };
    let found = explorer.run(&mut watch);
    let (cpu, elapsed) = (cpu_seconds()? - start, clock.elapsed().as_secs_f64());
    let peak = peak()?;
    let count = |wanted: fn(&Verdict) -> bool| {
        found.directions.iter().filter(|judged| wanted(&judged.verdict)).count()
    };
    let covered = count(|verdict| matches!(verdict, Verdict::Covered { .. }));
    let infeasible = count(|verdict| matches!(verdict, Verdict::Infeasible { .. }));
    let native = gcov::replay(root, &folder, module, bytes, &found.tests);
    let end = match found.is_complete() || found.reached {
        true => RowEnd::Complete,
        // Part of the limit is reserved for the result.
        false if elapsed < 0.85 * seconds as f64 => RowEnd::Bounded,
        false => RowEnd::TimeLimit,
    };
    // The limit is one of elapsed time: on a busy machine the exploration gets less CPU time, and covers less.
    let is_busy = end == RowEnd::TimeLimit && cpu < 0.7 * elapsed;
    let busy = is_busy.then(|| format!("the machine is busy: {cpu:.1} CPU s in {elapsed:.1} s"));
    let remarks = native.as_ref().err().into_iter().chain(&busy).chain(&found.divergences);
    let remarks = remarks.chain(&found.gaps.setup).chain(&found.incomplete_reasons);
    Ok(Row {
        covered,
        infeasible,
        open: found.directions.len() - covered - infeasible,
        paths: found.effort.paths,
        tests: found.tests.len(),
        findings: found.findings.len(),
        divergences: found.divergences.len(),
        cpu,
        last_new: watch.last - watch.start,
        peak,
        end,
        remarks: remarks.take(3).cloned().collect(),
        native: native.ok(),
    })
}

/// Notes the CPU time at which a direction was covered for the first time.
struct LastNew {
    start: f64,
    last: f64,
}

impl Observer for LastNew {
    fn on_progress(&mut self, _: &dyn Fn() -> ProgressReport) -> bool {
        true
    }

    fn verdict(&mut self, judged: &Judged) {
        if matches!(judged.verdict, Verdict::Covered { .. }) {
            self.last = cpu_seconds().unwrap_or(self.last);
        }
    }
}
