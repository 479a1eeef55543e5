//! Parser of libFuzzer's log.

use std::path::{Path, PathBuf};

/// The outcome of one target's run.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Outcome {
    /// The number of inputs; `None` if the log does not state it.
    pub(super) executions: Option<u64>,
    /// The duration in whole seconds.
    pub(super) seconds: Option<u64>,
    /// The inputs that the target failed on.
    pub(super) findings: Vec<PathBuf>,
}

/// Reads a log. Inputs that were only slow are not findings: libFuzzer continues after them.
pub(super) fn read(log: &str) -> Outcome {
    const WRITTEN: &str = "Test unit written to ";
    let mut outcome = Outcome { executions: None, seconds: None, findings: Vec::new() };
    for line in log.lines() {
        if let Some((_, path)) = line.split_once(WRITTEN) {
            let path = PathBuf::from(path.trim());
            if !is_slow_unit(&path) {
                outcome.findings.push(path);
            }
        } else if let Some(number) = line.strip_prefix("stat::number_of_executed_units:") {
            outcome.executions = number.trim().parse().ok();
        } else if let Some(done) = line.strip_prefix("Done ") {
            // Done 12345 runs in 11 second(s)
            let mut words = done.split(' ');
            outcome.executions = words.next().and_then(|word| word.parse().ok());
            outcome.seconds = words.nth(2).and_then(|word| word.parse().ok());
        }
    }
    outcome
}

fn is_slow_unit(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("slow-unit-"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quiet_run_has_no_findings() {
        let log = "INFO: Seed: 1\n#2\tINITED cov: 3\nDone 12345 runs in 11 second(s)\n";
        assert_eq!(read(log), Outcome { executions: Some(12345), seconds: Some(11), findings: vec![] });
    }

    #[test]
    fn a_finding_is_named_and_a_slow_input_is_none() {
        let log = "artifact_prefix='a/'; Test unit written to a/slow-unit-00\n\
                   artifact_prefix='a/'; Test unit written to a/crash-01\n\
                   stat::number_of_executed_units: 77\n";
        let findings = vec![PathBuf::from("a/crash-01")];
        assert_eq!(read(log), Outcome { executions: Some(77), seconds: None, findings });
    }
}
