//! A solver confirms each exit that value sets exclude, and refutes claims with wrong value sets.

use everypath_analyze::{AnalysisOptions, Claim, Graph, Number, Program, Settings, Trust, ValueSets};
use everypath_explore::check_claim;
use everypath_image::{Image, ImageFormat, ReadOptions};
use everypath_lift::Library;
use everypath_solve::{Answer, QueryLimits, SolverStack};

/// and eax, 7; jmp 5; cmp eax, 7; ja 0xb; ret; ret
const CODE: [u8; 12] = [0x83, 0xe0, 0x07, 0xeb, 0x00, 0x83, 0xf8, 0x07, 0x77, 0x01, 0xc3, 0xc3];

fn with_claim(look: impl FnOnce(Claim<'_>, &Program<'_>)) {
    let options = ReadOptions {
        format: ImageFormat::by_name("raw"),
        entry: Some(0),
        base: Some(0),
        ..ReadOptions::default()
    };
    let image = Image::read(CODE.to_vec(), &options).expect("an image");
    let architecture = Library::built_in().load("x86-64").expect("an architecture");
    let program = Program::new(architecture, &image).expect("it has code");
    let graph = Graph::recover(&program, Settings::default());
    let values = ValueSets::analyse(&program, &graph, AnalysisOptions::new(&program, Trust::Nothing), None);
    let [(block, exit)] = *values.dead_exits() else { panic!("{:?}", values.dead_exits()) };
    assert_eq!(graph.block(block).place.address, 5);
    let mut claims = values.claims(&program, &graph, block, exit).expect("it is said to be dead");
    assert_eq!(claims.len(), 1);
    assert!(
        values.claims(&program, &graph, block, 1 - exit).is_none(),
        "nothing is claimed of the other exit"
    );
    look(claims.remove(0), &program);
}

fn ask(claim: &Claim<'_>) -> Answer {
    check_claim(claim, SolverStack::default().build(), &QueryLimits::default())
}

#[test]
fn a_right_claim_stands() {
    with_claim(|claim, _| assert!(matches!(ask(&claim), Answer::Unsat(_))));
}

#[test]
fn a_wrong_claim_is_refused() {
    for (low, high) in [(0, 8), (8, 8), (0, 0xffff_ffff), (7, 9)] {
        with_claim(|claim, program| {
            let (location, width) = program.architecture().register("EAX").expect("a register");
            let claim = claim.with(location, Number::between(width, low, high));
            assert!(matches!(ask(&claim), Answer::Sat(_)), "{low} to {high}");
        });
    }
}
