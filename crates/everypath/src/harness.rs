//! Tests of a program for a replay harness.

use crate::binary::Binary;
use crate::error::Error;
use everypath_image::{Binding, SymbolKind};
use everypath_record::{Address, HarnessSuite, ProgramSymbol, TestCase};
use std::collections::BTreeSet;

impl Binary {
    /// Runs tests again, and describes them with their expected outputs for a harness format, such as `python`. `program` is
    /// the program's file, as the harness names it.
    ///
    /// # Errors
    /// If a test does not fit the program, or the format does not fit the architecture.
    pub fn harness_suite(
        &self,
        tests: &[TestCase],
        program: &str,
        format: &str,
    ) -> Result<HarnessSuite, Error> {
        let symbols = (program, program_symbols(self));
        everypath_explore::harness_suite(self.guest(), self.configuration(), tests, symbols, format)
            .map_err(|error| self.misfit(&error))
    }

    /// The instructions of a test's run, by their numbers in it, that have no effect because an earlier instruction gives them a
    /// predicate that is false. The test takes no interrupts.
    ///
    /// # Errors
    /// If the test does not fit the program.
    pub fn false_predicates(&self, test: &TestCase) -> Result<BTreeSet<usize>, Error> {
        everypath_explore::false_predicates(self.guest(), self.configuration(), test)
            .map_err(|error| self.misfit(&error))
    }
}

/// The functions and variables of a program, by address.
fn program_symbols(binary: &Binary) -> Vec<ProgramSymbol> {
    let mut found: Vec<ProgramSymbol> = Vec::new();
    for symbol in binary.image().symbols() {
        let is_function = symbol.kind == SymbolKind::Function;
        if symbol.size > 0 && (is_function || symbol.kind == SymbolKind::Object) {
            found.push(ProgramSymbol {
                name: symbol.name.clone(),
                address: Address(symbol.address),
                size: symbol.size,
                is_global: symbol.binding != Binding::Local,
                is_function,
            });
        }
    }
    found.sort_by(|one, other| {
        (one.address, !one.is_global, &one.name).cmp(&(other.address, !other.is_global, &other.name))
    });
    // Of several names of one address, the first; a global one if there is one.
    found.dedup_by(|other, first| first.address == other.address);
    found
}
