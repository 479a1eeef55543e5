//! All instructions of an architecture, by their form: every value of the first two bytes, with random ones behind.

use super::form::Forms;
use super::harvest::{Found, Instance};
use everypath_ir::Context;
use everypath_lift::Architecture;
use everypath_sleigh as sleigh;
use everypath_testkit::random::Random;
use std::collections::BTreeMap;

/// How many instructions of one form are kept.
const KEPT: usize = 256;
/// How many bytes are made: what is skipped or read behind an instruction is part of it.
const WINDOW: usize = 8;

/// Decodes everything that two bytes can be the beginning of.
pub(super) fn encodings(
    architecture: &Architecture,
    context: Context,
    random: &mut Random,
) -> BTreeMap<String, Found> {
    let specification = architecture.specification();
    let forms = Forms::new(specification);
    let mut decoder = specification.decoder_from(sleigh::Context(context.0));
    let mut all: BTreeMap<String, Found> = BTreeMap::new();
    for first in 0..=u16::MAX {
        let mut bytes = random.number().to_le_bytes()[..WINDOW].to_vec();
        bytes[..2].copy_from_slice(&first.to_le_bytes());
        let Ok(instruction) = decoder.disassemble(&bytes, 0, sleigh::Context(context.0)) else { continue };
        let found = all.entry(forms.form(&instruction.text())).or_default();
        found.count += 1;
        found.keep(Instance { bytes, context, lead: 0, home: 0 }, KEPT, random);
    }
    all
}
