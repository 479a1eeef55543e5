//! A compact textual dump of an image, for checks and messages.

use std::fmt::Write;

use crate::{Endian, Image};

/// The number of bytes shown of each segment.
const BYTES_SHOWN: usize = 32;

impl Image {
    /// The image as text, one line for each thing in it, without the source lines.
    pub fn describe(&self) -> String {
        let mut text = String::new();
        // Writing to a string does not fail.
        let _ = self.write_description(&mut text);
        text
    }

    fn write_description(&self, text: &mut String) -> std::fmt::Result {
        writeln!(text, "format {}", self.format().name)?;
        if let Some(name) = self.name() {
            writeln!(text, "name {}", printable(name))?;
        }
        if let Some(machine) = self.machine() {
            let endian = match machine.endian {
                Endian::Little => "little",
                Endian::Big => "big",
            };
            let (number, bits, flags) = (machine.number, machine.class.bits(), machine.flags);
            writeln!(text, "machine {number} {bits}-bit {endian} flags {flags:#x} {:?}", machine.kind)?;
        }
        for segment in self.segments() {
            let (first, last) = (segment.address(), segment.last());
            write!(
                text,
                "segment {first:#x}..={last:#x} {} {}",
                segment.permissions(),
                printable(segment.name())
            )?;
            if let Some(space) = segment.space() {
                write!(text, " in {}", printable(space))?;
            }
            if let Some(original) = segment.copy_of() {
                write!(text, " for {original:#x}")?;
            }
            write!(text, ":")?;
            for byte in segment.data().iter().take(BYTES_SHOWN) {
                write!(text, " {byte:02x}")?;
            }
            let more = segment.data().len().saturating_sub(BYTES_SHOWN);
            if more > 0 {
                write!(text, " and {more} more")?;
            }
            let zeros = segment.size() - segment.data().len() as u64;
            if zeros > 0 {
                write!(text, " then {zeros} zero")?;
            }
            writeln!(text)?;
        }
        for section in self.sections() {
            let (name, address, size) = (printable(section.name()), section.address(), section.size());
            writeln!(text, "section {name} {address:#x} size {size:#x} flags {:#x}", section.flags())?;
        }
        for symbol in self.symbols() {
            let (address, size, name) = (symbol.address, symbol.size, printable(&symbol.name));
            let alternate = if symbol.alternate { " alternate" } else { "" };
            let dynamic = if symbol.dynamic { " dynamic" } else { "" };
            let (kind, binding) = (symbol.kind, symbol.binding);
            writeln!(text, "symbol {address:#x} size {size:#x} {binding} {kind}{alternate}{dynamic} {name}")?;
        }
        for entry in self.entries() {
            let alternate = if entry.alternate { " alternate" } else { "" };
            write!(text, "entry {:#x} {}{alternate}", entry.address, entry.reason)?;
            match &entry.name {
                Some(name) => writeln!(text, " {}", printable(name))?,
                None => writeln!(text)?,
            }
        }
        for warning in self.warnings() {
            writeln!(text, "warning {}", printable(&warning.to_string()))?;
        }
        Ok(())
    }
}

/// The text on one line: characters that would move the cursor are written out.
fn printable(text: &str) -> String {
    let written = |character: char| {
        if character.is_control() { character.escape_default().to_string() } else { character.to_string() }
    };
    text.chars().map(written).collect()
}
