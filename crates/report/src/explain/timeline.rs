//! The timeline of a run: its reads of inputs and the interrupts that it takes, in order.

use std::io::{self, Write};

use everypath_record::{Address, ExecutedCode, TestCase};

use super::Narrator;
use crate::number::{counted, with_separators};

/// Maximum number of values that are shown of consecutive reads.
const VALUES: usize = 4;

/// Something that reaches a run from outside.
enum Event<'t> {
    /// Consecutive reads of one input by one instruction.
    Reads { after: u64, at: Address, input: &'t str, values: Vec<u64> },
    /// An interrupt.
    Interrupt { after: u64, at: Address, number: u64 },
}

impl Event<'_> {
    fn after(&self) -> u64 {
        match self {
            Event::Reads { after, .. } | Event::Interrupt { after, .. } => *after,
        }
    }
}

/// The events of a run. An interrupt comes before the read of the instruction that it interrupts.
fn events<'t>(test: &'t TestCase, executed: &'t ExecutedCode) -> Vec<Event<'t>> {
    let mut events: Vec<Event<'t>> = Vec::new();
    let mut interrupts = test.interrupts.iter().peekable();
    let taken = |interrupt: &everypath_record::TakenInterrupt| Event::Interrupt {
        after: interrupt.after,
        at: interrupt.at,
        number: interrupt.number,
    };
    for read in &executed.reads {
        while let Some(interrupt) = interrupts.next_if(|interrupt| interrupt.after <= read.after) {
            events.push(taken(interrupt));
        }
        match events.last_mut() {
            Some(Event::Reads { at, input, values, .. }) if *at == read.at && *input == read.input => {
                values.push(read.value);
            }
            _ => events.push(Event::Reads {
                after: read.after,
                at: read.at,
                input: &read.input,
                values: vec![read.value],
            }),
        }
    }
    events.extend(interrupts.map(taken));
    events
}

impl Narrator<'_> {
    /// Writes the timeline of a test, of which at most so many entries are shown: three quarters from its beginning, the others
    /// from its end.
    pub(super) fn write_timeline(
        &self,
        test: &TestCase,
        shown: usize,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let Some(executed) = self.executed(&test.name) else { return Ok(()) };
        let events = events(test, executed);
        let mut counts = vec![counted(executed.all_reads, "read") + " of input"];
        if !test.interrupts.is_empty() {
            counts.push(counted(test.interrupts.len() as u64, "interrupt"));
        }
        let order = if events.is_empty() { "" } else { " (first column: instructions before it)" };
        writeln!(out, "\ntest {}: {}{order}", test.name, counts.join(" and "))?;
        let listed = executed.reads.len() as u64;
        if listed < executed.all_reads {
            let listed = with_separators(listed);
            writeln!(
                out,
                "  only the first {listed} reads are shown with their places; the file of the test has all values"
            )?;
        }
        let (first, last) = if events.len() > shown { (shown - shown / 4, shown / 4) } else { (shown, 0) };
        let is_shown = |index: usize| index < first || index + last >= events.len();
        let shown: Vec<&Event<'_>> =
            events.iter().enumerate().filter(|(index, _)| is_shown(*index)).map(|(_, event)| event).collect();
        let columns = |event: &&Event<'_>| (with_separators(event.after()), what(event));
        let columns: Vec<(String, String)> = shown.iter().map(columns).collect();
        let after_width = columns.iter().map(|(after, _)| after.len()).max().unwrap_or(0);
        let what_width = columns.iter().map(|(_, what)| what.len()).max().unwrap_or(0);
        for (index, (event, (after, what))) in shown.iter().zip(&columns).enumerate() {
            if index == first {
                let hidden = (events.len() - shown.len()) as u64;
                writeln!(out, "  ... {} more ...", with_separators(hidden))?;
            }
            let place = match event {
                Event::Reads { at, .. } => self.locations.at(*at),
                Event::Interrupt { at, .. } => format!("before {}", self.locations.at(*at)),
            };
            writeln!(out, "  {after:>after_width$}  {what:what_width$}  {place}")?;
        }
        Ok(())
    }
}

/// An event without its place: `level = 7`, `level = 0 x 2, 7 (3 reads)`, `interrupt 15`.
fn what(event: &Event<'_>) -> String {
    match event {
        Event::Interrupt { number, .. } => format!("interrupt {number}"),
        Event::Reads { input, values, .. } => {
            let count = match values.len() {
                1 => String::new(),
                count => format!(" ({})", counted(count as u64, "read")),
            };
            format!("{input} = {}{count}", values_text(values, VALUES))
        }
    }
}

/// Values, of which equal neighbours are one entry (`0 x 12`) and at most so many entries are shown.
pub(super) fn values_text(values: &[u64], shown: usize) -> String {
    let mut entries: Vec<(u64, usize)> = Vec::new();
    for value in values {
        match entries.last_mut() {
            Some((last, count)) if last == value => *count += 1,
            _ => entries.push((*value, 1)),
        }
    }
    let text = |(value, count): &(u64, usize)| match count {
        1 => value_text(*value),
        count => format!("{} x {}", value_text(*value), with_separators(*count as u64)),
    };
    let mut texts: Vec<String> = entries.iter().take(shown).map(text).collect();
    if entries.len() > shown {
        texts.push("...".to_owned());
    }
    texts.join(", ")
}

/// A value: hexadecimal, or one digit.
fn value_text(value: u64) -> String {
    if value < 10 { value.to_string() } else { format!("{value:#x}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_neighbours_are_one_entry_and_long_lists_are_cut() {
        assert_eq!(values_text(&[0, 0, 0, 7, 255], 4), "0 x 3, 7, 0xff");
        assert_eq!(values_text(&[1, 2, 3, 4, 5], 4), "1, 2, 3, 4, ...");
        assert_eq!(values_text(&[], 4), "");
    }
}
