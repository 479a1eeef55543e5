//! Every instruction vector holds: text, length, resulting state, and successor.

use everypath_lift::Library;
use everypath_testkit::vector_run::run_vectors;
use everypath_testkit::vectors::{Vector, parse, read_folder};
use std::collections::BTreeSet;
use std::path::PathBuf;

fn folder(architecture: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tests/vectors").join(architecture)
}

fn vectors(architecture: &str) -> Vec<Vector> {
    read_folder(&folder(architecture)).unwrap_or_else(|error| panic!("{error}"))
}

fn check(name: &str) {
    let architecture = Library::built_in().load(name).unwrap_or_else(|error| panic!("{error}"));
    let vectors = vectors(name);
    let faults = run_vectors(&architecture, &vectors);
    let text: Vec<String> = faults.iter().take(40).map(ToString::to_string).collect();
    let (count, all) = (faults.len(), vectors.len());
    assert!(faults.is_empty(), "{count} of {all} vectors of {name} do not hold:\n{}", text.join("\n"));
}

macro_rules! architectures {
    ($($test:ident $name:literal;)*) => {
        $(
            #[test]
            fn $test() {
                check($name);
            }
        )*

        #[test]
        fn every_built_in_architecture_has_vectors_here() {
            let library = Library::built_in();
            let known: BTreeSet<&str> = library.list().map(|(name, ..)| name).collect();
            assert_eq!(known, BTreeSet::from([$($name),*]));
        }
    };
}

architectures! {
    mc6800 "6800";
    mcs51 "8051";
    aarch64 "aarch64";
    arm "arm";
    avr "avr";
    cortex_m "cortex-m";
    mips "mips";
    msp430 "msp430";
    powerpc "powerpc";
    riscv32 "riscv32";
    riscv64 "riscv64";
    x86_64 "x86-64";
}

/// A built-in specification is not checked when it is loaded.
#[test]
fn every_template_of_the_built_in_architectures_is_well_formed() {
    let library = Library::built_in();
    for (name, ..) in library.list() {
        let architecture = library.load(name).expect("a built-in architecture");
        assert_eq!(architecture.specification().check_templates(), Ok(()), "{name}");
    }
}

/// The opcodes, by first byte, that the data sheet does not define.
const MC6800_HOLES: &str = "00 02 03 04 05 12 13 14 15 18 1a 1c 1d 1e 1f 21 38 3a 3c 3d 41 42 45 4b 4e 51 52 55 5b 5e \
    61 62 65 6b 71 72 75 7b 83 87 8f 93 9d a3 b3 c3 c7 cc cd cf d3 dc dd e3 ec ed f3 fc fd";

fn every_opcode_has_a_vector(architecture: &str, holes: &str) {
    let holes: BTreeSet<u8> =
        holes.split_whitespace().map(|hole| u8::from_str_radix(hole, 16).expect("a byte")).collect();
    let vectors = vectors(architecture);
    let first_bytes = |bad: bool| -> BTreeSet<u8> {
        vectors.iter().filter(|vector| vector.bad == bad).map(|vector| vector.bytes[0]).collect()
    };
    let opcodes: BTreeSet<u8> = (0..=0xff).filter(|opcode| !holes.contains(opcode)).collect();
    assert_eq!(first_bytes(false), opcodes, "the opcodes of {architecture} that have a vector");
    assert_eq!(first_bytes(true), holes, "the bytes that {architecture} must not decode");
}

#[test]
fn every_opcode_of_the_8051_has_a_vector() {
    every_opcode_has_a_vector("8051", "a5");
}

#[test]
fn every_opcode_of_the_6800_has_a_vector() {
    every_opcode_has_a_vector("6800", MC6800_HOLES);
}

/// The entry of an interrupt is no instruction of the data sheet, so it is not among the vectors above.
#[test]
fn an_interrupt_of_the_8051_pushes_the_address_and_goes_to_the_vector() {
    let architecture = Library::built_in().load("8051").unwrap_or_else(|error| panic!("{error}"));
    let row = "TAKE_INTERRUPT | a5 a5 | SP=30 VECTOR=0023 INTERRUPTED=00e4 | SP=32 INTMEM[31]=e400 VECTOR=0000 \
               INTERRUPTED=0000 IN_SERVICE=01 PC=0023";
    let vectors = parse("row.vec", row).unwrap_or_else(|error| panic!("{error}"));
    let faults: Vec<String> = run_vectors(&architecture, &vectors).iter().map(ToString::to_string).collect();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn a_vector_that_is_wrong_is_found() {
    let architecture = Library::built_in().load("8051").unwrap_or_else(|error| panic!("{error}"));
    // A row and the expected message; an empty one for a row that holds.
    let rows = [
        ("INC A | 04 | A=03 | A=04 PSW=01", ""),
        ("INC A | 04 | A=03 | A=05 PSW=01", "A (SFR[e0]) is 04, not 05; it was 03"),
        ("INC A | 04 | A=03 | A=04", "PSW (SFR[d0]) is 01, not 00; it was 00"),
        ("INC A | 04 | A=03 | A=?4 PSW=?1", ""),
        ("INC A | 04 | A=03 | A=?5 PSW=?1", "is 04, not 05"),
        ("INC A | 04 | A=03 | A=04 PSW=01 INTMEM[30]=01", "INTMEM[30] is 00, not 01"),
        ("INC A | 04 | A=03 | A=04 PSW=01 PC=0002", "goes to 1, not to 0002"),
        ("SJMP 0x0 | 80 fe | |", "goes to 0, not on to 2"),
        ("SJMP 0x0 | 80 fe | | PC=0000", ""),
        ("DEC A | 04 | A=03 | A=04 PSW=01", "the text is `INC A`"),
        ("INC A | 04 00 | A=03 | A=04 PSW=01", "1 bytes long, not 2"),
        ("~ | 04 | | bad", "decodes, as `INC A`"),
        ("~ | a5 | |", "no instruction"),
        ("INC A | 04 | Q=1 | A=01 PSW=01", "no register `Q`"),
        ("INC A | 04 | Q[1]=11 | A=01 PSW=01", "no space `Q`"),
        ("INC A | 04 | A=100 | A=01 PSW=01", "does not fit"),
        ("INC A | 04 | INTMEM[ff]=1122 | A=01 PSW=01", "beyond the end"),
        // The instruction reads itself.
        ("MOVC A,@A+DPTR | 93 | | A=93", ""),
    ];
    for (row, expected) in rows {
        let vectors = parse("row.vec", row).unwrap_or_else(|error| panic!("{error}"));
        let faults: Vec<String> =
            run_vectors(&architecture, &vectors).iter().map(ToString::to_string).collect();
        let faults = faults.join("\n");
        assert_eq!(faults.is_empty(), expected.is_empty(), "{row}: {faults}");
        assert!(faults.contains(expected), "{row}: {faults}");
    }
}
