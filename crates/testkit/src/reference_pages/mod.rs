//! The reference pages of the guide, written from what the program itself is made of: the documentation of the types that are
//! read and written, and the help of the command.
//!
//! `cargo xtask reference` writes them, and a check of the command compares them.

mod commands;
mod configuration;
mod exit_codes;
mod json;
mod rust_types;

use std::path::Path;

/// The folder of the pages.
pub const FOLDER: &str = "docs/guide/reference";

/// The names of the pages with their texts, from the sources in `root` and the built command.
///
/// # Errors
/// If a source cannot be read, the command cannot be run, or something has no documentation.
pub fn reference_pages(root: &Path, everypath: &Path) -> Result<Vec<(&'static str, String)>, String> {
    let read =
        |file: &str| std::fs::read_to_string(root.join(file)).map_err(|error| format!("{file}: {error}"));
    let configuration = [
        read("crates/environment/src/configuration.rs")?,
        read("crates/environment/src/linux/settings.rs")?,
        read("crates/lift/src/architecture/description.rs")?,
    ];
    let (summary, failure) = (read("crates/record/src/summary.rs")?, read("crates/cli/src/failure.rs")?);
    Ok(vec![
        ("configuration.md", configuration::page(&configuration.concat())?),
        ("exit-codes.md", exit_codes::page(&commands::help(everypath, &[])?, &summary, &failure)?),
        ("commands.md", commands::page(everypath)?),
        ("json.md", json::page(&read("docs/schema/report.schema.json")?)?),
    ])
}

/// Text for a cell of a table.
fn cell(text: &str) -> String {
    text.replace('|', "\\|").replace('\n', " ")
}
