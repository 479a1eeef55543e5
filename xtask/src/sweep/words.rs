//! Random words, each decoded as an instruction.

use super::compare::{Difference, settle};
use super::ours::{Ours, PADDING};
use super::processor::Processor;
use super::row::Row;
use everypath_testkit::reference::{ReferenceError, Words};

/// Compares the answers for records of `size` bytes and counts into the row; returns the differences to be confirmed.
pub(super) fn words(
    processor: &Processor,
    records: &[u8],
    size: usize,
    row: &mut Row,
) -> Result<Vec<Difference>, ReferenceError> {
    let specification = processor.specification();
    let context = processor.context();
    let layout = layout(size as u64, processor.last_address());
    let mut decoder = specification.decoder_from(context);
    let mut ours = Ours::default();
    let mut padded = [0; PADDING];
    let mut decode = |index: usize, ours: &mut Ours| {
        padded[..size].copy_from_slice(&records[index * size..][..size]);
        ours.decode(&mut decoder, specification, &padded, layout.address(index as u64), context);
    };
    // Commits of one record must not reach another: the fields concerned are reset for each.
    let mut committed = 0;
    for index in 0..records.len() / size {
        decode(index, &mut ours);
        committed = ours.commits.iter().fold(committed, |mask, commit| mask | commit.mask);
    }
    let reference = processor.reference(&processor.setup(context, committed))?;
    let mut differences = Vec::new();
    let mut index = 0;
    reference.words(records, layout, &mut |answer| {
        decode(index, &mut ours);
        let bytes = &records[index * size..][..size];
        differences.extend(settle(row, processor, &ours, answer, context, bytes));
        index += 1;
    })?;
    Ok(differences)
}

/// The usual layout, bounded by the processor's code memory.
fn layout(size: u64, last_address: u64) -> Words {
    let usual = Words::new(size);
    let places = last_address.saturating_sub(usual.base) / usual.stride;
    Words { slots: usual.slots.min(places), ..usual }
}

#[cfg(test)]
mod tests {
    use super::layout;

    #[test]
    fn records_lie_within_the_memory_for_code() {
        for last in [0xffff, 0xffff_ffff, u64::MAX] {
            let layout = layout(16, last);
            assert!(layout.slots > 100 && layout.address(layout.slots - 1) + layout.stride <= last);
        }
    }
}
