//! The default context of an architecture's description equals that of Ghidra's processor specification.

use everypath_lift::Library;
use std::collections::BTreeMap;

/// Architecture and processor specification, for all whose SLEIGH specification is Ghidra's.
const PROCESSORS: &[(&str, &str)] = &[
    ("aarch64", "PSPEC_AARCH64"),
    ("arm", "PSPEC_ARMT"),
    ("avr", "PSPEC_AVR8"),
    ("cortex-m", "PSPEC_ARMCORTEX"),
    ("mips", "PSPEC_MIPS32"),
    ("msp430", "PSPEC_TI_MSP430"),
    ("powerpc", "PSPEC_PPC_32"),
    ("riscv32", "PSPEC_RV32GC"),
    ("riscv64", "PSPEC_RV64GC"),
    ("x86-64", "PSPEC_X86_64"),
];

/// The context variables that a processor specification sets and that are not zero.
fn context_of(text: &str) -> BTreeMap<String, u64> {
    let mut context = BTreeMap::new();
    for part in text.split("<context_set").skip(1) {
        let part = part.split("</context_set>").next().unwrap_or_default();
        for set in part.split("<set ").skip(1) {
            let value: u64 = attribute(set, "val").parse().expect("a decimal number");
            if value != 0 {
                context.insert(attribute(set, "name").to_owned(), value);
            }
        }
    }
    context
}

fn attribute<'a>(element: &'a str, name: &str) -> &'a str {
    let value = element.split_once(&format!("{name}=\"")).and_then(|(_, rest)| rest.split_once('"'));
    value.unwrap_or_else(|| panic!("no attribute {name} in {element}")).0
}

#[test]
fn descriptions_start_in_the_context_of_their_processor() {
    for (architecture, processor) in PROCESSORS {
        let specification =
            sleigh_config::PSPEC_DATA.iter().find(|(path, _)| path.ends_with(&format!("::{processor}")));
        let (_, text) = specification.unwrap_or_else(|| panic!("{processor} is not there"));
        let library = Library::built_in();
        let (_, description, _) = library.list().find(|(name, ..)| name == architecture).expect(architecture);
        assert_eq!(description.context, context_of(text), "{architecture} and {processor}");
    }
}

#[test]
fn each_architecture_of_ghidra_is_listed() {
    let library = Library::built_in();
    let packaged = library.list().filter(|(_, description, _)| description.sleigh.package.is_some());
    let names: Vec<_> = packaged.map(|(name, ..)| name).collect();
    let listed: Vec<_> = PROCESSORS.iter().map(|(name, _)| *name).collect();
    assert_eq!(names, listed);
}
