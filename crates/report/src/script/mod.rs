//! Scripts for other tools. Each format is one file and one line in [`SCRIPTS`].

mod gdb;
mod ucsim;

use everypath_record::Rerun;

/// A kind of script.
#[derive(Clone, Copy, Debug)]
pub struct ScriptFormat {
    /// Its name, by which an architecture refers to it.
    pub name: &'static str,
    /// The extension of its files.
    pub extension: &'static str,
    /// A one-line description.
    pub what: &'static str,
    /// Writes a script.
    pub script: fn(&Rerun) -> String,
    /// Writes a second script that runs the first one and ends with 1 if the run is not as recorded, for a tool that
    /// cannot compare by itself; with the extension of its file.
    #[allow(clippy::type_complexity, reason = "a name and a function, told apart in the comment")]
    pub check: Option<(&'static str, fn(&Rerun) -> String)>,
    /// The addresses of the executed instructions, and of the next one, from what the tool printed.
    pub addresses: fn(&str) -> Vec<u64>,
}

/// Every format.
pub static SCRIPTS: &[ScriptFormat] = &[
    ScriptFormat {
        name: "gdb",
        extension: "gdb",
        what: "commands for the GNU debugger, connected to an emulator or a board",
        script: gdb::script,
        check: None,
        addresses: gdb::addresses,
    },
    ScriptFormat {
        name: "ucsim",
        extension: "ucsim",
        what: "commands for a simulator of the uCsim family",
        script: ucsim::script,
        check: Some(("sh", ucsim::check)),
        addresses: ucsim::addresses,
    },
];

impl ScriptFormat {
    /// The format with this name.
    pub fn by_name(name: &str) -> Option<&'static ScriptFormat> {
        SCRIPTS.iter().find(|format| format.name == name)
    }
}

/// The hexadecimal numbers that follow a text at the start of a line.
fn numbers_behind(text: &str, start: &str) -> Vec<u64> {
    let number = |line: &str| {
        let rest = line.strip_prefix(start)?;
        let digits = rest.split(|letter: char| !letter.is_ascii_hexdigit()).next()?;
        u64::from_str_radix(digits, 16).ok()
    };
    text.lines().filter_map(number).collect()
}
