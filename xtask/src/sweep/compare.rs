//! Compares one answer of the decoder with the reference's.

use super::ours::Ours;
use super::processor::Processor;
use super::row::Row;
use everypath_sleigh::DecodingContext;
use everypath_testkit::reference::{ReferenceAnswer, ReferenceOutcome};

/// The result of a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// The same length, the same p-code and the same text.
    Equal,
    /// No instruction on both sides.
    Bad,
    /// One side has an instruction that the other has not.
    Different,
    /// The reference crashed: there is nothing to compare with.
    Crashed,
}

/// A difference, with everything needed to reproduce it.
#[derive(Clone, Debug)]
pub(super) struct Difference {
    pub(super) address: u64,
    pub(super) context: DecodingContext,
    /// The instruction's bytes, and some after it.
    pub(super) bytes: Vec<u8>,
    pub(super) ours: String,
    pub(super) reference: ReferenceOutcome,
}

/// Compares our answer with the reference's for the same bytes and counts the result; returns a difference.
pub(super) fn settle(
    row: &mut Row,
    processor: &Processor,
    ours: &Ours,
    answer: ReferenceAnswer,
    context: DecodingContext,
    bytes: &[u8],
) -> Option<Difference> {
    let ReferenceAnswer { address, outcome: reference, .. } = answer;
    let verdict = compare(ours, &reference);
    row.count(verdict);
    match verdict {
        Verdict::Different => {
            Some(Difference { address, context, bytes: bytes.to_vec(), ours: ours.describe(), reference })
        }
        Verdict::Crashed => {
            row.crash(processor, bytes, address, context);
            None
        }
        Verdict::Equal | Verdict::Bad => None,
    }
}

/// Compares the two answers for the same bytes.
pub(super) fn compare(ours: &Ours, reference: &ReferenceOutcome) -> Verdict {
    match (&ours.length, reference) {
        (_, ReferenceOutcome::Crashed) => Verdict::Crashed,
        (Some(Ok(ours_length)), ReferenceOutcome::Decoded { length, pcode, text })
            if ours_length == length && ours.pcode == *pcode && text.as_ref() == Some(&ours.text) =>
        {
            Verdict::Equal
        }
        (Some(Err(_)), ReferenceOutcome::Bad { .. }) => Verdict::Bad,
        _ => Verdict::Different,
    }
}

impl Row {
    /// Counts a verdict; a difference is counted once confirmed, a crash where its bytes are known.
    pub(super) fn count(&mut self, verdict: Verdict) {
        self.answers += 1;
        match verdict {
            Verdict::Equal => self.equal += 1,
            Verdict::Bad => self.bad += 1,
            Verdict::Crashed | Verdict::Different => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use everypath_sleigh::BadInstruction;

    fn ours(length: Result<u64, BadInstruction>, pcode: &str) -> Ours {
        let (pcode, text) = (pcode.to_owned(), "NOP".to_owned());
        Ours { length: Some(length), pcode, text, commits: Vec::new() }
    }

    fn decoded(length: u64, pcode: &str) -> ReferenceOutcome {
        ReferenceOutcome::Decoded { length, pcode: pcode.to_owned(), text: Some("NOP".to_owned()) }
    }

    #[test]
    fn length_pcode_and_text_decide() {
        let bad = ReferenceOutcome::Bad { reason: "undecodable".to_owned() };
        let other_text =
            ReferenceOutcome::Decoded { length: 4, pcode: "A".to_owned(), text: Some("HLT".to_owned()) };
        let none = || ours(Err(BadInstruction::NoMatch), "");
        let verdicts = [
            compare(&ours(Ok(4), "A"), &decoded(4, "A")),
            compare(&ours(Ok(4), "A"), &decoded(2, "A")),
            compare(&ours(Ok(4), "A"), &decoded(4, "B")),
            compare(&ours(Ok(4), "A"), &other_text),
            compare(&ours(Ok(4), "A"), &bad),
            compare(&none(), &decoded(4, "A")),
            compare(&none(), &bad),
            compare(&none(), &ReferenceOutcome::Crashed),
        ];
        use Verdict::{Bad, Crashed, Different, Equal};
        assert_eq!(verdicts, [Equal, Different, Different, Different, Different, Different, Bad, Crashed]);
    }
}
