//! The text of a draft: an `everypath.toml` in which only what the program needs is no comment.
//!
//! A setting that is a comment begins with `#` and no space, so that removing the `#` declares it.

use super::{ConfigurationDraft, ObservedInterrupt, ObservedRegister};
use everypath_environment::AddressOrSymbol;
use everypath_explore::Bounds;
use std::fmt::{self, Display, Formatter};

/// The maximum number of functions that are named for one register.
const READERS: usize = 3;
/// The maximum number of values that are listed for one register.
const VALUES: usize = ObservedRegister::VALUES - 1;
/// The maximum number of characters in a line of a comment.
const WIDTH: usize = 118;

impl Display for ConfigurationDraft {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        if let Some(missing) = &self.missing {
            comment(out, &format!("The program cannot be run yet: {missing}."))?;
            writeln!(out)?;
        }
        self.write_start(out)?;
        self.write_memory(out)?;
        self.write_registers(out)?;
        self.write_interrupts(out)
    }
}

impl ConfigurationDraft {
    /// Keys of the whole configuration, which come before all tables.
    fn write_start(&self, out: &mut Formatter<'_>) -> fmt::Result {
        let (name, title) = &self.architecture;
        let source = if self.is_detected { "as the file says" } else { "which the file does not say" };
        comment(out, &format!("{title}, {source}."))?;
        writeln!(out, "{}architecture = {name:?}\n", if self.is_detected { "#" } else { "" })?;
        match &self.entry {
            Some(entry) => {
                comment(out, &format!("Entry: {}.", entry.origin))?;
                let hidden = if entry.is_given { "" } else { "#" };
                match &entry.value {
                    Some(AddressOrSymbol::Address(address)) => {
                        writeln!(out, "{hidden}entry = {address:#x}\n")?;
                    }
                    Some(AddressOrSymbol::Symbol(name)) => writeln!(out, "{hidden}entry = {name:?}\n")?,
                    None => writeln!(out)?,
                }
            }
            None => {
                comment(out, "Nothing says where execution starts: give an address or a symbol as `entry`.")?;
                writeln!(out)?;
            }
        }
        comment(out, "Addresses and symbols at which a run ends. A loop that does nothing ends it, too.")?;
        writeln!(out, "#stop = []\n")?;
        comment(
            out,
            "The maximum number of instructions of a run. More are needed where a run is cut off before it has done its work.",
        )?;
        writeln!(out, "#budget = {}\n", Bounds::default().path_instructions)?;
        comment(
            out,
            "Memory that nothing has written is zero. With \"input\" it may hold anything, as after power-on.",
        )?;
        writeln!(out, "#unwritten = \"zero\"\n")?;
        comment(
            out,
            "Not used here: `[call]` and `[[input]]` test one function by itself, `[stack]` bounds the stack, `[[initial]]` fills memory.",
        )?;
        writeln!(out)?;
        if let Some((name, value)) = &self.stack_pointer {
            match value {
                Some(value) => {
                    comment(
                        out,
                        "Registers that do not start at zero. The stack pointer is that of the vector table or of a reset.",
                    )?;
                    writeln!(out, "#[registers]\n#{name} = {value:#x}\n")?;
                }
                None => {
                    comment(
                        out,
                        "Registers that do not start at zero. The program sets its stack pointer itself, or it belongs here.",
                    )?;
                    writeln!(out, "#[registers]\n#{name} = 0\n")?;
                }
            }
        }
        Ok(())
    }

    /// The memory map, for information: all of it is mapped without being declared.
    fn write_memory(&self, out: &mut Formatter<'_>) -> fmt::Result {
        comment(
            out,
            "Memory of the architecture and of the file; a later range replaces those before. Further memory is declared with `[[memory]]`: \
             `name`, `start`, `size`, `access`, and `space` where it is not that of code.",
        )?;
        for range in &self.memory {
            let (first, last) = range.addresses;
            let space = range.space.as_ref().map_or_else(String::new, |space| format!("{space} "));
            let name = plain(&range.name);
            let access = if range.access.is_empty() { String::new() } else { format!(" {}", range.access) };
            writeln!(out, "#   {space}{first:#010x} to {last:#010x}{access} {name}")?;
        }
        writeln!(out)
    }

