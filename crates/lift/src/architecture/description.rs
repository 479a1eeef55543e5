//! The description of an architecture: the schema of its TOML file.

use super::interrupts::Interrupts;
use super::linux::LinuxInterface;
use super::user_operation::UserOperation;
use super::vectors::Vectors;
use everypath_image::{Endian, FileMachine, Image};
use serde::Deserialize;
use std::collections::BTreeMap;

/// An architecture's TOML file.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Description {
    /// A one-line title for users.
    pub title: String,
    /// Alternative names.
    #[serde(default)]
    pub aliases: Vec<String>,
    /// Its SLEIGH specification.
    pub sleigh: SleighSource,
    /// Context fields that are not zero at the start of code.
    #[serde(default)]
    pub context: BTreeMap<String, u64>,
    /// Modes of the processor that the target of an indirect jump determines.
    #[serde(default, rename = "mode")]
    pub modes: Vec<Mode>,
    /// The spaces that hold registers; all others are memory.
    #[serde(default = "register_spaces")]
    pub register_spaces: Vec<String>,
    /// The memory accesses that raise an exception if they are not aligned; `None` means none.
    #[serde(default)]
    pub alignment: Option<Alignment>,
    /// Registers with a role, such as the stack pointer.
    pub registers: Roles,
    /// Registers that a reset gives a value, and it; what others hold then is an assumption. Roles and system registers need no entry.
    #[serde(default)]
    pub reset: BTreeMap<String, u64>,
    /// The calling convention, if there is one.
    #[serde(default)]
    pub call: Option<CallConvention>,
    /// The return address on the stack at a function's entry, where no register holds it.
    pub pushed_return: Option<PushedAddress>,
    /// The entry point of a bare-metal program whose file does not state one.
    #[serde(default)]
    pub entry: Option<ResetEntry>,
    /// The reset and interrupt vectors.
    #[serde(default)]
    pub vectors: Option<Vectors>,
    /// How interrupts are enabled, pended and taken.
    #[serde(default)]
    pub interrupts: Option<Interrupts>,
    /// The default memory map.
    #[serde(default)]
    pub memory: Vec<MemoryRange>,
    /// The models of user operations; those not listed have none. A name that ends in `*` is a prefix pattern: see
    /// [`Description::user_operation`].
    #[serde(default)]
    pub user_operations: BTreeMap<String, UserOperation>,
    /// The executables of this architecture.
    #[serde(default, rename = "executable")]
    pub executables: Vec<Executable>,
    /// The semantics of its ELF relocation types.
    #[serde(default)]
    pub relocations: Relocations,
    /// How Linux programs call the system.
    #[serde(default)]
    pub linux: Option<LinuxInterface>,
    /// The tools that can run its tests, and their names for registers and memories.
    #[serde(default, rename = "export")]
    pub exports: Vec<Export>,
}

/// Memory accesses that raise an exception if they are not aligned.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Alignment {
    /// The mnemonics of the instructions that make them; one that ends in `*` is a prefix pattern.
    pub instructions: Vec<String>,
    /// Each access must be aligned to its own size or to this many bytes, whichever is less.
    pub largest: u8,
}

/// The semantics of the ELF relocation types (`r_type`) that the dynamic linker applies. A word that is relocated by
/// another type has an unknown value.
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
    /// The return value of the function at the addend: `IRELATIVE`.
    #[serde(default)]
    pub resolver: Vec<u32>,
}

/// A tool that runs tests by a script.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Export {
    /// The format of the script.
    pub format: String,
    /// The tool's initial commands.
    #[serde(default)]
    pub start: Vec<String>,
    /// The expression for the address of the next instruction, where the tool's usual register has another value.
    pub program_counter: Option<String>,
    /// The tool's names of spaces, where they differ. For a debugger with one flat numbering of all memory, the
    /// hexadecimal number of the space's first byte.
    #[serde(default)]
    pub memories: BTreeMap<String, String>,
    /// The tool's names of registers, where they differ; empty for a register that the tool does not have.
    #[serde(default)]
    pub registers: BTreeMap<String, String>,
    /// The general registers whose values at the end of a test are compared: names, or `first..last` in the order of the
    /// specification. By default, those of the calling convention.
    #[serde(default)]
    pub outputs: Vec<String>,
}

