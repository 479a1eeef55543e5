//! `everypath inspect functions`.

use super::graph::program;
use crate::arguments::File;
use crate::document::{self, Hexadecimal};
use crate::failure::Failure;
use crate::input;
use crate::listing::{labels, printable};
use everypath_analyze::{Graph, Settings};
use everypath_image::Image;
use everypath_lift::Library;
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
