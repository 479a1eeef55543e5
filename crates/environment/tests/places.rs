//! Executables that map several memories into one address range: each segment is loaded into its own space.
//!
//! Needs `avr-gcc` (Debian package gcc-avr).

use everypath_environment::{Configuration, Guest};
use everypath_image::{Image, ReadOptions};
use everypath_ir::Location;
use everypath_lift::Library;
use everypath_testkit::programs::installed;
use std::process::Command;

const SOURCE: &str = "\
volatile int seen = 0x1234;
volatile char cell;
__attribute__((section(\".eeprom\"))) char kept = 7;
int main(void) { return seen + cell; }
";

fn guest() -> Guest {
    let folder = tempfile::tempdir().expect("a folder");
    let (source, file) = (folder.path().join("guest.c"), folder.path().join("guest.elf"));
    std::fs::write(&source, SOURCE).expect("a source");
    let mut compiler = Command::new("avr-gcc");
    compiler.args(["-mmcu=atmega128", "-nostartfiles", "-Wl,-e,main", "-o"]).args([&file, &source]);
    let run = compiler.output().expect("avr-gcc runs (Debian package gcc-avr)");
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    let image = Image::read(std::fs::read(&file).expect("a program"), &ReadOptions::default());
    let image = image.expect("an executable");
    let library = Library::built_in();
    let name = library.detect(&image).expect("an architecture");
    Guest::new(library.load(name).expect("an architecture"), image).expect("a guest")
}

#[test]
fn data_is_loaded_into_its_space_and_what_no_instruction_reaches_nowhere() {
    if !installed(&["avr-gcc"]) {
        return;
    }
    let guest = guest();
    let space = guest.architecture().layout().find_space("mem").expect("a space");
    let mut state = guest.state(&Configuration::default()).expect("a state");
    let address = guest.image().symbol_named("seen").expect("a symbol").address & 0xffff;
    let memory = state.memory(space).expect("memory");
    assert_eq!([memory.peek(address), memory.peek(address + 1)], [0x34, 0x12]);
    assert!(memory.regions().at(0x1_0000).is_none());
    let code = state.memory(everypath_machine::BlockSource::code_space(&&guest)).expect("memory");
    assert!(code.regions().at(0x81_0000).is_none() && code.regions().at(0x80_0000 + address).is_none());
}

#[test]
fn symbols_lie_where_their_memory_does() {
    if !installed(&["avr-gcc"]) {
        return;
    }
    let guest = guest();
    let cell = |name: &str| Configuration::parse(&format!("[[volatile]]\nname = '{name}'"));
    let world = guest.world(&cell("cell").expect("a configuration")).expect("a world");
    let space = guest.architecture().layout().find_space("mem").expect("a space");
    let offset = guest.image().symbol_named("cell").expect("a symbol").address - 0x80_0000;
    assert_eq!(world.location("cell"), Some((Location { space, offset }, 1)));
    let refused = guest.world(&cell("kept").expect("a configuration"));
    assert!(refused.err().expect("no instruction reaches it").to_string().contains("EEPROM"));
}
