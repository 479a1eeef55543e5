//! An interpreter of scripts for the GNU debugger, connected to an emulator.

use crate::conform::gdb::Emulator;
use crate::conform::registers::{Registers, Role};
use std::fmt::Write as _;

/// Runs a script; returns its output.
pub(super) fn carry_out(
    script: &str,
    emulator: &mut Emulator,
    registers: &Registers,
) -> Result<String, String> {
    let mut client = Client { emulator, registers, printed: String::new() };
    let mut defines = 0;
    for line in script.lines().map(str::trim) {
        // The definitions are built into this interpreter.
        match line.split(' ').next() {
            Some("define" | "while" | "if") => defines += 1,
            Some("end") => defines -= 1,
            _ if defines > 0 => {}
            _ => client.line(line).map_err(|error| format!("`{line}`: {error}"))?,
        }
    }
    Ok(client.printed)
}

struct Client<'c> {
    emulator: &'c mut Emulator,
    registers: &'c Registers,
    printed: String,
}

impl Client<'_> {
    fn line(&mut self, line: &str) -> Result<(), String> {
        let words: Vec<&str> = line.split(' ').collect();
        match words.as_slice() {
            ["set", "{unsigned", "char}", place, "=", value] => {
                let (place, value) = (number(place)?, number(value)?);
                self.emulator.set(&format!("M{place:x},1:{value:02x}"))
            }
            ["set", name, "=", value] if name.starts_with('$') => self.set(&name[1..], number(value)?),
            ["everypath_steps", count] => {
                let count: u64 = count.parse().map_err(|_| "no number")?;
                for _ in 0..count {
                    self.print()?;
                    self.emulator.go_on("s")?;
                }
                Ok(())
            }
            ["everypath_expect", place] => match (self.counter()?, number(place)?) {
                (here, there) if here == there => Ok(()),
                (here, _) => Err(format!("not as recorded: {here:#x}")),
            },
            ["printf", "\"at", ..] => self.print(),
            // Settings of the debugger itself, and the end.
            [] | ["" | "#" | "kill", ..] => Ok(()),
            ["set", "pagination" | "confirm" | "language" | "architecture" | "endian", ..] => Ok(()),
            _ => Err("it is not known here".to_owned()),
        }
    }

    fn print(&mut self) -> Result<(), String> {
        let counter = self.counter()?;
        let _ = writeln!(self.printed, "at {counter:#x}");
        Ok(())
    }

    fn values(&mut self) -> Result<(Vec<u8>, Vec<u128>), String> {
        let bytes = self.emulator.some_registers(&[])?;
        let values = self.registers.take_apart(&bytes);
        Ok((bytes, values))
    }

    fn counter(&mut self) -> Result<u64, String> {
        let (_, values) = self.values()?;
        let index = self.registers.fields.iter().position(|field| field.role == Role::Counter);
        Ok(values[index.ok_or("there is no program counter")?] as u64)
    }

    fn set(&mut self, name: &str, value: u64) -> Result<(), String> {
        let (mut bytes, mut values) = self.values()?;
        let is_named = |field: &&crate::conform::registers::Field| {
            (name == "pc" && field.role == Role::Counter) || field.name == name
        };
        let field = self.registers.fields.iter().position(|field| is_named(&field));
        values[field.ok_or("there is no such register")?] = u128::from(value);
        self.registers.put_together(&mut bytes, &values, &[]);
        let packet = bytes[..self.registers.packet].iter().fold("G".to_owned(), |mut text, byte| {
            let _ = write!(text, "{byte:02x}");
            text
        });
        self.emulator.set(&packet)
    }
}

fn number(text: &str) -> Result<u64, String> {
    let digits = text.strip_prefix("0x").ok_or_else(|| format!("`{text}` is no number"))?;
    u64::from_str_radix(digits, 16).map_err(|error| error.to_string())
}
