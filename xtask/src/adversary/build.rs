//! Compiles a generated program and writes the `everypath.toml` that declares its cells.

use super::generate::Program;
use super::input::Contents;
use super::list::Target;
use object::{Object, ObjectSegment, ObjectSymbol, SegmentFlags, SymbolKind, elf};
use std::collections::HashMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A compiled program in its folder.
#[derive(Clone, Debug)]
pub(super) struct Built {
    pub(super) folder: PathBuf,
    pub(super) file: PathBuf,
    pub(super) configuration: String,
    /// The address of each cell, in the order of the program's domain.
    pub(super) cells: Vec<u64>,
    pub(super) symbols: HashMap<String, u64>,
    /// The addresses of the first and of the last byte of each function whose size the file tells, as its symbol has them.
    pub(super) functions: HashMap<String, (u64, u64)>,
    /// Memory that runs may change: address and size.
    pub(super) writable: Vec<(u64, u64)>,
    /// Initial contents of memory: address, offset in the file, and size.
    pub(super) loaded: Vec<(u64, u64, u64)>,
}

/// Compiles a program into a folder.
///
/// # Errors
/// The compiler's message, if it fails.
pub(super) fn build(target: &Target, level: &str, program: &Program, folder: &Path) -> Result<Built, String> {
    let is_assembly = target.description.assembly.is_some();
    let source = folder.join(if is_assembly { "program.asm" } else { "program.c" });
    write(&source, &program.tree.render())?;
    let file = folder.join(&target.compiler.file);
    compile(target, level, &source, &file)?;
    let bytes = std::fs::read(&file).map_err(|error| format!("{}: {error}", file.display()))?;
    let Parts { symbols, functions, writable, loaded } = if let Some(map) = &target.compiler.map {
        Parts { symbols: map_symbols(&folder.join(map), &target.compiler.prefix)?, ..Parts::default() }
    } else if is_assembly {
        Parts::default()
    } else {
        elf_parts(&bytes)?
    };
    let address = |symbol: &str| match symbol {
        "" => Ok(0),
        _ => symbols.get(symbol).copied().ok_or_else(|| format!("the program has no `{symbol}`")),
    };
    let cells: Vec<u64> = program
        .domain
        .cells
        .iter()
        .map(|cell| Ok::<u64, String>(address(cell.symbol)? + cell.offset))
        .collect::<Result<_, _>>()?;
    let configuration = configuration(target, program, &cells, &symbols);
    write(&folder.join("everypath.toml"), &configuration)?;
    Ok(Built { folder: folder.to_owned(), file, configuration, cells, symbols, functions, writable, loaded })
}

fn configuration(
    target: &Target,
    program: &Program,
    cells: &[u64],
    symbols: &HashMap<String, u64>,
) -> String {
    let own = target.description.assembly.as_ref();
    let mut text = match (own, &target.compiler.map) {
        (Some(assembly), _) => format!("stop = [{:#x}]\n", assembly.stop),
        (None, Some(_)) => format!("stop = [{:#x}]\n", symbols.get("done").copied().unwrap_or(0)),
        (None, None) => "stop = [\"done\"]\n".to_owned(),
    };
    text += own.map_or(&target.compiler.configuration, |assembly| &assembly.configuration).trim_start();
    for (cell, address) in program.domain.cells.iter().zip(cells) {
        let address = address - target.description.cell_base;
        let _ = write!(text, "[[volatile]]\nname = \"{}\"\nsize = 1\naddress = {address:#x}\n", cell.name);
        if let Some(space) = target.description.cell_space.as_ref().or(target.compiler.cell_space.as_ref()) {
            let _ = writeln!(text, "space = \"{space}\"");
        }
        if let Contents::Script(values) = &cell.contents {
            let _ = writeln!(text, "values = {values:?}");
        }
    }
    text
}

fn compile(target: &Target, level: &str, source: &Path, file: &Path) -> Result<(), String> {
    let compiler = &target.compiler;
    let compiled = if compiler.linker.is_empty() { file.to_owned() } else { file.with_extension("o") };
    let mut command = Command::new(&compiler.compiler);
    command.args((!level.is_empty()).then_some(level)).arg("-o").arg(&compiled).arg(source);
    command.args(&compiler.flags).args(&target.description.flags);
    execute(command, &compiled)?;
    if let [linker, arguments @ ..] = compiler.linker.as_slice() {
        let mut command = Command::new(linker);
        command.arg("-o").arg(file).arg(&compiled).args(arguments);
        execute(command, file)?;
    }
    Ok(())
}

fn execute(mut command: Command, file: &Path) -> Result<(), String> {
    let output = command.output().map_err(|error| format!("{}: {error}", command.get_program().display()))?;
    if output.status.success() && file.is_file() {
        return Ok(());
    }
    Err(String::from_utf8_lossy(&[output.stderr, output.stdout].concat()).into_owned())
}

fn write(file: &Path, text: &str) -> Result<(), String> {
    std::fs::write(file, text).map_err(|error| format!("{}: {error}", file.display()))
}

type Symbols = HashMap<String, u64>;

/// The parts of a compiled program, as in [`Built`].
#[derive(Default)]
struct Parts {
    symbols: Symbols,
    functions: HashMap<String, (u64, u64)>,
    writable: Vec<(u64, u64)>,
    loaded: Vec<(u64, u64, u64)>,
}

fn elf_parts(bytes: &[u8]) -> Result<Parts, String> {
    let file = object::File::parse(bytes).map_err(|error| error.to_string())?;
    let symbols =
        file.symbols().filter_map(|symbol| Some((symbol.name().ok()?.to_owned(), symbol.address())));
    let code = file.symbols().filter(|symbol| symbol.kind() == SymbolKind::Text && symbol.size() > 0);
    let functions = code.filter_map(|symbol| {
        let first = symbol.address();
        Some((symbol.name().ok()?.to_owned(), (first, first + symbol.size() - 1)))
    });
    let is_written = |flags: SegmentFlags| matches!(flags, SegmentFlags::Elf { p_flags, .. } if p_flags.0 & elf::PF_W.0 != 0);
    let segments = file.segments().filter(|segment| is_written(segment.flags()));
    let writable = segments.map(|segment| (segment.address(), segment.size())).collect();
    let load = |segment: object::Segment<'_, '_>| {
        let (offset, size) = segment.file_range();
        (segment.address(), offset, size)
    };
    let loaded = file.segments().map(load).collect();
    Ok(Parts { symbols: symbols.collect(), functions: functions.collect(), writable, loaded })
}

/// The symbols in a map of sdcc's linker: lines such as `C:   000001EA  _main   program`.
fn map_symbols(map: &Path, prefix: &str) -> Result<Symbols, String> {
    let text = std::fs::read_to_string(map).map_err(|error| format!("{}: {error}", map.display()))?;
    let symbol = |line: &str| {
        let mut words = line.split_whitespace();
        words.next().filter(|word| matches!(*word, "C:" | "D:"))?;
        let address = u64::from_str_radix(words.next()?, 16).ok()?;
        Some((words.next()?.strip_prefix(prefix)?.to_owned(), address))
    };
    Ok(text.lines().filter_map(symbol).collect())
}
