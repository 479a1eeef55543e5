//! A linear sweep over code, both decoders at the same addresses and in the same context.

use super::code::Code;
use super::compare::{Difference, settle};
use super::context_map::ContextMap;
use super::list::ProgramEntry;
use super::ours::{Ours, PADDING};
use super::processor::Processor;
use super::row::Row;
use everypath_sleigh::BadInstruction;
use everypath_testkit::reference::{ReferenceError, ReferenceSetup, ReferenceSweep};

/// Sweeps over code and counts into the row; returns the differences to be confirmed.
pub(super) fn sweep(
    processor: &Processor,
    code: &Code,
    entry: &ProgramEntry,
    row: &mut Row,
) -> Result<Vec<Difference>, ReferenceError> {
    let ProgramEntry { step, anchor, .. } = *entry;
    let setup = ReferenceSetup { anchor, ..processor.setup(processor.context(), 0) };
    let reference = processor.reference(&setup)?;
    let specification = processor.specification();
    let mut decoder = specification.decoder_from(processor.context());
    let mut padded = code.bytes.clone();
    padded.resize(padded.len() + PADDING, 0);
    let mut map = context_map(processor, code, anchor);
    let mut ours = Ours::default();
    let mut differences = Vec::new();
    reference.sweep(&code.bytes, ReferenceSweep { base: code.base, step }, &mut |answer| {
        if answer.fresh {
            map.clear();
        }
        let place = (answer.address - code.base) as usize;
        let bytes = &padded[place..place + PADDING];
        let context = map.at(answer.address);
        ours.decode(&mut decoder, specification, bytes, answer.address, context);
        for commit in &ours.commits {
            map.commit(commit);
        }
        if let Some(Ok(length)) = ours.length
            && place as u64 + length > code.bytes.len() as u64
        {
            ours.length = Some(Err(BadInstruction::Truncated));
        }
        differences.extend(settle(row, processor, &ours, answer, context, bytes));
    })?;
    Ok(differences)
}

fn context_map(processor: &Processor, code: &Code, anchor: u64) -> ContextMap {
    let context = processor.context();
    let step = usize::try_from(anchor).unwrap_or(usize::MAX);
    if step == 0 {
        return ContextMap::new(context);
    }
    let anchors = (0..code.bytes.len() as u64).step_by(step).map(|offset| code.base + offset);
    ContextMap::with_anchors(context, processor.listed_mask(context, 0), anchors)
}
