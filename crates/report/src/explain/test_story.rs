//! The story of a test: its input, its run, what it adds to the suite, and how to replay it.

use std::collections::BTreeSet;
use std::io::{self, Write};

use everypath_record::{Address, DecidingInput, ExecutedCode, InputDecision, TestCase};

use super::timeline::values_text;
use super::{Narrator, SHOWN};
use crate::number::write_rest;
use crate::number::{counted, with_separators};

/// Maximum number of values that are shown of an input.
const VALUES: usize = 16;

impl Narrator<'_> {
    /// Writes the story of a test.
    pub(super) fn write_test(&self, test: &TestCase, out: &mut dyn Write) -> io::Result<()> {
        let instructions = counted(test.instructions, "instruction");
        let end = self.locations.named(&test.end);
        writeln!(out, "test {}: {instructions}; {end}", test.name)?;
        if test.cut_off {
            writeln!(out, "  a bound of the exploration ends the run there; the program could continue")?;
        }
        self.write_input(test, out)?;
        self.write_timeline(test, SHOWN, out)?;
        self.write_its_findings(test, out)?;
        let directions = &test.new_directions;
        let count = counted(directions.len() as u64, "direction");
        writeln!(out, "\nadds {count} that no earlier test takes")?;
        let executed = self.executed(&test.name);
        for direction in directions.iter().take(SHOWN) {
            writeln!(out, "  {}", self.locations.direction(*direction))?;
            if let Some(decision) = executed.and_then(|executed| executed.decision(*direction)) {
                writeln!(out, "      {}", decided_by(decision))?;
            }
        }
        write_rest(directions.len(), SHOWN, "", out)?;
        if let Some(executed) = executed {
            self.write_functions(executed, out)?;
        }
        self.write_replay(test, out)
    }

    /// Writes what a test gives as input.
    pub(super) fn write_input(&self, test: &TestCase, out: &mut dyn Write) -> io::Result<()> {
        let cells = test.cells.iter().map(|cell| {
            let count = match cell.values.len() {
                0 => "no value".to_owned(),
                1 => values_text(&cell.values, VALUES),
                count => {
                    let values = values_text(&cell.values, VALUES);
                    format!("{values} ({})", counted(count as u64, "value"))
                }
            };
            (cell.name.clone(), count)
        });
        let registers = test.registers.iter().map(|(name, value)| (name.clone(), value.to_string()));
        let memory = test.memory.iter().map(|memory| {
            let bytes: Vec<String> =
                memory.bytes.iter().take(VALUES).map(|byte| format!("{byte:02x}")).collect();
            let rest = match memory.bytes.len() {
                length if length > VALUES => format!(" ... ({})", counted(length as u64, "byte")),
                _ => String::new(),
            };
            (format!("{} {}", memory.space, memory.address), bytes.join(" ") + &rest)
        });
        let entries: Vec<(String, String)> = cells.chain(registers).chain(memory).collect();
        if entries.is_empty() {
            return writeln!(out, "\nno input");
        }
        writeln!(out, "\ninput")?;
        let width = entries.iter().take(SHOWN).map(|(name, _)| name.len()).max().unwrap_or(0);
        for (name, value) in entries.iter().take(SHOWN) {
            writeln!(out, "  {name:width$}  {value}")?;
        }
        write_rest(entries.len(), SHOWN, "", out)
    }

    /// Writes how to replay a test.
    pub(super) fn write_replay(&self, test: &TestCase, out: &mut dyn Write) -> io::Result<()> {
        let Narrator { file, folder, flags, .. } = self;
        writeln!(out, "\nreplay: everypath replay {file} {folder}/tests/{}.json{flags}", test.name)
    }

    fn write_its_findings(&self, test: &TestCase, out: &mut dyn Write) -> io::Result<()> {
        let findings = self.summary().findings.iter().enumerate();
        let own: Vec<_> = findings.filter(|(_, finding)| finding.test == test.name).collect();
        if own.is_empty() {
            return Ok(());
        }
        writeln!(out, "\nshows {}", counted(own.len() as u64, "finding"))?;
        for (index, finding) in own {
            writeln!(out, "  finding:{}  {}", index + 1, self.locations.at(finding.address))?;
            let message = self.locations.named(&finding.message);
            writeln!(out, "      {message} (oracle {})", finding.oracle)?;
        }
        Ok(())
    }

    /// Writes the functions that a test executes, in the order of their addresses.
    fn write_functions(&self, executed: &ExecutedCode, out: &mut dyn Write) -> io::Result<()> {
        let run = executed.instructions.iter().filter(|(_, count)| *count > 0);
        let mut unlisted: BTreeSet<Address> = run.map(|(address, _)| *address).collect();
        let mut functions = Vec::new();
        for function in &self.data.listing.functions {
            let total = function.instructions().count();
            let own = function.instructions().filter(|instruction| unlisted.remove(&instruction.address));
            match own.count() {
                0 => {}
                own => functions.push((&function.name, own, total)),
            }
        }
        let count = counted(functions.len() as u64, "function");
        writeln!(out, "\nexecutes {count}")?;
        for (name, own, total) in functions.iter().take(SHOWN) {
            let own = with_separators(*own as u64);
            writeln!(out, "  {name}: {own} of {}", counted(*total as u64, "instruction"))?;
        }
        write_rest(functions.len(), SHOWN, "", out)?;
        match unlisted.len() {
            0 => Ok(()),
            count => writeln!(out, "  in no function: {}", counted(count as u64, "instruction")),
        }
    }
}

/// The inputs that decide a branch, as a phrase.
pub(super) fn decided_by(decision: &InputDecision) -> String {
    let names: Vec<String> = decision.inputs.iter().take(SHOWN).map(DecidingInput::to_string).collect();
    match decision.inputs.len().saturating_sub(SHOWN) {
        _ if names.is_empty() => "decided by no input: its condition is constant on this path".to_owned(),
        0 => format!("decided by {}", names.join(", ")),
        more => format!("decided by {} and {}", names.join(", "), counted(more as u64, "other input")),
    }
}
