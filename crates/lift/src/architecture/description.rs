//! The description of an architecture: what its TOML file says.

use super::user_operation::UserOperation;
use super::vectors::Vectors;
use everypath_image::{Endian, Image, Machine};
use serde::Deserialize;
use std::collections::BTreeMap;

/// An architecture's TOML file.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Description {
    /// One line for people.
    pub title: String,
    /// Other names by which it can be asked for.
    #[serde(default)]
    pub aliases: Vec<String>,
    /// Its SLEIGH specification.
    pub sleigh: SleighSource,
    /// Context fields that are not zero where code starts.
    #[serde(default)]
    pub context: BTreeMap<String, u64>,
    /// Modes of the processor that the target of a computed jump decides.
    #[serde(default, rename = "mode")]
    pub modes: Vec<Mode>,
    /// Which spaces hold registers; the others are memory.
    #[serde(default = "register_spaces")]
    pub register_spaces: Vec<String>,
    /// Which accesses to memory raise an exception if they are not aligned; none if it is not said.
    #[serde(default)]
    pub alignment: Option<Alignment>,
    /// Registers with a role.
    pub registers: Roles,
    /// Registers that are not zero after a reset.
    #[serde(default)]
    pub reset: BTreeMap<String, u64>,
    /// How functions call each other, where there is a convention.
    #[serde(default)]
    pub call: Option<CallConvention>,
    /// Where a bare program starts when the file does not say.
    #[serde(default)]
    pub entry: Option<Entry>,
    /// Where the processor finds the code that interrupts and the reset run.
    #[serde(default)]
    pub vectors: Option<Vectors>,
    /// What memory there is when nothing else is said.
    #[serde(default)]
    pub memory: Vec<MemoryRange>,
    /// What user operations do, as models of the environment; those not named have none. A name that ends in `*` stands
    /// for all that begin so: see [`Description::user_operation`].
    #[serde(default)]
    pub user_operations: BTreeMap<String, UserOperation>,
    /// Which executables are of this architecture.
    #[serde(default, rename = "executable")]
    pub executables: Vec<Executable>,
    /// What relocation types of its ELF files mean.
    #[serde(default)]
    pub relocations: Relocations,
    /// Which tools can run its tests, and what they call things.
    #[serde(default, rename = "export")]
    pub exports: Vec<Export>,
}

/// Accesses to memory that raise an exception if they are not aligned.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Alignment {
    /// The mnemonics of the instructions that make them; one that ends in `*` stands for all that begin so.
    pub instructions: Vec<String>,
    /// Each access must lie at a multiple of its own size, or of this many bytes if that is less.
    pub largest: u8,
}

/// The meaning of the relocation types of an ELF file that the dynamic linker applies (`r_type`). A word that is relocated by
/// a type not listed here holds an unknown number.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Relocations {
    /// The address of the symbol: `GLOB_DAT`, `JUMP_SLOT`.
    #[serde(default)]
    pub symbol: Vec<u32>,
    /// The address of the symbol added to the addend.
    #[serde(default)]
    pub sum: Vec<u32>,
    /// The addend added to the load address: `RELATIVE`.
    #[serde(default)]
    pub relative: Vec<u32>,
    /// What the function at the addend returns: `IRELATIVE`.
    #[serde(default)]
    pub resolver: Vec<u32>,
}

/// A tool that runs tests by a script.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Export {
    /// The format of the script.
    pub format: String,
    /// What the tool is told first.
    #[serde(default)]
    pub start: Vec<String>,
    /// How it is asked for the address of the next instruction, where its usual way gives another number.
    pub program_counter: Option<String>,
    /// What it calls a space, where that is not its name. A debugger that numbers all memory in one row is given the
    /// number of the first byte, in hexadecimal.
    #[serde(default)]
    pub memories: BTreeMap<String, String>,
    /// What it calls a register, where that is not its name.
    #[serde(default)]
    pub registers: BTreeMap<String, String>,
}

fn any_address() -> u64 {
    1
}

fn register_spaces() -> Vec<String> {
    vec!["register".to_owned()]
}

/// Where the SLEIGH specification comes from: one of the two.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SleighSource {
    /// The name of a compiled specification of the `sleigh-config` crate, such as `processor_x86::SLA_X86_64`.
    pub package: Option<String>,
    /// A file in the architecture's folder whose constructors and macros take the place of those of the package. It has
    /// its effect when the program is built: in an architecture of the user's own it is refused.
    pub overrides: Option<String>,
    /// A `.slaspec` file in the architecture's folder.
    pub source: Option<String>,
}

/// Registers with a role.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Roles {
    /// The register that stands for the address of the instruction at hand.
    pub program_counter: String,
    /// The stack pointer.
    pub stack_pointer: Option<String>,
    /// Whether the stack grows to higher addresses.
    #[serde(default)]
    pub stack_grows_up: bool,
}

/// A mode of the processor that is a context field, decided anew by each computed jump.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Mode {
    /// The context field.
    pub field: String,
    /// What the addresses of instructions are multiples of while the field is zero.
    #[serde(default = "any_address")]
    pub alignment: u64,
    /// Where its value comes from.
    #[serde(flatten)]
    pub source: ModeSource,
}

/// Where a mode comes from.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct ModeSource {
    /// The bit of a code address, in a file or a symbol table, that carries the mode.
    pub address_bit: Option<u32>,
    /// The register that holds the mode when a computed jump is taken.
    pub register: Option<String>,
}

