//! Lifting preserves semantics: lifted blocks change a state exactly as raw p-code does.

mod case;
mod differential;
mod encodings;
mod round_trip;
mod straight_line;

use differential::Differential;
use everypath_lift::Library;

/// The number of random instructions compared for each architecture.
const INSTRUCTIONS: usize = 20_000;
/// The number of random sequences compared for each architecture.
const ROWS: usize = 2_000;
/// The number of states with which each of the selected encodings is compared.
const STATES: u64 = 100;

fn single(name: &str, field: Option<(&str, u128)>) {
    let architecture = Library::built_in().load(name).unwrap_or_else(|error| panic!("{error}"));
    let mut differential = Differential::new(architecture, field);
    differential.random_instructions(INSTRUCTIONS);
}

fn rows(name: &str, field: Option<(&str, u128)>) {
    let architecture = Library::built_in().load(name).unwrap_or_else(|error| panic!("{error}"));
    straight_line::random_rows(&architecture, field, ROWS);
}

fn interesting(name: &str, field: Option<(&str, u128)>, encodings: &[(&str, &str)]) {
    let architecture = Library::built_in().load(name).unwrap_or_else(|error| panic!("{error}"));
    let mut differential = Differential::new(architecture, field);
    for (text, bytes) in encodings {
        differential.encoding(text, bytes, STATES);
    }
    differential.finish();
}

#[test]
fn a_condition_that_holds_for_later_instructions_is_kept() {
    let library = Library::built_in();
    let rows = |name, field, rows| {
        let architecture = library.load(name).unwrap_or_else(|error| panic!("{error}"));
        straight_line::given_rows(&architecture, field, rows, STATES);
    };
    rows("arm", Some(("TMode", 1)), encodings::THUMB_ROWS);
    rows("cortex-m", None, encodings::THUMB_ROWS);
}

macro_rules! architectures {
    ($($module:ident $name:literal $field:expr, $encodings:ident;)*) => {
        $(
            mod $module {
                #[test]
                fn a_random_instruction_keeps_its_meaning() {
                    crate::single($name, $field);
                }

                #[test]
                fn a_row_of_random_instructions_keeps_its_meaning() {
                    crate::rows($name, $field);
                }

                #[test]
                fn an_instruction_with_branches_inside_keeps_its_meaning() {
                    crate::interesting($name, $field, crate::encodings::$encodings);
                }
            }
        )*

        #[test]
        fn every_built_in_architecture_is_here() {
            let library = Library::built_in();
            let here = [$($name),*];
            for (name, ..) in library.list() {
                assert!(here.contains(&name), "{name}");
            }
        }
    };
}

architectures! {
    mc6800 "6800" None, MC6800;
    mcs51 "8051" None, MCS51;
    aarch64 "aarch64" None, AARCH64;
    arm "arm" None, ARM;
    thumb "arm" Some(("TMode", 1)), THUMB;
    avr "avr" None, AVR;
    cortex_m "cortex-m" None, THUMB;
    mips "mips" None, MIPS;
    msp430 "msp430" None, MSP430;
    powerpc "powerpc" None, POWERPC;
    riscv32 "riscv32" None, RISCV;
    riscv64 "riscv64" None, RISCV;
    x86_64 "x86-64" None, X86_64;
}
