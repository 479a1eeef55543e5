//! `everypath inspect functions` and `everypath inspect values`.

use super::graph::program;
use crate::arguments::File;
use crate::document::{self, Hexadecimal};
use crate::failure::Failure;
use crate::input;
use crate::listing::{labels, printable};
use everypath_analyze::{Bounds, Graph, Number, Settings, Symbol, Trust, Value, Values};
use everypath_image::Image;
use everypath_ir::{Location, Width};
use everypath_lift::{Architecture, Library};
use serde::Serialize;
use std::io::Write;

#[derive(Serialize)]
struct Function {
    address: Hexadecimal,
    name: Option<String>,
    evidence: &'static str,
    blocks: usize,
    callers: usize,
    returns: bool,
}

#[derive(Serialize)]
struct Functions<'f> {
    functions: &'f [Function],
}

/// Prints the functions.
pub(super) fn functions(
    file: &File,
    library: &Library,
    json: bool,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    let image = input::image(file)?;
    let architecture = input::architecture(file, &image, library)?;
    let program = program(file, architecture, &image)?;
    let graph = Graph::recover(&program, Settings::default());
    let list: Vec<Function> = (0..graph.functions().len() as u32)
        .map(everypath_analyze::FunctionId)
        .map(|id| {
            let function = graph.function(id);
            let address = graph.block(function.entry).place.address;
            Function {
                address: Hexadecimal(address),
                name: name(&image, address),
                evidence: function.evidence.name(),
                blocks: function.blocks.len(),
                callers: graph.callers(id).count(),
                returns: function.returns,
            }
        })
        .collect();
    if json {
        return document::write(out, "everypath.inspect.functions", &Functions { functions: &list });
    }
    for function in &list {
        let Function { address, name, evidence, blocks, callers, returns } = function;
        let name = name.as_deref().unwrap_or_default();
        let returns = if *returns { "" } else { ", does not return" };
        writeln!(
            out,
            "{address}  {blocks} blocks, {callers} callers, {evidence}{returns}  {}",
            printable(name)
        )?;
    }
    Ok(())
}

fn name(image: &Image, address: u64) -> Option<String> {
    labels(image, address, address.saturating_add(1)).next().map(|symbol| symbol.name.clone())
}

/// Prints what registers hold at the beginning of blocks.
pub(super) fn values(
    file: &File,
    library: &Library,
    from: Option<u64>,
    convention: bool,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    let image = input::image(file)?;
    let architecture = input::architecture(file, &image, library)?;
    let program = program(file, architecture.clone(), &image)?;
    let graph = Graph::recover(&program, Settings::default());
    let trust = if convention { Trust::Convention } else { Trust::Nothing };
    let values = Values::analyse(&program, &graph, Bounds::new(&program, trust), None);
    let mut registers: Vec<&String> = Vec::new();
    let description = architecture.description();
    registers.extend(&description.registers.stack_pointer);
    if let Some(call) = &description.call {
        let named = call.arguments.iter().chain(&call.result).chain(&call.preserved);
        for register in named {
            if !registers.contains(&register) {
                registers.push(register);
            }
        }
    }
    for function in graph.functions() {
        let start = graph.block(function.entry).place.address;
        if from.is_some_and(|from| from != start) {
            continue;
        }
        writeln!(out, "function {start:#x}")?;
        for block in &function.blocks {
            for (_, state) in values.before(*block).iter().take(1) {
                write!(out, "  {:#x}", graph.block(*block).place.address)?;
                for register in &registers {
                    let Some((location, width)) = architecture.register(register) else { continue };
                    let value = state.place(architecture.layout(), location, width);
                    let same = value.is_entry() == Some(Symbol::Register(location, width));
                    if !value.is_unknown() && !same {
                        write!(out, "  {register} = {}", show(&architecture, &value))?;
                    }
                }
                writeln!(out)?;
            }
        }
    }
    Ok(())
}

fn show(architecture: &Architecture, value: &Value) -> String {
    let place = |location: Location, width: Width| match architecture.register_name(location, width) {
        Some(name) => name.to_owned(),
        None => format!("[{:#x}]", location.offset),
    };
    let number = match &value.number {
        Number::Set(set) => {
            let numbers: Vec<String> = set.numbers().iter().map(|number| format!("{number:#x}")).collect();
            numbers.join(" | ")
        }
        Number::Interval(interval) => {
            format!("{:#x}..{:#x} by {:#x}", interval.low(), interval.high(), interval.stride())
        }
        Number::Wide(_) => "?".to_owned(),
    };
    match value.base {
        None => number,
        Some(Symbol::Register(location, width)) => format!("entry {} + {number}", place(location, width)),
        Some(Symbol::Cell { distance, .. }) => format!("entry stack[{distance:#x}] + {number}"),
    }
}
