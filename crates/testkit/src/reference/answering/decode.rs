//! One instance of the C++ decoder and its answers.

use super::image::Image;
use super::opcode::opcode_name;
use super::processor::processor_specification;
use crate::pcode_text::{PcodeInput, PcodeOperation, PcodeVarnode, write_operations};
use crate::reference::{ReferenceOutcome, Request};
use libsla::{Address, AddressSpace, Error, GhidraSleigh, OpCode, PseudoOp, Sleigh, VarnodeData};
use std::collections::HashMap;
use std::error::Error as _;

pub(super) struct Decoder {
    sleigh: GhidraSleigh,
    image: Image,
    code_space: AddressSpace,
    /// The first input of LOAD and STORE is a constant that identifies the space within this process.
    space_names: HashMap<u64, String>,
    with_text: bool,
}

impl Decoder {
    pub(super) fn new(request: &Request, image: Image) -> Result<Self, String> {
        let sla =
            std::fs::read(&request.sla).map_err(|error| format!("{}: {error}", request.sla.display()))?;
        let sleigh = GhidraSleigh::builder()
            .processor_spec(&processor_specification(request, image.size())?)
            .and_then(|builder| builder.build(sla))
            .map_err(|error| error.to_string())?;
        let code_space = sleigh.default_code_space();
        if code_space.name != request.code_space {
            let (given, actual) = (&request.code_space, &code_space.name);
            return Err(format!("the code space is not `{given}` but `{actual}`"));
        }
        let space_names = sleigh
            .address_spaces()
            .into_iter()
            .map(|space| (space.id.raw_id() as u64, space.name.into_owned()))
            .collect();
        Ok(Self { sleigh, image, code_space, space_names, with_text: request.with_text })
    }

    pub(super) fn image(&self) -> &Image {
        &self.image
    }

    pub(super) fn decode(&self, address: u64) -> ReferenceOutcome {
        let place = Address::new(self.code_space.clone(), address);
        let decoded = match self.sleigh.disassemble_pcode(&self.image, place.clone()) {
            Ok(decoded) => decoded,
            Err(error) => return ReferenceOutcome::Bad { reason: reason(&error) },
        };
        let length = decoded.origin.size as u64;
        if length == 0 {
            return ReferenceOutcome::Bad { reason: "other length 0".to_owned() };
        }
        if self.image.is_truncated(address, length) {
            return ReferenceOutcome::Bad { reason: format!("truncated length {length:x}") };
        }
        let mut pcode = String::new();
        let operations = decoded.instructions.iter().map(|instruction| PcodeOperation {
            opcode: opcode_name(instruction.op_code),
            output: instruction.output.as_ref().map(varnode),
            inputs: self.inputs(instruction.op_code, &instruction.inputs),
        });
        write_operations(&mut pcode, operations);
        ReferenceOutcome::Decoded { length, pcode, text: self.with_text.then(|| self.text(place)) }
    }

    /// Only the length of the instruction at an address, although its p-code is generated; `None` if there is none.
    pub(super) fn length(&self, address: u64) -> Option<u64> {
        let place = Address::new(self.code_space.clone(), address);
        let decoded = self.sleigh.disassemble_pcode(&self.image, place).ok()?;
        std::hint::black_box(&decoded.instructions);
        let length = decoded.origin.size as u64;
        (length > 0 && !self.image.is_truncated(address, length)).then_some(length)
    }

    fn inputs<'a>(&'a self, opcode: OpCode, inputs: &'a [VarnodeData]) -> Vec<PcodeInput<'a>> {
        let mut all: Vec<_> = inputs.iter().map(|input| PcodeInput::Varnode(varnode(input))).collect();
        if let (Some(first), Some(given)) = (all.first_mut(), inputs.first()) {
            let value = given.address.offset;
            match opcode {
                OpCode::Load | OpCode::Store => {
                    *first = PcodeInput::Space(self.space_names.get(&value).map_or("?", String::as_str));
                }
                OpCode::Pseudo(PseudoOp::CallOther) => *first = PcodeInput::UserOperation(value),
                _ => {}
            }
        }
        all
    }

    /// The disassembly, from the decoder's cached parse of the same instruction.
    fn text(&self, place: Address) -> String {
        match self.sleigh.disassemble_native(&self.image, place) {
            Ok(native) => folded(&format!("{} {}", native.instruction.mnemonic, native.instruction.body)),
            Err(error) => format!("? {}", reason(&error)),
        }
    }
}

fn varnode(data: &VarnodeData) -> PcodeVarnode<'_> {
    PcodeVarnode {
        space: &data.address.address_space.name,
        offset: data.address.offset,
        size: u32::try_from(data.size).unwrap_or(u32::MAX),
    }
}

/// The kind of failure as one word, and the decoder's message. The kind of a C++ exception is available only as the
/// beginning of the message.
fn reason(error: &Error) -> String {
    let message = error.source().map_or_else(|| error.to_string(), ToString::to_string);
    let kind = if message.contains("Instruction address not aligned") {
        "unaligned"
    } else if message.starts_with("UnimplError:") {
        "unimplemented"
    } else if message.starts_with("LowlevelError:") {
        "undecodable"
    } else {
        "other"
    };
    folded(&format!("{kind} {message}"))
}

fn folded(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
