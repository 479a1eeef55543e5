//! `everypath inspect values`: register contents at block starts, by value-set analysis (Balakrishnan and Reps 2004).

use super::graph::program;
use crate::arguments::File;
use crate::document::Hexadecimal;
use crate::failure::Failure;
use crate::input;
use crate::stream::Stream;
use everypath_analyze::{
    AbstractState, AnalysisOptions, BlockId, EntrySymbol, FunctionId, Graph, Number, Settings, Trust, Value,
    ValueSets,
};
use everypath_ir::{Location, Width};
use everypath_lift::{Architecture, Library};
use serde_json::{Map, json};
use std::io::Write;

const VERSION: u32 = 1;

/// The arguments of the command.
pub(super) struct ValuesArgs<'a> {
    pub(super) file: &'a File,
    /// Only the function that begins at this address.
    pub(super) function: Option<u64>,
    /// Whether functions are trusted to keep to the calling convention.
    pub(super) convention: bool,
}

/// Prints the value sets of registers at block starts.
pub(super) fn run(
    options: &ValuesArgs<'_>,
    library: &Library,
    json: bool,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    let ValuesArgs { file, function, convention } = options;
    let image = input::image(file)?;
    let architecture = input::architecture(file, &image, library)?;
    let program = program(file, architecture.clone(), &image)?;
    let graph = Graph::recover(&program, Settings::default());
    let trust = if *convention { Trust::Convention } else { Trust::Nothing };
    let values = ValueSets::analyse(&program, &graph, AnalysisOptions::new(&program, trust), None);
    let listing = Listing {
        architecture: &architecture,
        graph: &graph,
        values: &values,
        registers: registers(&architecture),
        function: *function,
    };
    if json { listing.document(*convention, out) } else { listing.text(out) }
}

/// The registers that take part in calls: the stack pointer, arguments, results, and those that are preserved.
fn registers(architecture: &Architecture) -> Vec<(&str, Location, Width)> {
    let description = architecture.description();
    let mut names: Vec<&String> = description.registers.stack_pointer.iter().collect();
    if let Some(call) = &description.call {
        for register in call.arguments.iter().chain(&call.result).chain(&call.preserved) {
            if !names.contains(&register) {
                names.push(register);
            }
        }
    }
    let known = |name: &&'_ String| architecture.register(name);
    names
        .into_iter()
        .filter_map(|name| known(&name).map(|(location, width)| (name.as_str(), location, width)))
        .collect()
}

struct Listing<'l> {
    architecture: &'l Architecture,
    graph: &'l Graph,
    values: &'l ValueSets,
    registers: Vec<(&'l str, Location, Width)>,
    function: Option<u64>,
}

