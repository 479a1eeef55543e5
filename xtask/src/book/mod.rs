//! The guide as a book: `docs/guide/SUMMARY.md`, and the pages of `docs/why` behind it, rendered by mdBook. Before, every link is
//! followed, and every page of the guide must be in the summary.

mod links;
mod pages;

use mdbook_driver::MDBook;
use mdbook_driver::config::Config;
use pages::{Pages, Summary};
use std::fs;
use std::path::{Path, PathBuf};

/// The folders that are in the book; links may lead to files in them and nowhere else.
const FOLDERS: [&str; 2] = ["docs", "examples"];
/// The folder of the chapters, with the summary.
const GUIDE: &str = "docs/guide";
/// The folder of the pages behind them.
const REASONS: &str = "docs/why";
/// mdBook's configuration. Paths are relative to the folder in which the book is put together.
const CONFIGURATION: &str = "
[book]
title = 'Everypath'
description = 'Generates tests from an executable alone'
language = 'en'
src = 'src'

[output.html]
no-section-label = true
default-theme = 'light'
preferred-dark-theme = 'navy'

[output.html.search]
enable = false
";

/// The faults of the pages, each with its file: links that lead nowhere, and pages that the summary does not have.
///
/// # Errors
/// If a page cannot be read.
pub fn faults(root: &Path) -> Result<Vec<String>, String> {
    let pages = Pages::read(root, &FOLDERS)?;
    let mut faults = links::faults(root, &pages, &FOLDERS);
    let summary = Summary::read(root, GUIDE)?;
    let guide = pages.names().filter(|name| name.starts_with(&format!("{GUIDE}/")) && *name != summary.file);
    let missing = guide.filter(|name| !summary.pages.iter().any(|page| page == name));
    faults.extend(missing.map(|name| format!("{name}: is not in {}", summary.file)));
    Ok(faults)
}

/// Checks the pages, and renders the book to a folder.
///
/// # Errors
/// If a page cannot be read, or the book cannot be written.
pub fn run(root: &Path, output: &Path) -> Result<bool, String> {
    let faults = faults(root)?;
    for fault in &faults {
        println!("{fault}");
    }
    if !faults.is_empty() {
        return Ok(false);
    }
    let staged = tempfile::tempdir().map_err(|error| error.to_string())?;
    let source = staged.path().join("src");
    for folder in FOLDERS {
        copy(&root.join(folder), &source.join(folder))?;
    }
    write(&source.join("SUMMARY.md"), &Summary::read(root, GUIDE)?.of_book(root, REASONS)?)?;
    // Inside of the book it would be a page that no other has.
    fs::remove_file(source.join(GUIDE).join("SUMMARY.md")).map_err(|error| error.to_string())?;
    let problem = |error: mdbook_driver::errors::Error| format!("{error:#}");
    let mut configuration: Config = CONFIGURATION.parse().map_err(problem)?;
    configuration.build.build_dir = std::path::absolute(output).map_err(|error| error.to_string())?;
    let book = MDBook::load_with_config(staged.path(), configuration).map_err(problem)?;
    book.build().map_err(problem)?;
    println!("{}", output.join("index.html").display());
    Ok(true)
}

fn copy(from: &Path, to: &Path) -> Result<(), String> {
    let problem = |error: std::io::Error| format!("{}: {error}", from.display());
    fs::create_dir_all(to).map_err(problem)?;
    for entry in fs::read_dir(from).map_err(problem)? {
        let path: PathBuf = entry.map_err(problem)?.path();
        let name = path.file_name().unwrap_or_default();
        if path.is_dir() {
            copy(&path, &to.join(name))?;
        } else {
            fs::copy(&path, to.join(name)).map_err(problem)?;
        }
    }
    Ok(())
}

fn write(path: &Path, text: &str) -> Result<(), String> {
    fs::write(path, text).map_err(|error| format!("{}: {error}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_link_of_the_guide_leads_somewhere_and_every_page_is_in_the_summary() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the root");
        assert_eq!(faults(root).expect("the pages"), [""; 0]);
    }

    #[test]
    fn wrong_links_and_lost_pages_are_noticed() {
        let root = tempfile::tempdir().expect("a folder");
        let file = |name: &str, text: &str| {
            let path = root.path().join(name);
            fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
            fs::write(path, text).expect("a file");
        };
        file("docs/guide/SUMMARY.md", "# Summary\n\n- [One](one.md)\n");
        file(
            "docs/guide/one.md",
            "# One page\n[a](two.md#second-part) [b](#one-page) ![c](no.svg)\n`[d](no.md)`\n",
        );
        file(
            "docs/guide/two.md",
            "# Two\n## Second `part`\n[e](one.md#nowhere) [f](../../Cargo.toml) [g](https://a.b)\n",
        );
        file("docs/why/three.md", "# Three\n");
        file("examples/a.txt", "");
        file("Cargo.toml", "");
        assert_eq!(
            faults(root.path()).expect("pages"),
            [
                "docs/guide/one.md: no.svg does not exist",
                "docs/guide/two.md: one.md#nowhere: there is no such heading",
                "docs/guide/two.md: ../../Cargo.toml leads out of the book",
                "docs/guide/two.md: is not in docs/guide/SUMMARY.md",
            ]
        );
        let problem = run(root.path(), &root.path().join("book"));
        assert_eq!(problem, Ok(false), "a book with faults is not rendered");
        file("docs/guide/SUMMARY.md", "# Summary\n\n- [One](one.md)\n  - [Two](two.md)\n");
        file("docs/guide/one.md", "# One page\n[a](two.md#second-part)\n");
        file("docs/guide/two.md", "# Two\n## Second `part`\n[why](../why/three.md)\n");
        assert_eq!(run(root.path(), &root.path().join("book")), Ok(true));
        let page = fs::read_to_string(root.path().join("book/docs/guide/two.html")).expect("a chapter");
        assert!(page.contains("href=\"../why/three.html\""), "{page}");
    }
}
