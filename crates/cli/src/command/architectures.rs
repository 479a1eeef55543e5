//! `everypath architectures`: lists the known architectures.

use crate::document;
use crate::failure::Failure;
use everypath_lift::Library;
use std::io::Write;

pub(super) fn run(library: &Library, json: bool, out: &mut dyn Write) -> Result<(), Failure> {
    let list = library.list().map(|(name, description, origin)| document::Architecture {
        name,
        title: &description.title,
        aliases: &description.aliases,
        origin,
    });
    let content = document::Architectures { architectures: list.collect() };
    if json {
        return document::write(out, "everypath.architectures", &content);
    }
    let width = content.architectures.iter().map(|architecture| architecture.name.len()).max().unwrap_or(0);
    for architecture in &content.architectures {
        let document::Architecture { name, title, aliases, origin } = architecture;
        writeln!(out, "{name:width$}  {title}")?;
        if !aliases.is_empty() {
            writeln!(out, "{:width$}  also: {}", "", aliases.join(", "))?;
        }
        if *origin != "built in" {
            writeln!(out, "{:width$}  from: {origin}", "")?;
        }
    }
    Ok(())
}
