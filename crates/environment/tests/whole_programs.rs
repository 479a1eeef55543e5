//! Differential test of whole compiled programs against an independent simulator: after the same number of instructions
//! the program counter and every byte of memory agree.
//!
//! Needs `sdcc` and `s51` (Debian packages sdcc and sdcc-ucsim).

use everypath_environment::{Configuration, Guest};
use everypath_image::{Image, ReadOptions};
use everypath_ir::{Context, Place, SpaceId};
use everypath_lift::Library;
use everypath_machine::{Concrete, ConcreteDomain, End, Machine, NoWatch, RunLimits};
use everypath_testkit::programs::installed;
use std::collections::HashMap;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const GUESTS: [&str; 11] = [
    "bsearch",
    "calc",
    "cell",
    "header",
    "hysteresis",
    "list",
    "mergesort",
    "msquare3",
    "msquare4",
    "tlv",
    "triangle",
];
/// The number of instructions executed from `main`: enough for every program to finish.
const INSTRUCTIONS: u64 = 20_000;

/// A pseudo-random generator: the tests need many numbers, not good ones.
struct Numbers(u64);

impl Numbers {
    fn byte(&mut self) -> u8 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 56) as u8
    }
}

/// A compiled guest: the file and the addresses of its symbols.
struct Program {
    file: PathBuf,
    symbols: HashMap<String, u64>,
}

fn compile(guest: &str, folder: &Path) -> Program {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../tests/guests/classic/{guest}.c"));
    let file = folder.join(format!("{guest}.ihx"));
    let run = Command::new("sdcc")
        .args(["-mmcs51", "--model-large", "-DVOL", "-o"])
        .args([&file, &source])
        .output()
        .expect("sdcc runs (Debian package sdcc)");
    assert!(run.status.success(), "{guest}: {}", String::from_utf8_lossy(&run.stderr));
    let map = fs::read_to_string(file.with_extension("map")).expect("sdcc writes a map");
    let mut symbols = HashMap::new();
    for line in map.lines() {
        // Lines such as `C:   000001EA  _main   triangle`.
        let mut words = line.split_whitespace();
        if let (Some("C:" | "D:"), Some(address), Some(name)) = (words.next(), words.next(), words.next())
            && let Ok(address) = u64::from_str_radix(address, 16)
        {
            symbols.insert(name.to_owned(), address);
        }
    }
    Program { file, symbols }
}

/// Program counter, special function registers from 80 on, internal and external memory.
struct Snapshot {
    counter: u64,
    registers: Vec<u8>,
    internal: Vec<u8>,
    external: Vec<u8>,
}

/// The size of external memory compared: all that the guests use.
const EXTERNAL: usize = 0x400;

fn ours(program: &Program, cells: &[(u64, u8)]) -> Snapshot {
    let file = fs::read(&program.file).expect("the program");
    let image = Image::read(file, &ReadOptions::default()).expect("a program");
    let architecture = Library::built_in().load("8051").expect("the architecture");
    let space = |name: &str| architecture.layout().find_space(name).expect("a space");
    let (internal, registers, external) = (space("INTMEM"), space("SFR"), space("EXTMEM"));
    let guest = Guest::new(architecture.clone(), image).expect("a guest");
    let configuration = Configuration::default();
    let mut state = guest.state(&configuration).expect("a state");
    let mut machine: Machine<&Guest, Concrete> = Machine::new(&guest);
    let world = guest.world(&configuration).expect("a world");
    let mut domain = ConcreteDomain { state: &mut state, outside: world };
    let main = program.symbols["_main"];
    let limits = RunLimits { stops: [main].into(), instructions: 1_000_000 };
    let (end, _) = machine.run(&mut domain, Place::new(0, Context::default()), &limits, &mut NoWatch);
    assert_eq!(end, End::Exited { address: main, status: 0 });
    // Start-up code clears memory, so the cells are set after it.
    for (address, value) in cells {
        domain.state.memory(external).expect("memory").poke(*address, *value);
    }
    let limits = RunLimits { stops: [].into(), instructions: INSTRUCTIONS };
    let (end, _) = machine.run(&mut domain, Place::new(main, Context::default()), &limits, &mut NoWatch);
    let End::Exhausted { place, .. } = end else { panic!("{}: {end:?}", program.file.display()) };
    let mut bytes = |space: SpaceId, start: u64, count: usize| -> Vec<u8> {
        let memory = domain.state.memory(space).expect("memory");
        (0..count as u64).map(|distance| memory.peek(start + distance)).collect()
    };
    Snapshot {
        counter: place.address,
        registers: bytes(registers, 0x80, 0x80),
        internal: bytes(internal, 0, 0x100),
        external: bytes(external, 0, EXTERNAL),
    }
}

