//! The ground truth of a program: from its symbols, its relocations, and an independent disassembler.

use super::listing::Listing;
use super::relocation::{Reference, references};
use super::tables::{self, Inline, Table};
use everypath_image::{Image, SymbolKind};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Functions, instructions and jump tables of a program.
#[derive(Debug, Default)]
pub struct Truth {
    /// The functions: first address, and end.
    pub functions: BTreeMap<u64, u64>,
    /// Their names; a function may have several.
    pub names: BTreeMap<u64, Vec<String>>,
    /// The functions that are reachable from the entry by calls, jumps and references; every reference in data counts
    /// as reached. All functions, if the linker did not keep relocations.
    pub reached: BTreeSet<u64>,
    /// Whether the linker kept relocations, so that tables and reachability are known.
    pub linked: bool,
    /// The addresses of instructions.
    pub instructions: BTreeSet<u64>,
    /// The targets of direct jumps and calls.
    pub targets: BTreeSet<u64>,
    /// The instructions that are padding.
    pub filling: BTreeSet<u64>,
    /// The jump tables.
    pub tables: Vec<Table>,
    /// Whether the lowest bit of a code address is a mode bit.
    alternate: bool,
}

/// The conventions of a compiler.
#[derive(Clone, Debug, Default)]
pub struct Habits {
    /// Instructions that are followed by their table.
    pub inline: Vec<Inline>,
    /// Words before the address of a table that is among instructions, and whose entries are relative to it.
    pub near: Vec<String>,
    /// Unwind sections, which refer to functions that nothing calls.
    pub unwinding: Vec<String>,
}

impl Truth {
    /// Reads the symbols and references of a file, and runs a disassembler on it.
    ///
    /// # Errors
    /// If the disassembler cannot be run or the file not be read.
    pub fn new(image: &Image, file: &Path, disassembler: &str, habits: &Habits) -> Result<Self, String> {
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
                truth.names.entry(symbol.address).or_default().push(symbol.name.clone());
                truth.alternate |= symbol.alternate;
            }
        }
        let listing = Listing::new(file, disassembler, &habits.near)?;
        truth.instructions = listing.instructions.keys().copied().collect();
        truth.targets = listing.targets.clone();
        let bytes = std::fs::read(file).map_err(|error| format!("{}: {error}", file.display()))?;
        let references = references(&bytes, &habits.unwinding)?;
        truth.linked = references.iter().any(|reference| reference.code);
        if truth.linked {
            truth.reach(image, &listing, &references);
            truth.tables = tables::outside(&truth, image, &references);
            truth.tables.extend(tables::inline(&truth, image, &listing, &habits.inline));
            truth.tables.extend(tables::near(&truth, image, &listing));
        } else {
            truth.reached = truth.functions.keys().copied().collect();
        }
        truth.filling = listing.filling;
        Ok(truth)
    }

    /// Computes reachability from the entry.
    fn reach(&mut self, image: &Image, listing: &Listing, references: &[Reference]) {
        let mut leads: BTreeMap<u64, Vec<u64>> = BTreeMap::new();
        let mut open: Vec<u64> = image.entries().iter().map(|entry| self.plain(entry.address)).collect();
        let named = listing.mentions.iter().map(|(at, to)| (*at, *to, true));
        let linked = references.iter().map(|reference| (reference.at, reference.to, reference.code));
        for (at, to, code) in named.chain(linked) {
            let to = self.plain(to);
            match self.function_of(at).filter(|_| code) {
                Some(owner) => leads.entry(owner).or_default().push(to),
                // Data, and code whose extent no symbol gives.
                None if self.function_of(to).is_none_or(|start| start == to) => open.push(to),
                None => {}
            }
        }
        while let Some(address) = open.pop() {
            if let Some(start) = self.function_of(address)
                && self.reached.insert(start)
            {
                open.extend(leads.get(&start).into_iter().flatten());
            }
        }
    }

    /// The address of a function without its mode bit.
    pub fn plain(&self, address: u64) -> u64 {
        if self.alternate { address & !1 } else { address }
    }

    /// The function that contains an address.
    pub fn function_of(&self, address: u64) -> Option<u64> {
        let (start, end) = self.functions.range(..=address).next_back()?;
        (address < *end).then_some(*start)
    }

    /// One name of a function.
    pub fn name(&self, function: u64) -> &str {
        &self.names[&function][0]
    }

    /// Whether an address is in a function or in the cold part that compilers split off.
    pub fn is_same(&self, function: u64, address: u64) -> bool {
        let names = |start: u64| self.names[&start].iter().map(|name| name.split(".cold").next());
        self.function_of(address).is_some_and(|other| {
            other == function || names(other).any(|name| names(function).any(|known| known == name))
        })
    }
}
