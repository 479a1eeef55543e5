//! Volatile cells: values from a script or a seed.

use everypath_environment::{Configuration, Guest};
use everypath_image::{Image, ImageFormat, ReadOptions};
use everypath_ir::{Location, Width};
use everypath_lift::Library;
use everypath_machine::Outside;

fn guest() -> Guest {
    let format = ImageFormat::by_name("raw");
    let options = ReadOptions { format, base: Some(0), entry: Some(0), space: None };
    let image = Image::read([0; 16], &options).expect("an image");
    Guest::new(Library::built_in().load("6800").expect("an architecture"), image).expect("a guest")
}

/// Reads a cell `count` times.
fn read(text: &str, address: u64, count: usize, width: Width) -> Vec<u128> {
    let guest = guest();
    let configuration = Configuration::parse(text).expect("a configuration");
    let mut world = guest.world(&configuration).expect("a world");
    let location = Location { space: guest.code_space(), offset: address };
    let value = |_| world.read(location, width).expect("a cell").to_u128().expect("at most 128 bits");
    (0..count).map(value).collect()
}

const SENSOR: &str = "[[volatile]]\nname = 'sensor'\naddress = 0x100\nsize = 4\n";

#[test]
fn a_script_ends_with_its_last_value() {
    let text = format!("{SENSOR}values = [1, 2, 0x1ff]");
    assert_eq!(read(&text, 0x100, 5, Width::W8), [1, 2, 0xff, 0xff, 0xff]);
    assert_eq!(read(SENSOR, 0x100, 2, Width::W8), [0, 0]);
}

#[test]
fn random_values_follow_a_script_and_come_from_the_seed() {
    let text = |seed| format!("seed = {seed}\n{SENSOR}values = [7]\nrandom = true");
    let first = read(&text(1), 0x102, 40, Width::W8);
    assert_eq!(first[0], 7);
    assert_eq!(first, read(&text(1), 0x102, 40, Width::W8));
    assert_ne!(first, read(&text(2), 0x102, 40, Width::W8));
    let different: std::collections::BTreeSet<_> = first.iter().collect();
    assert!(different.len() > 20, "{first:?}");
    // All words of a wide value are random.
    let wide = read(&text(1), 0x100, 3, Width::W128);
    assert_ne!(wide[1] as u64, (wide[1] >> 64) as u64);
    assert_ne!(wide[1] >> 64, wide[2] >> 64);
}

#[test]
fn a_cell_is_not_changed_by_what_else_is_read() {
    let button = "[[volatile]]\nname = 'button'\naddress = 0x200\nrandom = true\n";
    let alone = read(&format!("{SENSOR}random = true"), 0x100, 8, Width::W8);
    assert_eq!(read(&format!("{button}{SENSOR}random = true"), 0x100, 8, Width::W8), alone);
    assert_ne!(read(button, 0x200, 8, Width::W8), alone);
}
