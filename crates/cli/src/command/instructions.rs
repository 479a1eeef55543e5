//! `everypath inspect instructions`: a disassembly.

use crate::arguments::{File, Part};
use crate::document::{self, Hexadecimal};
use crate::failure::Failure;
use crate::input;
use crate::listing::{address, digits, labels, printable};
use crate::range::{Span, spans};
use everypath_image::{Image, SourceLine};
use everypath_lift::{Architecture, CodeMap, Item, ItemKind, Library, LinearSweep};
use std::fmt::Write as _;
use std::io::Write;

/// The arguments of the command.
pub(super) struct InstructionsArgs<'a> {
    pub(super) file: &'a File,
    pub(super) part: &'a Part,
    pub(super) p_code: bool,
}

pub(super) fn run(
    options: &InstructionsArgs<'_>,
    library: &Library,
    json: bool,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    let image = input::image(options.file)?;
    let architecture = input::architecture(options.file, &image, library)?;
    let mut map = CodeMap::new(&architecture, &image);
    let spans = spans(&image, options.part, &mut map)?;
    let mut sweep = LinearSweep::new(&architecture, &map, options.p_code);
    if json {
        let mut parts = Vec::new();
        for span in &spans {
            parts.push(part(&image, &architecture, span, &mut sweep, options.p_code)?);
        }
        let content = document::Instructions { architecture: architecture.name(), parts };
        return document::write(out, "everypath.inspect.instructions", &content);
    }
    let digits = digits(spans.iter().map(Span::last).max().unwrap_or(0));
    let mut listing =
        Listing { image: &image, architecture: &architecture, digits, source: None, line: String::new() };
    for (number, span) in spans.iter().enumerate() {
        let gap = if number == 0 { "" } else { "\n" };
        let (first, last) = (address(span.stretch.start, digits), address(span.last(), digits));
        writeln!(out, "{gap}; {} {first}..={last}", printable(span.name))?;
        sweep.run(&span.stretch, |item| listing.item(item, out))?;
    }
    Ok(())
}

fn part<'i>(
    image: &'i Image,
    architecture: &Architecture,
    span: &Span<'i>,
    sweep: &mut LinearSweep<'_>,
    p_code: bool,
) -> Result<document::Part<'i>, Failure> {
    let mut items = Vec::new();
    sweep.run(&span.stretch, |item| -> Result<(), Failure> {
        let (kind, text, problem) = match &item.kind {
            ItemKind::Instruction(instruction, problem) => {
                ("instruction", Some(instruction.text()), *problem)
            }
            ItemKind::Bad(problem) => ("bad", None, Some(*problem)),
            ItemKind::Data => ("data", None, None),
        };
        let operations = match &item.kind {
            ItemKind::Instruction(instruction, None) if p_code => {
                let line = |operation: everypath_sleigh::Operation<'_>| {
                    operation.display(architecture.specification()).to_string()
                };
                Some(instruction.operations().map(line).collect())
            }
            _ => None,
        };
        let mut bytes = String::new();
        item.bytes.iter().for_each(|byte| {
            let _ = write!(bytes, "{byte:02x}");
        });
        let source = image.source_line(item.address);
        items.push(document::Item {
            address: Hexadecimal(item.address),
            bytes,
            kind,
            text,
            problem: problem.map(|problem| problem.to_string()),
            labels: labels(image, item.address, item.address.saturating_add(1))
                .map(|symbol| symbol.name.as_str())
                .collect(),
            source: source.map(|SourceLine { file, line, column }| document::Source { file, line, column }),
            p_code: operations,
        });
        Ok(())
    })?;
    let size = Hexadecimal(span.stretch.bytes.len() as u64);
    Ok(document::Part { name: span.name, address: Hexadecimal(span.stretch.start), size, items })
}

/// Number of bytes that fit before the text.
const BYTES: usize = 8;

/// The listing for people.
struct Listing<'i> {
    image: &'i Image,
    architecture: &'i Architecture,
    digits: usize,
    /// The source line of the instruction before.
    source: Option<(&'i str, u32)>,
    /// The buffer of the current line, reused.
    line: String,
}

impl Listing<'_> {
    fn item(&mut self, item: &Item<'_>, out: &mut dyn Write) -> Result<(), Failure> {
        let end = item.address.saturating_add(item.bytes.len() as u64);
        for symbol in labels(self.image, item.address, item.address.saturating_add(1)) {
            writeln!(out, "\n{}:", printable(&symbol.name))?;
        }
        let source = self.image.source_line(item.address).map(|source| (source.file, source.line));
        if let Some((file, line)) = source
            && source != self.source
        {
            writeln!(out, "; {}:{line}", printable(file))?;
        }
        self.source = source;
        self.text(item);
        out.write_all(self.line.as_bytes())?;
        if let ItemKind::Instruction(instruction, _) = &item.kind {
            for operation in instruction.operations() {
                writeln!(out, "      {}", operation.display(self.architecture.specification()))?;
            }
        }
        for symbol in labels(self.image, item.address.saturating_add(1), end) {
            let at = address(symbol.address, self.digits);
            writeln!(out, "; {at} {}: inside the line above", printable(&symbol.name))?;
        }
        Ok(())
    }

    /// Formats the line of an item.
    fn text(&mut self, item: &Item<'_>) {
        let line = &mut self.line;
        line.clear();
        // Writing to a string cannot fail.
        let _ = write!(line, "  {}  ", address(item.address, self.digits));
        for byte in item.bytes {
            push_byte(line, *byte);
            line.push(' ');
        }
        for _ in item.bytes.len()..BYTES {
            line.push_str("   ");
        }
        line.push(' ');
        match &item.kind {
            ItemKind::Instruction(instruction, problem) => {
                let _ = instruction.write_text(line);
                if let Some(problem) = problem {
                    let _ = write!(line, "  ; no p-code: {problem}");
                }
            }
            ItemKind::Bad(problem) => {
                byte_directive(line, item.bytes);
                let _ = write!(line, "  ; {problem}");
            }
            ItemKind::Data => byte_directive(line, item.bytes),
        }
        line.push('\n');
    }
}

fn byte_directive(line: &mut String, bytes: &[u8]) {
    for (index, byte) in bytes.iter().enumerate() {
        line.push_str(if index == 0 { ".byte 0x" } else { ",0x" });
        push_byte(line, *byte);
    }
}

/// Two digits: done by hand because every line has several, and formatting each costs more than decoding.
fn push_byte(line: &mut String, byte: u8) {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    line.push(char::from(DIGITS[usize::from(byte >> 4)]));
    line.push(char::from(DIGITS[usize::from(byte & 15)]));
}