impl Listing<'_> {
    fn address(&self, block: BlockId) -> u64 {
        self.graph.block(block).place.address
    }

    fn entry(&self, function: FunctionId) -> u64 {
        self.address(self.graph.function(function).entry)
    }

    fn is_asked(&self, function: FunctionId) -> bool {
        self.function.is_none_or(|asked| asked == self.entry(function))
    }

    fn text(&self, out: &mut dyn Write) -> Result<(), Failure> {
        let functions = (0..self.graph.functions().len() as u32).map(FunctionId);
        for function in functions.filter(|function| self.is_asked(*function)) {
            writeln!(out, "function {:#x}", self.entry(function))?;
            for block in &self.graph.function(function).blocks {
                let states = self.values.before(*block).iter().filter(|(owner, _)| *owner == function);
                for (_, state) in states {
                    write!(out, "  {:#x}", self.address(*block))?;
                    for (register, location, width) in &self.registers {
                        let value = state.place(self.architecture.layout(), *location, *width);
                        let same = value.is_entry() == Some(EntrySymbol::Register(*location, *width));
                        if !value.is_unknown() && !same {
                            write!(out, "  {register} = {}", self.show(&value))?;
                        }
                    }
                    writeln!(out)?;
                }
            }
        }
        for assumption in self.graph.assumptions() {
            writeln!(out, "assumed: {assumption}")?;
        }
        Ok(())
    }

    fn show(&self, value: &Value) -> String {
        let number = match &value.number {
            Number::Set(set) => {
                let numbers: Vec<String> =
                    set.numbers().iter().map(|number| format!("{number:#x}")).collect();
                numbers.join(" | ")
            }
            Number::Interval(interval) => {
                format!("{:#x}..{:#x} by {:#x}", interval.low(), interval.high(), interval.stride())
            }
            Number::Wide(_) => "?".to_owned(),
        };
        match value.base {
            None => number,
            Some(EntrySymbol::Register(location, width)) => {
                format!("entry {} + {number}", self.place(location, width))
            }
            Some(EntrySymbol::Cell { distance, .. }) => format!("entry stack[{distance:#x}] + {number}"),
        }
    }

    fn place(&self, location: Location, width: Width) -> String {
        match self.architecture.register_name(location, width) {
            Some(name) => name.to_owned(),
            None => format!("[{:#x}]", location.offset),
        }
    }

    /// `everypath.inspect.values`; the guide's page on the graph's JSON is the schema.
    fn document(&self, convention: bool, out: &mut dyn Write) -> Result<(), Failure> {
        let mut stream = Stream::begin(out, "everypath.inspect.values", VERSION)?;
        stream.field("architecture", &self.architecture.name())?;
        stream.field("convention", &convention)?;
        stream.field("assumptions", &self.graph.assumptions())?;
        stream.field("complete", &self.values.is_complete())?;
        let given_up: Vec<Hexadecimal> =
            self.values.given_up().iter().map(|function| Hexadecimal(self.entry(*function))).collect();
        stream.field("given_up", &given_up)?;
        let registers: Vec<(&str, u32)> =
            self.registers.iter().map(|(name, _, width)| (*name, width.bits())).collect();
        stream.field("registers", &registers)?;
        stream.field("state_columns", &["block", "context", "function", "values"])?;
        let states = self.graph.blocks().flat_map(|block| {
            let states = self.values.before(block).iter();
            let asked = states.filter(|(function, _)| self.is_asked(*function));
            asked.map(move |(function, state)| self.row(block, *function, state))
        });
        stream.rows("states", states)?;
        stream.end()
    }

    fn row(&self, block: BlockId, function: FunctionId, state: &AbstractState) -> serde_json::Value {
        let mut known = Map::new();
        for (name, location, width) in &self.registers {
            let value = state.place(self.architecture.layout(), *location, *width);
            if value.is_unknown() {
                continue;
            }
            let described = if value.is_entry() == Some(EntrySymbol::Register(*location, *width)) {
                json!("entry")
            } else {
                self.describe(&value)
            };
            if !described.is_null() {
                known.insert((*name).to_owned(), described);
            }
        }
        let place = self.graph.block(block).place;
        json!([
            Hexadecimal(place.address),
            format!("{:#x}", place.context.0),
            Hexadecimal(self.entry(function)),
            known
        ])
    }

    fn describe(&self, value: &Value) -> serde_json::Value {
        let mut described = match &value.number {
            Number::Set(set) => {
                let numbers: Vec<Hexadecimal> = set.numbers().iter().copied().map(Hexadecimal).collect();
                json!({ "values": numbers })
            }
            Number::Interval(interval) => json!({
                "low": Hexadecimal(interval.low()),
                "high": Hexadecimal(interval.high()),
                "stride": Hexadecimal(interval.stride()),
            }),
            Number::Wide(_) => return serde_json::Value::Null,
        };
        match value.base {
            None => {}
            Some(EntrySymbol::Register(location, width)) => {
                described["entry"] = json!(self.place(location, width));
            }
            Some(EntrySymbol::Cell { distance, width, .. }) => {
                described["entry_stack"] = json!({ "distance": distance, "bits": width.bits() });
            }
        }
        described
    }
}
