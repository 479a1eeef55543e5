//! Instruction vectors: the effect of single instructions, as a person wrote it from the data sheet.

use crate::kit::{Kit, VectorFile};
use crate::qualification::CheckResult;
use crate::vector_run::VectorRuns;
use everypath_vectors::parse;

/// The maximum number of faults of an architecture that are listed.
const SHOWN: usize = 20;

/// Runs the vectors of each architecture.
pub(super) fn check(kit: &Kit) -> Vec<CheckResult> {
    let architectures = kit.architectures().into_iter();
    let check = |architecture: String| {
        let files = kit.vectors.iter().filter(|file| file.architecture == architecture);
        let mut result = CheckResult { subject: architecture.clone(), ..CheckResult::default() };
        if let Err(problem) = run(&architecture, files, &mut result) {
            result.faults.push(problem);
        }
        result
    };
    architectures.map(check).collect()
}

fn run<'k>(
    architecture: &str,
    files: impl Iterator<Item = &'k VectorFile>,
    result: &mut CheckResult,
) -> Result<(), String> {
    let runs = VectorRuns::new(architecture)?;
    let (mut count, mut failed, mut without_model) = (0, 0, 0);
    for file in files {
        let vectors = parse(&format!("{}.vec", file.name), &file.text).map_err(|error| error.to_string())?;
        for vector in &vectors {
            let Some(faults) = runs.differences(vector) else {
                without_model += 1;
                continue;
            };
            count += 1;
            failed += usize::from(!faults.is_empty());
            let place = format!("{}:{}", vector.file, vector.line);
            result.faults.extend(faults.into_iter().map(|fault| format!("{place}: {fault}")));
        }
    }
    let more = result.faults.len().saturating_sub(SHOWN);
    if more > 0 {
        result.faults.truncate(SHOWN);
        result.faults.push(format!("and {more} differences more"));
    }
    result.observed = format!("{count} vectors, {failed} do not hold");
    if without_model > 0 {
        result.observed += &format!(
            "; {without_model} not run: their instructions have no model, and a run that meets one ends there and says so"
        );
    }
    if count == 0 {
        result.faults.push("there are no vectors, so that nothing was checked".to_owned());
    }
    Ok(())
}
