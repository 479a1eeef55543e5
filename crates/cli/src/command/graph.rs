//! `everypath graph`: the recovered control-flow graph, for people and for other programs.

use super::graph_document;
use crate::arguments::{File, GraphForm};
use crate::failure::Failure;
use crate::input;
use everypath_analyze::{Graph, Program, Settings, dot, drcov, ghidra};
use everypath_image::Image;
use everypath_lift::Library;
use std::io::Write;
use std::process::{Command, Stdio};

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
        GraphForm::Json => graph_document::write(&graph, architecture.name(), out)?,
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