fn any_address() -> u64 {
    1
}

fn register_spaces() -> Vec<String> {
    vec!["register".to_owned()]
}

/// The source of the SLEIGH specification: exactly one of `package` and `source`.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SleighSource {
    /// The name of a compiled specification of the `sleigh-config` crate, such as `processor_x86::SLA_X86_64`.
    pub package: Option<String>,
    /// A file in the architecture's folder whose constructors and macros replace those of the package. It takes effect
    /// when the program is built: a user's own architecture may not have it.
    pub overrides: Option<String>,
    /// A `.slaspec` file in the architecture's folder.
    pub source: Option<String>,
}

/// Registers with a role.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Roles {
    /// The register that p-code uses for the address of the current instruction.
    pub program_counter: String,
    /// The stack pointer.
    pub stack_pointer: Option<String>,
    /// Whether the stack grows to higher addresses.
    #[serde(default)]
    pub stack_grows_up: bool,
    /// Registers whose contents the environment determines: counters, identification, status of interrupts. A name that
    /// ends in `*` stands for all that begin so; `a..b` stands for those from one to another in the specification.
    #[serde(default)]
    pub system: Vec<String>,
    /// The modes of floating-point arithmetic.
    #[serde(default)]
    pub float_modes: Vec<FloatMode>,
}

/// Modes of floating-point arithmetic: bits of a register.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FloatMode {
    /// The register.
    pub register: String,
    /// The bits.
    pub bits: u64,
    /// Their value for rounding to the nearest with denormal numbers.
    #[serde(default)]
    pub value: u64,
    /// Whether instructions that set no mode write the register, because it also has flags.
    #[serde(default)]
    pub has_flags: bool,
}

/// A mode of the processor (a context field) that each indirect jump sets.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Mode {
    /// The context field.
    pub field: String,
    /// The alignment of instructions while the field is zero.
    #[serde(default = "any_address")]
    pub alignment: u64,
    /// The only value in which the processor has instructions; a jump may still set another.
    pub only: Option<u64>,
    /// The source of its value.
    #[serde(flatten)]
    pub source: ModeSource,
}

/// The source of a mode's value at an indirect jump.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct ModeSource {
    /// The bit of a code address, in a file or a symbol table, that carries the mode.
    pub address_bit: Option<u32>,
    /// The register that holds the mode when an indirect jump is taken.
    pub register: Option<String>,
}

/// A calling convention.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CallConvention {
    /// Registers that carry the first arguments, in order.
    #[serde(default)]
    pub arguments: Vec<String>,
    /// Registers that carry floating-point arguments.
    #[serde(default)]
    pub float_arguments: Vec<String>,
    /// Registers that carry the result, lowest part first.
    #[serde(default)]
    pub result: Vec<String>,
    /// The register that holds the return address; without one it is on the stack.
    pub return_address: Option<String>,
    /// The contents of the upper bits of a register that holds a narrower value.
    #[serde(default)]
    pub narrow: NarrowArguments,
    /// The width in bits of values that are sign-extended in wider registers whatever their type.
    pub sign_extended: Option<u64>,
    /// Callee-saved registers.
    #[serde(default)]
    pub preserved: Vec<String>,
    /// Registers that hold zero whenever a function is called.
    #[serde(default)]
    pub zero: Vec<String>,
    /// The register that holds a function's own address at its entry, from which it finds its data.
    pub function_address: Option<String>,
    /// The global pointer: the register that holds one address while functions of one file run, from which they find
    /// their data.
    pub global_pointer: Option<GlobalPointer>,
}

/// A return address that a call pushes.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PushedAddress {
    /// Its number of bytes, by which a call moves the stack pointer.
    pub size: u64,
    /// The memory that the stack is in; that of the code if absent.
    pub space: Option<String>,
    /// The distance of its lowest byte from the stack pointer after the call.
    #[serde(default)]
    pub offset: i64,
    /// Whether its highest byte is at the lowest address.
    #[serde(default)]
    pub big_endian: bool,
    /// The number of bytes of code that it counts as one.
    #[serde(default = "one")]
    pub unit: u64,
}

fn one() -> u64 {
    1
}

