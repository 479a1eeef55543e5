//! The register values before each single step, as QEMU prints them with `-d cpu`.

use super::list::Machine;
use std::io::BufRead;

/// The position of a register's value in a dump.
struct Field {
    line: usize,
    column: usize,
    marker: String,
    /// The number of values after the marker.
    count: usize,
}

/// A reader of dumps, which all have the layout of the first one.
pub(super) struct Dumps<'m, R> {
    machine: &'m Machine,
    input: R,
    /// The first line of the next dump.
    next: Vec<u8>,
    lines: Vec<Vec<u8>>,
    fields: Vec<Field>,
}

/// The length of the prefix that the first line of each dump begins with.
const BEGINNING: usize = 4;

impl<'m, R: BufRead> Dumps<'m, R> {
    pub(super) fn new(machine: &'m Machine, input: R) -> Self {
        Self { machine, input, next: Vec::new(), lines: Vec::new(), fields: Vec::new() }
    }

    /// The names of the registers, in the order of their values.
    pub(super) fn names(machine: &Machine) -> Vec<&str> {
        machine.registers.iter().flat_map(|(_, names)| names.split_whitespace()).collect()
    }

    /// The program counter and the registers before the next step.
    ///
    /// # Errors
    /// If a dump lacks a register or has another layout than the first.
    pub(super) fn step(&mut self, registers: &mut Vec<u64>) -> Result<Option<u64>, String> {
        if !self.read_dump()? {
            return Ok(None);
        }
        if self.fields.is_empty() {
            let machine = self.machine;
            self.add_field(&machine.program_counter, 1)?;
            for (marker, names) in &machine.registers {
                self.add_field(marker, names.split_whitespace().count())?;
            }
        }
        registers.clear();
        for field in &self.fields {
            let line = self.lines.get(field.line).map_or(&[][..], Vec::as_slice);
            let text = line.get(field.column..).and_then(|text| text.strip_prefix(field.marker.as_bytes()));
            let mut text = text.ok_or_else(|| format!("a dump lacks `{}`", field.marker))?;
            for _ in 0..field.count {
                let (number, rest) = hexadecimal(text).ok_or("a dump lacks a number")?;
                registers.push(number);
                text = rest;
            }
        }
        Ok(Some(registers.remove(0)))
    }

    /// Reads the lines of one dump; returns false at the end, where the last dump may be truncated and is dropped.
    fn read_dump(&mut self) -> Result<bool, String> {
        if self.next.is_empty() && !self.read_line()? {
            return Ok(false);
        }
        self.lines.clear();
        self.lines.push(std::mem::take(&mut self.next));
        while self.read_line()? {
            let first = &self.lines[0];
            if self.next.get(..BEGINNING) == first.get(..BEGINNING) {
                return Ok(true);
            }
            self.lines.push(std::mem::take(&mut self.next));
        }
        Ok(false)
    }

    fn read_line(&mut self) -> Result<bool, String> {
        self.next.clear();
        let count = self.input.read_until(b'\n', &mut self.next).map_err(|error| error.to_string())?;
        Ok(count > 0)
    }

    fn add_field(&mut self, marker: &str, count: usize) -> Result<(), String> {
        let found = self.lines.iter().enumerate().find_map(|(line, text)| {
            let column = text.windows(marker.len()).position(|part| part == marker.as_bytes())?;
            Some((line, column))
        });
        let (line, column) = found.ok_or_else(|| format!("a dump lacks `{marker}`"))?;
        self.fields.push(Field { line, column, marker: marker.to_owned(), count });
        Ok(())
    }
}

/// A number at the beginning of a text, after spaces, and the rest of the text.
fn hexadecimal(text: &[u8]) -> Option<(u64, &[u8])> {
    let start = text.iter().position(|byte| *byte != b' ')?;
    let text = &text[start..];
    let length = text.iter().position(|byte| !byte.is_ascii_hexdigit()).unwrap_or(text.len());
    let mut number = 0_u64;
    for byte in &text[..length] {
        number = number << 4 | u64::from((*byte as char).to_digit(16)?);
    }
    (length > 0).then_some((number, &text[length..]))
}

#[cfg(test)]
mod tests {
    use super::{Dumps, Machine};

    #[test]
    fn dumps_are_read_and_the_last_is_left_out() {
        let machine = Machine {
            architecture: String::new(),
            emulator: String::new(),
            program_counter: "NIP ".to_owned(),
            stack_pointer: "r1".to_owned(),
            delay_slots: false,
            registers: vec![("  LR ".to_owned(), "LR".to_owned()), ("GPR00 ".to_owned(), "r0 r1".to_owned())],
        };
        let text = b"NIP 0010   LR 0001\nTB 7\nGPR00 000a 000b\nNIP 0014   LR 0002\nTB 77\nGPR00 000c 000d\nNIP 0018   LR";
        let mut dumps = Dumps::new(&machine, &text[..]);
        let mut registers = Vec::new();
        assert_eq!(dumps.step(&mut registers), Ok(Some(0x10)));
        assert_eq!(registers, [1, 0xa, 0xb]);
        assert_eq!(dumps.step(&mut registers), Ok(Some(0x14)));
        assert_eq!(registers, [2, 0xc, 0xd]);
        assert_eq!(dumps.step(&mut registers), Ok(None));
        assert_eq!(Dumps::<&[u8]>::names(&machine), ["LR", "r0", "r1"]);
    }
}
