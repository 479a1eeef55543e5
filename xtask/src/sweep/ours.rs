//! The answer of the decoder under test, in comparable form.

use everypath_sleigh::{
    BadInstruction, Commit, Decoder, DecodingContext, Instruction, Opcode, Specification,
};
use everypath_testkit::pcode_text::{PcodeInput, PcodeOperation, PcodeVarnode, write_operations};

/// The number of zero bytes after the given ones, which the reference sees, too.
pub(super) const PADDING: usize = 64;

/// An answer of ours; its memory is reused.
#[derive(Default)]
pub(super) struct Ours {
    /// The length with delay slots, or the reason why there is no instruction.
    pub(super) length: Option<Result<u64, BadInstruction>>,
    /// The p-code in the form of `everypath_testkit::pcode_text`.
    pub(super) pcode: String,
    /// The disassembly, with runs of blanks collapsed.
    pub(super) text: String,
    /// Its context commits.
    pub(super) commits: Vec<Commit>,
}

impl Ours {
    /// Decodes the instruction at the start of `bytes`.
    pub(super) fn decode(
        &mut self,
        decoder: &mut Decoder<'_>,
        specification: &Specification,
        bytes: &[u8],
        address: u64,
        context: DecodingContext,
    ) {
        self.pcode.clear();
        self.text.clear();
        self.commits.clear();
        let failure = match decoder.decode(bytes, address, context) {
            Ok(instruction) => {
                write_pcode(&mut self.pcode, &instruction, specification);
                fold(&mut self.text, &instruction.text());
                self.commits.extend_from_slice(instruction.commits());
                self.length = Some(Ok(u64::from(instruction.full_length())));
                return;
            }
            Err(bad) => bad,
        };
        self.length = Some(Err(failure));
        // The reference changes the context before it detects that there is no p-code.
        if let BadInstruction::Unimplemented { .. } = failure
            && let Ok(instruction) = decoder.disassemble(bytes, address, context)
        {
            self.commits.extend_from_slice(instruction.commits());
        }
    }

    /// The answer as text for messages.
    pub(super) fn describe(&self) -> String {
        match self.length {
            Some(Ok(length)) => line(length, &self.pcode, Some(&self.text)),
            Some(Err(bad)) => format!("bad {bad:?}"),
            None => "nothing".to_owned(),
        }
    }
}

/// An answer as one line, the same for both decoders.
pub(super) fn line(length: u64, pcode: &str, text: Option<&str>) -> String {
    format!("{length:x} {pcode}\t{}", text.unwrap_or_default())
}

fn fold(out: &mut String, text: &str) {
    for word in text.split_whitespace() {
        if !out.is_empty() {
            out.push(' ');
        }
        out.push_str(word);
    }
}

/// Appends an instruction's p-code in the form in which two decoders are compared.
pub fn write_pcode(line: &mut String, instruction: &Instruction<'_>, specification: &Specification) {
    let varnode = |varnode: everypath_sleigh::Varnode| PcodeVarnode {
        space: &specification.space(varnode.space).name,
        offset: varnode.offset,
        size: varnode.size,
    };
    let operations = instruction.operations().map(|operation| {
        let inputs =
            operation.inputs.iter().enumerate().map(|(position, input)| match (operation.opcode, position) {
                (Opcode::Load | Opcode::Store, 0) => {
                    let space = specification.spaces().get(input.offset as usize);
                    PcodeInput::Space(space.map_or("?", |space| &space.name))
                }
                (Opcode::CallOther, 0) => PcodeInput::UserOperation(input.offset),
                _ => PcodeInput::Varnode(varnode(*input)),
            });
        PcodeOperation {
            opcode: operation.opcode.name(),
            output: operation.output.map(varnode),
            inputs: inputs.collect(),
        }
    });
    write_operations(line, operations);
}
