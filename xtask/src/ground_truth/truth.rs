//! What is known of a program from its symbols, and from a disassembler that is not ours.

use everypath_image::{Image, SymbolKind};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;

/// Functions and instructions of a program.
#[derive(Debug, Default)]
pub struct Truth {
    /// The functions: first address, and end.
    pub functions: BTreeMap<u64, u64>,
    /// Their names.
    pub names: BTreeMap<u64, String>,
    /// The addresses of instructions.
    pub instructions: BTreeSet<u64>,
    /// The targets of jumps and calls that name them.
    pub targets: BTreeSet<u64>,
    /// Those of the instructions that only fill space.
    pub filling: BTreeSet<u64>,
}

/// What disassemblers call instructions that fill space between functions.
const FILLING: [&str; 4] = ["nop", "xchg", "data16", "cs"];

impl Truth {
    /// Reads the symbols of an image and what a disassembler prints of its file.
    ///
    /// # Errors
    /// If the disassembler cannot be run.
    pub fn new(image: &Image, file: &Path, disassembler: &str) -> Result<Self, String> {
        let mut truth = Self::default();
        let code = |address: u64| {
            image.sections().iter().any(|section| {
                let inside = address.checked_sub(section.address()).is_some_and(|at| at < section.size());
                section.executable() && inside
            })
        };
        for symbol in image.symbols() {
            let is_function = matches!(symbol.kind, SymbolKind::Function | SymbolKind::IndirectFunction);
            if is_function && symbol.size > 0 && code(symbol.address) {
                truth.functions.insert(symbol.address, symbol.address + symbol.size);
                truth.names.insert(symbol.address, symbol.name.clone());
            }
        }
        let run = Command::new(disassembler).args(["-d", "-w", "--no-show-raw-insn"]).arg(file).output();
        let run = run.map_err(|error| format!("{disassembler}: {error}"))?;
        if !run.status.success() {
            return Err(format!("{disassembler}: {}", String::from_utf8_lossy(&run.stderr)));
        }
        for line in String::from_utf8_lossy(&run.stdout).lines() {
            // Lines such as `  401126:	push   %rbp`.
            let Some((address, text)) = line.split_once(":\t") else { continue };
            let Ok(address) = u64::from_str_radix(address.trim(), 16) else { continue };
            let word = text.split_whitespace().next().unwrap_or_default();
            if word.starts_with('.') || word.starts_with('<') {
                continue;
            }
            truth.instructions.insert(address);
            // A jump behind a prefix leads to an instruction too.
            let operand = text.split_whitespace().nth(1).unwrap_or_default();
            if text.contains('<')
                && let Ok(target) = u64::from_str_radix(operand, 16)
            {
                truth.targets.insert(target);
            }
            if FILLING.iter().any(|filling| word.starts_with(filling)) {
                truth.filling.insert(address);
            }
        }
        Ok(truth)
    }

    /// The function that an address lies in.
    pub fn function_of(&self, address: u64) -> Option<u64> {
        let (start, end) = self.functions.range(..=address).next_back()?;
        (address < *end).then_some(*start)
    }

    /// Whether an address lies in a function or in the part of it that compilers put elsewhere because it is seldom run.
    pub fn is_same(&self, function: u64, address: u64) -> bool {
        let name = |start: u64| self.names[&start].split(".cold").next().unwrap_or_default();
        self.function_of(address).is_some_and(|other| other == function || name(other) == name(function))
    }
}
