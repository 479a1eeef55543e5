//! Lifts a function to the intermediate representation, and prints its instructions, blocks and control-flow edges.

use everypath::Binary;
use everypath::ir::{Location, Printer, Width};
use std::error::Error;

/// The absolute value: `test edi,edi; jns 1f; neg edi; 1: mov eax,edi; ret`.
const CODE: [u8; 9] = [0x85, 0xff, 0x79, 0x02, 0xf7, 0xdf, 0x89, 0xf8, 0xc3];

fn main() -> Result<(), Box<dyn Error>> {
    let binary = Binary::options().architecture("x86-64").raw(0x1000).entry(0x1000).read(CODE)?;
    for instruction in binary.instructions(0x1000)? {
        println!("{:#x}: {}", instruction.address, instruction.text);
    }
    let architecture = binary.architecture();
    let name =
        |location: Location, width: Width| architecture.register_name(location, width).map(str::to_owned);
    let printer = Printer::new(architecture.layout()).with_names(&name);
    for block in binary.lift(0x1000)? {
        print!("{}", printer.block(&block));
    }
    let graph = binary.graph()?;
    for edge in graph.edges() {
        let (from, to) = (graph.block(edge.from).place.address, graph.block(edge.to).place.address);
        println!("{from:#x} -> {to:#x}: {:?}", edge.kind);
    }
    Ok(())
}
