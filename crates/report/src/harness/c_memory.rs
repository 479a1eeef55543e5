//! Where the memory of a test is in a C program: variables by their names, objects at their fixed addresses, the stack nowhere.

use everypath_record::{Address, HarnessSuite, HarnessTest, ProgramSymbol};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

const PAGE: u64 = 4096;

/// A place in memory, as an expression of C.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Place {
    /// A variable, and an offset in it.
    Variable(String, u64),
    /// A fixed address.
    Fixed(u64),
    /// The stack of the function under test, of which nothing is left.
    Stack,
}

impl fmt::Display for Place {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::Variable(name, offset) => write!(formatter, "({name} + {offset:#x})"),
            Place::Fixed(address) => write!(formatter, "(unsigned char *){address:#x}ul"),
            Place::Stack => formatter.write_str("0"),
        }
    }
}

/// Contiguous bytes at one place.
pub(super) type Piece = (Place, Vec<u8>);

/// The memory of a suite.
pub(super) struct CMemory<'s> {
    suite: &'s HarnessSuite,
    /// The pages at fixed addresses that the tests use.
    pages: BTreeSet<u64>,
    /// The bytes of variables that a test writes, with the contents that the program gives them.
    globals: BTreeMap<(String, u64), u8>,
}

impl<'s> CMemory<'s> {
    /// The memory of the tests of a suite; an error if C cannot name it.
    pub(super) fn of(suite: &'s HarnessSuite) -> Result<CMemory<'s>, String> {
        let mut memory = CMemory { suite, pages: BTreeSet::new(), globals: BTreeMap::new() };
        let mut of_program = BTreeSet::new();
        for segment in &suite.segments {
            of_program.extend(pages(segment.address.0, segment.bytes.len() as u64));
        }
        for symbol in &suite.symbols {
            of_program.extend(pages(symbol.address.0, symbol.size));
        }
        for test in suite.tests.iter().filter(|test| memory.returns(test)).collect::<Vec<_>>() {
            let written = test.expected.memory.iter().map(|written| (written.address, written.bytes.len()));
            let given = test.rerun.memory.iter().map(|stored| (stored.address, stored.bytes.len()));
            for (address, size) in written.chain(given) {
                let initial: Vec<u8> =
                    (address.0..).take(size).map(|address| memory.initial(address)).collect();
                for (place, bytes) in memory.split(test, address, &initial)? {
                    match place {
                        Place::Variable(name, offset) => {
                            let bytes = (offset..).zip(bytes);
                            memory.globals.extend(bytes.map(|(offset, byte)| ((name.clone(), offset), byte)));
                        }
                        Place::Fixed(address) => memory.pages.extend(pages(address, bytes.len() as u64)),
                        Place::Stack => {}
                    }
                }
            }
            let stack: BTreeSet<u64> = test
                .stack
                .map_or_else(BTreeSet::new, |(first, last)| pages(first.0, last.0 - first.0 + 1).collect());
            for (first, last) in &test.touched {
                let touched = pages(first.0, last.0 - first.0 + 1);
                memory
                    .pages
                    .extend(touched.filter(|page| !of_program.contains(page) && !stack.contains(page)));
            }
        }
        Ok(memory)
    }

    /// Whether the function returns: the run ends at the address that a register, which is no argument, gave it to return to.
    pub(super) fn returns(&self, test: &HarnessTest) -> bool {
        let end = test.expected.end.0;
        let arguments = self.suite.call.iter().flat_map(|call| &call.arguments).collect::<Vec<_>>();
        let mut others = test.rerun.registers.iter().filter(|(name, _)| !arguments.contains(&name));
        test.expected.instructions > 0 && others.any(|(_, value)| *value == end)
    }

    /// The variables that C declares.
    pub(super) fn symbols(&self) -> BTreeSet<&str> {
        self.globals.keys().map(|(name, _)| name.as_str()).collect()
    }

    /// The ranges of memory at fixed addresses: start and size.
    pub(super) fn pages(&self) -> Vec<(u64, u64)> {
        let mut ranges: Vec<(u64, u64)> = Vec::new();
        for page in &self.pages {
            match ranges.last_mut() {
                Some((start, size)) if *start + *size == page * PAGE => *size += PAGE,
                _ => ranges.push((page * PAGE, PAGE)),
            }
        }
        ranges
    }

    /// The contents that the program gives to the variables that tests write.
    pub(super) fn initial_globals(&self) -> impl Iterator<Item = Vec<Piece>> {
        let mut pieces: Vec<Piece> = Vec::new();
        for ((name, offset), byte) in &self.globals {
            match pieces.last_mut() {
                Some((Place::Variable(last, start), bytes))
                    if last == name && *start + bytes.len() as u64 == *offset =>
                {
                    bytes.push(*byte);
                }
                _ => pieces.push((Place::Variable(name.clone(), *offset), vec![*byte])),
            }
        }
        std::iter::once(pieces)
    }

    /// Divides bytes of memory by their places; an error if C cannot name one.
    pub(super) fn split(
        &self,
        test: &HarnessTest,
        address: Address,
        bytes: &[u8],
    ) -> Result<Vec<Piece>, String> {
        let mut pieces: Vec<Piece> = Vec::new();
        for (address, byte) in (address.0..).zip(bytes) {
            let place = self.place(test, address)?;
            match (pieces.last_mut(), &place) {
                (Some((Place::Variable(last, start), bytes)), Place::Variable(name, offset))
                    if last == name && *start + bytes.len() as u64 == *offset =>
                {
                    bytes.push(*byte);
                }
                (Some((Place::Fixed(start), bytes)), Place::Fixed(address))
                    if *start + bytes.len() as u64 == *address =>
                {
                    bytes.push(*byte);
                }
                (Some((Place::Stack, bytes)), Place::Stack) => bytes.push(*byte),
                _ => pieces.push((place, vec![*byte])),
            }
        }
        Ok(pieces)
    }

    fn place(&self, test: &HarnessTest, address: u64) -> Result<Place, String> {
        let python = "export with --tool python";
        if let Some(symbol) = symbol_at(self.suite, address).filter(|symbol| !symbol.is_function) {
            let (name, test) = (&symbol.name, &test.rerun.test);
            return match symbol.is_global {
                true => Ok(Place::Variable(name.clone(), address - symbol.address.0)),
                false => Err(format!(
                    "test {test} uses the variable `{name}`, which is local to its file, so that no other file can set or read it: {python}"
                )),
            };
        }
        if test.stack.is_some_and(|(first, last)| (first.0..=last.0).contains(&address)) {
            return Ok(Place::Stack);
        }
        let is_loaded = |segment: &everypath_record::Stored| {
            address.checked_sub(segment.address.0).is_some_and(|offset| offset < segment.bytes.len() as u64)
        };
        match self.suite.segments.iter().any(is_loaded) {
            true => Err(format!(
                "test {} uses memory of the program at {address:#x}, which has no name: {python}",
                test.rerun.test
            )),
            false => Ok(Place::Fixed(address)),
        }
    }

    /// A byte of the loaded program; the rest of its memory is zero.
    fn initial(&self, address: u64) -> u8 {
        let byte = |segment: &everypath_record::Stored| {
            let offset = usize::try_from(address.checked_sub(segment.address.0)?).ok()?;
            segment.bytes.get(offset).copied()
        };
        self.suite.segments.iter().rev().find_map(byte).unwrap_or(0)
    }

    /// An instruction, by function and offset.
    pub(super) fn location(&self, address: Address) -> String {
        match symbol_at(self.suite, address.0) {
            Some(symbol) => format!("{}+{:#x}", symbol.name, address.0 - symbol.address.0),
            None => address.to_string(),
        }
    }
}

fn symbol_at(suite: &HarnessSuite, address: u64) -> Option<&ProgramSymbol> {
    let after = suite.symbols.partition_point(|symbol| symbol.address.0 <= address);
    let symbol = suite.symbols[..after].last()?;
    (address - symbol.address.0 < symbol.size).then_some(symbol)
}

/// The numbers of the pages of a range.
fn pages(address: u64, size: u64) -> impl Iterator<Item = u64> {
    address / PAGE..=address.saturating_add(size.max(1) - 1) / PAGE
}

/// Bytes as the initialiser of an array.
pub(super) fn c_bytes(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:#04x}")).collect::<Vec<_>>().join(", ")
}
