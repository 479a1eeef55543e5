//! The procedures of verification cases, one file for each topic. A procedure compares what the command does with what the
//! kit expects, and returns each difference.

mod assumptions;
mod directions;
mod exit_codes;
mod exploration;
mod limits;
mod repetition;
mod tampering;
mod vectors;

use crate::kit::Kit;
use crate::program::KitProgram;
use crate::qualification::CheckResult;
use crate::requirement::VerificationCase;
use crate::workplace::Workplace;
use serde::{Deserialize, Serialize};

/// A procedure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Procedure {
    /// The verdicts of `everypath test` are those that a person derived from the listing.
    ExpectedVerdicts,
    /// Every direction that some input takes is listed.
    ListedDirections,
    /// `everypath replay` confirms every test.
    Replay,
    /// The test of a covered direction takes it, on the concrete machine.
    TakenDirections,
    /// No input takes an infeasible direction.
    InfeasibleDirections,
    /// `everypath check-certificate` accepts the certificates of infeasible directions.
    Certificates,
    /// A premise is in the assumption ledger.
    Assumptions,
    /// A fault is a finding.
    Findings,
    /// `everypath replay` refuses tests that were changed.
    TamperedTests,
    /// `everypath check-certificate` refuses certificates that were changed.
    TamperedCertificates,
    /// `everypath replay` refuses another program.
    OtherProgram,
    /// Two runs write the same files.
    Repetition,
    /// The bound of the number of paths holds, and is reported.
    PathLimit,
    /// The bound of the number of instructions of a run holds, and is reported.
    InstructionLimit,
    /// Instruction vectors hold.
    InstructionVectors,
    /// The exit code says how a command ended.
    ExitCodes,
}

/// A case on one program.
struct ProgramCheck<'c> {
    case: &'c VerificationCase,
    program: &'c KitProgram,
    workplace: &'c Workplace,
}

/// Carries a case out, on each of its programs.
pub(crate) fn carry_out(kit: &Kit, case: &VerificationCase, workplace: &Workplace) -> Vec<CheckResult> {
    if case.method == Procedure::InstructionVectors {
        return vectors::check(kit);
    }
    let programs = kit.programs.iter().filter(|program| case.programs.contains(&program.name));
    let check = |program| {
        let check = ProgramCheck { case, program, workplace };
        let mut result = CheckResult { subject: program.label(), ..CheckResult::default() };
        if let Err(problem) = check.carry_out(&mut result) {
            result.faults.push(problem);
        }
        result
    };
    programs.map(check).collect()
}

impl ProgramCheck<'_> {
    /// # Errors
    /// If the procedure cannot be carried out, in words.
    fn carry_out(&self, result: &mut CheckResult) -> Result<(), String> {
        match self.case.method {
            Procedure::ExpectedVerdicts => directions::expected(self, result),
            Procedure::ListedDirections => directions::listed(self, result),
            Procedure::Replay => repetition::replay(self, result),
            Procedure::TakenDirections => directions::taken(self, result),
            Procedure::InfeasibleDirections => directions::infeasible(self, result),
            Procedure::Certificates => directions::certificates(self, result),
            Procedure::Assumptions => assumptions::assumptions(self, result),
            Procedure::Findings => assumptions::findings(self, result),
            Procedure::TamperedTests => tampering::tests(self, result),
            Procedure::TamperedCertificates => tampering::certificates(self, result),
            Procedure::OtherProgram => tampering::other_program(self, result),
            Procedure::Repetition => repetition::repeat(self, result),
            Procedure::PathLimit => limits::paths(self, result),
            Procedure::InstructionLimit => limits::instructions(self, result),
            Procedure::ExitCodes => exit_codes::check(self, result),
            Procedure::InstructionVectors => Err("vectors need no program".to_owned()),
        }
    }
}
