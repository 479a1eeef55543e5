//! The draft of a configuration as data: the start, the memory map, registers that are read, interrupts that are enabled.

use super::exploration::{Shown, explore};
use super::{DeviceDescription, ObservedRegister};
use crate::binary::Binary;
use crate::error::Error;
use everypath_environment::{AddressOrSymbol, Configuration};
use everypath_explore::EnabledInterrupt;
use everypath_ir::{Location, Place};
use everypath_lift::LineBits;
use everypath_record::Undeclared;
use std::collections::BTreeSet;

/// The draft of an `everypath.toml`, from the executable and a short exploration of it. [`ToString::to_string`] gives its
/// text: what the program needs is declared, and all else is a comment that states the default.
///
/// ```
/// // mov a,scon; jz 4; sjmp $
/// let code = [0xe5, 0x98, 0x60, 0x00, 0x80, 0xfe];
/// let binary = everypath::Binary::options().architecture("8051").raw(0).read(code)?;
/// let draft = binary.draft_configuration(None)?;
/// assert_eq!((draft.registers[0].entry.address.0, draft.registers[0].reads > 0), (0x98, true));
/// assert!(everypath::Configuration::parse(&draft.to_string()).is_ok());
/// # Ok::<(), everypath::Error>(())
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ConfigurationDraft {
    /// The name and the title of the architecture.
    pub architecture: (String, String),
    /// Whether the file names its architecture.
    pub is_detected: bool,
    /// Where execution starts.
    pub entry: Option<DraftEntry>,
    /// The name of the stack pointer, and its initial value if something gives one.
    pub stack_pointer: Option<(String, Option<u64>)>,
    /// The memory of the architecture and of the file; a later range replaces those before it.
    pub memory: Vec<MappedRange>,
    /// The names of the peripheral ranges that are input as long as no input is declared.
    pub input_ranges: Vec<String>,
    /// The registers that tests read, and those that must be declared, by address.
    pub registers: Vec<ObservedRegister>,
    /// The interrupts that tests enable, by number.
    pub interrupts: Vec<ObservedInterrupt>,
    /// The number of tests of the exploration, and of those that were replayed to see what they read.
    pub tests: (usize, usize),
    /// Why the program cannot be run with this configuration; what to add.
    pub missing: Option<String>,
}

/// The start of a program in a draft.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DraftEntry {
    /// The value of `entry`, if an address or a symbol denotes it.
    pub value: Option<AddressOrSymbol>,
    /// Whether the caller gave it.
    pub is_given: bool,
    /// Its function and where it comes from, in words.
    pub origin: String,
}

/// A range of memory in a draft.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MappedRange {
    /// Its name.
    pub name: String,
    /// Its space, unless it is that of code.
    pub space: Option<String>,
    /// Its first and last address.
    pub addresses: (u64, u64),
    /// The permissions, such as `r-x`; empty if they are those of the architecture's range there.
    pub access: String,
}

/// An interrupt that tests of the program enable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ObservedInterrupt {
    /// Its exception number.
    pub number: u64,
    /// Its name, if a description of the chip has it.
    pub name: Option<String>,
    /// The function that handles it.
    pub handler: Option<String>,
    /// The function that enables it.
    pub enabled_in: String,
}

impl Binary {
    /// Drafts a configuration: explores the program for about a second, without any declared input where the architecture
    /// allows that, and observes what it reads. A description of the chip gives registers and interrupts their names.
    ///
    /// # Errors
    /// If the program cannot be run at all, such as one that needs another operating system, or is a Linux program, which reads no
    /// devices.
    pub fn draft_configuration(
        &self,
        device: Option<&DeviceDescription>,
    ) -> Result<ConfigurationDraft, Error> {
        if self.guest.is_linux_process(&self.configuration) {
            let message = "a Linux program needs no draft: its input is named on the command line, such as `--stdin 16`";
            return Err(self.misfit(message));
        }
        let shown = explore(self)?;
        let architecture = self.architecture();
        let description = architecture.description();
        let guest = &self.guest;
        let inputs = guest.peripheral_inputs(&self.configuration).map(|range| range.name.clone());
        Ok(ConfigurationDraft {
            architecture: (architecture.name().to_owned(), description.title.clone()),
            is_detected: self.is_detected,
            entry: self.draft_entry(),
            stack_pointer: description.registers.stack_pointer.as_ref().map(|name| {
                let state = guest.state(&self.configuration).ok();
                let set = state.and_then(|state| {
                    let registers = guest.start_registers(&self.configuration, &state).ok()?;
                    registers.iter().rev().find(|(register, _)| register == name).map(|(_, value)| *value)
                });
                (name.clone(), set)
            }),
            memory: self.memory_map(),
            input_ranges: inputs.collect(),
            registers: self.draft_registers(&shown, device),
            interrupts: shown.interrupts.values().map(|one| self.draft_interrupt(one, device)).collect(),
            tests: shown.tests,
            missing: shown.missing,
        })
    }