fn theirs(program: &Program, cells: &[(u64, u8)], folder: &Path) -> Snapshot {
    let main = program.symbols["_main"];
    let mut script = format!(
        "fill xram 0 {:#x} 0\nfill iram 0 0xff 0\nfile \"{}\"\nbreak {main:#x}\npc 0\nrun\n",
        EXTERNAL - 1,
        program.file.display()
    );
    for (address, value) in cells {
        writeln!(script, "set mem xram {address:#x} {value:#x}").expect("writing to a string");
    }
    writeln!(script, "delete 1\nstep {INSTRUCTIONS}").expect("writing to a string");
    writeln!(script, "dump /h sfr 0x80 0xff\ndump /h iram 0 0xff").expect("writing to a string");
    writeln!(script, "dump /h xram 0 {:#x}\nquit", EXTERNAL - 1).expect("writing to a string");
    let file = folder.join("script");
    fs::write(&file, script).expect("the script can be written");
    let run = Command::new("s51")
        .args(["-t", "C52", "-b", "-q", "-C"])
        .arg(&file)
        .stdin(Stdio::null())
        .output()
        .expect("s51 runs (Debian package sdcc-ucsim)");
    let text = String::from_utf8_lossy(&run.stdout).into_owned();
    let mut counter = None;
    let mut bytes = Vec::new();
    for line in text.lines() {
        if let Some((_, rest)) = line.split_once("Stop at 0x") {
            let digits: String = rest.chars().take_while(char::is_ascii_hexdigit).collect();
            counter = u64::from_str_radix(&digits, 16).ok();
        }
        // Lines such as `0x80 ff 07 00 ...`: an address, then eight bytes, then the same as text.
        let mut words = line.split(' ');
        if words.next().is_some_and(|address| address.starts_with("0x")) {
            let byte = |word: &str| u8::from_str_radix(word, 16).ok().filter(|_| word.len() == 2);
            let row: Vec<u8> = words.take(8).map_while(byte).collect();
            bytes.extend(row.into_iter().take(8));
        }
    }
    assert_eq!(bytes.len(), 0x80 + 0x100 + EXTERNAL, "what s51 printed:\n{text}");
    let external = bytes.split_off(0x180);
    let internal = bytes.split_off(0x80);
    Snapshot { counter: counter.expect("it stopped"), registers: bytes, internal, external }
}

/// The differences, byte by byte.
fn differences(ours: &Snapshot, theirs: &Snapshot) -> Vec<String> {
    let mut found = Vec::new();
    if ours.counter != theirs.counter {
        found.push(format!("PC {:#x}, s51 {:#x}", ours.counter, theirs.counter));
    }
    let parts = [
        ("SFR", 0x80, &ours.registers, &theirs.registers),
        ("INTMEM", 0, &ours.internal, &theirs.internal),
        ("EXTMEM", 0, &ours.external, &theirs.external),
    ];
    for (name, start, ours, theirs) in parts {
        for (distance, (our, their)) in ours.iter().zip(theirs).enumerate() {
            if our != their {
                found.push(format!("{name}[{:#x}] {our:#x}, s51 {their:#x}", start + distance));
            }
        }
    }
    found
}

#[test]
fn the_classic_guests_run_as_on_the_simulator() {
    if !installed(&["sdcc", "s51"]) {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let mut numbers = Numbers(1);
    let mut failures = Vec::new();
    for guest in GUESTS {
        let program = compile(guest, folder.path());
        let (byte, word) = (program.symbols["_in_u8"], program.symbols["_in_i32"]);
        let mut random = || -> Vec<(u64, u8)> {
            (word..word + 4).chain([byte]).map(|address| (address, numbers.byte())).collect()
        };
        // Zero, a small value that passes most range checks, and random values.
        let mut inputs = vec![Vec::new(), vec![(byte, 1), (word, 5)]];
        inputs.extend((0..4).map(|_| random()));
        // The comparison must detect a different input.
        let (one, two) = (vec![(byte, 1)], vec![(byte, 2)]);
        assert!(!differences(&ours(&program, &one), &theirs(&program, &two, folder.path())).is_empty());
        for cells in inputs {
            let found = differences(&ours(&program, &cells), &theirs(&program, &cells, folder.path()));
            if !found.is_empty() {
                failures.push(format!("{guest} with {cells:x?}: {}", found.join("; ")));
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}
