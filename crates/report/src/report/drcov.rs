//! DynamoRIO's coverage log (drcov version 2, module table version 2): executed basic blocks, for the coverage plug-ins of
//! disassemblers (Lighthouse, bncov, Dragon Dance, Cartographer).
//!
//! A block is written as far as a test executes it: if a run ends inside, only its first instructions are. An executed instruction
//! that no function lists, whose length is thus unknown, is a block of one byte. Plug-ins add the offset of a block to the base of
//! the image in the disassembler, so that the module begins at the base of the program. Offsets have 32 bits: code that is 4 GiB
//! or more behind the base, or before it, is left out. The entry of the
//! module, which is not known here, is 0.

use std::collections::BTreeMap;

use everypath_record::{Address, ExecutedCode, ListedFunction, OutputFile};

use super::ReportData;
use super::execution_counts::execution_counts;

/// A log of all tests, and one of each.
pub(super) fn files(data: &ReportData<'_>) -> Vec<OutputFile> {
    let module = Module::new(data);
    let merged = OutputFile { path: "coverage.drcov".to_owned(), contents: module.log(data.executed) };
    let of_tests = data.executed.iter().map(|code| OutputFile {
        path: format!("drcov/{}.drcov", code.test),
        contents: module.log(std::slice::from_ref(code)),
    });
    [merged].into_iter().chain(of_tests).collect()
}

/// The program as the only module.
struct Module<'r> {
    path: &'r str,
    base: u64,
    /// The address behind its last instruction.
    end: u64,
    /// The length of each listed instruction, and whether it begins a block.
    instructions: BTreeMap<Address, (u8, bool)>,
}

/// An executed part of a block.
struct Run {
    start: u64,
    length: u16,
}

impl<'r> Module<'r> {
    fn new(data: &ReportData<'r>) -> Module<'r> {
        let mut instructions = BTreeMap::new();
        for block in data.listing.functions.iter().flat_map(|function: &ListedFunction| &function.blocks) {
            for instruction in &block.instructions {
                let begins = instruction.address == block.start();
                let listed = instructions.entry(instruction.address).or_insert((instruction.length, false));
                listed.1 |= begins;
            }
        }
        let executed = data.executed.iter().flat_map(|code| &code.instructions).map(|(address, _)| *address);
        let lowest = instructions.keys().copied().chain(executed.clone()).min().unwrap_or(Address(0));
        let ends =
            instructions.iter().map(|(address, (length, _))| address.0.saturating_add(u64::from(*length)));
        let base = data.listing.base.unwrap_or(lowest).0;
        Module {
            path: &data.suite.summary.program,
            base,
            end: ends.chain(executed.map(|address| address.0.saturating_add(1))).max().unwrap_or(base),
            instructions,
        }
    }

    /// The log of what these tests execute.
    fn log(&self, executed: &[ExecutedCode]) -> Vec<u8> {
        let in_reach =
            |run: &Run| run.start.checked_sub(self.base).and_then(|offset| u32::try_from(offset).ok());
        let runs: Vec<(u32, u16)> =
            self.runs(executed).iter().filter_map(|run| Some((in_reach(run)?, run.length))).collect();
        let mut log = format!(
            "DRCOV VERSION: 2\nDRCOV FLAVOR: drcov\nModule Table: version 2, count 1\n\
             Columns: id, base, end, entry, path\n 0, {:#018x}, {:#018x}, 0x0000000000000000, {}\nBB Table: {} bbs\n",
            self.base,
            self.end,
            self.path.replace(['\n', '\r'], " "),
            runs.len()
        )
        .into_bytes();
        for (offset, length) in runs {
            log.extend(offset.to_le_bytes());
            log.extend(length.to_le_bytes());
            log.extend(0_u16.to_le_bytes());
        }
        log
    }

    /// The executed parts of blocks, in the order of their addresses.
    fn runs(&self, executed: &[ExecutedCode]) -> Vec<Run> {
        let mut runs: Vec<Run> = Vec::new();
        for address in execution_counts(executed).into_keys() {
            let (length, begins_block) = self.instructions.get(&address).copied().unwrap_or((1, true));
            let length = u16::from(length);
            let last = runs.last_mut().filter(|last| !begins_block && last.end() == address.0);
            // A block may be longer than the 16 bits of its length can say.
            match last.and_then(|last| Some((last.length.checked_add(length)?, last))) {
                Some((longer, last)) => last.length = longer,
                None => runs.push(Run { start: address.0, length }),
            }
        }
        runs
    }
}

impl Run {
    /// The address behind it.
    fn end(&self) -> u64 {
        self.start.saturating_add(u64::from(self.length))
    }
}
