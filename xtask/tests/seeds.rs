//! The seeds of the fuzz targets are accepted: a seed that a target rejects immediately is useless.

#[path = "../../fuzz/fuzz_targets/machine/case.rs"]
mod case;

use everypath_image::{Image, ImageFormat, ReadOptions};
use everypath_ir::Listing;
use everypath_sleigh::{DecodingContext, Specification};
use std::path::Path;

fn seeds(target: &str) -> Vec<(String, Vec<u8>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fuzz/corpus").join(target);
    let entries = std::fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let seeds: Vec<_> = entries
        .map(|entry| {
            let path = entry.expect("an entry").path();
            (path.display().to_string(), std::fs::read(&path).expect("a seed"))
        })
        .collect();
    assert!(seeds.len() > 1, "{target} has too few seeds");
    seeds
}

#[test]
fn instructions_decode() {
    use sleigh_config::{processor_arm, processor_mips, processor_x86};
    // In the order of the target.
    let specifications =
        [processor_x86::SLA_X86_64, processor_arm::SLA_ARM8_LE, processor_mips::SLA_MIPS32BE]
            .map(|sla| Specification::from_sla(sla).expect("a whole specification"));
    for (name, seed) in seeds("decoder") {
        let (choice, rest) = seed.split_first().expect(&name);
        let (context, bytes) = rest.split_first_chunk::<16>().expect(&name);
        let mut decoder = specifications[usize::from(*choice)].decoder();
        let decoded = decoder.decode(bytes, 0x1000, DecodingContext(u128::from_be_bytes(*context)));
        let length = decoded.map(|instruction| instruction.full_length() as usize);
        assert!(length.is_ok_and(|length| length <= bytes.len()), "{name}: {length:?}");
    }
}

#[test]
fn specifications_are_read() {
    for (name, seed) in seeds("sla_reader") {
        let checked = Specification::from_unpacked(&seed).and_then(|read| read.check_templates());
        assert_eq!(checked, Ok(()), "{name}");
    }
}

#[test]
fn listings_are_read_and_hold() {
    for (name, seed) in seeds("ir_text") {
        let text = String::from_utf8(seed).expect(&name);
        let listing: Listing = text.parse().unwrap_or_else(|error| panic!("{name}: {error}"));
        for block in &listing.blocks {
            assert_eq!(everypath_ir::verify(&listing.layout, block), Ok(()), "{name}");
        }
    }
}

#[test]
fn images_are_recognised() {
    let targets = [("image_elf", "elf"), ("image_ihex", "ihex"), ("image_srec", "srec")];
    for (target, format) in targets {
        let format = ImageFormat::by_name(format);
        assert!(format.is_some(), "{target}");
        let read =
            |seed: &[u8]| Image::read(seed.to_vec(), &ReadOptions { format, ..ReadOptions::default() });
        // Damaged seeds are useful, too, as long as there are valid ones.
        let good = seeds(target).iter().filter(|(_, seed)| read(seed).is_ok()).count();
        assert!(good > 1, "{target}: {good} seeds can be read");
    }
    let read = |seed: &[u8]| Image::read(seed.to_vec(), &ReadOptions::default());
    for (name, seed) in seeds("image_detect") {
        assert!(read(&seed).is_ok(), "{name}");
    }
}

#[test]
fn programs_run() {
    for (name, seed) in seeds("machine_run") {
        let (end, instructions, _) = case::run(&seed).unwrap_or_else(|| panic!("{name} is no program"));
        assert!(instructions >= 8, "{name} ends after {instructions} instructions: {end:?}");
    }
}