    fn write_registers(&self, out: &mut Formatter<'_>) -> fmt::Result {
        let (tests, replayed) = self.tests;
        let seen = match replayed {
            _ if self.missing.is_some() => return Ok(()),
            1 if tests == 1 => "one test".to_owned(),
            replayed if replayed == tests => format!("{tests} tests"),
            replayed => format!("{replayed} of {tests} tests"),
        };
        let ranges: Vec<String> = self.input_ranges.iter().map(|name| format!("`{name}`")).collect();
        let are_input = !ranges.is_empty();
        if are_input {
            let ranges = ranges.join(" and ");
            comment(
                out,
                &format!(
                    "As long as nothing is declared, each read of a peripheral register ({ranges}) may give any value. As soon as one \
                     `[[volatile]]` is declared, all other registers give what was last written to them, and interrupts are not taken: then \
                     declare every register that matters. `values = [...]` says what a register gives, read after read."
                ),
            )?;
        } else if !self.registers.is_empty() {
            comment(
                out,
                "Decisions of the program depend on these peripheral registers. Each read may give any value; `values = [...]` says what a \
                 register gives, read after read.",
            )?;
        }
        if self.registers.is_empty() {
            comment(out, &format!("No peripheral register was read in {seen}."))?;
        } else {
            comment(out, &format!("Registers that were read in {seen}:"))?;
        }
        writeln!(out)?;
        for register in &self.registers {
            register.write(out, if are_input { "#" } else { "" })?;
        }
        Ok(())
    }

    fn write_interrupts(&self, out: &mut Formatter<'_>) -> fmt::Result {
        if self.interrupts.is_empty() {
            return Ok(());
        }
        comment(
            out,
            "Interrupts that the program enables, by exception number. They are taken where the program repeats itself; nothing is declared \
             for that.",
        )?;
        let mut lines = self.interrupts.iter().map(ToString::to_string);
        lines.try_for_each(|interrupt| writeln!(out, "#   {}", plain(&interrupt)))
    }
}

impl ObservedRegister {
    /// Writes the entry, with a comment on how the register is read.
    fn write(&self, out: &mut Formatter<'_>, hidden: &str) -> fmt::Result {
        if let Some(described) = &self.described {
            let access = described.access.map_or_else(String::new, |access| format!(", {access}"));
            let reset =
                described.reset.map_or_else(String::new, |reset| format!(", {reset:#x} after a reset"));
            comment(out, &format!("{}{access}{reset}", described.name))?;
        }
        if self.reads > 0 {
            comment(out, &self.how())?;
        }
        self.entry.to_string().lines().try_for_each(|line| writeln!(out, "{hidden}{line}"))?;
        writeln!(out)
    }

    /// How it is read, in words.
    fn how(&self) -> String {
        let sizes: Vec<String> = self.sizes.iter().map(u64::to_string).collect();
        let readers = self.readers.iter().take(READERS).map(|(name, reads)| format!("{name} ({reads})"));
        let mut how = format!(
            "{} {} of {} {}: {}",
            self.reads,
            if self.reads == 1 { "read" } else { "reads" },
            sizes.join(" or "),
            if sizes == ["1"] { "byte" } else { "bytes" },
            readers.collect::<Vec<_>>().join(", ")
        );
        if self.readers.len() > READERS {
            how += &format!(" and {} more", self.readers.len() - READERS);
        }
        if !self.polled_in.is_empty() {
            let names: Vec<&str> = self.polled_in.iter().take(READERS).map(String::as_str).collect();
            how += &format!("; polled in {}", names.join(", "));
        }
        let values = self.values.iter().take(VALUES).map(|value| format!("{value:#x}"));
        let more = (self.values.len() > VALUES).then(|| "...".to_owned());
        let values: Vec<String> = values.chain(more).collect();
        match &values[..] {
            [only] => how + &format!("; {only} in all tests"),
            _ => how + &format!("; values in tests: {}", values.join(", ")),
        }
    }
}

impl Display for ObservedInterrupt {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        let name = self.name.as_ref().map_or_else(String::new, |name| format!(" {name}"));
        let handler = self.handler.as_deref().unwrap_or("an unknown handler");
        write!(out, "{}{name}: {handler}, enabled in {}", self.number, self.enabled_in)
    }
}

/// A text without characters that would end a comment, since symbols may have any name.
fn plain(text: &str) -> String {
    text.replace(|letter: char| letter.is_control(), " ")
}

/// Writes a comment in lines of bounded length.
fn comment(out: &mut Formatter<'_>, text: &str) -> fmt::Result {
    let text = plain(text);
    let mut line = String::from("#");
    for word in text.split_whitespace() {
        if line.len() > 1 && line.chars().count() + word.chars().count() >= WIDTH {
            writeln!(out, "{line}")?;
            line.truncate(1);
        }
        line.push(' ');
        line.push_str(word);
    }
    writeln!(out, "{line}")
}
