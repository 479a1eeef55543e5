//! Graphs of small pieces of code, for tests.

use everypath_image::{Image, ImageFormat, ReadOptions};
use everypath_lift::Library;

use super::{BlockId, Graph};
use crate::{Program, Settings};

/// The graph of code of an architecture at 0x1000.
pub(super) fn graph_of(architecture: &str, code: &[u8]) -> Graph {
    let format = ImageFormat::by_name("raw");
    let options = ReadOptions { format, base: Some(0x1000), entry: Some(0x1000), ..ReadOptions::default() };
    let image = Image::read(code, &options).expect("an image");
    let architecture = Library::built_in().load(architecture).expect("an architecture");
    let program = Program::new(architecture, &image).expect("a program");
    Graph::recover(&program, Settings::default())
}

/// The block of a graph that starts at an address.
pub(super) fn block_at(graph: &Graph, address: u64) -> BlockId {
    graph.blocks().find(|block| graph.block(*block).place.address == address).expect("a block")
}
