//! The addresses that the report refers to, in order, each with its function and source line.

use std::collections::{BTreeMap, BTreeSet};

use everypath_record::{
    Address, CodeLocation, FunctionOffset, ListedFunction, SourcePosition, UnreachedFunction,
};
use serde::Serialize;

use super::code::Code;
use super::columns::{Index, Number};
use super::strings::Strings;
use crate::report::ReportData;

/// The addresses. Their indexes are in the order of the addresses.
pub(super) struct Places {
    addresses: Vec<Address>,
    locations: Vec<CodeLocation>,
}

/// The addresses as columns.
#[derive(Serialize)]
pub(super) struct PlaceColumns {
    /// Hexadecimal digits.
    address: Vec<String>,
    /// The listed function that has the instruction.
    function: Vec<Index>,
    /// The function's name, where it is not that of the listed function.
    name: BTreeMap<usize, usize>,
    /// The distance from the function's entry.
    offset: Vec<Number>,
    /// The path of the source file.
    file: Vec<Index>,
    line: Vec<u32>,
}

impl Places {
    /// The addresses of a report.
    pub(super) fn new(data: &ReportData<'_>) -> Places {
        let mut listed = listed_locations(data);
        for function in unreached(data) {
            listed.entry(function.address).or_insert_with(|| entry_location(function));
        }
        let mut addresses: BTreeSet<Address> = data.suite.summary.addresses();
        let instructions = data.listing.functions.iter().flat_map(ListedFunction::instructions);
        addresses.extend(instructions.map(|instruction| instruction.address));
        addresses.extend(data.listing.all_functions().map(|function| function.address));
        addresses.extend(unreached(data).map(|function| function.address));
        addresses.extend(data.suite.summary.indirect_exits.iter().flat_map(|exit| &exit.targets));
        addresses.extend(data.suite.tests.iter().flat_map(|test| &test.interrupts).map(|taken| taken.at));
        addresses.extend(data.executed.iter().flat_map(|executed| &executed.reads).map(|read| read.at));
        let addresses: Vec<Address> = addresses.into_iter().collect();
        let location = |address: &Address| {
            let recorded = data.suite.summary.location(*address).into_owned();
            let mut listed = listed.get(address).cloned();
            CodeLocation {
                address: *address,
                function: recorded.function.or_else(|| listed.as_mut()?.function.take()),
                source: recorded.source.or_else(|| listed.as_mut()?.source.take()),
            }
        };
        let locations = addresses.iter().map(location).collect();
        Places { addresses, locations }
    }

    /// The index of an address of the report.
    pub(super) fn index(&self, address: Address) -> usize {
        self.addresses.binary_search(&address).expect("every address that is written was collected")
    }

    /// The addresses as columns.
    pub(super) fn columns(&self, data: &ReportData<'_>, code: &Code, strings: &mut Strings) -> PlaceColumns {
        let mut column = PlaceColumns {
            address: self.addresses.iter().map(|address| format!("{:x}", address.0)).collect(),
            function: Vec::new(),
            name: BTreeMap::new(),
            offset: Vec::new(),
            file: Vec::new(),
            line: Vec::new(),
        };
        for (place, CodeLocation { address, function, source }) in self.locations.iter().enumerate() {
            let listed = code.function_of(*address);
            let listed_name = listed.map(|number| data.listing.functions[number].name.as_str());
            let name = function.as_ref().map(|function| function.name.as_str());
            if let Some(name) = name.filter(|name| Some(*name) != listed_name) {
                column.name.insert(place, strings.intern(name));
            }
            column.function.push(Index(listed));
            column.offset.push(Number(function.as_ref().map_or(0, |function| function.offset)));
            column.file.push(Index(source.as_ref().map(|source| strings.intern(&source.file))));
            column.line.push(source.as_ref().map_or(0, |source| source.line));
        }
        column
    }
}

/// The functions that no control flow from an entry leads to.
fn unreached<'r>(data: &ReportData<'r>) -> impl Iterator<Item = &'r UnreachedFunction> + use<'r> {
    let code = data.suite.summary.unreached.iter();
    code.flat_map(|code| code.functions.iter().chain(&code.referenced))
}

/// The location of the entry of a function.
fn entry_location(function: &UnreachedFunction) -> CodeLocation {
    CodeLocation {
        address: function.address,
        function: Some(FunctionOffset { name: function.name.clone(), offset: 0 }),
        source: function.source.clone(),
    }
}

/// The locations of the instructions of the listing, for those that the summary does not name.
fn listed_locations(data: &ReportData<'_>) -> BTreeMap<Address, CodeLocation> {
    let mut locations = BTreeMap::new();
    for function in data.listing.all_functions() {
        for instruction in function.blocks.iter().flat_map(|block| &block.instructions) {
            let address = instruction.address;
            // A tail that lies before the entry has no offset.
            let offset = address.0.checked_sub(function.address.0);
            let source = instruction.source.map(|listed| SourcePosition {
                file: data.listing.sources[listed.file].path.clone(),
                line: listed.line,
                column: None,
            });
            locations.entry(address).or_insert_with(|| CodeLocation {
                address,
                function: offset.map(|offset| FunctionOffset { name: function.name.clone(), offset }),
                source,
            });
        }
    }
    locations
}
