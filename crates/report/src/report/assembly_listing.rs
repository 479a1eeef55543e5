//! An assembly listing to which coverage by line refers where an instruction has no source line.
//!
//! It has the functions in which there is such an instruction, whole, and at its end the instructions that tests execute or that
//! branch although no function has them. Each instruction without a source line has one line, even if two functions share it; an
//! instruction with a source line is shown but counts there. A program without debug information thus has all its code here,
//! and the tools that show sources show its disassembly.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use everypath_record::{Address, ListedFunction, ListedInstruction, OutputFile};

use super::ReportData;

/// A listing, and the line of each instruction in it that has no source line.
pub(super) struct AssemblyListing {
    name: String,
    text: String,
    /// Number of lines in the text.
    length: u32,
    lines: BTreeMap<Address, u32>,
}

impl AssemblyListing {
    /// The listing of a program; empty if every instruction has a source line.
    pub(super) fn new(data: &ReportData<'_>) -> AssemblyListing {
        let program = data.suite.summary.program.as_str();
        let program = program.rsplit(['/', '\\']).next().unwrap_or(program);
        let mut listing = AssemblyListing {
            name: format!("{program}.asm"),
            text: String::new(),
            length: 0,
            lines: BTreeMap::new(),
        };
        listing.push(&format!("; {program}: code without source lines"));
        for function in data.listing.all_functions() {
            if function.instructions().any(|instruction| instruction.source.is_none()) {
                listing.push_function(function);
            }
        }
        listing.push_unlisted(data);
        listing
    }

    /// The file and the line of each instruction that has no source line.
    pub(super) fn lines(&self) -> impl Iterator<Item = (Address, (&str, u32))> {
        self.lines.iter().map(|(address, line)| (*address, (self.name.as_str(), *line)))
    }

    /// The file, unless it is empty.
    pub(super) fn into_file(self) -> Option<OutputFile> {
        (!self.lines.is_empty()).then(|| OutputFile { path: self.name, contents: self.text.into_bytes() })
    }

    fn push(&mut self, line: &str) {
        // Text of a listing never has a line break, but a symbol might.
        let _ = writeln!(self.text, "{}", line.replace(['\n', '\r'], " "));
        self.length += 1;
    }

    fn push_function(&mut self, function: &ListedFunction) {
        self.push("");
        self.push(&format!("{}:", function.name));
        for ListedInstruction { address, text, source, .. } in function.instructions() {
            self.push(&format!("{:>12}  {text}", address.to_string()));
            if source.is_none() {
                self.lines.entry(*address).or_insert(self.length);
            }
        }
    }

    /// Adds the instructions that are executed or branch and are in no function.
    fn push_unlisted(&mut self, data: &ReportData<'_>) {
        let listed = data.listing.all_functions().flat_map(ListedFunction::instructions);
        let listed: BTreeSet<Address> = listed.map(|instruction| instruction.address).collect();
        let executed = data.executed.iter().flat_map(|code| &code.instructions).map(|(address, _)| *address);
        let branches = data.suite.summary.directions.iter().map(|judged| judged.direction.branch);
        let all: BTreeSet<Address> = executed.chain(branches).collect();
        for (number, address) in all.difference(&listed).enumerate() {
            if number == 0 {
                self.push("");
                self.push("; in no function:");
            }
            self.push(&format!("{:>12}", address.to_string()));
            self.lines.insert(*address, self.length);
        }
    }
}
