//! Validation of a setup before the run: programs that need an operating system, and invalid volatile cells.

use crate::configuration::{Configuration, VolatileCell};
use crate::guest::{Guest, GuestError};
use everypath_image::{FileKind, Host};
use everypath_ir::SpaceId;
use std::collections::BTreeSet;

impl Guest {
    /// Rejects a program that cannot run as it is: an object file, or a program that needs an operating system. A
    /// single function of the latter can be run.
    ///
    /// # Errors
    /// The missing part, and what to do.
    pub fn check_setup(&self, configuration: &Configuration) -> Result<(), GuestError> {
        let image = self.image();
        if image.machine().is_some_and(|machine| machine.kind == FileKind::Relocatable) {
            return Err(GuestError::new(
                "the file is an object file, which is not linked: its calls and addresses are not filled in; \
                 link it (for one function: `ld -e FUNCTION -Ttext ADDRESS FILE -o PROGRAM`) and test the program",
            ));
        }
        self.check_overlaps(configuration)?;
        self.linux(configuration)?;
        if configuration.call.is_some()
            || configuration.entry.is_some()
            || self.is_linux_process(configuration)
        {
            return Ok(());
        }
        let needs = match image.host() {
            None => return Ok(()),
            Some(Host::DynamicLinker(path)) => format!("the dynamic linker {path} and an operating system"),
            Some(Host::System(name)) => format!("the operating system {name}"),
        };
        Err(GuestError::new(hosted(&needs)))
    }

    /// Rejects a cell without a byte, outside of its space, or with values that it cannot hold.
    pub(crate) fn check_cell(
        &self,
        cell: &VolatileCell,
        space: SpaceId,
        start: u64,
        size: u64,
    ) -> Result<(), GuestError> {
        let bytes = if size == 1 { "byte" } else { "bytes" };
        let (name, of) = (&cell.name, &self.architecture().layout()[space]);
        if size == 0 {
            return Err(GuestError::new(format!(
                "volatile cell `{name}`: its size is 0; a register has 1 byte or more"
            )));
        }
        if u128::from(start) + u128::from(size) > of.size() {
            return Err(GuestError::new(format!(
                "volatile cell `{name}`: {start:#x} with {size} {bytes} is outside of the space `{}`, whose last address \
                 is {:#x}",
                of.name,
                of.size() - 1
            )));
        }
        let too_large = |value: &&u64| size < 8 && **value >> (8 * size) != 0;
        if let Some(value) = cell.values.iter().find(too_large) {
            return Err(GuestError::new(format!(
                "volatile cell `{name}`: the value {value} does not fit in {size} {bytes}"
            )));
        }
        Ok(())
    }
}

/// Rejects two cells of one name: the values of a test belong to a name.
pub(crate) fn check_names(cells: &[VolatileCell]) -> Result<(), GuestError> {
    let mut names = BTreeSet::new();
    match cells.iter().find(|cell| !names.insert(&cell.name)) {
        Some(cell) => Err(GuestError::new(format!(
            "two volatile cells are called `{}`: give each a name of its own",
            cell.name
        ))),
        None => Ok(()),
    }
}

/// The message for a program that needs an operating system.
pub(crate) fn hosted(needs: &str) -> String {
    format!(
        "the program needs {needs}, which Everypath does not provide for it: whole programs must be bare-metal, or Linux \
         programs of a processor whose description has `[linux]`; one function can be tested with `[call]` in the configuration"
    )
}
