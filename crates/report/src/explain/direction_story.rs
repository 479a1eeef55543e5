//! The story of a branch direction: its verdict with test, evidence or reason, the branch in the code, and the next command.

use std::collections::BTreeSet;
use std::io::{self, Write};

use everypath_record::{Address, Direction, ExecutedCode, Judged, Verdict};

use super::test_story::decided_by;
use super::{Narrator, SHOWN};
use crate::cause::Cause;
use crate::number::counted;
use crate::number::write_rest;

/// Maximum number of directions that are explained at once; of more, only the verdicts are shown.
const EXPLAINED: usize = 8;

/// Maximum number of directions whose verdicts are shown.
const LISTED: usize = 50;

/// Maximum number of events of a test that are shown in the story of a direction.
const EVENTS: usize = 8;

impl Narrator<'_> {
    /// Writes the stories of directions.
    pub(super) fn write_directions(&self, indices: &[usize], out: &mut dyn Write) -> io::Result<()> {
        let judged = indices.iter().map(|index| &self.summary().directions[*index]);
        if indices.len() > EXPLAINED {
            return self.write_verdicts(&judged.collect::<Vec<_>>(), out);
        }
        let causes = Cause::all(self.summary());
        // The causes that were told, by their indices.
        let mut told = BTreeSet::new();
        for (number, judged) in judged.enumerate() {
            if number > 0 {
                writeln!(out)?;
            }
            let cause = causes.iter().position(|cause| cause.directions.contains(&judged.direction));
            let is_first = cause.is_none_or(|cause| told.insert(cause));
            let cause = cause.map(|cause| &causes[cause]);
            self.write_direction(judged, cause.filter(|_| is_first), out)?;
        }
        Ok(())
    }

    /// Writes the verdicts only.
    fn write_verdicts(&self, directions: &[&Judged], out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "{}; name one to have it explained", counted(directions.len() as u64, "direction"))?;
        for judged in directions.iter().take(LISTED) {
            writeln!(out, "  {}", self.locations.direction(judged.direction))?;
            writeln!(out, "      {}", self.verdict(&judged.verdict))?;
        }
        write_rest(directions.len(), LISTED, "", out)
    }

    /// Writes the story of a direction, with its cause unless that was told of another one.
    fn write_direction(&self, judged: &Judged, cause: Option<&Cause>, out: &mut dyn Write) -> io::Result<()> {
        let direction = judged.direction;
        writeln!(out, "{}", self.locations.direction(direction))?;
        writeln!(out, "{}", self.verdict(&judged.verdict))?;
        self.write_justifications(direction, out)?;
        match &judged.verdict {
            Verdict::Covered { test, .. } => {
                self.write_executions(direction, Some(test), out)?;
                self.write_code(direction.branch, &[direction.target], out)?;
                self.write_deciding(direction, test, out)?;
                self.write_covering(test, out)
            }
            Verdict::Infeasible { certificates, .. } => {
                self.write_executions(direction, None, out)?;
                self.write_code(direction.branch, &[direction.target], out)?;
                self.write_check(certificates, out)
            }
            Verdict::Open { .. } | Verdict::Unsupported { .. } => {
                self.write_executions(direction, None, out)?;
                self.write_code(direction.branch, &[direction.target], out)?;
                self.write_assumptions(direction.branch, out)?;
                cause.map_or(Ok(()), |cause| self.write_same_reason(cause, out))?;
                self.write_draft(judged, out)
            }
        }
    }

    fn verdict(&self, verdict: &Verdict) -> String {
        match verdict {
            verdict @ Verdict::Covered { .. } => {
                let by = verdict.taken_by().unwrap_or_default();
                format!("covered: {by} is the first that takes it")
            }
            Verdict::Infeasible { evidence, .. } => format!("infeasible: {}", self.locations.named(evidence)),
            Verdict::Open { reason } => format!("open: {}", self.locations.named(reason)),
            Verdict::Unsupported { reason } => format!("unsupported: {}", self.locations.named(reason)),
        }
    }

    /// Writes which tests execute the branch, and its target, beside the one that covers the direction.
    fn write_executions(
        &self,
        direction: Direction,
        covering: Option<&str>,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let replayed = self.data.executed;
        if replayed.is_empty() {
            return Ok(());
        }
        let other = |code: &&ExecutedCode| covering != Some(code.test.as_str());
        let at_branch: Vec<&ExecutedCode> =
            replayed.iter().filter(other).filter(|code| executes(code, direction.branch)).collect();
        let at_both: Vec<&ExecutedCode> =
            at_branch.iter().copied().filter(|code| executes(code, direction.target)).collect();
        let all = counted(replayed.len() as u64, "replayed test");
        if covering.is_some() {
            if at_both.is_empty() {
                return writeln!(out, "  no other of {all} executes both branch and target");
            }
            writeln!(out, "  other tests that execute both branch and target: {} of {all}", names(&at_both))?;
            return writeln!(out, "      (whether they go from the one to the other is not recorded)");
        }
        if at_branch.is_empty() {
            return writeln!(out, "  none of {all} executes the branch");
        }
        writeln!(out, "  tests that execute the branch: {} of {all}", names(&at_branch))?;
        if at_both.is_empty() {
            return Ok(());
        }
        writeln!(out, "  tests that reach the target from elsewhere: {}", names(&at_both))
    }

    /// Writes the inputs that decide a direction in the first test that takes it.
    fn write_deciding(&self, direction: Direction, test: &str, out: &mut dyn Write) -> io::Result<()> {
        match self.executed(test).and_then(|executed| executed.decision(direction)) {
            Some(decision) => writeln!(out, "\n{}", decided_by(decision)),
            None => Ok(()),
        }
    }

    fn write_covering(&self, test: &str, out: &mut dyn Write) -> io::Result<()> {
        let Some(test) = self.test(test) else { return Ok(()) };
        self.write_timeline(test, EVENTS, out)?;
        self.write_replay(test, out)?;
        writeln!(out, "more: {}", self.command(&test.name))
    }

    /// Writes how to check the evidence of an infeasible direction.
    fn write_check(&self, names: &[String], out: &mut dyn Write) -> io::Result<()> {
        writeln!(out)?;
        for name in names.iter().take(SHOWN) {
            writeln!(out, "check: everypath check-certificate {}/certificates/{name}", self.folder)?;
        }
        write_rest(names.len(), SHOWN, "", out)?;
        if !names.is_empty() {
            return Ok(());
        }
        let Narrator { file, flags, .. } = self;
        if self.summary().plan["certificates"] == true {
            writeln!(
                out,
                "check: everypath test {file} -o repeated{flags} (no answer of the solver is certified here)"
            )
        } else {
            writeln!(
                out,
                "check: everypath test {file} --certificates -o repeated{flags} (repeats the run and writes a certificate for each answer of the solver)"
            )
        }
    }

    /// Writes the assumptions that were made at a branch.
    fn write_assumptions(&self, branch: Address, out: &mut dyn Write) -> io::Result<()> {
        let here = self.summary().assumptions.iter().filter(|assumption| assumption.address == branch);
        for (number, assumption) in here.enumerate() {
            if number == 0 {
                writeln!(out, "\nassumed at the branch")?;
            }
            let times = counted(assumption.count, "time");
            writeln!(out, "  {}: {} ({times})", assumption.kind, assumption.message)?;
        }
        Ok(())
    }

    /// Writes how many directions are open for one reason beside the first, and what to try.
    fn write_same_reason(&self, cause: &Cause, out: &mut dyn Write) -> io::Result<()> {
        match cause.directions.len() as u64 - 1 {
            0 => writeln!(out, "\nno other direction is open for this reason")?,
            others => {
                let are = if others == 1 { "is" } else { "are" };
                let others = counted(others, "other direction");
                writeln!(out, "\n{others} {are} open for the same reason; all of them by function")?;
                let functions = self.locations.by_function(&cause.directions);
                for (function, directions) in functions.iter().take(SHOWN) {
                    let count = counted(directions.len() as u64, "direction");
                    writeln!(out, "  {function}: {count}{}", self.locations.lines(directions))?;
                }
                write_rest(functions.len(), SHOWN, "", out)?;
            }
        }
        cause.advice.map_or(Ok(()), |advice| writeln!(out, "next: {advice}"))
    }
}

fn executes(code: &ExecutedCode, address: Address) -> bool {
    let index = code.instructions.binary_search_by_key(&address, |(address, _)| *address);
    index.is_ok_and(|index| code.instructions[index].1 > 0)
}

/// The names of tests: `0001, 0002 and 17 more`.
fn names(codes: &[&ExecutedCode]) -> String {
    let shown: Vec<&str> = codes.iter().take(SHOWN).map(|code| code.test.as_str()).collect();
    match codes.len() - shown.len() {
        0 => shown.join(", "),
        rest => format!("{} and {} more", shown.join(", "), crate::number::with_separators(rest as u64)),
    }
}
