//! The verdicts of merged runs on each direction.

use std::collections::BTreeMap;

use super::merged_tests::MergedTests;
use super::{CertificateSource, Contradiction, MergeError, NamedSuite, is_tested};
use crate::{CoveredBy, Direction, Judged, Summary, Verdict};

/// The verdicts of all runs.
pub(super) struct MergedVerdicts {
    /// The directions, in order.
    pub(super) directions: Vec<Judged>,
    /// The certificates that verdicts refer to.
    pub(super) certificates: Vec<CertificateSource>,
    /// For each run, a direction that another run has and that it does not know: then what it holds to be infeasible may not be.
    unknown: Vec<Option<Direction>>,
    /// Why no direction is infeasible and nothing complete, if a trace refutes what runs show.
    pub(super) refutation: Option<String>,
}

/// The verdicts on one direction, each with the number of its run.
type Opinions<'r> = Vec<(usize, &'r Verdict)>;

impl MergedVerdicts {
    /// Judges each direction that a run has.
    ///
    /// # Errors
    /// If a run covers by a test what another one calls infeasible.
    pub(super) fn of(runs: &[NamedSuite], tests: &MergedTests) -> Result<MergedVerdicts, MergeError> {
        let mut opinions: BTreeMap<Direction, Opinions<'_>> = BTreeMap::new();
        for (number, run) in runs.iter().enumerate() {
            for Judged { direction, verdict } in &run.suite.summary.directions {
                opinions.entry(*direction).or_default().push((number, verdict));
            }
        }
        let contradictions =
            opinions.iter().filter_map(|(direction, all)| contradiction(runs, *direction, all));
        let contradictions: Vec<Contradiction> = contradictions.collect();
        if !contradictions.is_empty() {
            return Err(MergeError::Contradictions(contradictions));
        }
        let refutation = refutation(runs, &opinions);
        let unknown = unknown_to(runs, &opinions);
        let mut merged =
            MergedVerdicts { directions: Vec::new(), certificates: Vec::new(), unknown, refutation };
        for (direction, all) in opinions {
            let verdict = merged.verdict(runs, tests, direction, &all);
            merged.directions.push(Judged { direction, verdict });
        }
        Ok(merged)
    }

    fn verdict(
        &mut self,
        runs: &[NamedSuite],
        tests: &MergedTests,
        direction: Direction,
        all: &Opinions<'_>,
    ) -> Verdict {
        if let Some(test) = tests.covered.get(&direction) {
            return Verdict::covered_by_test(test);
        }
        if let Some((_, trace)) = all.iter().find(|(_, verdict)| verdict.trace().is_some()) {
            return (*trace).clone();
        }
        let infeasible = || all.iter().filter(|(_, verdict)| matches!(verdict, Verdict::Infeasible { .. }));
        // Evidence that can be checked by itself is preferred.
        let knows_all = |(number, _): &&(usize, &Verdict)| self.unknown[*number].is_none();
        let with_certificate =
            infeasible().filter(knows_all).find(|(_, verdict)| !verdict.certificates().is_empty());
        let chosen =
            with_certificate.or_else(|| infeasible().find(knows_all)).or_else(|| infeasible().next());
        if let Some((number, verdict)) = chosen {
            if let Some(reason) = &self.refutation {
                return Verdict::Open { reason: reason.clone() };
            }
            if let Some(unknown) = self.unknown[*number] {
                let run = &runs[*number].name;
                let reason = format!(
                    "{run} shows that it is infeasible, and does not know {unknown}, which another run has"
                );
                return Verdict::Open { reason };
            }
            let certificates = verdict.certificates().to_vec();
            let sources =
                certificates.iter().map(|name| CertificateSource { run: *number, name: name.clone() });
            self.certificates.extend(sources);
            return Verdict::Infeasible { evidence: evidence(&runs[*number], verdict), certificates };
        }
        // It was run under another configuration, and refutes nothing of this one.
        if let Some((_, covered)) = all.iter().find(|(_, verdict)| verdict.suite_test().is_some()) {
            return (*covered).clone();
        }
        let mut reasons: Vec<&str> = Vec::new();
        for reason in all.iter().filter_map(|(_, verdict)| verdict.reason()) {
            if !reasons.contains(&reason) {
                reasons.push(reason);
            }
        }
        let reason = reasons.join("; ");
        // Another run may have got further, or less far: only if none of them leaves it open, a model is all that is missing.
        match all.iter().all(|(_, verdict)| matches!(verdict, Verdict::Unsupported { .. })) {
            true => Verdict::Unsupported { reason },
            false => Verdict::Open { reason },
        }
    }
}

/// For each run, the first direction that another run has and it does not. All runs list the directions that the static analysis
/// finds; one that is missing is behind an indirect exit of which the run did not know this target.
fn unknown_to(runs: &[NamedSuite], opinions: &BTreeMap<Direction, Opinions<'_>>) -> Vec<Option<Direction>> {
    let unknown = |number: usize| {
        let is_unknown = |all: &Opinions<'_>| all.iter().all(|(own, _)| *own != number);
        opinions.iter().find(|(_, all)| is_unknown(all)).map(|(direction, _)| *direction)
    };
    (0..runs.len()).map(unknown).collect()
}

/// The evidence of a run, which holds under its assumptions and settings. A run that was merged before names its parts already.
fn evidence(run: &NamedSuite, verdict: &Verdict) -> String {
    let evidence = verdict.reason().unwrap_or_default();
    match run.suite.summary.merged_from.is_empty() {
        true => format!("{evidence}; shown by run {}", run.name),
        false => evidence.to_owned(),
    }
}

fn contradiction(runs: &[NamedSuite], direction: Direction, all: &Opinions<'_>) -> Option<Contradiction> {
    let named = |number: usize, what: &str| (runs[number].name.clone(), what.to_owned());
    let covered = all.iter().find_map(|(number, verdict)| match verdict {
        Verdict::Covered { test, by: CoveredBy::Test } => Some(named(*number, test)),
        _ => None,
    });
    let infeasible = all.iter().find_map(|(number, verdict)| match verdict {
        Verdict::Infeasible { evidence, .. } => Some(named(*number, evidence)),
        _ => None,
    });
    let (covered, infeasible) = (covered?, infeasible?);
    Some(Contradiction { direction, covered, infeasible })
}

/// Why a trace refutes what runs show: one run takes by a trace what another calls infeasible, or says itself that it is refuted.
/// The configuration then does not describe the world that the trace was recorded in, and no verdict that rests on it holds.
fn refutation(runs: &[NamedSuite], opinions: &BTreeMap<Direction, Opinions<'_>>) -> Option<String> {
    let own = runs.iter().find_map(|run| run.suite.summary.refutation().map(str::to_owned));
    let between = || {
        opinions.iter().find_map(|(direction, all)| {
            let trace = all.iter().find_map(|(_, verdict)| verdict.trace().and(verdict.taken_by()))?;
            let denied = all.iter().any(|(_, verdict)| matches!(verdict, Verdict::Infeasible { .. }));
            denied.then(|| Summary::refuted_by(&trace, *direction))
        })
    };
    own.or_else(between)
}

/// The directions that a run covers by tests.
pub(super) fn tested(run: &NamedSuite) -> impl Iterator<Item = Direction> {
    run.suite.summary.directions.iter().filter(|judged| is_tested(judged)).map(|judged| judged.direction)
}