    /// The start, as an address if that denotes it, else as a symbol.
    fn draft_entry(&self) -> Option<DraftEntry> {
        let place = self.guest.entry(&self.configuration).ok()?;
        let denotes = |value: &AddressOrSymbol| {
            let entry = Some(value.clone());
            let configuration = Configuration { entry, ..self.configuration.clone() };
            self.guest.entry(&configuration) == Ok(place)
        };
        let symbol = self.image().symbol_at(place.address).map(|symbol| symbol.name.clone());
        let is_given = self.configuration.entry.is_some();
        let reason = if is_given { "as given".to_owned() } else { self.entry_reason(place) };
        let origin = match &symbol {
            Some(symbol) => format!("{symbol} ({reason})"),
            None => reason,
        };
        let quotable =
            symbol.filter(|name| name.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_'));
        let address = AddressOrSymbol::Address(place.address);
        let mut values = [Some(address), quotable.map(AddressOrSymbol::Symbol)].into_iter().flatten();
        Some(DraftEntry { value: values.find(denotes), is_given, origin })
    }

    fn entry_reason(&self, place: Place) -> String {
        let start = self.entries().into_iter().find(|start| start.place == place);
        start.map_or_else(String::new, |start| start.reason)
    }

    /// The memory of the architecture, then that of the file, as a run maps them.
    fn memory_map(&self) -> Vec<MappedRange> {
        let range = |range: &everypath_lift::MemoryRange| MappedRange {
            name: range.name.clone(),
            space: range.space.clone(),
            addresses: (range.start, range.start.saturating_add(range.size.saturating_sub(1))),
            access: permissions(|letter| range.access.contains(letter)),
        };
        let segments = self.image().segments().iter().filter_map(|segment| {
            let (space, first) = match segment.space() {
                Some(space) => (Some(space), segment.address()),
                None => self.architecture().file_address(self.image(), segment.address()).ok()?,
            };
            let allowed = segment.permissions();
            Some(MappedRange {
                name: format!("{} of the file", segment.name()),
                space: space.map(str::to_owned),
                addresses: (first, first.saturating_add(segment.size().saturating_sub(1))),
                access: match self.image().machine() {
                    Some(_) => permissions(|letter| match letter {
                        'r' => allowed.read,
                        'w' => allowed.write,
                        _ => allowed.execute,
                    }),
                    // A file without permissions, such as a HEX file, keeps those of the memory map.
                    None => String::new(),
                },
            })
        });
        self.architecture().description().memory.iter().map(range).chain(segments).collect()
    }

    fn draft_registers(&self, shown: &Shown, device: Option<&DeviceDescription>) -> Vec<ObservedRegister> {
        let layout = self.architecture().layout();
        let entry = |location: Location, size| {
            let is_code = location.space == self.guest.code_space();
            let space = (!is_code).then(|| layout[location.space].name.clone());
            Undeclared::new(space, location.offset, size)
        };
        let mut registers = shown.reads.registers(entry, |address| self.function_at(address));
        // The registers as they were declared in the exploration, also those that it did not come to read.
        for undeclared in &shown.undeclared {
            let is_it = |register: &&mut ObservedRegister| {
                register.entry.space == undeclared.space && register.entry.address == undeclared.address
            };
            match registers.iter_mut().find(is_it) {
                Some(register) => register.entry = undeclared.clone(),
                None => registers.push(ObservedRegister::unread(undeclared.clone())),
            }
        }
        registers.sort_by_key(|register| (register.entry.space.clone(), register.entry.address.0));
        let mut names = BTreeSet::new();
        // A description of a chip has no other space than that of code.
        for register in registers.iter_mut().filter(|register| register.entry.space.is_none()) {
            let address = register.entry.address.0;
            register.described = device.and_then(|device| device.register_at(address));
            let Some(described) = &register.described else { continue };
            let mut name = described.name.replace(|letter: char| !letter.is_ascii_alphanumeric(), "_");
            // Parts of one register may be read apart.
            if !names.insert(name.clone()) {
                name += &format!("_{address:x}");
            }
            register.entry.name = name;
        }
        registers
    }

    fn draft_interrupt(
        &self,
        interrupt: &EnabledInterrupt,
        device: Option<&DeviceDescription>,
    ) -> ObservedInterrupt {
        let interrupts = self.architecture().description().interrupts.as_ref();
        let lines = interrupts.map(|interrupts| interrupts.lines.as_slice()).unwrap_or_default();
        // Those of the chip are in a row of lines; others belong to the processor.
        let first = lines.iter().filter(|lines| matches!(lines.enable_bits(), Some(LineBits::Row { .. })));
        let first = first.map(|lines| lines.first).filter(|first| *first <= interrupt.number).max();
        let name = first.and_then(|first| device?.interrupt(interrupt.number - first));
        ObservedInterrupt {
            number: interrupt.number,
            name: name.map(str::to_owned),
            handler: interrupt.handler.map(|handler| self.function_at(handler)),
            enabled_in: self.function_at(interrupt.instruction),
        }
    }

    /// The function of an instruction by its symbol; without one, the address.
    fn function_at(&self, address: u64) -> String {
        let symbol = self.image().symbol_at(address);
        symbol.map_or_else(|| format!("{address:#x}"), |symbol| symbol.name.clone())
    }
}

/// Permissions in the usual three letters.
fn permissions(allows: impl Fn(char) -> bool) -> String {
    "rwx".chars().map(|letter| if allows(letter) { letter } else { '-' }).collect()
}
