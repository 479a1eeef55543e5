//! A program with a configuration, made of any bytes, and what must hold of its run.
//!
//! The data is a choice of processor and format, the number of records of configuration, those records, and the file.

use everypath_environment::{AddressOrSymbol, Configuration, Guest, InitialBytes, VolatileCell};
use everypath_image::{Image, ReadOptions, format};
use everypath_lift::{Architecture, Library, MemoryRange};
use everypath_machine::{Concrete, ConcreteDomain, End, Machine, PAGE_SIZE, State, Watch};
use std::sync::{Arc, LazyLock};

static ARCHITECTURES: LazyLock<Vec<Arc<Architecture>>> = LazyLock::new(|| {
    let library = Library::built_in();
    ["6800", "8051", "riscv32", "x86-64"].map(|name| library.load(name).expect("it is built in")).to_vec()
});

/// How many instructions a run may have.
const INSTRUCTIONS: u64 = 400;
/// How many pages of each space it may touch beyond those that are loaded.
const PAGES: u64 = 64;
/// How many bytes a record of the configuration has.
const RECORD: usize = 18;

/// Counts what is run.
#[derive(Default)]
struct Count {
    blocks: u64,
    instructions: u64,
}

impl Watch for Count {
    const INSTRUCTIONS: bool = true;

    fn block(&mut self, _: everypath_ir::Place) {
        self.blocks += 1;
    }

    fn instruction(&mut self, _: u64) {
        self.instructions += 1;
    }
}

fn number(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |number, byte| number << 8 | u64::from(*byte))
}

/// Reads one record: what it is about, where, and two numbers.
fn configure(architecture: &Architecture, configuration: &mut Configuration, record: &[u8]) {
    let (kind, detail) = (record[0], record[1]);
    let (address, value) = (number(&record[2..10]), number(&record[10..18]));
    let spaces = &architecture.layout().spaces;
    let space =
        Some(spaces[usize::from(detail >> 4) % spaces.len()].name.clone()).filter(|_| detail & 8 != 0);
    let name = format!("{address:x}");
    match kind % 6 {
        0 => configuration.entry = Some(AddressOrSymbol::Address(address)),
        1 => configuration.stop.push(AddressOrSymbol::Address(address)),
        2 => {
            let letters = [(1, 'r'), (2, 'w'), (4, 'x')];
            let access =
                letters.iter().filter(|(bit, _)| detail & bit != 0).map(|(_, letter)| *letter).collect();
            configuration.memory.push(MemoryRange {
                space,
                access,
                ..MemoryRange::data(&name, address, value)
            });
        }
        3 => {
            // A cell or a value that does not fit is refused, and a refused setup runs nothing.
            let code = architecture.spaces().get(architecture.specification().default_space());
            let of = match &space {
                Some(name) => spaces.iter().find(|space| space.name == *name),
                None => code.map(|id| &spaces[usize::from(id.0)]),
            };
            let room = match of {
                Some(space) => space.size(),
                None => 1,
            };
            let address = (u128::from(address) % room) as u64;
            let size = u128::from(value >> (8 * (detail & 7))).min(room - u128::from(address)) as u64;
            let mask = if size < 8 { (1_u64 << (8 * size)) - 1 } else { u64::MAX };
            let (values, random, size) = (vec![value & mask, !value & mask], detail & 1 != 0, Some(size));
            configuration.volatiles.push(VolatileCell {
                name,
                space,
                address: Some(address),
                size,
                values,
                random,
            });
        }
        4 => {
            let bytes = value.to_le_bytes().to_vec();
            configuration.initial.push(InitialBytes { space, address, bytes });
        }
        _ => {
            let registers = architecture.specification().registers();
            let chosen = registers.get(usize::from(detail) % registers.len().max(1));
            configuration.registers.extend(chosen.map(|register| (register.name.clone(), value)));
        }
    }
}

