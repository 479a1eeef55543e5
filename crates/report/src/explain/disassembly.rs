//! Excerpts of the disassembly with source lines, and the locations of all listed instructions.

use std::collections::BTreeMap;
use std::io::{self, Write};

use everypath_record::{
    Address, CodeLocation, FunctionOffset, ListedFunction, ListedInstruction, ListedLine, SourcePosition,
};

use super::Narrator;
use crate::report::ReportData;

/// Number of instructions that are shown before a branch.
const BEFORE: usize = 6;

/// The locations of the summary, and those of the other listed instructions, in the order of their addresses.
pub(super) fn known_locations(data: &ReportData<'_>) -> Vec<CodeLocation> {
    let mut known: BTreeMap<Address, CodeLocation> = BTreeMap::new();
    for function in &data.listing.functions {
        for ListedInstruction { address, source, .. } in function.instructions() {
            let offset = address.0.checked_sub(function.address.0);
            let source = source.and_then(|ListedLine { file, line }| {
                let file = data.listing.sources.get(file)?.path.clone();
                Some(SourcePosition { file, line, column: None })
            });
            let function = offset.map(|offset| FunctionOffset { name: function.name.clone(), offset });
            known.insert(*address, CodeLocation { address: *address, function, source });
        }
    }
    for location in &data.suite.summary.locations {
        known.insert(location.address, location.clone());
    }
    known.into_values().collect()
}

impl Narrator<'_> {
    /// Writes the instructions of the function up to one, which is marked, and those that are reached from it.
    pub(super) fn write_code(&self, at: Address, targets: &[Address], out: &mut dyn Write) -> io::Result<()> {
        let Some((function, index)) = self.listed(at) else { return Ok(()) };
        let instructions: Vec<&ListedInstruction> = function.instructions().collect();
        writeln!(out, "\ncode")?;
        let mut line = None;
        for instruction in &instructions[index.saturating_sub(BEFORE)..=index] {
            self.write_line(instruction, &mut line, out)?;
            let mark = if instruction.address == at { '>' } else { ' ' };
            writeln!(out, "  {mark} {}  {}", instruction.address, instruction.text)?;
        }
        for target in targets {
            if let Some((function, index)) = self.listed(*target)
                && let Some(instruction) = function.instructions().nth(index)
            {
                self.write_line(instruction, &mut line, out)?;
                writeln!(out, " -> {}  {}", instruction.address, instruction.text)?;
            }
        }
        Ok(())
    }

    /// The function of an instruction, and the index of the instruction in it.
    fn listed(&self, address: Address) -> Option<(&ListedFunction, usize)> {
        self.data.listing.functions.iter().find_map(|function| {
            let index = function.instructions().position(|instruction| instruction.address == address)?;
            Some((function, index))
        })
    }

    /// Writes the source line of an instruction, if it is another one than that of the instruction before.
    fn write_line(
        &self,
        instruction: &ListedInstruction,
        last: &mut Option<ListedLine>,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let before = std::mem::replace(last, instruction.source.or(*last));
        let Some(line) = instruction.source.filter(|line| Some(*line) != before) else { return Ok(()) };
        let Some(file) = self.data.listing.sources.get(line.file) else { return Ok(()) };
        let position = SourcePosition { file: file.path.clone(), line: line.line, column: None };
        let text = (self.locations.source)(&position);
        let text = text.map(|text| format!("  {}", text.trim())).unwrap_or_default();
        writeln!(out, "  {position}{text}")
    }
}
