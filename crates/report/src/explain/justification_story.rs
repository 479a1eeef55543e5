//! The justifications of a direction, and the entry that would justify it.

use std::io::{self, Write};

use everypath_record::{Direction, Judged, Justification};

use super::Narrator;
use crate::justified::{accepted_text, lapsed_text};

impl Narrator<'_> {
    /// Writes who accepts an open direction and why, and the justifications of its branch that lapsed.
    pub(super) fn write_justifications(&self, direction: Direction, out: &mut dyn Write) -> io::Result<()> {
        if let Some(justification) = self.summary().justified().get(&direction) {
            writeln!(out, "justified, by a reviewer and not by a proof: {}", accepted_text(justification))?;
        }
        let location = self.locations.location(direction.branch);
        let Some(function) = &location.function else { return Ok(()) };
        let entry = direction.branch.0.wrapping_sub(function.offset);
        let is_here = |one: &Justification| {
            one.offset == function.offset
                && (one.function == function.name || one.function == format!("sub_{entry:x}"))
        };
        for (justification, _) in self.summary().lapsed().filter(|(one, _)| is_here(one)) {
            let (place, text) = (justification.place(), lapsed_text(justification));
            writeln!(out, "a justification of this branch lapsed, {place}: {text}")?;
        }
        Ok(())
    }

    /// Writes the entry of the configuration that would justify an open direction, unless it is justified.
    pub(super) fn write_draft(&self, judged: &Judged, out: &mut dyn Write) -> io::Result<()> {
        if self.summary().justified().contains_key(&judged.direction) {
            return Ok(());
        }
        let Some(draft) = self.summary().draft_justification(judged) else { return Ok(()) };
        writeln!(out, "\nto accept that it stays open, add this to everypath.toml, with your reason:\n")?;
        draft.to_string().lines().try_for_each(|line| writeln!(out, "  {line}"))
    }
}
