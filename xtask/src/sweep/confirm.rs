//! Confirms differences with a new instance of the reference: an instruction may have corrupted the memory of the old
//! one.

use super::compare::{Difference, Verdict};
use super::known::KnownList;
use super::ours::{PADDING, line};
use super::processor::Processor;
use super::row::Row;
use everypath_testkit::reference::{ReferenceError, ReferenceOutcome, Words};

/// The maximum number of differences of one row that are confirmed; more are an error of ours.
const LIMIT: usize = 300;
/// The number of differences that are shown.
const SHOWN: usize = 5;

/// Confirms the differences of a row, counts them, and prints the first unexplained ones.
pub(super) fn confirm(
    processor: &Processor,
    architecture: &str,
    known: &KnownList,
    differences: Vec<Difference>,
    row: &mut Row,
) -> Result<(), ReferenceError> {
    let total = differences.len();
    let mut shown = 0;
    for (number, mut difference) in differences.into_iter().enumerate() {
        if number < LIMIT {
            difference.reference = alone(processor, &difference)?;
        }
        match verdict(&difference) {
            Verdict::Equal => row.equal += 1,
            Verdict::Bad => row.bad += 1,
            Verdict::Crashed => {
                row.crash(processor, &difference.bytes, difference.address, difference.context);
            }
            Verdict::Different if known.explains(architecture, &difference) => row.known += 1,
            Verdict::Different => {
                row.different += 1;
                if shown < SHOWN {
                    shown += 1;
                    print(&row.name, &difference);
                }
            }
        }
    }
    if total > LIMIT {
        println!("{}: {total} differences, of which {LIMIT} were asked again", row.name);
    }
    Ok(())
}

/// The reference's answer for this one instruction, by a new instance in the same context.
pub(super) fn alone(
    processor: &Processor,
    difference: &Difference,
) -> Result<ReferenceOutcome, ReferenceError> {
    let reference = processor.reference(&processor.setup(difference.context, u128::MAX))?;
    let mut record = difference.bytes.clone();
    record.resize(PADDING, 0);
    let words = Words { size: PADDING as u64, base: difference.address, stride: PADDING as u64, slots: 1 };
    let mut outcome = ReferenceOutcome::Crashed;
    reference.words(&record, words, &mut |answer| outcome = answer.outcome)?;
    Ok(outcome)
}

fn verdict(difference: &Difference) -> Verdict {
    match &difference.reference {
        ReferenceOutcome::Crashed => Verdict::Crashed,
        ReferenceOutcome::Decoded { length, pcode, text }
            if difference.ours == line(*length, pcode, text.as_deref()) =>
        {
            Verdict::Equal
        }
        ReferenceOutcome::Bad { .. } if difference.ours.starts_with("bad ") => Verdict::Bad,
        _ => Verdict::Different,
    }
}

fn print(name: &str, difference: &Difference) {
    let Difference { address, context, bytes, ours, reference } = difference;
    let bytes: String = bytes.iter().take(16).map(|byte| format!("{byte:02x}")).collect();
    let reference = match reference {
        ReferenceOutcome::Decoded { length, pcode, text } => line(*length, pcode, text.as_deref()),
        ReferenceOutcome::Bad { reason } => format!("bad {reason}"),
        ReferenceOutcome::Crashed => "crashed".to_owned(),
    };
    println!(
        "{name}: {address:#x}: {bytes} in context {context:#x}\n  ours      {ours}\n  reference {reference}"
    );
}
