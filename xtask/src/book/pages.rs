//! The Markdown pages of the book, and its summary.

use pulldown_cmark::{Event, Options, Parser, Tag};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

/// The pages by their paths from the root of the project, with `/`.
pub(super) struct Pages(BTreeMap<String, String>);

impl Pages {
    /// Reads all pages in these folders.
    ///
    /// # Errors
    /// If one cannot be read.
    pub(super) fn read(root: &Path, folders: &[&str]) -> Result<Self, String> {
        let mut pages = BTreeMap::new();
        for folder in folders {
            read_folder(root, folder, &mut pages)?;
        }
        Ok(Self(pages))
    }

    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(name, text)| (name.as_str(), text.as_str()))
    }

    pub(super) fn text(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str)
    }
}

fn read_folder(root: &Path, folder: &str, pages: &mut BTreeMap<String, String>) -> Result<(), String> {
    let problem = |error: std::io::Error| format!("{folder}: {error}");
    for entry in fs::read_dir(root.join(folder)).map_err(problem)? {
        let entry = entry.map_err(problem)?;
        let name = format!("{folder}/{}", entry.file_name().to_string_lossy());
        if entry.path().is_dir() {
            read_folder(root, &name, pages)?;
        } else if name.ends_with(".md") {
            let text = fs::read_to_string(entry.path()).map_err(problem)?;
            pages.insert(name, text);
        }
    }
    Ok(())
}

/// The targets of all links and pictures in Markdown.
pub(super) fn targets(text: &str) -> Vec<String> {
    let events = Parser::new_ext(text, Options::ENABLE_TABLES);
    let target = |event| match event {
        Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) => {
            Some(dest_url.into_string())
        }
        _ => None,
    };
    events.filter_map(target).collect()
}

/// `SUMMARY.md`: the chapters in their order.
pub(super) struct Summary {
    /// Its path from the root of the project.
    pub(super) file: String,
    folder: String,
    text: String,
    /// The pages that it has, by their paths from the root of the project.
    pub(super) pages: Vec<String>,
}

impl Summary {
    /// Reads the summary in a folder.
    ///
    /// # Errors
    /// If it cannot be read.
    pub(super) fn read(root: &Path, folder: &str) -> Result<Self, String> {
        let file = format!("{folder}/SUMMARY.md");
        let text = fs::read_to_string(root.join(&file)).map_err(|error| format!("{file}: {error}"))?;
        let pages = targets(&text).into_iter().map(|target| format!("{folder}/{target}")).collect();
        Ok(Self { file, folder: folder.to_owned(), text, pages })
    }

    /// The summary of the whole book: these chapters, and behind them the pages of another folder by their titles.
    ///
    /// # Errors
    /// If a page cannot be read.
    pub(super) fn of_book(&self, root: &Path, behind: &str) -> Result<String, String> {
        let mut text = self.text.replace("](", &format!("]({}/", self.folder));
        text.push_str("\n# Why it is as it is\n\n");
        for (name, page) in Pages::read(root, &[behind])?.iter() {
            let title = page.lines().find_map(|line| line.strip_prefix("# ")).unwrap_or(name);
            let _ = writeln!(text, "- [{title}]({name})");
        }
        Ok(text)
    }
}