/// How functions call each other.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CallConvention {
    /// Registers that carry the first arguments, in order.
    #[serde(default)]
    pub arguments: Vec<String>,
    /// Registers that carry the result, lowest part first.
    #[serde(default)]
    pub result: Vec<String>,
    /// The register that holds the return address; without one it is on the stack.
    pub return_address: Option<String>,
    /// What the other bits of a register are that holds a value narrower than itself.
    #[serde(default)]
    pub narrow: Narrow,
    /// The width in bits of values that are extended by their highest bit whatever their type says, where wider
    /// registers hold them.
    pub sign_extended: Option<u64>,
    /// Registers that a function gives back as it found them.
    #[serde(default)]
    pub preserved: Vec<String>,
    /// The register that holds the address of a function where it is entered, from which it finds its data.
    pub function_address: Option<String>,
    /// The register that holds one address while functions of one file run, from which they find their data.
    pub global_pointer: Option<GlobalPointer>,
}

/// A register that holds one address while functions of one file run, and where the file says which.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GlobalPointer {
    /// The register.
    pub register: String,
    /// The section that has the address.
    pub section: String,
    /// How far from the start of the section it lies.
    pub offset: u64,
}

/// What the other bits of a register are that holds an argument narrower than itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Narrow {
    /// Anything: the function does not look at them.
    #[default]
    Unspecified,
    /// The caller extends the value, by zeros or by its sign as its type says.
    Extended,
}

/// Where a bare program starts.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Entry {
    /// At this address.
    pub address: Option<u64>,
    /// At the address that is stored at this one.
    pub vector: Option<u64>,
}

/// A range of memory.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MemoryRange {
    /// What it is called.
    pub name: String,
    /// The space it lies in; without one, the space of code.
    pub space: Option<String>,
    /// Its first address.
    pub start: u64,
    /// How many bytes it has.
    pub size: u64,
    /// What may be done with it: some of `r`, `w`, `x`.
    pub access: String,
    /// Whether all of it has a value from the start, as registers in memory have after a reset.
    #[serde(default)]
    pub contents: bool,
    /// Whether peripherals lie there: what is read from a register that no configuration declares is then an assumption.
    /// The registers of the processor itself, which may lie in between, are in `own`.
    #[serde(default)]
    pub peripherals: bool,
    /// Addresses of registers of the processor itself among those of peripherals, which hold what was written to them.
    #[serde(default)]
    pub own: Vec<u64>,
}

/// What an executable file of this architecture says of itself.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Executable {
    /// The machine number in an ELF header.
    pub elf_machine: u16,
    /// The class: 32 or 64 bits; without one, either.
    pub class: Option<u32>,
    /// `little` or `big`.
    pub endian: Option<String>,
    /// Build attributes that it has: processors of one machine number differ by them.
    #[serde(default)]
    pub attributes: Vec<WantedAttribute>,
    /// Whether it has no build attributes, but begins with a vector table.
    #[serde(default)]
    pub vectors: bool,
    /// Where addresses in such a file do not mean the space of code: linkers number several memories in one row.
    #[serde(default)]
    pub places: Vec<FilePlace>,
}

/// A build attribute that an executable must have.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WantedAttribute {
    /// The vendor whose attribute it is.
    pub vendor: String,
    /// Which one it is.
    pub tag: u64,
    /// Its value.
    pub value: u64,
}

/// A range of the addresses in a file that stands for memory elsewhere.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FilePlace {
    /// What is there.
    pub name: String,
    /// The first address in the file.
    pub start: u64,
    /// How many addresses there are.
    pub size: u64,
    /// The space that it stands for; without one, no instruction reaches what is there, and it is not loaded.
    pub space: Option<String>,
    /// The address in that space that the first one stands for.
    #[serde(default)]
    pub address: u64,
}

impl Executable {
    /// How closely a file is described, the larger the closer; `None` if it is not of this kind.
    pub(crate) fn closeness(&self, description: &Description, image: &Image) -> Option<usize> {
        let machine = image.machine().filter(|machine| self.fits(machine))?;
        let is_there = |wanted: &WantedAttribute| {
            image.attributes().iter().any(|attribute| {
                (&attribute.vendor, attribute.tag, attribute.value)
                    == (&wanted.vendor, wanted.tag, wanted.value)
            })
        };
        let by_table = || {
            let size = usize::from(machine.class.bytes());
            image.attributes().is_empty() && description.vector_table(image, size, machine.endian).is_some()
        };
        let fits = self.attributes.iter().all(is_there) && (!self.vectors || by_table());
        fits.then_some(self.attributes.len() + usize::from(self.vectors))
    }

    /// Whether the header of a file says of itself what is said here.
    pub(crate) fn fits(&self, machine: &Machine) -> bool {
        let endian = match machine.endian {
            Endian::Little => "little",
            Endian::Big => "big",
        };
        self.elf_machine == machine.number
            && self.class.is_none_or(|class| class == machine.class.bits())
            && self.endian.as_ref().is_none_or(|wanted| wanted == endian)
    }
}

impl FilePlace {
    /// Whether an address in a file belongs to it.
    pub(crate) fn has(&self, address: u64) -> bool {
        address.checked_sub(self.start).is_some_and(|distance| distance < self.size)
    }
}
