//! Compiles a guest, and patches its input into the file.

use super::list::{Guest, INPUT, List, Target};
use object::{Object, ObjectSegment, ObjectSymbol};
use std::path::Path;
use std::process::Command;

/// A compiled guest.
pub(super) struct Program {
    pub(super) file: Vec<u8>,
    /// The address at which it ends, from its symbol table.
    pub(super) done: u64,
    input: u64,
}

/// Compiles a guest for a target.
///
/// # Errors
/// The compiler's message, if it fails.
pub(super) fn compile(
    root: &Path,
    list: &List,
    target: &Target,
    guest: &Guest,
    level: &str,
) -> Result<Program, String> {
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let output = folder.path().join("program");
    let guests = root.join("tests/guests");
    let mut compiler = Command::new(&target.compiler);
    compiler.arg(level).args((!target.starts_itself).then_some(&list.flags).into_iter().flatten());
    compiler.args(&target.flags);
    compiler.args(guest.define.iter().map(|define| format!("-D{define}")));
    compiler.arg("-include").arg(guests.join("conform/guest.h"));
    compiler
        .arg(guests.join("classic").join(format!("{}.c", guest.name)))
        .arg(guests.join("conform/start.c"));
    compiler.args(target.library.then_some("-lgcc")).arg("-o").arg(&output);
    let run = compiler.output();
    let run = run.map_err(|error| {
        format!("{}: {error}; the Debian package {} has it", target.compiler, target.package)
    })?;
    if !run.status.success() {
        return Err(format!("{} {level}: {}", guest.name, String::from_utf8_lossy(&run.stderr)));
    }
    Program::new(std::fs::read(&output).map_err(|error| error.to_string())?)
}

impl Program {
    fn new(file: Vec<u8>) -> Result<Self, String> {
        let parsed = object::File::parse(&*file).map_err(|error| error.to_string())?;
        let symbol = |name: &str| {
            let found = parsed.symbols().find(|symbol| symbol.name() == Ok(name));
            found.map(|symbol| symbol.address()).ok_or_else(|| format!("it has no symbol `{name}`"))
        };
        let (done, input) = (symbol("done")?, symbol("input")?);
        Ok(Self { done, input, file })
    }

    /// The file with this input.
    ///
    /// # Errors
    /// If the input is not in the file.
    pub(super) fn with_input(&self, input: &[u8]) -> Result<Vec<u8>, String> {
        let mut file = self.file.clone();
        let at = self.offset(self.input, INPUT)?;
        file[at..at + INPUT].copy_from_slice(input);
        Ok(file)
    }

    /// The file offset of an address.
    fn offset(&self, address: u64, size: usize) -> Result<usize, String> {
        let parsed = object::File::parse(&*self.file).map_err(|error| error.to_string())?;
        let place = parsed.segments().find_map(|segment| {
            let (start, length) = segment.file_range();
            let distance = address.checked_sub(segment.address())?;
            (distance + size as u64 <= length).then_some(start + distance)
        });
        place.map(|place| place as usize).ok_or_else(|| format!("{address:#x} is not in the file"))
    }
}
