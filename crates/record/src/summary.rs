//! The summary of a run.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::{
    Address, Assumption, CellValues, CodeLocation, CodeRange, Direction, Finding, FunctionDigest,
    IndirectExitRecord, Judged, Justification, JustificationDraft, MergedRun, TargetAnswer, TargetVerdict,
    UnreachedCode, Verdict,
};

/// The result of an exploration.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Summary {
    /// The version of the format.
    pub format: u32,
    /// The name of the program's file.
    pub program: String,
    /// The hash (SHA-256) of the program's file.
    pub program_hash: String,
    /// The hash (SHA-256) of the configuration's text without its justifications; of an empty one if there was none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub configuration_hash: String,
    /// The configuration, under which tests can be replayed by a run that has another one; none if it is not that of a text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub configuration: Option<RecordedConfiguration>,
    /// The architecture.
    pub architecture: String,
    /// The settings of the run, as they can be given again.
    pub plan: serde_json::Value,
    /// Whether the criterion of the plan was reached.
    pub criterion_reached: bool,
    /// Whether every feasible path was explored.
    pub complete: bool,
    /// Why the exploration is incomplete; empty if it is complete.
    pub incomplete_reasons: Vec<String>,
    /// Number of paths run to their end.
    pub paths: u64,
    /// Number of distinct instructions of the guest executed.
    pub instructions: u64,
    /// Solver queries by answer, and those that reached a backend.
    pub queries: Counts,
    /// Every discovered branch direction with its verdict.
    pub directions: Vec<Judged>,
    /// Whether the list of directions is complete: every indirect jump is resolved, and nothing is assumed of the
    /// environment.
    pub directions_exact: bool,
    /// Every indirect jump, call and return.
    pub indirect_exits: Vec<IndirectExitRecord>,
    /// The names of the tests, in order.
    pub tests: Vec<String>,
    /// The faults that oracles found in the guest.
    pub findings: Vec<Finding>,
    /// The targets of a directed search, with their answers.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub targets: Vec<TargetAnswer>,
    /// The assumption ledger.
    pub assumptions: Vec<Assumption>,
    /// Peripheral registers that the configuration does not declare and on which the program's decisions depend.
    #[serde(default)]
    pub undeclared_registers: Vec<Undeclared>,
    /// Replays from the entry that differ from the exploration, which is a bug of Everypath.
    pub divergences: Vec<String>,
    /// The code locations of [`Summary::addresses`] of which more than the address is known, in the order of their addresses.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub locations: Vec<CodeLocation>,
    /// The justifications of the configuration, in its order, with what became of them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub justifications: Vec<Justification>,
    /// The functions with open or unsupported directions, in the order of their addresses, each with the digest of its code that
    /// a justification names.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub function_digests: Vec<FunctionDigest>,
    /// The runs whose suites were merged into this one; empty if it is that of a single run. Then `plan` has the settings in which
    /// they agree, numbers are sums, and `instructions` is the largest number of a run.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub merged_from: Vec<MergedRun>,
    /// The code that no entry of the program reaches; none if it is not known, as where one function is tested by itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unreached: Option<UnreachedCode>,
    /// The code that traces and tests of other suites executed, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub traced_code: Vec<CodeRange>,
    /// The growth of coverage during the search; empty if suites were merged.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub coverage_curve: Vec<CoveragePoint>,
}

/// The configuration of a run as text.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct RecordedConfiguration {
    /// The text of an `everypath.toml` without justifications, in which what flags say takes the place of what the file says.
    pub text: String,
    /// The values that flags give for volatile cells.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cells: Vec<CellValues>,
    /// The lowest address at which the program's file is loaded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base: Option<Address>,
}

/// A point of the coverage curve: a path after which more directions were covered by tests than before. It has no time of day,
/// so that the same run writes the same file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct CoveragePoint {
    /// Number of paths run so far.
    pub paths: u64,
    /// Number of instructions executed so far on explored paths; trial runs and replays are not counted.
    pub executed: u64,
    /// Number of directions covered so far.
    pub covered: u64,
}

/// The end of an incompleteness reason by which a trace that refutes an infeasible verdict is recognised.
const REFUTED: &str = ", which was held to be infeasible: the configuration does not describe the world that it was recorded in, an \
                       interrupt went there, or everypath is wrong";

/// A peripheral register that the configuration does not declare; displayed as an entry for the configuration.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Undeclared {
    /// A name for it.
    pub name: String,
    /// Its address space; the code space if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub space: Option<String>,
    /// Its address.
    pub address: Address,
    /// Number of bytes that the program reads there.
    pub size: u64,
}

impl Undeclared {
    /// A register of this size at an address of a space, named after the address.
    #[must_use]
    pub fn new(space: Option<String>, address: u64, size: u64) -> Undeclared {
        Undeclared { name: format!("register_{address:x}"), space, address: Address(address), size }
    }
}

impl std::fmt::Display for Undeclared {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        writeln!(formatter, "[[volatile]]\nname = {:?}", self.name)?;
        if let Some(space) = &self.space {
            writeln!(formatter, "space = {space:?}")?;
        }
        writeln!(formatter, "address = {}\nsize = {}", self.address, self.size)
    }
}

/// Solver queries by answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Counts {
    /// All queries.
    pub total: u64,
    /// Queries that reached a backend.
    pub backend: u64,
    /// Satisfiable queries.
    pub sat: u64,
    /// Unsatisfiable queries.
    pub unsat: u64,
    /// Queries without an answer.
    pub unknown: u64,
}

/// The exit code of a command that could be carried out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExitCode {
    /// All is well.
    Good = 0,
    /// There are findings, or tests that do not replay.
    Findings = 3,
    /// Something was left open.
    Open = 4,
    /// A fault of Everypath itself: `EX_SOFTWARE` of `sysexits.h`.
    Fault = 70,
}

