//! `everypath inspect image`: format, machine, entry points, memory and symbols of a file.

use crate::arguments::File;
use crate::document::{self, Hexadecimal};
use crate::failure::Failure;
use crate::input;
use crate::listing::{address, digits, printable};
use everypath_image::{FileKind, Image, Segment};
use everypath_lift::{Architecture, CodeMap, CodeStart, Library};
use std::io::Write;

/// Number of symbols shown unless all are asked for.
const SHOWN: usize = 20;

pub(super) fn run(
    file: &File,
    all: bool,
    library: &Library,
    json: bool,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    let image = input::image(file)?;
    // A file can be inspected before its architecture is known.
    let is_known = file.architecture.is_some() || input::detected(&image, library).is_some();
    let architecture = if is_known { Some(input::architecture(file, &image, library)?) } else { None };
    let content = describe(&image, architecture.as_deref(), if all { usize::MAX } else { SHOWN });
    if json {
        return document::write(out, "everypath.inspect.image", &content);
    }
    print(&image, architecture.as_deref(), &content, out)
}

fn describe<'i>(
    image: &'i Image,
    architecture: Option<&'i Architecture>,
    symbols: usize,
) -> document::Image<'i> {
    let machine = image.machine().map(|machine| document::Machine {
        number: machine.number,
        bits: machine.class.bits(),
        endian: machine.endian.name(),
        flags: Hexadecimal(u64::from(machine.flags)),
        interface: machine.interface,
        kind: file_kind(machine.kind),
    });
    let entries = match architecture {
        Some(architecture) => {
            let start = |CodeStart { place, reason, name }| document::Entry {
                address: Hexadecimal(place.address),
                reason,
                name,
            };
            CodeMap::new(architecture, image).starts(image).into_iter().map(start).collect()
        }
        None => image
            .entries()
            .iter()
            .map(|entry| document::Entry {
                address: Hexadecimal(entry.address),
                reason: entry.reason.to_string(),
                name: entry.name.clone(),
            })
            .collect(),
    };
    let segment = |segment: &'i Segment| document::Segment {
        address: Hexadecimal(segment.address()),
        size: Hexadecimal(segment.size()),
        file_size: Hexadecimal(segment.data().len() as u64),
        permissions: segment.permissions().to_string(),
        name: segment.name(),
        copy_of: segment.copy_of().map(Hexadecimal),
    };
    let sections = image.sections().iter().map(|section| document::Section {
        name: section.name(),
        address: Hexadecimal(section.address()),
        size: Hexadecimal(section.size()),
        flags: Hexadecimal(section.flags()),
    });
    let shown = image.symbols().iter().take(symbols).map(|symbol| document::Symbol {
        address: Hexadecimal(symbol.address),
        size: Hexadecimal(symbol.size),
        kind: symbol.kind.to_string(),
        binding: symbol.binding.to_string(),
        alternate: symbol.alternate,
        dynamic: symbol.dynamic,
        name: &symbol.name,
    });
    document::Image {
        file_format: image.format().name,
        name: image.name(),
        machine,
        architecture: architecture.map(Architecture::name),
        entries,
        segments: image.segments().iter().map(segment).collect(),
        sections: sections.collect(),
        symbol_count: image.symbols().len(),
        symbols: shown.collect(),
        warnings: image.warnings().iter().chain(image.line_warnings()).map(ToString::to_string).collect(),
    }
}

fn file_kind(kind: FileKind) -> String {
    match kind {
        FileKind::Relocatable => "relocatable".to_owned(),
        FileKind::Executable => "executable".to_owned(),
        FileKind::Shared => "shared".to_owned(),
        FileKind::Core => "core".to_owned(),
        FileKind::Other(number) => format!("other-{number}"),
    }
}

fn print(
    image: &Image,
    architecture: Option<&Architecture>,
    content: &document::Image<'_>,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    writeln!(out, "format        {} ({})", content.file_format, image.format().title)?;
    if let Some(name) = content.name {
        writeln!(out, "name          {}", printable(name))?;
    }
    if let Some(machine) = &content.machine {
        let document::Machine { number, bits, endian, flags, kind, .. } = machine;
        writeln!(out, "machine       {number}, {bits}-bit, {endian}-endian, flags {:#x}, {kind}", flags.0)?;
    }
    match architecture {
        Some(known) => writeln!(out, "architecture  {} ({})", known.name(), known.description().title)?,
        None => writeln!(out, "architecture  not known; name it with --architecture")?,
    }
    let last = image.segments().iter().map(Segment::last).max().unwrap_or(0);
    let digits = digits(last);
    heading(out, "entry points", content.entries.len())?;
    let width = content.entries.iter().map(|entry| entry.reason.len()).max().unwrap_or(0);
    for document::Entry { address: start, reason, name } in &content.entries {
        let start = address(start.0, digits);
        match name {
            Some(name) => writeln!(out, "  {start}  {reason:width$}  {}", printable(name))?,
            None => writeln!(out, "  {start}  {reason}")?,
        }
    }
    heading(out, "segments", content.segments.len())?;
    for (segment, line) in image.segments().iter().zip(&content.segments) {
        let (first, last) = (address(segment.address(), digits), address(segment.last(), digits));
        write!(out, "  {first}..={last}  {}  {}", line.permissions, printable(line.name))?;
        if line.file_size.0 < line.size.0 {
            write!(out, ", {:#x} bytes in the file and then zeros", line.file_size.0)?;
        }
        if let Some(original) = line.copy_of {
            write!(out, ", to be copied to {:#x}", original.0)?;
        }
        writeln!(out)?;
    }
    heading(out, "sections", content.sections.len())?;
    for section in image.sections() {
        let (start, size, name) =
            (address(section.address(), digits), section.size(), printable(section.name()));
        let letter = |holds: bool, letter: char| if holds { letter } else { '-' };
        let allocated = letter(section.allocated(), 'a');
        let writable = letter(section.writable(), 'w');
        let executable = letter(section.executable(), 'x');
        writeln!(out, "  {start}  size {size:#8x}  {allocated}{writable}{executable}  {name}")?;
    }
    heading(out, "symbols", content.symbol_count)?;
    let width = content.symbols.iter().map(|symbol| symbol.kind.len()).max().unwrap_or(0);
    for symbol in &content.symbols {
        let document::Symbol { kind, binding, .. } = symbol;
        let (start, size) = (address(symbol.address.0, digits), symbol.size.0);
        let name = printable(symbol.name);
        writeln!(out, "  {start}  size {size:#6x}  {binding:6}  {kind:width$}  {name}")?;
    }
    let more = content.symbol_count - content.symbols.len();
    if more > 0 {
        writeln!(out, "  and {more} more; --all shows them")?;
    }
    heading(out, "warnings", content.warnings.len())?;
    for warning in &content.warnings {
        writeln!(out, "  {}", printable(warning))?;
    }
    Ok(())
}

/// Begins a list, if there is anything in it.
fn heading(out: &mut dyn Write, title: &str, count: usize) -> Result<(), Failure> {
    if count > 0 {
        writeln!(out, "\n{title}: {count}")?;
    }
    Ok(())
}