/// How a run ended, how many instructions it had, and the registers at the end.
pub(crate) type Outcome = (End, u64, Vec<u64>);

fn run_once(guest: &Guest, configuration: &Configuration, file: usize) -> Option<Outcome> {
    let entry = guest.entry(configuration).ok()?;
    let limits = guest.limits(configuration).ok()?;
    let mut state = guest.state(configuration).ok()?;
    let outside = guest.world(configuration).ok()?;
    let loaded = pages(guest, &mut state);
    // A byte of the file is in one page, a record of the configuration has eight in at most two.
    assert!(
        loaded <= file + 2 * configuration.initial.len() + 512,
        "{loaded} pages are loaded from {file} bytes"
    );
    let mut machine: Machine<&Guest, Concrete> = Machine::new(guest);
    let mut domain = ConcreteDomain { state: &mut state, outside };
    let mut count = Count::default();
    let (end, instructions) = machine.run(&mut domain, entry, &limits, &mut count);
    assert!(instructions <= INSTRUCTIONS, "{instructions} instructions were run");
    assert!(count.blocks <= instructions, "{} blocks were run for {instructions} instructions", count.blocks);
    assert!(
        count.instructions <= instructions,
        "{} instructions were seen, not {instructions}",
        count.instructions
    );
    let spaces = guest.architecture().layout().spaces.len();
    let touched = pages(guest, &mut state) - loaded;
    assert!(touched <= PAGES as usize * spaces, "{touched} pages were touched");
    let values = registers(guest, &mut state);
    Some((end, instructions, values))
}

/// How many bytes of each space of registers are looked at.
const REGISTERS: u64 = 0x2000;

/// What is in the registers.
fn registers(guest: &Guest, state: &mut State) -> Vec<u64> {
    let spaces = guest.architecture().layout().spaces.iter().enumerate();
    let spaces = spaces.filter(|(_, space)| space.kind == everypath_ir::SpaceKind::Register);
    let places =
        spaces.flat_map(|(number, _)| (0..REGISTERS).step_by(8).map(move |offset| (number as u8, offset)));
    let value = |(space, offset)| state.read(everypath_ir::SpaceId(space), offset, 8).expect("never denied");
    places.map(value).collect()
}

/// How many pages were touched, of all spaces.
fn pages(guest: &Guest, state: &mut State) -> usize {
    let spaces = 0..guest.architecture().layout().spaces.len();
    let count = |space| {
        state.memory(everypath_ir::SpaceId(space as u8)).map_or(0, |memory| memory.touched_pages().len())
    };
    spaces.map(count).sum()
}

/// Runs a program twice, if the data is one.
///
/// # Panics
/// If a run goes beyond its budgets, or the second is another one than the first.
pub(crate) fn run(data: &[u8]) -> Option<Outcome> {
    let [choice, records, rest @ ..] = data else { return None };
    let architecture = &ARCHITECTURES[usize::from(choice % 4)];
    let format = Some(format::ALL[usize::from(choice >> 2) % format::ALL.len()]);
    let records = usize::from(records % 8) * RECORD;
    if records > rest.len() {
        return None;
    }
    let (records, file) = rest.split_at(records);
    let mut configuration = Configuration {
        budget: Some(INSTRUCTIONS),
        memory_budget: Some(PAGES * PAGE_SIZE as u64),
        note_written: choice & 0x80 != 0,
        ..Configuration::default()
    };
    for record in records.chunks_exact(RECORD) {
        configure(architecture, &mut configuration, record);
    }
    let options = ReadOptions { format, base: Some(u64::from(choice >> 5) << 12), ..ReadOptions::default() };
    let image = Image::read(file.to_vec(), &options).ok()?;
    let guest = Guest::new(architecture.clone(), image).ok()?;
    let first = run_once(&guest, &configuration, file.len());
    assert_eq!(first, run_once(&guest, &configuration, file.len()));
    first
}