impl Summary {
    /// The exit code of the run. A fault of Everypath takes precedence, because it may invalidate everything else.
    #[must_use]
    pub fn exit_code(&self) -> ExitCode {
        let (_, _, open) = self.tally();
        let is_open = |answer: &TargetAnswer| matches!(answer.verdict, TargetVerdict::Open { .. });
        if !self.divergences.is_empty() {
            ExitCode::Fault
        } else if !self.targets.is_empty() {
            if self.targets.iter().any(is_open) { ExitCode::Open } else { ExitCode::Good }
        } else if !self.findings.is_empty() {
            ExitCode::Findings
        } else if self.is_justified() {
            ExitCode::Good
        } else if open > 0 || !self.complete && !self.criterion_reached {
            ExitCode::Open
        } else {
            ExitCode::Good
        }
    }

    /// Whether directions are open, each of them is justified, and nothing else is left open: the criterion is that of branches,
    /// no indirect exit may have other targets, and no trace refutes the configuration.
    #[must_use]
    pub fn is_justified(&self) -> bool {
        let (_, _, open) = self.tally();
        let is_resolved = self.indirect_exits.iter().all(|exit| exit.resolved);
        let by_branches = self.plan["criterion"] == "branch";
        open > 0
            && self.justified().len() == open
            && by_branches
            && is_resolved
            && self.refutation().is_none()
    }

    /// The open and unsupported directions that are justified.
    #[must_use]
    pub fn justified(&self) -> BTreeMap<Direction, &Justification> {
        let valid = self.justifications.iter().filter_map(|one| Some((one.direction()?, one)));
        let valid: BTreeMap<Direction, &Justification> = valid.collect();
        let undecided = self.directions.iter().filter(|judged| judged.verdict.is_undecided());
        let justified = undecided.filter_map(|judged| {
            let (direction, justification) = valid.get_key_value(&judged.direction)?;
            Some((*direction, *justification))
        });
        justified.collect()
    }

    /// The justifications that lapsed, each with the reason in words.
    pub fn lapsed(&self) -> impl Iterator<Item = (&Justification, &str)> {
        self.justifications.iter().filter_map(|one| Some((one, one.lapse()?)))
    }

    /// A justification of a direction that the user can complete; none if the function of its branch is not known, or the
    /// direction is neither open nor unsupported.
    #[must_use]
    pub fn draft_justification(&self, judged: &Judged) -> Option<JustificationDraft> {
        if !judged.verdict.is_undecided() {
            return None;
        }
        let direction = judged.direction;
        let location = self.location(direction.branch);
        let own = location.function.as_ref()?;
        let entry = Address(direction.branch.0.wrapping_sub(own.offset));
        let index = self.function_digests.binary_search_by_key(&entry, |digest| digest.entry).ok()?;
        let digest = &self.function_digests[index];
        let target = match &self.location(direction.target).function {
            Some(target) if direction.target.0.wrapping_sub(target.offset) == entry.0 => {
                format!("+{:#x}", target.offset)
            }
            _ => direction.target.to_string(),
        };
        Some(JustificationDraft {
            function: digest.function.clone(),
            offset: own.offset,
            target,
            code: digest.code.clone(),
        })
    }

    /// The reason why no direction is infeasible and nothing complete or exact: a trace takes a direction that was shown infeasible.
    #[must_use]
    pub fn refuted_by(trace: &str, direction: Direction) -> String {
        format!("at {}: {trace} goes to {}{REFUTED}", direction.branch, direction.target)
    }

    /// The reason of [`Summary::refuted_by`], if a trace refutes what the run shows.
    #[must_use]
    pub fn refutation(&self) -> Option<&str> {
        self.incomplete_reasons.iter().map(String::as_str).find(|reason| reason.ends_with(REFUTED))
    }

    /// The instructions that directions, reasons, indirect exits, findings and assumptions refer to.
    #[must_use]
    pub fn addresses(&self) -> BTreeSet<Address> {
        let directions = self.directions.iter().map(|judged| judged.direction);
        let directions = directions.flat_map(|direction| [direction.branch, direction.target]);
        let exits = self.indirect_exits.iter().map(|exit| exit.branch);
        let findings = self.findings.iter().map(|finding| finding.address);
        let assumptions = self.assumptions.iter().map(|assumption| assumption.address);
        let reasons = self.directions.iter().filter_map(|judged| match &judged.verdict {
            Verdict::Open { reason } | Verdict::Unsupported { reason } => Address::of_code_in(reason),
            Verdict::Covered { .. } | Verdict::Infeasible { .. } => None,
        });
        let reasons = reasons.map(|(_, address)| address);
        let closest = self.targets.iter().filter_map(|answer| answer.closest.map(|closest| closest.address));
        directions.chain(closest).chain(exits).chain(findings).chain(assumptions).chain(reasons).collect()
    }

    /// The code location of an address; the address alone if nothing else is known.
    #[must_use]
    pub fn location(&self, address: Address) -> Cow<'_, CodeLocation> {
        CodeLocation::find(&self.locations, address)
    }

    /// The numbers of covered directions, infeasible ones, and others.
    #[must_use]
    pub fn tally(&self) -> (usize, usize, usize) {
        let count = |wanted: fn(&Verdict) -> bool| {
            self.directions.iter().filter(|judged| wanted(&judged.verdict)).count()
        };
        let covered = count(|verdict| matches!(verdict, Verdict::Covered { .. }));
        let infeasible = count(|verdict| matches!(verdict, Verdict::Infeasible { .. }));
        (covered, infeasible, self.directions.len() - covered - infeasible)
    }
}
