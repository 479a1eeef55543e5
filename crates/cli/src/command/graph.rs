//! `everypath graph`: the recovered graph, for people and for other programs.

use crate::arguments::{File, GraphForm};
use crate::document::{self, Hexadecimal};
use crate::failure::Failure;
use crate::input;
use everypath_analyze::{Graph, Program, Saturation, Settings, dot, drcov, ghidra};
use everypath_image::Image;
use everypath_lift::Library;
use serde::Serialize;
use std::io::Write;
use std::process::{Command, Stdio};

/// `everypath.graph`.
#[derive(Serialize)]
struct Document<'d> {
    architecture: &'d str,
    functions: Vec<Function>,
    blocks: Vec<Block>,
    edges: Vec<Edge>,
    computed: Vec<Computed>,
    limit_reached: bool,
}

#[derive(Serialize)]
struct Function {
    address: Hexadecimal,
    evidence: &'static str,
    blocks: usize,
    returns: bool,
}

#[derive(Serialize)]
struct Block {
    address: Hexadecimal,
    end: Hexadecimal,
    context: String,
    function: Option<Hexadecimal>,
}

#[derive(Serialize)]
struct Edge {
    from: Hexadecimal,
    to: Hexadecimal,
    kind: &'static str,
    origin: &'static str,
}

#[derive(Serialize)]
struct Computed {
    block: Hexadecimal,
    kind: &'static str,
    saturated: bool,
    because: String,
    targets: Vec<Hexadecimal>,
}

pub(super) fn run(
    file: &File,
    form: GraphForm,
    library: &Library,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    let image = input::image(file)?;
    let architecture = input::architecture(file, &image, library)?;
    let program = program(file, architecture.clone(), &image)?;
    let graph = Graph::recover(&program, Settings::default());
    match form {
        GraphForm::Dot => dot(&graph, None, out)?,
        GraphForm::Svg => svg(&graph, out)?,
        GraphForm::Drcov => {
            let base = image.segments().first().map_or(0, everypath_image::Segment::address);
            let end = image.segments().last().map_or(0, |segment| segment.last().saturating_add(1));
            drcov(&graph, &file.path.display().to_string(), base, end, out)?;
        }
        GraphForm::Ghidra => ghidra(&graph, out)?,
        GraphForm::Json => document::write(out, "everypath.graph", &describe(&graph, architecture.name()))?,
    }
    Ok(())
}

/// The program of a file.
pub(super) fn program<'i>(
    file: &File,
    architecture: std::sync::Arc<everypath_lift::Architecture>,
    image: &'i Image,
) -> Result<Program<'i>, Failure> {
    let none = || Failure::Input(format!("{}: the architecture has no space of code", file.path.display()));
    Program::new(architecture, image).ok_or_else(none)
}

fn svg(graph: &Graph, out: &mut dyn Write) -> Result<(), Failure> {
    let missing = |error: std::io::Error| {
        Failure::Input(format!("`dot` cannot be run: {error}; install Graphviz, or ask for --as dot"))
    };
    let mut command = Command::new("dot");
    let mut child =
        command.arg("-Tsvg").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().map_err(missing)?;
    let mut text = Vec::new();
    dot(graph, None, &mut text)?;
    let mut input = child.stdin.take();
    // Written by a thread of its own, so that neither side waits for the other.
    let writer = std::thread::spawn(move || input.take().map_or(Ok(()), |mut input| input.write_all(&text)));
    let drawn = child.wait_with_output().map_err(missing)?;
    let _ = writer.join();
    if !drawn.status.success() {
        return Err(Failure::Input("`dot` failed; ask for --as dot".to_owned()));
    }
    out.write_all(&drawn.stdout)?;
    Ok(())
}

fn describe<'d>(graph: &Graph, architecture: &'d str) -> Document<'d> {
    let address = |block| Hexadecimal(graph.block(block).place.address);
    let functions = graph.functions().iter().map(|function| Function {
        address: address(function.entry),
        evidence: function.evidence.name(),
        blocks: function.blocks.len(),
        returns: function.returns,
    });
    let blocks = graph.blocks().filter(|block| graph.block(*block).decoded).map(|block| {
        let node = graph.block(block);
        Block {
            address: address(block),
            end: Hexadecimal(node.end),
            context: format!("{:#x}", node.place.context.0),
            function: graph.function_of(block).map(|function| address(graph.function(function).entry)),
        }
    });
    let edges = graph.edges().map(|edge| Edge {
        from: address(edge.from),
        to: address(edge.to),
        kind: edge.kind.name(),
        origin: edge.origin.name(),
    });
    let computed = graph.dynamics().map(|dynamic| Computed {
        block: address(dynamic.block),
        kind: dynamic.kind.name(),
        saturated: dynamic.state.is_saturated(),
        because: match &dynamic.state {
            Saturation::Saturated(reason) => reason.to_string(),
            Saturation::Unsaturated(doubt) => doubt.to_string(),
        },
        targets: graph
            .propose(dynamic.block, dynamic.exit)
            .into_iter()
            .map(|(place, _)| Hexadecimal(place.address))
            .collect(),
    });
    Document {
        architecture,
        functions: functions.collect(),
        blocks: blocks.collect(),
        edges: edges.collect(),
        computed: computed.collect(),
        limit_reached: graph.limit_reached(),
    }
}
