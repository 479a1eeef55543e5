//! Justified directions, apart from proofs, and justifications that lapsed.

use std::io::{self, Write};

use everypath_record::Summary;

use super::{IN_SUMMARY, SHOWN};
use crate::justified::{accepted_text, lapsed_text};
use crate::locations::Locations;
use crate::number::{counted, write_rest};

/// Writes the open directions that are justified, and the justifications that count for nothing.
pub(super) fn write(summary: &Summary, locations: &Locations<'_>, out: &mut dyn Write) -> io::Result<()> {
    let justified = summary.justified();
    if !justified.is_empty() {
        let count = counted(justified.len() as u64, "open direction");
        writeln!(out, "\njustified: {count}, by a reviewer and not by a proof")?;
        for (direction, justification) in justified.iter().take(SHOWN) {
            writeln!(out, "  {}", locations.direction(*direction))?;
            writeln!(out, "      {}", accepted_text(justification))?;
        }
        write_rest(justified.len(), SHOWN, IN_SUMMARY, out)?;
    }
    let lapsed: Vec<_> = summary.lapsed().collect();
    if !lapsed.is_empty() {
        let count = counted(lapsed.len() as u64, "justification");
        writeln!(out, "\nlapsed: {count} in the configuration, which count for nothing")?;
        for (justification, _) in lapsed.iter().take(SHOWN) {
            writeln!(out, "  {}", justification.place())?;
            writeln!(out, "      {}", lapsed_text(justification))?;
        }
        write_rest(lapsed.len(), SHOWN, IN_SUMMARY, out)?;
    }
    Ok(())
}

/// Says that nothing but justified directions is open, and whether the run passes by it.
pub(super) fn write_conclusion(summary: &Summary, out: &mut dyn Write) -> io::Result<()> {
    if !summary.is_justified() {
        return Ok(());
    }
    let all = match summary.justified().len() {
        1 => "the only open direction is justified".to_owned(),
        count => format!("all {} are justified", counted(count as u64, "open direction")),
    };
    let passes = match summary.exit_code() {
        everypath_record::ExitCode::Good => ", so the exit code is 0",
        _ => "",
    };
    let others =
        if summary.directions_exact { "" } else { "; there may be others, as coverage is not exact" };
    writeln!(out, "{all}{passes}{others}")
}
