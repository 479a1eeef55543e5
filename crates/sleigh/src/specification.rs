//! A loaded specification: the registers, spaces and instructions of a processor.

use crate::bad::{BadInstruction, LoadError};
use crate::context::{Commit, ContextField, DecodingContext};
use crate::decoder::Decoder;
use crate::packed;
use crate::pcode::Varnode;
use crate::read;
use crate::space::{SpecificationSpace, SpecificationSpaceId};
use crate::table::Tables;
use crate::template::Template;
use std::collections::HashMap;
use std::fmt;

/// A named register.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Register {
    /// Its name.
    pub name: String,
    /// Its storage.
    pub varnode: Varnode,
}

/// A processor specification, read from a compiled `.sla` file. Immutable; share it between threads.
#[derive(Clone, Debug)]
pub struct Specification {
    pub(crate) tables: Tables,
    pub(crate) spaces: Vec<SpecificationSpace>,
    pub(crate) default_space: SpecificationSpaceId,
    pub(crate) unique_space: SpecificationSpaceId,
    pub(crate) unique_base: u64,
    pub(crate) unique_mask: u64,
    pub(crate) alignment: u32,
    pub(crate) big_endian: bool,
    /// The table at which decoding starts.
    pub(crate) root: u32,
    pub(crate) registers: Vec<Register>,
    pub(crate) register_names: HashMap<Varnode, u32>,
    pub(crate) user_operations: Vec<String>,
    pub(crate) context_fields: Vec<ContextField>,
    pub(crate) context_register: Option<Varnode>,
    /// The bits of the context that apply to one instruction only.
    pub(crate) fleeting: u128,
}

impl Specification {
    /// Reads a compiled SLEIGH file (format 4, as written since Ghidra 11).
    ///
    /// The p-code template of a constructor is parsed at its first use; if it turns out to be malformed, decoding
    /// reports [`BadInstruction::Inconsistent`]. [`Specification::check_templates`] parses all of them.
    pub fn from_sla(file: &[u8]) -> Result<Self, LoadError> {
        read::specification(&packed::unpack(file)?)
    }

    /// Reads the unpacked contents of a compiled SLEIGH file, for checks that damage them.
    pub fn from_unpacked(data: &[u8]) -> Result<Self, LoadError> {
        read::specification(data)
    }

    /// Unpacks a compiled SLEIGH file without reading it.
    pub fn unpack_sla(file: &[u8]) -> Result<Vec<u8>, LoadError> {
        packed::unpack(file)
    }

    /// Parses every p-code template, so that none is found to be malformed later.
    pub fn check_templates(&self) -> Result<(), LoadError> {
        let Tables { templates, encoded_templates, .. } = &self.tables;
        templates
            .iter()
            .try_for_each(|template| template.get(encoded_templates, &self.spaces).map(|_| ()))
            .map_err(LoadError::clone)
    }

    /// The template of this index, parsed at its first use.
    #[inline]
    pub(crate) fn template(&self, index: u32) -> Result<&Template, BadInstruction> {
        self.tables.templates[index as usize]
            .get(&self.tables.encoded_templates, &self.spaces)
            .map_err(|_| BadInstruction::Inconsistent)
    }

    /// A decoder with the default context of all zero bits.
    pub fn decoder(&self) -> Decoder<'_> {
        self.decoder_from(DecodingContext::default())
    }

    /// A decoder with another default context: see [`Specification::successor_context`].
    pub fn decoder_from(&self, default: DecodingContext) -> Decoder<'_> {
        Decoder::new(self, default)
    }

    /// The address spaces; a [`SpecificationSpaceId`] is an index into this list.
    pub fn spaces(&self) -> &[SpecificationSpace] {
        &self.spaces
    }

    /// The space of this number.
    ///
    /// # Panics
    /// If the number does not come from this specification.
    pub fn space(&self, space: SpecificationSpaceId) -> &SpecificationSpace {
        &self.spaces[space.index()]
    }

    /// The space of this name.
    pub fn space_named(&self, name: &str) -> Option<SpecificationSpaceId> {
        self.spaces.iter().position(|space| space.name == name).map(|index| SpecificationSpaceId(index as u8))
    }

    /// The space that holds instructions.
    pub fn default_space(&self) -> SpecificationSpaceId {
        self.default_space
    }

    /// The space of the temporaries of one instruction.
    pub fn unique_space(&self) -> SpecificationSpaceId {
        self.unique_space
    }

    pub(crate) fn code_space(&self) -> &SpecificationSpace {
        &self.spaces[self.default_space.index()]
    }

    /// Whether the processor puts the most significant byte first.
    pub fn is_big_endian(&self) -> bool {
        self.big_endian
    }

    /// The alignment of instructions in bytes.
    pub fn alignment(&self) -> u32 {
        self.alignment
    }

    /// The named registers, in the order of the file.
    pub fn registers(&self) -> &[Register] {
        &self.registers
    }

    /// The storage of a register.
    pub fn register(&self, name: &str) -> Option<Varnode> {
        self.registers.iter().find(|register| register.name == name).map(|register| register.varnode)
    }

    /// The name of the register that is exactly this varnode.
    pub fn register_name(&self, varnode: Varnode) -> Option<&str> {
        self.register_names.get(&varnode).map(|index| self.registers[*index as usize].name.as_str())
    }

    /// The names of the user operations, by index.
    pub fn user_operations(&self) -> &[String] {
        &self.user_operations
    }

    /// The named fields of the context.
    pub fn context_fields(&self) -> &[ContextField] {
        &self.context_fields
    }

    /// The context register, if the specification has one.
    pub fn context_register(&self) -> Option<Varnode> {
        self.context_register
    }

    /// The context with all bits zero, the initial value of a specification.
    pub fn default_context(&self) -> DecodingContext {
        DecodingContext::default()
    }

    /// The context field of this name.
    pub fn context_field(&self, name: &str) -> Option<&ContextField> {
        self.context_fields.iter().find(|field| field.name == name)
    }

    /// Sets a named field of a context.
    pub fn set_context_field(
        &self,
        context: &mut DecodingContext,
        name: &str,
        value: u128,
    ) -> Result<(), LoadError> {
        let Some(field) = self.context_field(name) else {
            return Err(LoadError::new(format!("the specification has no context field `{name}`")));
        };
        if value > field.mask >> field.shift {
            return Err(LoadError::new(format!("{value:#x} does not fit the context field `{name}`")));
        }
        *context = field.set(*context, value);
        Ok(())
    }

    /// The context of the instruction at `address`, reached from one in `context` that made `commits`.
    ///
    /// Fields that do not flow revert to `default` unless they are committed for exactly that address.
    pub fn successor_context(
        &self,
        context: DecodingContext,
        default: DecodingContext,
        commits: &[Commit],
        address: u64,
    ) -> DecodingContext {
        let flowing = context.with(self.fleeting, default.0);
        commits
            .iter()
            .filter(|commit| commit.address == address)
            .fold(flowing, |context, commit| context.with(commit.mask, commit.value))
    }

    /// A varnode in listings: the register's name, a number, or `space[offset]:size`.
    pub fn varnode_text(&self, varnode: Varnode) -> impl fmt::Display + '_ {
        fmt::from_fn(move |formatter| {
            if varnode.is_constant() {
                return write!(formatter, "{:#x}:{}", varnode.offset, varnode.size);
            }
            if let Some(name) = self.register_name(varnode) {
                return formatter.write_str(name);
            }
            let space = self.spaces.get(varnode.space.index()).map_or("?", |space| &space.name);
            write!(formatter, "{space}[{:#x}]:{}", varnode.offset, varnode.size)
        })
    }
}