/// A global pointer register, and the source of its value.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GlobalPointer {
    /// The register.
    pub register: String,
    /// The section that contains the address.
    pub section: String,
    /// The offset of the address from the start of the section.
    pub offset: u64,
}

/// The contents of the upper bits of a register that holds a narrower argument.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum NarrowArguments {
    /// Unspecified: the callee does not read them.
    #[default]
    Unspecified,
    /// The caller zero-extends or sign-extends the value, according to its type.
    Extended,
}

/// The entry point of a bare-metal program.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ResetEntry {
    /// A fixed entry address.
    pub address: Option<u64>,
    /// The address of a word that holds the entry address.
    pub vector: Option<u64>,
}

/// A range of memory.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MemoryRange {
    /// Its name.
    pub name: String,
    /// Its space; `None` means the code space.
    pub space: Option<String>,
    /// Its first address.
    pub start: u64,
    /// Its size in bytes.
    pub size: u64,
    /// The permissions: some of `r`, `w`, `x`.
    pub access: String,
    /// Whether all of it is initialised, as memory-mapped registers are after a reset.
    #[serde(default)]
    pub contents: bool,
    /// Whether it holds memory-mapped peripherals: the value read from a register that no configuration declares is
    /// then an assumption. The processor's own registers in this range are listed in `own`.
    #[serde(default)]
    pub peripherals: bool,
    /// The value read from an undeclared register in a peripheral range.
    #[serde(default)]
    pub reads: PeripheralReads,
    /// Addresses in a peripheral range that are the processor's own registers, which hold the last value written.
    #[serde(default)]
    pub own: Vec<u64>,
    /// Addresses of registers of devices in it that hold the last value written where an instruction takes part of an address
    /// from them.
    #[serde(default)]
    pub latches: Vec<u64>,
    /// The bytes that it holds, repeated to its end. With none, a program finds nothing there that it has not written.
    #[serde(default)]
    pub bytes: Vec<u8>,
}

impl MemoryRange {
    /// Memory for data in the code space.
    pub fn data(name: &str, start: u64, size: u64) -> MemoryRange {
        MemoryRange {
            name: name.to_owned(),
            space: None,
            start,
            size,
            access: "rw".to_owned(),
            contents: false,
            peripherals: false,
            reads: PeripheralReads::default(),
            own: Vec::new(),
            latches: Vec::new(),
            bytes: Vec::new(),
        }
    }
}

/// The value read from a peripheral register that no configuration declares.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PeripheralReads {
    /// The last value written, which is an assumption.
    #[default]
    LastWritten,
    /// Input, if the configuration declares none at all.
    Input,
}

/// The properties by which an executable file of this architecture is recognised.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Executable {
    /// The machine number in an ELF header.
    pub elf_machine: u16,
    /// The class: 32 or 64 bits; without one, either.
    pub class: Option<u32>,
    /// `little` or `big`.
    pub endian: Option<String>,
    /// Required build attributes, which distinguish processors with one machine number.
    #[serde(default)]
    pub attributes: Vec<WantedAttribute>,
    /// Whether it has no build attributes but begins with a vector table.
    #[serde(default)]
    pub vectors: bool,
    /// File addresses that are not in the code space: linkers number several memories consecutively.
    #[serde(default)]
    pub places: Vec<FilePlace>,
}

/// A build attribute that an executable must have.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WantedAttribute {
    /// The vendor whose attribute it is.
    pub vendor: String,
    /// Its tag.
    pub tag: u64,
    /// Its value.
    pub value: u64,
}

/// A range of file addresses that denotes another memory.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FilePlace {
    /// The name of the memory.
    pub name: String,
    /// The first file address.
    pub start: u64,
    /// The number of addresses.
    pub size: u64,
    /// The space that it denotes; `None` if no instruction can access the contents, which are then not loaded.
    pub space: Option<String>,
    /// The address in that space to which the first file address corresponds.
    #[serde(default)]
    pub address: u64,
}

impl Executable {
    /// How specifically this entry describes a file, the larger the more specific; `None` if it does not match.
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

    /// Whether the file's header matches.
    pub(crate) fn fits(&self, machine: &FileMachine) -> bool {
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
    /// Whether a file address is in the range.
    pub(crate) fn has(&self, address: u64) -> bool {
        address.checked_sub(self.start).is_some_and(|distance| distance < self.size)
    }
}
