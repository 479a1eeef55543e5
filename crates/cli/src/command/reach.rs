//! `everypath reach`: directed search for targets, each confirmed with a test, refuted with evidence, or open.

use std::io::Write;

use everypath::{Bounds, Criterion, ExitCode, OutputFolder, Plan, TargetText};
use everypath_solve::SolverStack;

use super::test::{default_memory, print_summary};
use crate::arguments::{GlobalOptions, ReachOptions};
use crate::failure::Failure;
use crate::progress::Progress;
use crate::{failure, input, subject};

pub(super) fn run(
    options: &ReachOptions,
    global: &GlobalOptions,
    out: &mut dyn Write,
) -> Result<ExitCode, Failure> {
    let ReachOptions { file, setting, .. } = options;
    let targets = options.target.iter().map(|text| text.parse::<TargetText>());
    let targets = targets.collect::<Result<Vec<_>, _>>();
    let mut targets = targets.map_err(|error| Failure::Input(format!("--target: {error}")))?;
    let binary = subject::load(file, setting, global)?;
    if targets.is_empty() {
        targets.clone_from(&binary.configuration().targets);
    }
    if targets.is_empty() {
        let message = "no target: add --target, or `targets` in the configuration";
        return Err(Failure::Input(message.to_owned()));
    }
    for target in &targets {
        let resolved = binary.guest().resolve_target(target);
        resolved.map_err(|error| Failure::Input(format!("{}: {error}", file.path.display())))?;
    }
    let folder = options.output.clone().unwrap_or_else(|| subject::folder_beside(file, "reach"));
    let mut folder = OutputFolder::open(&folder).map_err(|error| Failure::Input(error.to_string()))?;
    for warning in binary.image().warnings() {
        failure::warn(global.color, &format!("{}: {warning}", file.path.display()));
    }
    let solver = SolverStack { second: options.second_solver.clone(), ..SolverStack::default() };
    let plan = plan(options, targets, binary.configuration().budget);
    let mut progress = Progress::start(&binary, options.seconds);
    let outcome = binary.explore().plan(plan).solver(solver).run_with(&mut progress);
    progress.finish();
    let outcome = outcome.map_err(|error| subject::failure(file, setting, &error))?;
    outcome.write_to(&mut folder).map_err(|error| input::failure(&error))?;
    print_summary("everypath.reach", outcome.summary(), (folder.path(), &file.path), global, out)
}

/// The plan of the search; what the command line does not give is the default.
fn plan(options: &ReachOptions, targets: Vec<TargetText>, budget: Option<u64>) -> Plan {
    let default = Plan::default();
    Plan {
        criterion: Criterion::Target,
        strategy: options.strategy.clone(),
        seed: options.seed,
        targets,
        bounds: Bounds {
            paths: options.paths.unwrap_or(default.bounds.paths),
            seconds: options.seconds,
            memory: options.memory.or_else(default_memory),
            path_instructions: budget.unwrap_or(default.bounds.path_instructions),
            ..Bounds::default()
        },
        ..default
    }
}
