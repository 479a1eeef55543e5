//! P-code generation: walks the parse tree of an instruction and instantiates its templates.

use crate::bad::BadInstruction;
use crate::decoder::{Scratch, Source};
use crate::handle::Scope;
use crate::pcode::{Opcode, StoredOperation, Varnode};
use crate::space::{SpecificationSpaceId, SpecificationSpaceKind, mask};
use crate::template::{Action, Item, OperationTemplate, Part, Template, VarnodeTemplate};

/// The maximum nesting of templates.
const DEPTH_LIMIT: u32 = 128;
/// The maximum number of operations of one instruction.
const OPERATION_LIMIT: usize = 1 << 16;
/// The offset, above the specification's own temporaries, of the sum of a truncated pointer.
const TRUNCATED_POINTER: u64 = 0x100;

/// The p-code of one instruction under construction.
#[derive(Clone, Debug, Default)]
pub(crate) struct Output {
    pub(crate) operations: Vec<StoredOperation>,
    pub(crate) varnodes: Vec<Varnode>,
    labels: Vec<Option<u32>>,
    /// Varnodes that hold a label, with the operation that contains them.
    references: Vec<(u32, u32)>,
}

impl Output {
    pub(crate) fn clear(&mut self) {
        self.operations.clear();
        self.varnodes.clear();
        self.labels.clear();
        self.references.clear();
    }

    fn push(
        &mut self,
        opcode: Opcode,
        output: Option<Varnode>,
        inputs: &[Varnode],
    ) -> Result<(), BadInstruction> {
        if self.operations.len() >= OPERATION_LIMIT {
            return Err(BadInstruction::TooComplex);
        }
        let start = self.varnodes.len() as u32;
        self.varnodes.extend(output);
        self.varnodes.extend_from_slice(inputs);
        let count = self.varnodes.len() as u32 - start;
        let count = u16::try_from(count).map_err(|_| BadInstruction::TooComplex)?;
        self.operations.push(StoredOperation { opcode, has_output: output.is_some(), count, start });
        Ok(())
    }

    /// Replaces labels by relative distances, once the positions of all labels are known.
    pub(crate) fn resolve_labels(&mut self) -> Result<(), BadInstruction> {
        for (varnode, operation) in &self.references {
            let varnode = &mut self.varnodes[*varnode as usize];
            let label = self.labels.get(varnode.offset as usize).copied().flatten();
            let target = label.ok_or(BadInstruction::Inconsistent)?;
            let distance = i64::from(target) - i64::from(*operation);
            varnode.offset = distance as u64 & mask(varnode.size);
        }
        Ok(())
    }
}

/// The node of the parse tree whose templates are instantiated.
#[derive(Clone, Copy)]
struct Place {
    /// The parse being walked.
    parse: usize,
    /// The parse that defines `inst_start` and `inst_next`.
    addresses: usize,
    node: u32,
}

/// Generates the p-code of the instruction in `scratch.parses[0]`.
pub(crate) fn emit(source: Source<'_>, scratch: &mut Scratch) -> Result<(), BadInstruction> {
    let address = scratch.parses[0].address;
    let mut emitter = Emitter { source, scratch, unique: 0, label_base: 0, label_count: 0 };
    emitter.unique = emitter.unique_offset(address);
    emitter.instruction(Place { parse: 0, addresses: 0, node: 0 }, None, 0)?;
    scratch.output.resolve_labels()
}

struct Emitter<'s, 'e> {
    source: Source<'s>,
    scratch: &'e mut Scratch,
    /// The offset added to temporaries, which keeps those of combined instructions apart.
    unique: u64,
    label_base: u64,
    label_count: u64,
}

