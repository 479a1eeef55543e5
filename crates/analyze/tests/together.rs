//! Graph, value-set analysis and resolution together, on a program of five instructions.

use everypath_analyze::{AnalysisOptions, Graph, Program, Settings, Trust, ValueSets};
use everypath_image::{Image, ImageFormat, ReadOptions};
use everypath_lift::Library;

#[test]
fn a_function_returns_to_behind_its_call() {
    // call 8; ret; nop; nop; ret
    let code = [0xe8, 3, 0, 0, 0, 0xc3, 0x90, 0x90, 0xc3];
    let options = ReadOptions {
        format: ImageFormat::by_name("raw"),
        entry: Some(0),
        base: Some(0),
        ..ReadOptions::default()
    };
    let image = Image::read(code.to_vec(), &options).expect("an image");
    let architecture = Library::built_in().load("x86-64").expect("an architecture");
    let program = Program::new(architecture, &image).expect("it has code");
    let mut graph = Graph::recover(&program, Settings::default());
    assert_eq!(graph.functions().len(), 2);
    let bounds = AnalysisOptions::new(&program, Trust::Nothing);
    let mut values = ValueSets::analyse(&program, &graph, bounds.clone(), None);
    while graph.take_values(&program, &values) {
        values = ValueSets::analyse(&program, &graph, bounds.clone(), None);
    }
    // The callee's return is resolved: it leads only to the instruction after the call. The entry's callers are
    // unknown.
    assert_eq!(graph.indirect_exits().filter(|exit| exit.state.is_resolved()).count(), 1);
}