impl<'s> Emitter<'s, '_> {
    fn unique_offset(&self, address: u64) -> u64 {
        (address & self.source.specification.unique_mask) << 4
    }

    fn scope(&self, place: Place) -> Scope<'_> {
        Scope {
            specification: self.source.specification,
            parse: &self.scratch.parses[place.parse],
            addresses: &self.scratch.parses[place.addresses],
            node: place.node,
        }
    }

    /// Emits the p-code of the constructor at a node, or of one of its named sections.
    fn instruction(&mut self, place: Place, section: Option<u32>, depth: u32) -> Result<(), BadInstruction> {
        let tables = &self.source.specification.tables;
        let node = &self.scratch.parses[place.parse].nodes[place.node as usize];
        let constructor = node.constructor.ok_or(BadInstruction::Inconsistent)?;
        let definition = &tables.constructors[constructor as usize];
        let template = match section {
            None => {
                let length = self.scratch.length;
                definition.template.ok_or(BadInstruction::Unimplemented { length })?
            }
            Some(number) => match definition.named.get(number as usize).copied().flatten() {
                Some(template) => template,
                None => return self.empty_section(constructor, place, section, depth),
            },
        };
        self.template(self.source.specification.template(template)?, place, section, depth)
    }

    /// If a constructor lacks a named section, that section of each of its operands is emitted in order.
    fn empty_section(
        &mut self,
        constructor: u32,
        place: Place,
        section: Option<u32>,
        depth: u32,
    ) -> Result<(), BadInstruction> {
        for position in 0..self.source.specification.tables.operands_of(constructor).len() {
            self.build(position as u16, place, section, depth)?;
        }
        Ok(())
    }

    /// Emits the p-code of an operand that is a constructor.
    fn build(
        &mut self,
        position: u16,
        place: Place,
        section: Option<u32>,
        depth: u32,
    ) -> Result<(), BadInstruction> {
        let nodes = &self.scratch.parses[place.parse].nodes;
        let child = nodes[place.node as usize].children + u32::from(position);
        if nodes[child as usize].constructor.is_none() {
            return Ok(());
        }
        self.instruction(Place { node: child, ..place }, section, depth + 1)
    }

    fn template(
        &mut self,
        template: &'s Template,
        place: Place,
        section: Option<u32>,
        depth: u32,
    ) -> Result<(), BadInstruction> {
        if depth > DEPTH_LIMIT {
            return Err(BadInstruction::TooComplex);
        }
        let outer_base = self.label_base;
        self.label_base = self.label_count;
        self.label_count += u64::from(template.labels);
        for operation in &template.operations {
            match operation.action {
                Action::Emit(opcode) => self.operation(opcode, template, operation, place)?,
                Action::Build(position) => self.build(position, place, section, depth)?,
                Action::DelaySlot => self.delay_slot(depth)?,
                Action::Label(number) => self.label(number)?,
                Action::CrossBuild(number) if section.is_none() => {
                    self.cross_build(template, operation, number, place, depth)?;
                }
                Action::CrossBuild(_) => return Err(BadInstruction::Inconsistent),
            }
        }
        self.label_base = outer_base;
        Ok(())
    }

    fn label(&mut self, number: u64) -> Result<(), BadInstruction> {
        let here = self.scratch.output.operations.len() as u32;
        let index = usize::try_from(number + self.label_base).map_err(|_| BadInstruction::Inconsistent)?;
        let labels = &mut self.scratch.output.labels;
        if index >= OPERATION_LIMIT {
            return Err(BadInstruction::TooComplex);
        }
        if labels.len() <= index {
            labels.resize(index + 1, None);
        }
        labels[index] = Some(here);
        Ok(())
    }

    fn delay_slot(&mut self, depth: u32) -> Result<(), BadInstruction> {
        let outer = self.unique;
        for slot in 0..self.scratch.delay_slots.len() {
            let parse = self.scratch.delay_slots[slot];
            if self.scratch.parses[parse].delay > 0 {
                return Err(BadInstruction::Companion);
            }
            self.unique = self.unique_offset(self.scratch.parses[parse].address);
            self.instruction(Place { parse, addresses: parse, node: 0 }, None, depth + 1)?;
        }
        self.unique = outer;
        Ok(())
    }

    fn cross_build(
        &mut self,
        template: &Template,
        operation: &OperationTemplate,
        section: u32,
        place: Place,
        depth: u32,
    ) -> Result<(), BadInstruction> {
        let address = template.varnodes.get(operation.inputs.start as usize).copied();
        let (varnode, _) = self.varnode(&address.ok_or(BadInstruction::Inconsistent)?, place)?;
        let address = self.source.specification.space(varnode.space).wrap(varnode.offset);
        let parse = self.source.companion(self.scratch, address)?;
        let outer = self.unique;
        self.unique = self.unique_offset(address);
        self.instruction(Place { parse, addresses: place.parse, node: 0 }, Some(section), depth + 1)?;
        self.unique = outer;
        Ok(())
    }

    /// Emits one operation, with the loads and the store for operands behind pointers.
    fn operation(
        &mut self,
        opcode: Opcode,
        template: &Template,
        operation: &OperationTemplate,
        place: Place,
    ) -> Result<(), BadInstruction> {
        let mut inputs = std::mem::take(&mut self.scratch.inputs);
        inputs.clear();
        let templates = &template.varnodes[operation.inputs.range()];
        for input in templates {
            let (location, behind) = self.varnode(input, place)?;
            if let Some((space, pointer)) = behind {
                let pointer = self.truncate(input, pointer)?;
                let space = Varnode::constant(u64::from(space.0), 8);
                self.scratch.output.push(Opcode::Load, Some(location), &[space, pointer])?;
            }
            inputs.push(location);
        }
        // A subtable that exports nothing has no value, yet specifications read it.
        if inputs.iter().any(|input| input.size == 0) {
            return Err(BadInstruction::Inconsistent);
        }
        let relative =
            matches!(templates.first(), Some(VarnodeTemplate::General { offset: Item::Label(_), .. }));
        let output = operation.output.map(|output| &template.varnodes[output as usize]);
        let result = output.map(|output| self.varnode(output, place)).transpose()?;
        let location = result.map(|(location, _)| location);
        if relative {
            inputs[0].offset = inputs[0].offset.wrapping_add(self.label_base);
            let varnode = self.scratch.output.varnodes.len() as u32 + u32::from(result.is_some());
            let operation = self.scratch.output.operations.len() as u32;
            self.scratch.output.references.push((varnode, operation));
        }
        self.scratch.output.push(opcode, location, &inputs)?;
        self.scratch.inputs = inputs;
        if let (Some(output), Some((location, Some((space, pointer))))) = (output, result) {
            let pointer = self.truncate(output, pointer)?;
            let space = Varnode::constant(u64::from(space.0), 8);
            self.scratch.output.push(Opcode::Store, None, &[space, pointer, location])?;
        }
        Ok(())
    }

    /// Normalises a varnode for its space: truncates constants, relocates temporaries, wraps addresses.
    fn place_in(&self, space: SpecificationSpaceId, offset: u64, size: u32) -> Varnode {
        let definition = self.source.specification.space(space);
        let offset = match definition.kind {
            SpecificationSpaceKind::Constant => offset & mask(size),
            SpecificationSpaceKind::Unique => offset | self.unique,
            SpecificationSpaceKind::Processor | SpecificationSpaceKind::Other => definition.wrap(offset),
        };
        Varnode { space, size, offset }
    }

    /// A varnode; for an operand behind a pointer, the temporary that holds its value, together with the pointer and
    /// the space that it points into.
    #[inline]
    fn varnode(
        &self,
        template: &VarnodeTemplate,
        place: Place,
    ) -> Result<(Varnode, Option<(SpecificationSpaceId, Varnode)>), BadInstruction> {
        let (varnode, operand) = match *template {
            VarnodeTemplate::Fixed(varnode) => return Ok((varnode, None)),
            VarnodeTemplate::Temporary(varnode) => {
                return Ok((Varnode { offset: varnode.offset | self.unique, ..varnode }, None));
            }
            VarnodeTemplate::Operand(operand) => {
                let handle = self.scope(place).handle(operand);
                let (space, offset) = match handle.pointer_space {
                    Some(_) => (handle.temporary_space, handle.temporary_offset),
                    None => (handle.space, handle.offset),
                };
                (self.place_in(space, offset, handle.size), Some(operand))
            }
            VarnodeTemplate::General { space, offset, size } => {
                let scope = self.scope(place);
                let size = scope.number(size)?;
                let size = u32::try_from(size).map_err(|_| BadInstruction::Inconsistent)?;
                (self.place_in(scope.space(space)?, scope.number(offset)?, size), offset.operand())
            }
        };
        let handle = operand.map(|operand| self.scope(place).handle(operand));
        let behind = handle.and_then(|handle| {
            let pointer_space = handle.pointer_space?;
            Some((handle.space, self.place_in(pointer_space, handle.offset, handle.pointer_size)))
        });
        Ok((varnode, behind))
    }

    /// Advances a pointer by the bytes that a truncation of the pointed-to operand skips.
    fn truncate(&mut self, template: &VarnodeTemplate, pointer: Varnode) -> Result<Varnode, BadInstruction> {
        let VarnodeTemplate::General { offset: Item::Handle(_, Part::OffsetPlus(plus)), .. } = *template
        else {
            return Ok(pointer);
        };
        let plus = plus & 0xffff;
        if plus == 0 {
            return Ok(pointer);
        }
        let specification = self.source.specification;
        let sum = Varnode {
            space: specification.unique_space,
            size: pointer.size,
            offset: specification.unique_base + TRUNCATED_POINTER,
        };
        self.scratch.output.push(
            Opcode::IntAdd,
            Some(sum),
            &[pointer, Varnode::constant(plus, pointer.size)],
        )?;
        Ok(sum)
    }
}
